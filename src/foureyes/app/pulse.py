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

#: All kinds of requests; a kind without pending requests is reported as zero.
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

    #: Runs under way in this process; None if it carries none out.
    runs: int | None = None
    spool_bytes: int = 0
    #: When the log was last signed here.
    checkpoint: datetime | None = None


async def nothing_around() -> Around:
    """Return the state of a process that only answers requests."""
    return Around()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """One look at all of it."""

    pending: tuple[Pending, ...]
    #: The workers that are alive.
    workers: tuple[Worker, ...]
    outbox: Outbox
    types: tuple[Type, ...]
    off: tuple[Silence, ...]

    @property
    def leased(self) -> int:
        """Number of seats that a reviewer is working on."""
        return sum(one.leased for one in self.pending)

    @property
    def lapsed(self) -> int:
        """Number of seats whose lease has ended without a report."""
        return sum(one.lapsed for one in self.pending)


def pulse(reading: Reading, now: datetime) -> Pulse:
    """Collect the health of the work from the store."""
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
    """Return how long ago that was; a time in the future came from another clock and counts as now."""
    return max(0, int((now - since).total_seconds()))
