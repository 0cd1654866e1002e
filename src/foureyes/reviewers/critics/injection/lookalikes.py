"""Which letters look like which others?

Written from how the letters are drawn: Cyrillic, Greek, Armenian, Cherokee, Canadian, Coptic, Lisu and the small
capitals and phonetic letters of Latin. What Unicode itself turns into an ASCII letter (full width, mathematical,
circled) needs no table.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_TABLE = {
    "a": "\u0430\u03b1\u0251\u1d00",
    "b": "\u042c\u044c\u0185",
    "c": "\u0441\u03f2\u1d04\u2ca5",
    "d": "\u0501\u0257\u056a\u1d05",
    "e": "\u0435\u04bd\u1d07",
    "f": "\u017f\u03dd\u0584\ua730",
    "g": "\u0261\u0581\u0262",
    "h": "\u04bb\u0570\u13c2",
    "i": "\u0456\u03b9\u0269\u0131\u026a",
    "j": "\u0458\u03f3\u0237\u1d0a",
    "k": "\u043a\u03ba\u1d0b",
    "l": "\u04cf\u01c0\u217c",
    "m": "\u043c\u1d0d",
    "n": "\u043f\u0578\u057c\u03b7\u0274",
    "o": "\u043e\u03bf\u0585\u1d0f\u2c9f\u03c3",
    "p": "\u0440\u03c1\u2ca3\u1d18",
    "q": "\u051b\u0566\u0563",
    "r": "\u0433\u1d26\u2c85\u0280",
    "s": "\u0455\ua731",
    "t": "\u0442\u03c4\u1d1b",
    "u": "\u03c5\u057d\u028b\u1d1c",
    "v": "\u03bd\u0475\u1d20",
    "w": "\u051d\u0461\u03c9\u1d21\u0561",
    "x": "\u0445\u03c7",
    "y": "\u0443\u04af\u03b3\u028f",
    "z": "\u1d22",
    "A": "\u0410\u0391\u13aa\u15c5\ua4ee",
    "B": "\u0412\u0392\u13f4\u15f7\ua4d0\u0299",
    "C": "\u0421\u03f9\u13df\ua4da\u2ca4",
    "D": "\u13a0\u15de\ua4d3\u0500",
    "E": "\u0415\u0395\u13ac\u2d39\ua4f0",
    "F": "\u03dc\u15b4\ua4dd",
    "G": "\u050c\u13c0\u13f3\ua4d6",
    "H": "\u041d\u0397\u13bb\u157c\ua4e7\u029c",
    "I": "\u0406\u0399\u04c0\ua4f2\u16c1",
    "J": "\u0408\u037f\u13ab\u148d\ua4d9",
    "K": "\u041a\u039a\u13e6\ua4d7",
    "L": "\u13de\u14aa\ua4e1\u029f\u053c",
    "M": "\u041c\u039c\u13b7\u15f0\ua4df",
    "N": "\u039d\ua4e0",
    "O": "\u041e\u039f\u0555\ua4f3\u2c9e",
    "P": "\u0420\u03a1\u13e2\u146d\ua4d1",
    "Q": "\u051a\u2d55",
    "R": "\u13a1\u13d2\u1587\ua4e3",
    "S": "\u0405\u054f\u13da\ua4e2",
    "T": "\u0422\u03a4\u13a2\ua4d4",
    "U": "\u054d\u144c\ua4f4",
    "V": "\u0474\u13d9\u142f\ua4e6",
    "W": "\u051c\u13b3\ua4ea",
    "X": "\u0425\u03a7\ua4eb\u16b7",
    "Y": "\u0423\u03a5\u04ae\u13a9\ua4ec",
    "Z": "\u0396\u13c3\ua4dc",
    "3": "\u0417\u0437\u0498\u04e0",
    "4": "\u13ce",
    "6": "\u0431\u13ee",
}
#: Each look-alike with the letter or digit it passes for.
LOOKALIKES = {look: plain for plain, looks in reversed(_TABLE.items()) for look in looks}

#: Signs that pass for signs of a programming language, with the script they belong to.
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

#: Signs of mathematics: at home in formulas, and a trick within a name or an address.
BETWEEN_LETTERS = "\u2044\u2215\u2216\u2236\ufe52"

#: Letters of scripts that have look-alikes of Latin letters.
OTHER_SCRIPTS = (
    "\u0370-\u037d\u037f-\u0386\u0388-\u03ff\u0400-\u052f\u0531-\u0556\u0561-\u0587\u10a0-\u10ff\u13a0-\u13fd"
    "\u1400-\u167f\u16a0-\u16f8\u1c80-\u1cbf\u1d26-\u1d2b\u1f00-\u1fff\u2c00-\u2c5f\u2c80-\u2cff\u2d00-\u2d7f"
    "\u2de0-\u2dff\ua4d0-\ua4fd\ua500-\ua69f\ua6a0-\ua6ff\uab70-\uabbf\U00010280-\U0001057f\U000118a0-\U000118ff"
    "\U00016f00-\U00016f9f"
)
#: Letters and digits that only look different, or only look the same: their plain form is ASCII.
FANCY = (
    "\xaa\xba\u0131\u017f\u0185\u0237\u0250-\u02af\u1d00-\u1d25\u1d6b-\u1d77\u1d79-\u1d9a\u2102-\u213a\u2145-\u2149"
    "\u2160-\u2188\u24b6-\u24e9\ua730\ua731\ua7ae\uab30-\uab5a\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"
    "\U0001d400-\U0001d7ff\U0001f130-\U0001f189\U0001fbf0-\U0001fbf9"
)


@lru_cache(maxsize=8192)
def plain(char: str) -> str:
    """The ASCII letter or digit a character passes for; empty where it passes for none."""
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
    """What each character is replaced by, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = (plain(char) if _ANY_LOOKALIKE.match(char) else "") or char
        return self[code]


_TO_PLAIN = _Table()


def skeleton(text: str) -> str:
    """The text with every look-alike replaced by what it passes for."""
    if text.isascii():
        return text
    return text.translate(_TO_PLAIN)
