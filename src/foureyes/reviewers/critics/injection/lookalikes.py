"""Tables of letters and signs that look like others. What Unicode itself normalizes to ASCII needs no table."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from foureyes.core.letters import LOOKALIKES

#: Signs that look like signs of a programming language, with the script they belong to.
SIGNS = {
    "\u037e": (";", "GREEK"),
    "\u0387": ("\u00b7", "GREEK"),
    "\u01c3": ("!", "LATIN"),
    "\u01c0": ("|", "LATIN"),
    "\u2024": (".", ""),
    "\ua789": (":", ""),
    "\u0589": (":", "ARMENIAN"),
    "\u05c3": (":", "HEBREW"),
    "\u05f3": ("'", "HEBREW"),
    "\u1735": ("/", "HANUNOO"),
    "\ua78c": ("'", ""),
    "\u2044": ("/", ""),
    "\u2215": ("/", ""),
    "\u2216": ("\\", ""),
    "\u2236": (":", ""),
    "\ufe52": (".", ""),
}

#: Mathematical signs: normal in formulas, but a trick within a name or an address.
BETWEEN_LETTERS = "\u2044\u2215\u2216\u2236\ufe52"

#: Letters of scripts that have look-alikes of Latin letters.
OTHER_SCRIPTS = (
    "\u0370-\u037d\u037f-\u0386\u0388-\u03ff\u0400-\u052f\u0531-\u0556\u0561-\u0587\u10a0-\u10ff\u13a0-\u13fd"
    "\u1400-\u167f\u16a0-\u16f8\u1c80-\u1cbf\u1d26-\u1d2b\u1f00-\u1fff\u2c00-\u2c5f\u2c80-\u2cff\u2d00-\u2d7f"
    "\u2de0-\u2dff\ua4d0-\ua4fd\ua500-\ua69f\ua6a0-\ua6ff\uab70-\uabbf\U00010280-\U0001057f\U000118a0-\U000118ff"
    "\U00016f00-\U00016f9f"
)
#: Letters and digits in a special style, or that look like ASCII ones, and whose plain form is ASCII.
FANCY = (
    "\xaa\xba\u0131\u017f\u0185\u0237\u0250-\u02af\u1d00-\u1d25\u1d6b-\u1d77\u1d79-\u1d9a\u2102-\u213a\u2145-\u2149"
    "\u2160-\u2188\u24b6-\u24e9\ua730\ua731\ua7ae\uab30-\uab5a\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"
    "\U0001d400-\U0001d7ff\U0001f130-\U0001f189\U0001fbf0-\U0001fbf9"
)


@lru_cache(maxsize=8192)
def plain(char: str) -> str:
    """Return the ASCII letter or digit that a character looks like; empty if there is none."""
    if char in LOOKALIKES:
        return LOOKALIKES[char]
    if char == "\u017f":
        return "s"
    folded = unicodedata.normalize("NFKC", char)
    if len(folded) == 1 and folded.isascii() and folded.isalnum() and folded != char:
        return folded
    if len(folded) > 1:
        return ""
    return LOOKALIKES.get(folded, "") if folded != char else ""


_ANY_LOOKALIKE = re.compile(f"[{OTHER_SCRIPTS}{FANCY}]")


class _Table(dict[int, str]):
    """The replacement of each character, computed when it is first met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = (plain(char) if _ANY_LOOKALIKE.match(char) else "") or char
        return self[code]


_TO_PLAIN = _Table()


def skeleton(text: str) -> str:
    """Return the text with every look-alike replaced by the letter it looks like."""
    if text.isascii():
        return text
    return text.translate(_TO_PLAIN)
