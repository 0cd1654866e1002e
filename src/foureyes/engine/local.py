"""The engine for one process: each run is an asyncio task; what was not handed in dies with the process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from foureyes.app.gate import new_key
from foureyes.app.moments import is_time_again
from foureyes.app.ports import Conflict, Damaged, Unavailable
from foureyes.app.reviewers import Once, each_time
from foureyes.core.refusals import Refusal
from foureyes.engine.port import Run
from foureyes.engine.steps import LEASE, Ended, Steps

#: How often an answer is offered to a store that is unavailable; then the run is forgotten, and started again.
OFFERS_MAX = 8
#: The pause before the second offer; each later one is twice as long.
OFFER_SECONDS = 0.5
#: The last of what a reviewer says while it looks is kept for a successor.
SAID_LINES_MAX = 20
SAID_CHARS_MAX = 2_000
log = logging.getLogger("foureyes.engine")


@dataclass(slots=True, kw_only=True, eq=False)
class _Going:
    """A run under way here."""

    run: Run
    task: asyncio.Task[None]
    #: When its seat was last claimed or renewed.
    alive: datetime
    said: list[str] = field(default_factory=list)
    #: The draft that a successor could see already.
    kept: str = ""

    def draft(self) -> str:
        """Return the draft for a successor if it has changed, else an empty text."""
        words = "\n".join(self.said)[-SAID_CHARS_MAX:]
        new = words if words != self.kept else ""
        self.kept = words
        return new


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How one run is carried out: what records its calls, what it may spend, and how its answer is handed in."""

    once: Once = each_time
    #: None: whatever is left when it begins.
    purse: int | None = None
    #: The idempotency key; a run that is started again after a crash has the same.
    key: str = field(default_factory=new_key)
    #: Does the handing in, and knows whether it was done already.
    hands_in: Callable[[Callable[[], Awaitable[None]]], Awaitable[None]] | None = None


class LocalEngine:
    """Carries out runs in one process, while no other process has an engine on the same store."""

    def __init__(
        self,
        steps: Steps,
        *,
        ended: Callable[[], None] = lambda: None,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
        lease: timedelta = LEASE,
    ) -> None:
        """Carry out these steps; `ended` is called when a run is over, because another may begin."""
        self._steps, self._ended, self._pause, self._lease = steps, ended, pause, lease
        self._going: dict[str, _Going] = {}

    async def hand_over(self, run: Run) -> bool:
        """Start a run; False if the seat has one under way."""
        if any(one.run.place == run.place for one in self._going.values()):
            return False
        task = asyncio.create_task(self._carried_out(run, Way()))
        self._going[run.id] = _Going(run=run, task=task, alive=self._steps.clock())
        return True

    async def has_room(self, _: Run) -> bool:
        """Always True: the dispatcher counts how many runs there are."""
        return True

    async def carry(self, run: Run, way: Way) -> None:
        """Carry a run out in the calling task."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - whoever awaits is in one
        # If it was started here before and given to another worker meanwhile, the old task cannot hand anything in.
        await self.cancel(run.id)
        self._going[run.id] = _Going(run=run, task=task, alive=self._steps.clock())
        await self._carried_out(run, way)

    async def heartbeat(self) -> None:
        """Renew leases that are half over; a run whose seat is lost is cancelled."""
        now = self._steps.clock()
        for one in tuple(self._going.values()):
            # A clock that was set back has the lease renewed at once: it is to end by the new time.
            if not is_time_again(one.alive, now, self._lease / 2):
                continue
            if await self._steps.renew(one.run, one.draft()):
                one.alive = now
            else:
                await self.cancel(one.run.id)

    async def cancel(self, run: str) -> None:
        """Cancel a run and everything that it started."""
        one = self._going.get(run)
        if one is not None:
            one.task.cancel()
            await asyncio.wait([one.task])
            if self._going.get(run) is one:  # a task that had not begun never runs its own `finally`
                del self._going[run]

    async def under_way(self) -> tuple[Run, ...]:
        """Return every run that has not ended."""
        return tuple(one.run for one in self._going.values())

    async def finish(self, seconds: float) -> None:
        """Let the runs under way end, for at most this long."""
        going = [one.task for one in self._going.values()]
        if going:
            await asyncio.wait(going, timeout=seconds)

    async def close(self) -> None:
        """Cancel everything at once."""
        for run in tuple(self._going):
            self._going[run].task.cancel()
        for run in tuple(self._going):
            await self.cancel(run)

    async def _carried_out(self, run: Run, way: Way) -> None:
        fields = {"review": run.review, "seat": run.seat, "reviewer": run.reviewer}
        log.info("begun", extra={"fields": fields})
        try:
            ended = await self._steps.look(run, self._says(run), once=way.once, purse=way.purse)
            offer = partial(self._offered, run, ended, way.key)
            await (way.hands_in(offer) if way.hands_in else offer())
            came_to = ended.text or ("found nothing" if not (ended.look and ended.look.findings) else "has findings")
            log.info("looked", extra={"fields": {**fields, "state": came_to}})
        except Exception:
            # The outermost boundary of a run: the dispatcher starts it again when it sees that its seat still owes
            # something.
            log.exception("a run failed", extra={"fields": fields})
        finally:
            if run.id in self._going and self._going[run.id].task is asyncio.current_task():
                del self._going[run.id]
            self._steps.promised.pop(run.id, None)
            self._ended()

    def _says(self, run: Run) -> Callable[[str], None]:
        def say(text: str) -> None:
            one = self._going.get(run.id)
            if one is not None:
                one.said = [*one.said[1 - SAID_LINES_MAX :], text[:SAID_CHARS_MAX]]

        return say

    async def _offered(self, run: Run, ended: Ended, key: str) -> None:
        """Hand an answer in under one key, however often the store is unavailable meanwhile."""
        seconds = OFFER_SECONDS
        for left in reversed(range(OFFERS_MAX)):
            try:
                await self._steps.hand_in(run, ended, key)
            except (Unavailable, Conflict, Damaged) as error:
                if not left:
                    raise
                log.warning("an answer waits for the store: %s", error)
                await self._pause(seconds)
                seconds *= 2
            except Refusal as refusal:
                log.warning("an answer was refused: %s", refusal.sentence)
                return
            else:
                return
