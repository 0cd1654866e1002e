"""Expand one piece of a shell command into words, as far as the text determines them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from foureyes.reviewers.critics.commands import quoting
from foureyes.reviewers.critics.commands.model import GUARDED, HOLE
from foureyes.reviewers.critics.commands.syntax import source

if TYPE_CHECKING:
    from tree_sitter import Node

#: A stretch of a word: its text, and whether the shell splits it at spaces.
Piece = tuple[str, bool]
WORD_CHARS_MAX = 8_192
DEPTH_MAX = 40

_PARAMETER = re.compile(r"\$\{([!#]?)([A-Za-z_]\w*|[0-9@*#?$!-])(?:\[[^\]]*\])?(.*)\}$", re.DOTALL)
_EACH = re.compile(r'"\$(?:@|\{\w+\[@\]\}|\{@\})"')
_SPACES = " \t\n"
_BREAKS = re.compile(r"([ \t\n]+)")
_SLICE = re.compile(r":\s*(-?\d+)(?::\s*(-?\d+))?$")


class Expander:
    """Expands words with the known variables; `substitute` returns what `$(…)` and `<(…)` produce."""

    def __init__(self, lookup: Callable[[str], str | None], substitute: Callable[[Node], str]) -> None:
        self._lookup = lookup
        self._substitute = substitute

    def words(self, node: Node) -> list[str]:
        """Return the words this node becomes: none, one or several."""
        fields: list[str] = []
        current: str | None = None
        if node.type == "command_name" and node.named_child_count == 1:
            node = node.named_children[0]
        spread = node.type == "string" and _EACH.fullmatch(source(node)) is not None
        for text, splits in self._pieces(node, 0):
            if not splits and not spread:
                current = (current or "") + text
                continue
            for number, part in enumerate(self._breaks().split(text)):
                if number % 2 and current is not None:
                    fields.append(current)
                    current = None
                elif not number % 2 and part:
                    current = (current or "") + part
        if current is not None:
            fields.append(current)
        return [word[:WORD_CHARS_MAX] for field in fields for word in quoting.braces(field)]

    def _breaks(self) -> re.Pattern[str]:
        own = self._lookup("IFS") or ""
        return _BREAKS if own == " " else re.compile(f"([{re.escape(own + _SPACES)}]+)")

    def text(self, node: Node) -> str:
        """Return the value as one text, as in an assignment."""
        joined = "".join(text for text, _ in self._pieces(node, 0))
        return quoting.braces(joined)[0][:WORD_CHARS_MAX] if quoting.OPEN not in joined else _plain(joined)

    def heredoc(self, node: Node) -> str:
        """Return the body of a here-document whose delimiter is not quoted."""
        return "".join(text for text, _ in self._filled(node, 0, quoting.in_double_quotes))

    def _pieces(self, node: Node, depth: int) -> list[Piece]:  # noqa: C901, PLR0911 - one line per kind of node
        if depth > DEPTH_MAX:
            return [(HOLE, False)]
        match node.type:
            case "raw_string":
                return [(source(node)[1:-1], False)]
            case "ansi_c_string":
                return [(quoting.ansi(source(node)[2:-1]), False)]
            case "string" | "translated_string":
                return [("".join(text for text, _ in self._string(node, depth)), False)]
            case "concatenation" | "command_name":
                return [piece for child in node.children for piece in self._pieces(child, depth + 1)]
            case "simple_expansion":
                return [(self._value(source(node)[1:]), True)]
            case "expansion":
                return [(self._parameter(node, depth), True)]
            case "command_substitution":
                return [(self._substitute(node), True)]
            case "process_substitution":
                return [(self._substitute(node), False)]
            case "arithmetic_expansion":
                self._substitutions(node, depth)
                return [("1", False)]
            case _:
                return [(quoting.bare(source(node)), False)]

    def _substitutions(self, node: Node, depth: int) -> None:
        """Pass on the substitutions inside an arithmetic expression, because their commands run too."""
        for child in node.named_children:
            if child.type in ("command_substitution", "process_substitution"):
                self._substitute(child)
            elif depth < DEPTH_MAX:
                self._substitutions(child, depth + 1)

    def _string(self, node: Node, depth: int) -> list[Piece]:
        if node.type == "translated_string":
            return [piece for child in node.named_children for piece in self._string(child, depth + 1)]
        pieces = self._filled(node, depth, quoting.in_double_quotes)
        whole = list(pieces)
        if whole and whole[0][0].startswith('"'):
            whole[0] = (whole[0][0][1:], False)
        if whole and whole[-1][0].endswith('"') and source(node).endswith('"'):
            whole[-1] = (whole[-1][0][:-1], False)
        return whole

    def _filled(self, node: Node, depth: int, clean: Callable[[str], str]) -> list[Piece]:
        """Return the expansions in order with the text between them, independent of how the parser split the text."""
        raw = node.text or b""
        pieces: list[Piece] = []
        at = 0
        for child in node.named_children:
            if child.type in ("string_content", "heredoc_content"):
                continue
            start, end = child.start_byte - node.start_byte, child.end_byte - node.start_byte
            pieces.append((clean(raw[at:start].decode("utf-8", "replace")), False))
            pieces.append(("".join(text for text, _ in self._pieces(child, depth + 1)), False))
            at = end
        pieces.append((clean(raw[at:].decode("utf-8", "replace")), False))
        return pieces

    def _value(self, name: str) -> str:
        known = self._lookup(name)
        return HOLE if known is None else known

    def _parameter(self, node: Node, depth: int) -> str:
        met = _PARAMETER.match(source(node))
        if met is None:
            return HOLE
        kind, name, rest = met.groups()
        if kind == "#":
            return "1"
        value = self._lookup(name)
        if kind == "!":
            value = self._lookup(value) if value and value.isidentifier() else None
        return self._modified(value, rest, node, depth)

    def _modified(self, value: str | None, rest: str, node: Node, depth: int) -> str:
        if rest[:2] in (":-", "-", ":=", "=") or rest[:1] in ("-", "="):
            return value or self._default(node, depth)
        if rest[:1] == "?" or rest[:2] == ":?":
            return value if value is not None else HOLE + GUARDED
        if rest[:1] == "+" or rest[:2] == ":+":
            return self._default(node, depth)
        if value is None:
            return HOLE
        return _changed(value, rest)

    def _default(self, node: Node, depth: int) -> str:
        parts = [child for child in node.named_children if child.type not in ("variable_name", "special_variable_name")]
        return "".join(text for part in parts for text, _ in self._pieces(part, depth + 1))


def _plain(text: str) -> str:
    return text.replace(quoting.OPEN, "{").replace(quoting.COMMA, ",").replace(quoting.CLOSE, "}")


def _changed(value: str, rest: str) -> str:
    """Apply the modifiers of `${name…}` that can hide a command to a known value."""
    if not rest:
        return value
    cut = _SLICE.match(rest)
    if cut:
        start = int(cut.group(1))
        length = int(cut.group(2)) if cut.group(2) else len(value)
        return value[start:][:length] if length >= 0 else value[start:length]
    if rest in ("^^", ",,", "^", ","):
        return {"^^": value.upper(), ",,": value.lower(), "^": value[:1].upper() + value[1:]}.get(rest, value.lower())
    if rest.startswith("/"):
        old, _, new = rest.lstrip("/").partition("/")
        return value.replace(old, new) if old and not set(old + new) & set("*?[$`") else HOLE
    if rest[0] in "%#" and not set(rest) & set("*?[$`"):
        ending = rest.lstrip("%#")
        return value.removesuffix(ending) if rest[0] == "%" else value.removeprefix(ending)
    return HOLE
