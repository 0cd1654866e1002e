"""Makes text of a model or of the work harmless: hidden characters become visible marks, and the length is bounded."""

from __future__ import annotations

import unicodedata

#: Letters and marks that are invisible, beside the characters whose category says so.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")
#: Controls, marks of direction and other formats, surrogates, private characters; line and paragraph separators.
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_KEPT = frozenset("\n\t")
_VARIATIONS = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
CUT = "…"


def shown(text: str, most: int) -> str:
    """Return the text with every hidden character as a mark like `<U+202E>`, at most this many characters long."""
    cut = text[:most]
    if not (cut.isascii() and cut.replace("\n", "").replace("\t", "").isprintable()):
        cut = "".join(_mark(one) if is_hidden(one) else one for one in cut.replace("\r\n", "\n"))
    if len(text) <= most and len(cut) <= most:
        return cut
    return f"{cut[: max(0, most - len(CUT))]}{CUT}"


def one_line(text: str, most: int) -> str:
    """Return the text made harmless on one line, for names, paths and words."""
    return shown(" ".join(text[: most * 4].split()), most)


def is_hidden(character: str) -> bool:
    """True if a reader would not see this character, or see it at another place."""
    if character in _KEPT:
        return False
    if character.isascii():
        return not character.isprintable()
    if character in _BLANK or unicodedata.category(character) in _HIDDEN:
        return True
    return any(first <= ord(character) <= last for first, last in _VARIATIONS)


def _mark(character: str) -> str:
    return f"<U+{ord(character):04X}>"
