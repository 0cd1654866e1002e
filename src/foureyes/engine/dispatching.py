"""Starts and cancels runs of hosted reviewers, from what the inbox says; no state is kept that could be lost.

A request that the inbox gives to a reviewer who is hosted here becomes a run, the most urgent first, as many as one
reviewer may have at once. A failed run is started again after a pause; the gate counts how often.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import islice

from foureyes.app.accounts import account
from foureyes.app.bell import Bell
from foureyes.app.heads import ANYONE, COUNSEL, role
from foureyes.app.moments import is_ahead
from foureyes.app.ports import Damaged, Quick, Reading
from foureyes.app.reviewing.jobs import Pool, for_seat
from foureyes.app.rows import InboxRow
from foureyes.app.shelf import dated
from foureyes.core.events import ReviewOpened
from foureyes.core.model import ReportRequest, Review, Seat
from foureyes.core.rules import Limits, Stage
from foureyes.engine.port import MINDS_MAX, Engine, Run
from foureyes.engine.steps import Steps

#: The most runs that begin in one look at the inbox; the rest begin in the next, which follows at once.
STARTS_MAX = 50
#: The most requests that are looked through, the most urgent first; a request that cannot be served must not hide one
#: that can.
ROWS_MAX = 1_000
KNOWN_MAX = 10_000
#: How many runs more than the policy's limit a program may have, one each for authors who have none with it.
OTHERS_MAX = 5
#: The same run is started at most this often in a row; the gate counts failures, but not one that it never hears of.
TRIES_MAX = 3
#: How long a seat is left alone that the gate did not let us take.
REFUSED_FOR = timedelta(minutes=1)
#: The pause after the first failure of a seat; each later one is four times as long.
AGAIN_AFTER = timedelta(seconds=2)
AGAIN_FACTOR = 4
#: How often the inbox is read when the bell does not ring: other processes write to it too, and pauses end.
LOOK_SECONDS = 1.0
#: Rings so close together lead to one look.
GAP_SECONDS = 0.05
log = logging.getLogger("foureyes.engine")


@dataclass(slots=True, kw_only=True)
class Dispatcher:
    """Starts and cancels runs so that the engine does what the inbox asks for."""

    steps: Steps
    engine: Engine
    bell: Bell
    clock: Callable[[], datetime]
    #: How many agents and models may be at work at once, over all processes.
    minds_max: Callable[[], int] = lambda: MINDS_MAX
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    #: Set after the first look: what a dead process left behind is taken up before any deadline passes.
    looked: asyncio.Event = field(default_factory=asyncio.Event)
    #: The reviewers hosted here, and the names under which the inbox lists them.
    _asked: tuple[Pool | None, list[str]] = (None, [])
    #: The author of a review that was opened at this server; empty where it was opened elsewhere.
    _ours: dict[str, str] = field(default_factory=dict)
    #: Until when a reviewer may not take a seat, as the gate refused it lately: review, seat, reviewer.
    _refused: dict[tuple[str, str, str], datetime] = field(default_factory=dict)
    #: How often each run was started in this process; whatever the gate makes of their ends, no reviewer is asked for
    #: ever.
    _begun: Counter[str] = field(default_factory=Counter)

    async def once(self) -> int:
        """Cancel runs that are no longer wanted, start those that are owed; return how many were started."""
        try:
            return await self._once()
        finally:
            self.looked.set()

    async def _once(self) -> int:
        if not await self.steps.is_here():
            await self.engine.close()
            return 0
        pool = await self.steps.hosted.follow(self.steps.store)
        await self.engine.heartbeat()
        going = []
        for run in await self.engine.under_way():
            if await self.steps.is_wanted(run):
                going.append(run)
            else:
                await self.engine.cancel(run.id)
        # Every change on this server rings the bell, and mostly it asks no reviewer hosted here for anything.
        if self._asked[0] is not pool:
            self._asked = pool, _asked(pool)
        if not going and not await self.steps.store.read(Quick(lambda reading: reading.owes_report(self._asked[1]))):
            return 0
        now = self.clock()
        self._refused = {key: until for key, until in self._refused.items() if is_ahead(until, now, REFUSED_FOR)}
        due = await self.steps.store.read(partial(self._due, pool, going, now))
        if len(due) == STARTS_MAX:
            self.woken.set()
        return await self._begin(due, now)

    async def _begin(self, due: list[Run], now: datetime) -> int:
        begun = 0
        for run in due:
            if self._begun[run.id] >= TRIES_MAX:
                self._refused[*run.place, run.reviewer] = now + REFUSED_FOR
                self._begun.pop(run.id, None)
            elif not await self.engine.has_room(run):
                continue
            elif await self.steps.claim(run):
                self._begun[run.id] += 1
                if len(self._begun) > KNOWN_MAX:  # the oldest is long over
                    del self._begun[next(iter(self._begun))]
                begun += await self.engine.hand_over(run)
                self.bell.ring()
            else:
                self._refused[*run.place, run.reviewer] = now + REFUSED_FOR
        return begun

    async def pause(self) -> None:
        """Wait until the bell rings, or LOOK_SECONDS have passed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):  # `wait_for` may lose that it was cancelled
                await self.woken.wait()
        self.woken.clear()
        await asyncio.sleep(GAP_SECONDS)

    def _due(self, pool: Pool, going: list[Run], now: datetime, reading: Reading) -> list[Run]:
        limits = self.steps.gate.policies.current(reading).policy.rules.limits
        busy = _Busy(pool=pool, limits=limits, minds_max=self.minds_max())
        for one in going:
            busy.add(one.reviewer, self._ours.get(one.review, ""))
        taken = {one.place for one in going}
        found: list[Run] = []
        for row in self._rows(reading):
            place = (row.review, row.request)
            if place in taken:
                continue
            try:
                author = self._author(reading, row.review)
                if not author or (row.held and not busy.is_free(row.who, author)):
                    continue
                taken.add(place)
                run = self._run(reading, row, pool, busy, now)
            except Damaged as error:
                # A review that was altered must not keep the reviewers from the others.
                log.error("not begun: %s", error)  # noqa: TRY400 - what is wrong, not where in the program
                self._ours[row.review] = ""
                continue
            if run is not None:
                busy.add(run.reviewer, author)
                found.append(run)
                if len(found) == STARTS_MAX:
                    break
        return found

    def _rows(self, reading: Reading) -> list[InboxRow]:
        """Return the inbox rows of hosted reviewers: what they owe, then their queues, then what they may take."""
        rows = [row for name in self._asked[1] for row in reading.inbox(name, ROWS_MAX) if row.kind == "report"]
        return sorted(rows, key=lambda one: (not one.held, one.queued, one.due))

    def _run(self, reading: Reading, row: InboxRow, pool: Pool, busy: _Busy, now: datetime) -> Run | None:
        review = self.steps.gate.whole(reading, row.review)
        request = review.requests.get(row.request)
        if review.outcome is not None or not isinstance(request, ReportRequest):
            return None
        seat = review.seats[request.seat]
        stage = self.steps.stages(reading, review).get(seat.stage)
        reviewer = for_seat(seat, pool, self._cannot(review, seat, busy))
        if stage is None or reviewer is None or not busy.is_free(reviewer.who.name, review.author.name):
            return None
        if (review.id, seat.id, reviewer.who.name) in self._refused or _rests(review, seat, request, stage, now):
            return None
        busy.sits(review.id, seat.stage, reviewer.who.name)
        return Run(
            review=review.id,
            seat=seat.id,
            revision=review.revision,
            reviewer=reviewer.who.name,
            attempt=_attempt(review, seat, request),
        )

    def _cannot(self, review: Review, seat: Seat, busy: _Busy) -> set[str]:
        """Return the reviewers who cannot take a free seat.

        They sit in that stage already, have enough work, or were refused there.
        """
        sitting = {one.reviewer.name for one in review.seats_of(seat.stage, seat.part) if one.reviewer}
        refused = {name for (where, place, name) in self._refused if (where, place) == (review.id, seat.id)}
        return sitting | refused | busy.full(review.author.name) | busy.sitting(review.id, seat.stage)

    def _author(self, reading: Reading, review: str) -> str:
        if review not in self._ours:
            if len(self._ours) >= KNOWN_MAX:
                self._ours.clear()
            self._ours[review] = _author_here(reading, review)
        return self._ours[review]


@dataclass(slots=True, kw_only=True)
class _Busy:
    """How much work each reviewer has."""

    pool: Pool
    limits: Limits
    minds_max: int
    _count: Counter[str] = field(default_factory=Counter)
    #: The number of runs by reviewer and author.
    _of: Counter[tuple[str, str]] = field(default_factory=Counter)
    _sitting: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def sits(self, review: str, stage: str, name: str) -> None:
        self._sitting.setdefault((review, stage), set()).add(name)

    def sitting(self, review: str, stage: str) -> set[str]:
        return self._sitting.get((review, stage), set())

    def add(self, name: str, author: str) -> None:
        self._count[name] += 1
        self._of[name, author] += 1

    def is_free(self, name: str, author: str) -> bool:
        """True if a reviewer may begin with work of this author; many slow works of another do not stop a program."""
        minds, most = self.pool.minds(), self.limits.parallel_max
        if name in minds:
            return self._count[name] < most and sum(self._count[one] for one in minds) < self.minds_max
        if not self._of[name, author]:
            most += OTHERS_MAX
        return self._count[name] < most and self._of[name, author] < self.limits.parallel_max

    def full(self, author: str) -> set[str]:
        return {name for name in self.pool.names() if not self.is_free(name, author)}


def _asked(pool: Pool) -> list[str]:
    """Return the names under which the inbox lists the reviewers hosted here: their own, and their roles."""
    spelled = {one.replace(*sides) for one in pool.roles() for sides in (("-", "_"), ("_", "-"))}
    roles = sorted(spelled | set(pool.roles()))
    return [*pool.names(), *map(role, roles), *([ANYONE, COUNSEL] if pool.minds() else [])]


def _attempt(review: Review, seat: Seat, request: ReportRequest) -> int:
    """Return a number that grows whenever the gate asks this seat again, so that no two runs have the same id."""
    report = review.reports.get((seat.id, review.revision))
    answers = sum(review.findings[one].answers for one in request.about)
    failures = review.failures.get((seat.id, review.revision), 0)
    return 1 + failures + len(seat.left) + (report.count if report else 0) + answers


def _rests(review: Review, seat: Seat, request: ReportRequest, stage: Stage, now: datetime) -> bool:
    """True if the reviewer's last failure is too recent to ask again.

    The seat was asked anew at the failure, and its due time counts from then.
    """
    failures = review.failures.get((seat.id, review.revision), 0) % (stage.options.failures_max + 1)
    if not failures or seat.lease is not None or request.step is not None or request.queued:
        return False
    factor: int = AGAIN_FACTOR ** (failures - 1)
    failed = request.due - stage.options.times.unstarted
    # A clock that was set back since does not make the pause longer.
    return failed <= now < failed + AGAIN_AFTER * factor


def _author_here(reading: Reading, review: str) -> str:
    """Return the author of a review that was opened by an enrolled account at this server; empty for others."""
    return next((name for name in _authors(reading, review) if account(reading, name) is not None), "")


def _authors(reading: Reading, review: str) -> Iterator[str]:
    opened = dated(tuple(islice(reading.events(f"review/{review}"), 1)))
    yield from (one.author.name for one, _ in opened if isinstance(one, ReviewOpened))
