"""Following projections: pure functions from an event and the projection's own rows to the rows that change.

A projection reads nothing but its own rows, the event and the review the event belongs to, before and after. No clock,
no other table: so replaying the log gives the same bytes, in any process and any batch size.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from foureyes.app.ports import Reading
from foureyes.app.rows import Stored
from foureyes.codec import Json
from foureyes.core.events import Event
from foureyes.core.model import Review

#: Key of the row that says which version of a projection's code wrote its rows.
VERSION_KEY = "!version"
#: Name under which the current slot of each projection is stored.
SLOTS = "!slots"
#: Longest row; longer texts of people are shortened.
ROW_BYTES_MAX = 32_768
TEXT_CHARS_MAX = 300
#: Longest part of a key; a longer name is cut and gets a hash, so that two names stay distinct.
PART_CHARS_MAX = 120
SEQ_DIGITS = 16
KEYS_KEPT_MAX = 4_096

Body = Json | list[Any]
Read = Callable[[str], Any]
Changed = Iterator[tuple[str, Body | None]]

_ESCAPES = {ord(one): f"%{ord(one):02X}" for one in ["%", "/", *map(chr, range(32)), "\x7f"]}
_BACKWARDS = str.maketrans("0123456789", "9876543210")


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """One event with its envelope, and its review before and after it; other streams have none."""

    stored: Stored
    event: Event
    at: datetime
    opened: datetime
    before: Review | None = None
    after: Review | None = None

    @property
    def review(self) -> Review:
        """The review after the event."""
        if self.after is None:
            raise LookupError(f"{self.stored.stream} is no review")
        return self.after

    @property
    def day(self) -> str:
        """The date in UTC."""
        return self.stored.at[:10]


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """A named function over the log; a higher version means that its rows must be made anew."""

    name: str
    version: int
    #: The types of the events it processes.
    takes: frozenset[str]
    changes: Callable[[Happened, Read], Changed]

    @property
    def lock(self) -> str:
        """The lock to hold while its cursor is moved."""
        return f"projection/{self.name}"


def slot_of(reading: Reading, name: str) -> str:
    """Return the name under which a projection's rows are stored now.

    A rebuild writes to another slot and switches.
    """
    return reading.row(SLOTS, name) or name


def types(*events: type) -> frozenset[str]:
    """Return the names of these event types."""
    return frozenset(one.__name__ for one in events)


def key(*parts: str) -> str:
    """Return a key of these parts; a part cannot be mistaken for two, and none is too long for an index."""
    return _joined(parts)


def backwards(text: str) -> str:
    """Complement the digits of a time or number, so that the newest comes first in the order of keys."""
    return text.translate(_BACKWARDS)


def newest_first(stored: Stored) -> str:
    """Return the sort key of an event, newest first: by its time, then by its place in the log."""
    return backwards(f"{stored.at}.{stored.seq:0{SEQ_DIGITS}d}")


def clip(text: str, most: int = TEXT_CHARS_MAX) -> str:
    """Return the beginning of a text; the log has all of it."""
    return text if len(text) <= most else text[: most - 1] + "…"


def added(row: Json | None, **counts: int) -> Json:
    """Return a row of counters with these amounts added; a missing counter is zero."""
    found = dict(row) if row else {}
    for name, more in counts.items():
        if more:
            found[name] = found.get(name, 0) + more
    return found


@lru_cache(maxsize=KEYS_KEPT_MAX)
def _joined(parts: tuple[str, ...]) -> str:
    """Join the parts; cached, because consecutive events of a review name the same rows."""
    return "/".join([_part(one) for one in parts])


@lru_cache(maxsize=KEYS_KEPT_MAX)
def _part(text: str) -> str:
    escaped = text.translate(_ESCAPES)
    if len(escaped) <= PART_CHARS_MAX:
        return escaped
    return f"{escaped[: PART_CHARS_MAX - 33]}~{hashlib.sha256(text.encode()).hexdigest()[:32]}"
