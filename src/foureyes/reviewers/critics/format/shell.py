"""Find the place where a shell script breaks off."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

NODES_MAX = 200_000
#: Tokens that close a construct; without them no shell reads the script.
_ENDS = frozenset({"fi", "done", "esac", "}", ")", '"', "'", "]]", "]", "))", "heredoc_end", "then", "do"})


class DenseScript(Exception):  # noqa: N818 - it says why nothing can be said
    """The script is larger or denser than the limits for parsing."""


def flaw_in_shell(text: str) -> tuple[int, bool, str] | None:
    """Return the line, whether the flaw is certain, and a description; raise DenseScript.

    The grammar does not cover every shell, so most flaws are not certain.
    """
    # Imported here so that works without shell do not load it.
    from foureyes.reviewers.critics.commands.syntax import TooMuch, narrow, tree  # noqa: PLC0415

    try:
        root = tree(text, as_written=True)
    except TooMuch as too_much:
        raise DenseScript(str(too_much)) from None
    if not root.has_error:
        return None
    return _first(root, len(narrow(text.rstrip()).encode("utf-8", "surrogatepass")))


def _first(root: Node, end: int) -> tuple[int, bool, str] | None:
    waiting = [root]
    error: Node | None = None
    for _ in range(NODES_MAX):
        if not waiting:
            break
        node = waiting.pop()
        # Within the text, a missing token may be an error of the grammar; at the end of the text, nothing can follow.
        if node.is_missing and node.type in _ENDS and node.start_byte >= end:
            return node.start_point[0] + 1, True, f"The script breaks off: `{node.type}` is missing"
        if node.is_error and error is None:
            error = node
        waiting.extend(child for child in reversed(node.children) if child.has_error or child.is_missing)
    if error is None:
        return None
    return error.start_point[0] + 1, False, "The shell's grammar does not know what stands here"
