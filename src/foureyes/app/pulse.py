"""Health: what waits and since when, which workers are alive, and what is overdue.

These are totals over everything that is open. They would tell a reviewer who still owes a report that others have
reported, so only callers from whom nothing is hidden may see them; the doors must check that. The cost depends on what
is open, not on how much was ever reviewed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from foureyes.app.outbox import Outbox, outbox
from foureyes.app.ports import Reading
from foureyes.app.rows import Pending
from foureyes.app.silences import Silence
from foureyes.app.silent_places import silences
from foureyes.app.workers import Worker, lives, workers
from foureyes.codec.shapes import shape

#: The kinds of requests there are; one that nobody owes is told as none.
KINDS = ("report", "revision", "ruling")
_spelled = shape(datetime)[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """What waits in the outbox of one type, and for how many seconds the oldest does."""

    type: str
    waiting: int
    oldest_seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What a process knows that no store does."""

    #: Runs under way in this very process; None where it carries none out.
    runs: int | None = None
    spool_bytes: int = 0
    #: When the log was last signed here.
    checkpoint: datetime | None = None


async def nothing_around() -> Around:
    """Of a process that only answers."""
    return Around()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """One look at all of it."""

    pending: tuple[Pending, ...]
    #: Those that live.
    workers: tuple[Worker, ...]
    outbox: Outbox
    types: tuple[Type, ...]
    off: tuple[Silence, ...]

    @property
    def leased(self) -> int:
        """Seats that somebody is at work on."""
        return sum(one.leased for one in self.pending)

    @property
    def lapsed(self) -> int:
        """Seats whose holder gave no sign of life in time."""
        return sum(one.lapsed for one in self.pending)


def pulse(reading: Reading, now: datetime) -> Pulse:
    """Take it."""
    found = {one.kind: one for one in reading.pending(_spelled(now))}
    untold = outbox(reading)
    return Pulse(
        pending=tuple(found.get(kind, Pending(kind=kind, requests=0)) for kind in sorted({*KINDS, *found})),
        workers=tuple(one for one in workers(reading) if lives(one.until, now)),
        outbox=untold,
        types=tuple(
            Type(
                type=one.type,
                waiting=one.count,
                oldest_seconds=age_seconds(datetime.fromisoformat(one.oldest), now),
            )
            for one in untold.types
        ),
        off=silences(reading, now),
    )


def age_seconds(since: datetime, now: datetime) -> int:
    """How long ago that was; what lies ahead was told by another clock, and is as good as now."""
    return max(0, int((now - since).total_seconds()))
