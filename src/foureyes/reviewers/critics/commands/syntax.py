"""How is a shell script read into a tree, without letting a hostile one hold the machine?"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

SCRIPT_BYTES_MAX = 256 * 1024
#: The parser's recovery from errors grows with the square of these; real scripts have a few on a line.
OPERATORS_PER_LINE_MAX = 1_000
OPERATORS_MAX = 30_000
_OPERATORS = "|<>()`{"


class TooMuch(Exception):  # noqa: N818 - an expected "no", not a failure of ours
    """The script is larger or denser than we are willing to parse."""


def tree(text: str) -> Node:
    """The script's syntax tree; raises TooMuch."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > SCRIPT_BYTES_MAX:
        raise TooMuch(f"longer than {SCRIPT_BYTES_MAX // 1024} KiB")
    total = sum(text.count(one) for one in _OPERATORS)
    if total > OPERATORS_PER_LINE_MAX and _is_dense(text, total):
        raise TooMuch("too many operators to be written by hand")
    return _parser().parse(data).root_node


def _is_dense(text: str, total: int) -> bool:
    if total > OPERATORS_MAX:
        return True
    return any(sum(line.count(one) for one in _OPERATORS) > OPERATORS_PER_LINE_MAX for line in text.split("\n"))


@functools.cache
def _parser() -> Parser:
    import tree_sitter  # noqa: PLC0415 - parsers are loaded only where there is shell to read
    import tree_sitter_bash  # noqa: PLC0415

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def source(node: Node) -> str:
    """The text of a node as it was written."""
    return (node.text or b"").decode("utf-8", "replace")
