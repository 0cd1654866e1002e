"""Decide where an invisible character is legitimate: in emoji, in scripts that need joiners, in right-to-left text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ARABIC = frozenset({"ARABIC", "SYRIAC", "MANDAIC", "MONGOLIAN", "NKO", "THAANA", "ADLAM", "HANIFI", "KAITHI"})
_INDIC = _names(
    "DEVANAGARI BENGALI GURMUKHI GUJARATI ORIYA TAMIL TELUGU KANNADA MALAYALAM SINHALA TIBETAN MYANMAR KHMER BALINESE "
    "JAVANESE SUNDANESE GRANTHA TIRHUTA MODI NEWA SHARADA CHAKMA BRAHMI LEPCHA LIMBU"
)
#: Scripts in which an invisible joiner or non-joiner changes the shape of letters.
JOINING = _ARABIC | _INDIC
#: Scripts without spaces, which mark where a line may break.
UNSPACED = frozenset({"THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "JAVANESE", "BALINESE", "TAI", "CJK"})
_FLAG = "\U0001f3f4"
#: The three flags of parts of countries that all emoji fonts support.
_FLAGS = tuple("".join(chr(0xE0000 + ord(one)) for one in name) + "\U000e007f" for name in ("gbeng", "gbsct", "gbwls"))
_KEYCAP = "\u20e3"
_RIGHT_TO_LEFT = re.compile(
    "[\u05d0-\u05f4\u0620-\u064a\u066e-\u06d3\u06ee-\u070d\u0710-\u08c9\ufb1d-\ufdcf\ufe70-\ufefc"
    "\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_OPENERS = "\u202a\u202b\u2066\u2067\u2068"
_CLOSERS = "\u202c\u2069"
_MARKS = "\u061c\u200e\u200f"
LINE_SIDE_MAX = 400
_CJK = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC", "FULLWIDTH")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The text around a character, and whether it is prose for people."""

    text: str
    prose: bool

    def before(self, at: int) -> str:
        return self.text[at - 1] if at > 0 else ""

    def after(self, at: int) -> str:
        return self.text[at + 1] if at + 1 < len(self.text) else ""

    def line(self, at: int) -> str:
        """Return the line around a position, limited on both sides."""
        start = max(self.text.rfind("\n", max(0, at - LINE_SIDE_MAX), at) + 1, at - LINE_SIDE_MAX, 0)
        end = self.text.find("\n", at, at + LINE_SIDE_MAX)
        return self.text[start : end if end >= 0 else at + LINE_SIDE_MAX]


def is_allowed(char: str, at: int, place: Place) -> bool:
    """True if the characters next to this hidden character need it."""
    if char == "\ufeff":
        return at == 0
    allowed = _ALLOWANCES.get(char) or _by_range(ord(char))
    return allowed is not None and allowed(at, place)


@lru_cache(maxsize=4096)
def script(char: str) -> str:
    """Return the script of a letter or mark, as the first word of its name; empty for anything else."""
    if not char or unicodedata.category(char)[0] not in "LM":
        return ""
    return unicodedata.name(char, "").split(" ", 1)[0]


def _emoji(char: str) -> bool:
    return bool(char) and (unicodedata.category(char) in ("So", "Sk", "Cn") or char in "\u2642\u2640\ufe0f\u2194\u2195")


def _joiner(at: int, place: Place) -> bool:
    before, after = place.before(at), place.after(at)
    return (_emoji(before) and _emoji(after)) or script(before) in JOINING


def _non_joiner(at: int, place: Place) -> bool:
    return script(place.before(at)) in JOINING or script(place.after(at)) in JOINING


def _break(at: int, place: Place) -> bool:
    return script(place.before(at)) in UNSPACED and script(place.after(at)) in UNSPACED


def _mark(at: int, place: Place) -> bool:
    return bool(_RIGHT_TO_LEFT.search(place.line(at)))


def _isolate(at: int, place: Place) -> bool:
    """True if the marks are balanced on their line, in prose, around text that really runs from right to left."""
    line = place.line(at)
    balanced = sum(map(line.count, _OPENERS)) == sum(map(line.count, _CLOSERS))
    return place.prose and balanced and _mark(at, place)


def _emoji_selector(at: int, place: Place) -> bool:
    before, after = place.before(at), place.after(at)
    if before in "#*0123456789":
        return after == _KEYCAP
    return bool(before) and (unicodedata.category(before) in ("So", "Sm", "Sk", "Cn") or before in "\u2139\u203c\u2049")


def _symbol_selector(at: int, place: Place) -> bool:
    before = place.before(at)
    return bool(before) and (unicodedata.category(before) == "Sm" or unicodedata.name(before, "").startswith(_CJK))


def _ideograph_selector(at: int, place: Place) -> bool:
    return script(place.before(at)) == "CJK"


def _tag(at: int, place: Place) -> bool:
    start = place.text.rfind(_FLAG, max(0, at - 6), at)
    return start >= 0 and any(place.text.startswith(flag, start + 1) for flag in _FLAGS)


def _wide_space(at: int, place: Place) -> bool:
    beside = (place.before(at), place.after(at))
    return any(unicodedata.name(one, "").startswith(_CJK) for one in beside if one)


def _braille(at: int, place: Place) -> bool:
    return any("\u2801" <= one <= "\u28ff" for one in (place.before(at), place.after(at)))


def _beside(*scripts: str) -> Callable[[int, Place], bool]:
    def allowed(at: int, place: Place) -> bool:
        return any(script(one) in scripts for one in (place.before(at), place.after(at)))

    return allowed


def _arabic_sign(at: int, place: Place) -> bool:
    after = place.after(at)
    return script(after) in _ARABIC or unicodedata.name(after or " ", "").startswith("ARABIC-INDIC DIGIT")


_ALLOWANCES: dict[str, Callable[[int, Place], bool]] = {
    "\u200d": _joiner,
    "\u200c": _non_joiner,
    "\u200b": _break,
    "\ufe0e": _emoji_selector,
    "\ufe0f": _emoji_selector,
    "\u3000": _wide_space,
    "\u2800": _braille,
    "\u115f": _beside("HANGUL"),
    "\u1160": _beside("HANGUL"),
    "\u034f": _beside("HEBREW", *_ARABIC),
    "\u17b4": _beside("KHMER"),
    "\u17b5": _beside("KHMER"),
    "\u180e": _beside("MONGOLIAN"),
    "\U00016fe4": _beside("KHITAN"),
    **dict.fromkeys(_MARKS, _mark),
    **dict.fromkeys(_OPENERS + _CLOSERS, _isolate),
}
_RANGES: tuple[tuple[int, int, Callable[[int, Place], bool]], ...] = (
    (0x0600, 0x0605, _arabic_sign),
    (0x06DD, 0x06DD, _arabic_sign),
    (0x070F, 0x070F, _arabic_sign),
    (0x0890, 0x08E2, _arabic_sign),
    (0x180B, 0x180F, _beside("MONGOLIAN")),
    (0xFE00, 0xFE0D, _symbol_selector),
    (0x110BD, 0x110CD, _beside("KAITHI")),
    (0x13430, 0x1345F, _beside("EGYPTIAN")),
    (0x1BCA0, 0x1BCA3, _beside("DUPLOYAN")),
    (0xE0020, 0xE007F, _tag),
    (0xE0100, 0xE01EF, _ideograph_selector),
)


def _by_range(code: int) -> Callable[[int, Place], bool] | None:
    return next((allowed for first, last, allowed in _RANGES if first <= code <= last), None)
