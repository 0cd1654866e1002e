"""Rules for account and operator names, so that no name is mistaken for another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from foureyes.core.letters import LOOKALIKES
from foureyes.core.refusals import Code, Refusal

ALLOWED = "1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit"
#: Names that the program itself uses, or that would be mistaken for it or for a group.
RESERVED = frozenset(
    {
        *("clock", "trust", "foureyes", "server", "system", "anyone", "nobody", "human", "none"),
        # The shipped programs report under these names; an account with one of them would hold their seats.
        *("format", "security", "injection", "factual", "python"),
    }
)
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}").fullmatch
#: Characters easily mistaken for each other, folded to one.
_ALIKE = str.maketrans({"0": "o", "1": "l", "i": "l", "_": "-", "5": "s"})
_ALIKE_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))
#: Printable but invisible characters: joiners, fillers and variation selectors.
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
_OTHER_LETTERS = str.maketrans(LOOKALIKES)


def is_name(name: str) -> bool:
    """True if this is a well-formed name."""
    return _NAME(name) is not None


def check_name(name: str, taken: Iterable[str]) -> None:
    """Refuse a name that is malformed, reserved, or looks like one already taken."""
    if not is_name(name):
        raise Refusal(Code.UNKNOWN_WORD, f"{name[:80]!r} is no name here.", f"Choose one of {ALLOWED}.")
    if ours := ours_alike(name):
        said = f"{name} is" if ours == name else f"{name} looks like {ours},"
        raise Refusal(Code.UNKNOWN_WORD, f"{said} a name that foureyes itself acts under.", "Choose another name.")
    alike = next((one for one in sorted(taken) if looks(one) == looks(name)), "")
    if alike:
        raise Refusal(Code.DUPLICATE, f"{name} looks like {alike}, who is enrolled.", "Choose another name.")


def check_operator(operator: str, taken: Iterable[str]) -> None:
    """Refuse an operator that looks like an enrolled one: one party would count as two."""
    if operator != operator.strip():
        raise Refusal(Code.BAD_VALUE, f"The operator {operator!r} begins or ends with a blank.", "Leave it out.")
    alike = next((one for one in sorted(taken) if one != operator and party_looks(one) == party_looks(operator)), "")
    if alike:
        sentence = f"The operator {operator!r} looks like {alike!r}, who is enrolled, and would count as another."
        raise Refusal(Code.DUPLICATE, sentence, f"Write {alike!r} if it is the same, or a name that nobody mistakes.")


def ours_alike(name: str) -> str:
    """The reserved name that this one is or looks like; empty if there is none."""
    return name if name in RESERVED else next((one for one in sorted(RESERVED) if looks(one) == looks(name)), "")


def looks(name: str) -> str:
    """The form of a name under which look-alikes are equal."""
    folded = name.translate(_ALIKE)
    for pair, one in _ALIKE_PAIRS:
        folded = folded.replace(pair, one)
    return folded


def party_looks(operator: str) -> str:
    """The form of an operator under which look-alikes are equal, in any script and case."""
    seen = unicodedata.normalize("NFKC", _UNSEEN.sub("", operator)).translate(_OTHER_LETTERS)
    return looks(" ".join(seen.casefold().split()))
