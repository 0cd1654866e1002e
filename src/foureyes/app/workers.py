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

#: More workers on one store are not looked at.
WORKERS_MAX = 500
#: So long after its last sign of life a process has lost what it held; a sign is given at half of it.
HELD = timedelta(seconds=20)
_PREFIX = "worker/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A reviewer whom a worker hosts."""

    who: Who
    roles: tuple[str, ...]
    sends: str = ""
    #: Over a limit of its provider until then.
    rests: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """What a worker says of itself."""

    name: str
    until: datetime
    offers: tuple[Offer, ...] = ()
    #: Runs under way in it.
    runs: int = 0
    #: Runs that were given to workers and have not begun; told by the one who gives them out.
    queued: int = 0

    def hosts(self, reviewer: str) -> bool:
        """Whether a reviewer of this name is there."""
        return any(one.who.name == reviewer for one in self.offers)


def held_until(now: datetime) -> datetime:
    """Until when a sign of life holds that is given now."""
    return now + HELD


def lives(until: datetime, now: datetime) -> bool:
    """Whether a sign of life still holds, by the clock of whoever looks: the other's may be ahead by as long as it."""
    return is_ahead(until, now, 2 * HELD)


def sign_is_due(until: datetime, now: datetime) -> bool:
    """Whether whoever gave the sign that holds until then gives the next."""
    return is_time_again(until - HELD, now, HELD / 2)


def workers(reading: Reading) -> tuple[Worker, ...]:
    """Everybody who said something, dead or alive."""
    read = shape(Worker)[1]
    return tuple(read(json.loads(body)) for _, body in reading.rows(ENGINE, _PREFIX, limit=WORKERS_MAX))


def key_of(worker: str) -> str:
    """Where a worker of this name writes."""
    return f"{_PREFIX}{worker}"


def written(worker: Worker) -> str:
    """What it writes there."""
    return json.dumps(shape(Worker)[0](worker))
