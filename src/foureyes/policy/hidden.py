"""Does a file hold what its reader cannot see? Whoever approves a change to a policy must see all of it.

Readers of YAML end a line, and with it a comment, where editors and diffs do not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from foureyes.policy.nodes import PROBLEMS_MAX, PolicyErrors, Problem

#: Zl and Zp end lines (U+2028, U+2029); Cf are the marks of direction and most characters without width.
_CATEGORIES = frozenset({"Zl", "Zp", "Cf"})
#: Letters and marks that show as nothing: a joiner, fillers, vowel signs without a shape.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")
#: Ends a line for some readers and not for others, or is a control character; those below a space are refused later.
_CONTROL = re.compile(r"\r(?!\n)|[\x7f-\x9f]")
_BYTE_ORDER = "\ufeff"
_ALLOWED = "write what everybody can see; lines end with LF or CRLF"


def refuse_hidden(file: str, text: str) -> None:
    """Raise PolicyErrors where a character ends a line unseen, turns the direction of writing or has no width."""
    found = tuple(islice(_hidden(file, text), PROBLEMS_MAX))
    if found:
        raise PolicyErrors(found)


def _hidden(file: str, text: str) -> Iterator[Problem]:
    # Some editors begin every file with a byte order mark, which hides nothing there.
    shown = " " + text[1:] if text.startswith(_BYTE_ORDER) else text
    if shown.isascii() and "\r" not in shown and "\x7f" not in shown:
        return
    for number, line in enumerate(shown.split("\n"), start=1):
        # The end of the line belongs to it: a CR before it is no bare one.
        whole = f"{line}\n"
        control = _CONTROL.search(whole)
        first = control[0] if control else next((one for one in line if _is_hidden(one)), "")
        if first:
            wrong = f"a character that is not shown, U+{ord(first):04X}"
            yield Problem(file=file, line=number, wrong=wrong, allowed=_ALLOWED)


def _is_hidden(character: str) -> bool:
    return character in _BLANK or unicodedata.category(character) in _CATEGORIES
