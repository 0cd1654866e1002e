"""How is a shell script read into a tree, without letting a hostile one hold the machine?"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

SCRIPT_BYTES_MAX = 256 * 1024
#: The parser's recovery from errors grows with the square of these; real scripts have a few on a line.
OPERATORS_PER_LINE_MAX = 1_000
OPERATORS_MAX = 30_000
BACKTICKS_MIN = 4
_OPERATORS = "|<>()`{[]&;"
_WIDE = re.compile(r"[^\x00-\xff]")


class TooMuch(Exception):  # noqa: N818 - an expected "no", not a failure of ours
    """The script is larger or denser than we are willing to parse."""


def tree(text: str, *, as_written: bool = False) -> Node:
    """The script's syntax tree; raises TooMuch. What no byte can hold stands there as a dot.

    Backticks are read as `$(…)`, which moves what follows on the line; `as_written` leaves every place as it is.
    """
    text = narrow(text)
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > SCRIPT_BYTES_MAX:
        raise TooMuch(f"longer than {SCRIPT_BYTES_MAX // 1024} KiB")
    total = sum(text.count(one) for one in _OPERATORS)
    if total > OPERATORS_PER_LINE_MAX and _is_dense(text, total):
        raise TooMuch("too many operators to be written by hand")
    if not as_written and text.count("`") >= BACKTICKS_MIN:
        data = _one_way(text).encode("utf-8", "surrogatepass")
    return _parser().parse(data).root_node


def narrow(text: str) -> str:
    """The text with a dot for every character beyond Latin-1.

    The grammar's own C code looks such characters up in a table of 256 entries, behind a brace for one; where that
    memory is not ours, the whole process dies of it.
    """
    return text if text.isascii() else _WIDE.sub("\u00b7", text)


def _one_way(text: str) -> str:
    """Two substitutions in backticks on one line are taken for one by the parser; written as `$(…)` they are not."""
    return "\n".join(_dollars(line) if line.count("`") >= BACKTICKS_MIN else line for line in text.split("\n"))


def _dollars(line: str) -> str:
    made: list[str] = []
    quote, inside, at = "", False, 0
    while at < len(line):
        one = line[at]
        if one == "\\" and quote != "'":
            made.append(line[at : at + 2] if not inside or line[at + 1 : at + 2] != "`" else "`")
            at += 2
            continue
        if one == "'" and quote != '"' and not inside:
            quote = "" if quote else "'"
        elif one == '"' and quote != "'" and not inside:
            quote = "" if quote else '"'
        elif one == "`" and quote != "'":
            made.append(")" if inside else "$(")
            inside = not inside
            at += 1
            continue
        made.append(one)
        at += 1
    return line if inside or quote else "".join(made)


def _is_dense(text: str, total: int) -> bool:
    """Counted over lines as the shell joins them: a pipe or a backslash at the end goes on below."""
    if total > OPERATORS_MAX:
        return True
    count = 0
    for line in text.split("\n"):
        count += sum(line.count(one) for one in _OPERATORS)
        if count > OPERATORS_PER_LINE_MAX:
            return True
        if not line.rstrip().endswith(("|", "\\", "&&", "(", "<")):
            count = 0
    return False


@functools.cache
def _parser() -> Parser:
    import tree_sitter  # noqa: PLC0415 - parsers are loaded only where there is shell to read
    import tree_sitter_bash  # noqa: PLC0415

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def source(node: Node) -> str:
    """The text of a node as it was written."""
    return (node.text or b"").decode("utf-8", "replace")
