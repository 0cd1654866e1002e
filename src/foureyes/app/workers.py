"""What each worker writes about itself to the store: its name, the reviewers it hosts, and until when that holds."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from foureyes.app.moments import is_ahead, is_time_again
from foureyes.app.ports import Reading
from foureyes.app.rows import ENGINE
from foureyes.codec.shapes import shape
from foureyes.core.values import Who

#: Most workers read from one store.
WORKERS_MAX = 500
#: How long after its last sign of life a process keeps what it holds; a sign is given at half of it.
HELD = timedelta(seconds=20)
_PREFIX = "worker/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A reviewer whom a worker hosts."""

    who: Who
    roles: tuple[str, ...]
    sends: str = ""
    #: Until when it is over a limit of its provider.
    rests: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """What a worker says of itself."""

    name: str
    until: datetime
    offers: tuple[Offer, ...] = ()
    #: Number of runs under way in it.
    runs: int = 0
    #: Number of runs given to workers that have not begun; reported by the process that distributes them.
    queued: int = 0

    def hosts(self, reviewer: str) -> bool:
        """True if it hosts a reviewer of this name."""
        return any(one.who.name == reviewer for one in self.offers)


def held_until(now: datetime) -> datetime:
    """Return until when a sign of life given now is valid."""
    return now + HELD


def lives(until: datetime, now: datetime) -> bool:
    """True if a sign of life is still valid by this clock; the worker's clock may be ahead by its validity."""
    return is_ahead(until, now, 2 * HELD)


def sign_is_due(until: datetime, now: datetime) -> bool:
    """True if the process whose sign is valid until then must give the next one."""
    return is_time_again(until - HELD, now, HELD / 2)


def workers(reading: Reading) -> tuple[Worker, ...]:
    """Return all workers that wrote a sign of life, dead or alive."""
    read = shape(Worker)[1]
    return tuple(read(json.loads(body)) for _, body in reading.rows(ENGINE, _PREFIX, limit=WORKERS_MAX))


def key_of(worker: str) -> str:
    """Return the row key of a worker."""
    return f"{_PREFIX}{worker}"


def written(worker: Worker) -> str:
    """Encode a worker's row."""
    return json.dumps(shape(Worker)[0](worker))
