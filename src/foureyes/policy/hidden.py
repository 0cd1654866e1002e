"""Refuse files with invisible characters, because the person who approves a policy must see all of it.

YAML readers end a line, and with it a comment, at characters that editors and diffs do not show as a line end.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from foureyes.policy.nodes import PROBLEMS_MAX, PolicyErrors, Problem

#: Zl and Zp are line ends (U+2028, U+2029); Cf are direction marks and most zero-width characters.
_CATEGORIES = frozenset({"Zl", "Zp", "Cf"})
#: Letters and marks without a visible shape: a joiner, fillers, vowel signs.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
#: A bare CR, which ends a line only for some readers, and control characters; those below space are refused later.
_CONTROL = re.compile(r"\r(?!\n)|[\x7f-\x9f]")
_BYTE_ORDER = "\ufeff"
_ALLOWED = "write what everybody can see; lines end with LF or CRLF"


def refuse_hidden(file: str, text: str) -> None:
    """Raise PolicyErrors for characters that end a line unseen, change the writing direction or have no width."""
    found = tuple(islice(_hidden(file, text), PROBLEMS_MAX))
    if found:
        raise PolicyErrors(found)


def _hidden(file: str, text: str) -> Iterator[Problem]:
    # Some editors begin every file with a byte order mark, which is harmless there.
    shown = " " + text[1:] if text.startswith(_BYTE_ORDER) else text
    if shown.isascii() and "\r" not in shown and "\x7f" not in shown:
        return
    for number, line in enumerate(shown.split("\n"), start=1):
        # Include the line end, so that CRLF does not count as a bare CR.
        whole = f"{line}\n"
        control = _CONTROL.search(whole)
        first = control[0] if control else next((one for one in line if _is_hidden(one)), "")
        if first:
            wrong = f"a character that is not shown, U+{ord(first):04X}"
            yield Problem(file=file, line=number, wrong=wrong, allowed=_ALLOWED)


def _is_hidden(character: str) -> bool:
    return character in _BLANK or unicodedata.category(character) in _CATEGORIES
