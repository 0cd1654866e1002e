"""Find keys that are written in the groups of a UUID but are not UUIDs.

A UUID consists of hex digits. A value with its groups and other letters is no identifier that a database would
accept; it is a generated key: of a licence, an activation or an older API.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from foureyes.reviewers.critics.secrets import rules, values
from foureyes.reviewers.critics.secrets.found import Found, TooMany

#: Deliberately wider than hex.
GROUPS = re.compile(
    r"(?<![0-9A-Za-z_-])[0-9A-Za-z]{8}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{4}-[0-9A-Za-z]{12}(?![0-9A-Za-z_-])"
)
_NOT_HEX = re.compile(r"[g-zG-Z]")
_SCORE = 0.6
#: A slug of words has no digits, and a typing error in a UUID only one letter outside hex.
_FIGURES_MIN = 3
_STRANGE_MIN = 2
_KEYS_MAX = 20_000
_DASHES = 4


def grouped(text: str) -> Iterator[Found]:
    """Yield every key in such groups that is no UUID; raise TooMany."""
    if text.count("-") < _DASHES:
        return
    for number, match in enumerate(GROUPS.finditer(text)):
        if number > _KEYS_MAX:
            raise TooMany("identifiers")
        value = match.group()
        strange = set(_NOT_HEX.findall(value.lower()))
        figures = sum(one.isdigit() for one in value)
        if len(strange) >= _STRANGE_MIN and figures >= _FIGURES_MIN and not values.is_manual_uuid(value):
            yield Found(start=match.start(), end=match.end(), rule=rules.GROUPED, score=_SCORE)
