"""Parse shell scripts into a syntax tree, with limits against hostile input."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

SCRIPT_BYTES_MAX = 256 * 1024
#: The parser's error recovery takes time quadratic in the number of these; real scripts have a few on a line.
OPERATORS_PER_LINE_MAX = 1_000
OPERATORS_MAX = 30_000
BACKTICKS_MIN = 4
_OPERATORS = "|<>()`{[]&;"
_WIDE = re.compile(r"[^\x00-\xff]")


class TooMuch(Exception):  # noqa: N818 - an expected "no", not a failure of ours
    """The script is larger or denser than the limits for parsing."""


def tree(text: str, *, as_written: bool = False) -> Node:
    """Return the syntax tree of a script, or raise TooMuch. Characters beyond Latin-1 are replaced by a dot.

    Backticks are rewritten as `$(…)`, which shifts the columns behind them; `as_written` keeps every column.
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
    """Return the text with a dot for every character beyond Latin-1.

    After a brace, for example, the C code of the grammar looks such characters up in a table of 256 entries. It reads
    beyond the table, which can crash the whole process.
    """
    return text if text.isascii() else _WIDE.sub("\u00b7", text)


def _one_way(text: str) -> str:
    """Rewrite backticks as `$(…)`, because the parser reads two pairs of backticks on one line as one."""
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
    """True if a line has too many operators, counting lines as the shell joins them after a pipe or a backslash."""
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
    """Return the text of a node as it was written."""
    return (node.text or b"").decode("utf-8", "replace")
