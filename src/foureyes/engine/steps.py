"""The steps of a run: claim the seat, let the reviewer look, hand the answer in to the gate.

Each step reads what it needs from the store, so that any process can do the next one. The result of a look can be
recorded in between: a process that died before the hand-in need not pay for it again.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

from foureyes.app.asks import Ask
from foureyes.app.following import Follower
from foureyes.app.gate import Gate, new_key
from foureyes.app.ports import Damaged, Reading, Store
from foureyes.app.projections.costs import COSTS, day_usd_micro
from foureyes.app.reviewers import Bounds, Change, Inconclusive, Look, Once, Reviewer, Say, each_time
from foureyes.app.reviewing.budgets import USED_UP, bounds_of, purse_of
from foureyes.app.reviewing.handing_in import escapes_of, no_report, report_of, spent, verifications
from foureyes.app.reviewing.jobs import Job, task_for
from foureyes.app.reviewing.outcome import Options
from foureyes.app.reviewing.readable import readable
from foureyes.app.reviewing.second_look import looked_at
from foureyes.app.reviewing.stored import stored_change
from foureyes.app.reviewing.verdicts import corrected
from foureyes.core.answers.settling import LEFT
from foureyes.core.assign import HERE
from foureyes.core.commands import LeaveSeat, RenewSeat, ReviewCommand, TakeSeat
from foureyes.core.model import ReportRequest, Review
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import Stage
from foureyes.core.stack import stages_of
from foureyes.core.values import Cost, Failure, Outcome, Who, WhoKind
from foureyes.engine.hosting import Hosting
from foureyes.engine.port import Run
from foureyes.policy.policy import Policy
from foureyes.policy.policy import Run as ProjectCommand

#: A seat falls free this long after the last sign of life; a sign is given after half of it.
LEASE = timedelta(minutes=2)
#: A program of ours that has not answered after this time has no answer, however long it waited for a free child
#: process: its own limits, in processor seconds, end it long before. A command of the project has as long as an agent.
PROGRAM_SECONDS_MAX = 600.0
#: Refusals that mean that another run is in this run's place or has handed it in, or that its revision is outdated.
GONE = frozenset(
    {
        Code.STALE,
        Code.NOT_YET,
        Code.LEASE_ENDED,
        Code.NOT_THE_HOLDER,
        Code.SEAT_TAKEN,
        Code.UNKNOWN_REQUEST,
        Code.KEY_REUSED,
    }
)

#: How a command reaches the gate; where commands may wait in a spool, this does not overtake them.
Hand = Callable[[Ask], Awaitable[object]]


async def always_here() -> bool:
    """True: for an engine that no other process can replace."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The result of a look: an answer, or the reason why there is none. It can be serialised."""

    look: Look | None = None
    failure: Failure | None = None
    text: str = ""
    #: What was found so far, where there is no answer.
    found: Look | None = None
    cost: Cost = Cost()
    #: When a limit that was hit ends.
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """Everything that a run is about, as the store has it now."""

    review: Review
    policy: Policy
    job: Job
    change: Change
    #: What all reviews cost today, in millionths of a dollar.
    today: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """The steps of a run."""

    gate: Gate
    store: Store
    hosted: Hosting
    hand: Hand
    clock: Callable[[], datetime]
    watch: Callable[[], float] = time.monotonic
    #: True while this process holds the one place for an engine; a process that lost it hands nothing in.
    is_here: Callable[[], Awaitable[bool]] = always_here
    #: What each run under way here may yet spend, in millionths of a dollar.
    promised: dict[str, int] = field(default_factory=dict)

    async def claim(self, run: Run) -> bool:
        """Claim the seat before looking, so that others see who looks.

        A program of ours on its own seat is quick and needs no lease. A command of the project may take longer than a
        seat waits for a reviewer who does not begin.
        """
        return await self.store.read(partial(self._has_seat, run)) or await self._taken(run)

    async def renew(self, run: Run, draft: str = "") -> bool:
        """Renew the seat's lease, with a draft of the answer so far; False if the seat is not held any more."""
        reviewer = self.hosted.named(run.reviewer)
        if reviewer is None:
            return False
        if reviewer.who.kind is WhoKind.PROGRAM and not await self.store.read(partial(self._has_lease, run)):
            return True
        try:
            await self._ask(run, reviewer.who, RenewSeat(seat=run.seat, lease=LEASE, draft=draft), new_key())
        except Refusal:
            return False
        return True

    async def is_wanted(self, run: Run) -> bool:
        """True if the gate still waits for this run: the review is open, the revision the same, the seat held."""
        try:
            review = await self.store.read(lambda reading: self.gate.whole(reading, run.review))
        except (Refusal, Damaged):
            # The run is of a store from before a backup was restored, or the review was altered.
            return False
        seat = review.seats.get(run.seat)
        held = seat is not None and seat.reviewer is not None and seat.reviewer.name == run.reviewer
        asked = review.report_request(run.seat) is not None
        return review.outcome is None and review.revision == run.revision and held and asked

    async def purse(self, run: Run) -> int:
        """Return what this run may spend, in millionths of a dollar.

        No other run is promised the same money until this one has ended.
        """
        errand = await self._counted(run)
        return self._promised(run, errand) if errand else 0

    async def look(self, run: Run, say: Say, *, once: Once = each_time, purse: int | None = None) -> Ended:
        """Let the reviewer look; every failure becomes an Ended, too. `purse` is what the run was promised before."""
        errand = await (self._counted(run) if purse is None else self.store.read(partial(self._errand, run)))
        if errand is None:
            return Ended(failure=Failure.CRASHED, text="it is not asked any more")
        began = self.watch()
        bounds = _bounds(errand, self._promised(run, errand) if purse is None else purse)
        try:
            found = await _looked(errand, bounds, say, once)
        except Inconclusive as none:
            return Ended(
                failure=none.reason,
                text=none.text,
                found=none.found,
                cost=_timed(none.cost, self.watch() - began),
                until=none.until,
            )
        except Exception as error:  # noqa: BLE001 - the outermost boundary of a reviewer: its failure is an answer
            text = f"{run.reviewer} failed: {type(error).__name__}"
            return Ended(failure=Failure.CRASHED, text=text, cost=_timed(Cost(), self.watch() - began))
        return Ended(look=replace(found, cost=spent(found, self.watch() - began)))

    async def hand_in(self, run: Run, ended: Ended, key: str) -> None:
        """Hand the answer in; the same key takes effect once. The gate decides about an answer that comes too late."""
        errand = await self.store.read(partial(self._errand, run))
        if errand is None or not await self.is_here():
            return
        if ended.look is None:
            await self._failed(run, errand, ended, key)
            return
        try:
            await self._said(run, errand, ended.look, key)
        except Refusal as refusal:
            if refusal.code is Code.REVIEW_ENDED:
                await self._too_late(run, errand, ended.look, key)
            elif refusal.code not in GONE:
                # Also where the answer repeats an earlier one: a reviewer with nothing new to say has not answered the
                # question.
                wrong = Ended(failure=Failure.MALFORMED, text=refusal.sentence, cost=ended.look.cost)
                await self._failed(run, errand, wrong, key)

    async def _counted(self, run: Run) -> Errand | None:
        """Load the errand after counting all costs: the process that keeps the counts may lag, or not run."""
        reviewer = self.hosted.named(run.reviewer)
        if reviewer is not None and reviewer.sends:
            await Follower(self.store, (COSTS,)).catch_up()
        return await self.store.read(partial(self._errand, run))

    def _promised(self, run: Run, errand: Errand) -> int:
        """Return an equal part of the money that is promised to no other run, and promise it to this one."""
        review, mine = errand.review, f"{run.review}:"
        others = {
            name: usd
            for name, usd in self.promised.items()
            if name != run.id and not (name.startswith(mine) and _has_ended(name.removeprefix(mine), review))
        }
        here = [usd for name, usd in others.items() if name.startswith(mine)]
        left = replace(review, usd_micro=review.usd_micro + sum(here))
        purse = purse_of(errand.policy, left, errand.today + sum(others.values()), Options())
        asked = sum(isinstance(one, ReportRequest) for one in review.requests.values())
        usd_micro = _bounds(errand, purse // max(1, asked - len(here))).usd_micro
        if errand.job.reviewer.sends:
            self.promised[run.id] = usd_micro
        return usd_micro

    def stages(self, reading: Reading, review: Review) -> dict[str, Stage]:
        """Return the stages of a review by name."""
        policies = self.gate.policies
        rules, stricter = policies.rules(reading, review.rules), policies.stricter(reading, review.stricter)
        return {one.name: one for one in stages_of(rules, review, stricter)}

    def _has_seat(self, run: Run, reading: Reading) -> bool:
        reviewer, review = self.hosted.named(run.reviewer), self.gate.whole(reading, run.review)
        seat = review.seats.get(run.seat)
        is_quick = reviewer is not None and _is_quick(reviewer, self.gate.policies.named(reading, review.rules))
        return is_quick and seat is not None and seat.reviewer is not None and seat.reviewer.name == run.reviewer

    def _has_lease(self, run: Run, reading: Reading) -> bool:
        seat = self.gate.whole(reading, run.review).seats.get(run.seat)
        return seat is not None and seat.lease is not None

    async def _taken(self, run: Run) -> bool:
        """Take the seat; a seat that this reviewer has held since before a crash is renewed instead."""
        reviewer = self.hosted.named(run.reviewer)
        if reviewer is None:
            return False
        for command in (TakeSeat(seat=run.seat, lease=LEASE), RenewSeat(seat=run.seat, lease=LEASE)):
            try:
                await self._ask(run, reviewer.who, command, new_key())
            except Refusal as refusal:
                if refusal.code is not Code.DUPLICATE:
                    return False
            else:
                return True
        return False

    def _errand(self, run: Run, reading: Reading) -> Errand | None:
        review, reviewer = self.gate.whole(reading, run.review), self.hosted.named(run.reviewer)
        seat, request = review.seats.get(run.seat), review.requests.get(run.seat)
        stage = self.stages(reading, review).get(seat.stage) if seat else None
        if reviewer is None or seat is None or stage is None or review.revision != run.revision:
            return None
        policy = self.gate.policies.named(reading, review.rules)
        about = request.about if isinstance(request, ReportRequest) else ()
        change, _ = readable(stored_change(review, reading), policy)
        # What the author says of a later revision may tell what other reviewers found.
        shown = self.gate.look(reading, run.review, reviewer.who).view.review
        today = day_usd_micro(reading, self.clock().date().isoformat())
        return Errand(
            review=review,
            policy=policy,
            job=Job(reviewer=reviewer, stage=stage, seat=seat, about=about),
            change=replace(change, note=shown.current.note),
            today=today,
        )

    async def _said(self, run: Run, errand: Errand, look: Look, key: str) -> None:
        job = errand.job
        if job.verifies:
            for number, one in enumerate(verifications(job, look, errand.review)):
                await self._judge(run, errand, replace(one, revision=run.revision), f"{key}-{number}")
            return
        report = replace(report_of(job, look, errand.review, errand.change), revision=run.revision)
        try:
            await self._judge(run, errand, report, key)
        except Refusal as refusal:
            other = corrected(report, refusal, look)
            if other is None:
                raise
            await self._judge(run, errand, other, f"{key}-2")

    async def _failed(self, run: Run, errand: Errand, ended: Ended, key: str) -> None:
        """Report that there is no answer, neither yes nor no; a reviewer over a limit leaves the seat to the next."""
        reason = ended.failure or Failure.CRASHED
        job = errand.job
        none = Inconclusive(reason, ended.text, found=ended.found, cost=ended.cost)
        told = no_report(job, none, errand.review, ended.cost)
        draft = ended.found.summary if ended.found else ""
        try:
            await self._judge(run, errand, replace(told, revision=run.revision, draft=draft), f"{key}-none")
            if ended.until is not None:
                self.hosted.rest(run.reviewer, ended.until)
                leave = LeaveSeat(seat=run.seat, reason=LEFT[Failure.OUT_OF_BUDGET].value, draft=draft)
                await self._ask(run, job.reviewer.who, leave, f"{key}-left")
        except Refusal as refusal:
            if refusal.code not in GONE | {Code.REVIEW_ENDED}:
                raise

    async def _too_late(self, run: Run, errand: Errand, look: Look, key: str) -> None:
        """Handle an answer to a review that ended meanwhile.

        An objection to cleared work is reported as an escape; all else is dropped.
        """
        if errand.review.outcome is not Outcome.CLEARED:
            return
        for number, one in enumerate(escapes_of(run.reviewer, look)):
            await self._ask(run, errand.job.reviewer.who, one, f"{key}-late-{number}")

    async def _judge(self, run: Run, errand: Errand, command: ReviewCommand, key: str) -> None:
        """Hand in a judgement of the review as this run loaded it from the store."""
        ask = Ask(actor=errand.job.reviewer.who, key=key, command=command, stream=f"review/{run.review}")
        await self.hand(replace(ask, loaded=errand.review.digest))

    async def _ask(self, run: Run, who: Who, command: ReviewCommand, key: str) -> None:
        await self.hand(Ask(actor=who, key=key, command=command, stream=f"review/{run.review}"))


def _has_ended(place: str, review: Review) -> bool:
    """True if a run has handed in, even if its engine does not know yet: its cost is counted already."""
    seat, revision, _ = place.rsplit(":", 2)
    if int(revision) == review.revision:
        return review.report_request(seat) is None
    return (seat, int(revision)) in review.reports


def _bounds(errand: Errand, purse: int) -> Bounds:
    seconds = PROGRAM_SECONDS_MAX if _is_quick(errand.job.reviewer, errand.policy) else None
    return bounds_of(errand.policy, purse, Options(seconds_max=seconds))


def _is_quick(reviewer: Reviewer, policy: Policy) -> bool:
    """True for a program of ours; a command that the policy names takes as long as the project's tests do."""
    runs = {role.name for role in policy.reviewers for one in role.holders if isinstance(one, ProjectCommand)}
    return reviewer.who.kind is WhoKind.PROGRAM and reviewer.who.name.removesuffix(HERE) not in runs


async def _looked(errand: Errand, bounds: Bounds, say: Say, once: Once) -> Look:
    job = errand.job
    if job.reviewer.sends and bounds.usd_micro <= 0:
        raise Inconclusive(Failure.OUT_OF_BUDGET, f"{job.name} was not asked: {USED_UP}")
    task = replace(task_for(job, errand.review, errand.change, bounds), once=once)
    return await looked_at(job.reviewer, task, say)


def _timed(cost: Cost, seconds: float) -> Cost:
    return Cost(usd_micro=cost.usd_micro, tokens=cost.tokens, seconds=cost.seconds or round(seconds))
