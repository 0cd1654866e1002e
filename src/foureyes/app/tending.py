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

#: Most deadlines fired in one pass.
DUE_MAX = 100
#: How long a deadline is skipped after the gate refused it.
REFUSED_FOR = timedelta(minutes=1)
#: Clock changes larger than this are logged.
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
        """Run every task once."""
        for name, work in self.works:
            await self._done(name, work)

    async def forever(self, pause: Work) -> None:
        """Run the tasks until cancelled."""
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
            # The outermost boundary of a background task: an unexpected error must not end the loop.
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
        """Fire what is due now; returns how many the gate accepted."""
        now = self.clock()
        self._refused = {key: until for key, until in self._refused.items() if is_ahead(until, now, REFUSED_FOR)}
        late = await self.store.read(lambda reading: reading.due(_spelled(now), DUE_MAX + len(self._refused)))
        taken = 0
        for review, request in late:
            if (review, request) in self._refused:
                continue
            # One key per minute: a repeated refusal is stored once.
            key = f"clock-{review}-{request}-{int(now.timestamp()) // 60}"
            ask = Ask(actor=CLOCK, key=key, command=PassDeadline(request=request), stream=f"review/{review}")
            try:
                await self.gate.handle(ask)
                taken += 1
            except Refusal:
                self._refused[review, request] = now + REFUSED_FOR
            except Damaged as error:
                # A damaged review must not delay the deadlines of the others.
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
        """Log if the clock moved differently from the monotonic clock."""
        now, seconds = self.clock(), self.watch()
        before, self._last = self._last, (now, seconds)
        by = now - before[0] - timedelta(seconds=seconds - before[1]) if before else timedelta(0)
        if abs(by) > JUMP:
            log.warning("the clock was set", extra={"fields": {"by_seconds": round(by.total_seconds())}})
