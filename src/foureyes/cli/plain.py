"""How is text of strangers shown on a terminal? As text: nothing in it moves the cursor, the clipboard or the reader.

What starts a control sequence is taken out, what it carried stays to be read: if the whole sequence went, one that
begins in a title and ends in a reason would swallow what stands between them.
"""

from __future__ import annotations

import unicodedata

CHARS_MAX = 2000
#: Joiners belong to Persian, Hindi and emoji; every other invisible character only hides something.
_JOINERS = frozenset("\u200c\u200d")
_BLANKS = frozenset("\t\n\v\f\r\x85\u2028\u2029")


def plain(text: str, most: int = CHARS_MAX) -> str:
    """The text on one line without controls, escapes, direction marks and hidden characters."""
    if text.isascii() and text.isprintable() and len(text) <= most:
        return text
    kept = "".join(_shown(one) for one in text[: most * 4])
    return kept if len(kept) <= most else f"{kept[: most - 1]}…"


def _shown(character: str) -> str:
    if character in _BLANKS:
        return " "
    if character.isascii():
        return character if character.isprintable() else ""
    if character in _JOINERS:
        return character
    category = unicodedata.category(character)
    if category == "Cs":
        return "\N{REPLACEMENT CHARACTER}"  # half a character cannot be printed at all
    return "" if category in ("Cc", "Cf") else character
