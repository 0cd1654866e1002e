"""Makes untrusted text safe to show: control sequences and hidden characters are removed or shown as marks.

The character that starts a control sequence is removed and its content stays readable: if whole sequences were
removed, one that begins in a title and ends in a reason would swallow the text between them.
"""

from __future__ import annotations

import unicodedata

CHARS_MAX = 2000
#: Joiners are needed in Persian, Hindi and emoji; every other invisible character only hides something.
_JOINERS = frozenset("\u200c\u200d")
_BLANKS = frozenset("\t\n\v\f\r\x85\u2028\u2029")
#: First code point of the pictures of control characters.
_PICTURES = 0x2400
_DELETE, _DELETE_PICTURE = "\x7f", "\N{SYMBOL FOR DELETE}"
_TAB = "    "
#: Letters and blanks that are invisible, and selectors that can carry hidden data.
_LOOKS_EMPTY = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0xFE00, 0xFE0F), *range(0xE0100, 0xE01F0))))
)


def plain(text: str, most: int = CHARS_MAX) -> str:
    """Return the text on one line without controls, escapes, direction marks and hidden characters."""
    if text.isascii() and text.isprintable() and len(text) <= most:
        return text
    kept = "".join(_shown(one) for one in text[: most * 4])
    return kept if len(kept) <= most else f"{kept[: most - 1]}…"


def marked(text: str, most: int = CHARS_MAX) -> str:
    """Return the text on one line with everything hidden or active in it shown as a mark, for quoting code.

    A reader must see what a compiler sees, so a direction mark becomes its number instead of disappearing.
    """
    if text.isascii() and text.isprintable() and len(text) <= most:
        return text
    kept = "".join(_mark(one) for one in text[:most])
    return kept if len(kept) <= most and len(text) <= most else f"{kept[: most - 1]}…"


def _mark(character: str) -> str:
    if character == "\t":
        return _TAB
    if character == _DELETE:
        return _DELETE_PICTURE
    if character < " ":
        return chr(_PICTURES + ord(character))
    if character.isascii():
        return character
    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") or character in _LOOKS_EMPTY:
        return f"<U+{ord(character):04X}>"
    return character


def _shown(character: str) -> str:
    if character in _BLANKS:
        return " "
    if character.isascii():
        return character if character.isprintable() else ""
    if character in _JOINERS:
        return character
    category = unicodedata.category(character)
    if category == "Cs":
        return "\N{REPLACEMENT CHARACTER}"  # a lone surrogate cannot be printed at all
    return "" if category in ("Cc", "Cf") else character
