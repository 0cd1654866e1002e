"""Background tasks of a server, and the task that fires deadlines; due times take effect here.

Several servers on one database may all run these tasks without harm. A task that fails is logged and does not stop the
others.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from foureyes.app.asks import Ask
from foureyes.app.gate import Gate
from foureyes.app.keys import KeyTrouble
from foureyes.app.moments import is_ahead
from foureyes.app.ports import Conflict, Damaged, Store, Unavailable
from foureyes.codec.shapes import shape
from foureyes.core.commands import PassDeadline
from foureyes.core.refusals import Refusal
from foureyes.core.values import CLOCK

#: Deadlines that are passed in one go; the rest have their turn in the next.
DUE_MAX = 100
#: So long a deadline is left alone that the gate did not take.
REFUSED_FOR = timedelta(minutes=1)
#: A clock that is set by more than this is told.
JUMP = timedelta(minutes=5)
log = logging.getLogger("foureyes.tending")
_spelled = shape(datetime)[0]


Work = Callable[[], Awaitable[object]]


@dataclass(slots=True)
class Tending:
    """Does some things again and again, one behind the other."""

    works: tuple[tuple[str, Work], ...]
    _failing: set[str] = field(default_factory=set)

    async def once(self) -> None:
        """Do what there is to do now."""
        for name, work in self.works:
            await self._done(name, work)

    async def forever(self, pause: Work) -> None:
        """Do it until cancelled."""
        while True:
            await self.once()
            await pause()

    async def _done(self, name: str, work: Work) -> None:
        try:
            await work()
        except (Unavailable, Damaged, Conflict, KeyTrouble) as error:
            if name not in self._failing:
                log.error("%s: %s", name, error)  # noqa: TRY400 - what is wrong, not where in the program
            self._failing.add(name)
        except Exception:
            # The outermost boundary of work that nobody waits for: it must not end with the first surprise.
            if name not in self._failing:
                log.exception("%s failed", name)
            self._failing.add(name)
        else:
            self._failing.discard(name)


@dataclass(slots=True, kw_only=True)
class Deadlines:
    """Tells the gate which due times are over."""

    store: Store
    gate: Gate
    clock: Callable[[], datetime]
    _refused: dict[tuple[str, str], datetime] = field(default_factory=dict)

    async def passed(self) -> int:
        """Pass what is due now; how much of it the gate took."""
        now = self.clock()
        self._refused = {key: until for key, until in self._refused.items() if is_ahead(until, now, REFUSED_FOR)}
        late = await self.store.read(lambda reading: reading.due(_spelled(now), DUE_MAX + len(self._refused)))
        taken = 0
        for review, request in late:
            if (review, request) in self._refused:
                continue
            # In one minute the same key: what is refused again and again is written down once.
            key = f"clock-{review}-{request}-{int(now.timestamp()) // 60}"
            ask = Ask(actor=CLOCK, key=key, command=PassDeadline(request=request), stream=f"review/{review}")
            try:
                await self.gate.handle(ask)
                taken += 1
            except Refusal:
                self._refused[review, request] = now + REFUSED_FOR
            except Damaged as error:
                # One that was altered must not keep the others from being on time.
                log.error("a deadline: %s", error)  # noqa: TRY400 - what is wrong, not where in the program
                self._refused[review, request] = now + REFUSED_FOR
        return taken


@dataclass(slots=True, kw_only=True)
class Jumps:
    """Tells that the clock on the wall was set: due times and leases go by it, and nobody is late by themselves."""

    clock: Callable[[], datetime]
    watch: Callable[[], float] = time.monotonic
    _last: tuple[datetime, float] | None = None

    async def noticed(self) -> None:
        """Look whether it shows another time than it would by itself."""
        now, seconds = self.clock(), self.watch()
        before, self._last = self._last, (now, seconds)
        by = now - before[0] - timedelta(seconds=seconds - before[1]) if before else timedelta(0)
        if abs(by) > JUMP:
            log.warning("the clock was set", extra={"fields": {"by_seconds": round(by.total_seconds())}})
