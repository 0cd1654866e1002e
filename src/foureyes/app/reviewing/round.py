"""Runs one round of review: asks every reviewer at hand at once; each hands in alone, until nobody is left to ask.

The round reads the requests of the gate, starts the reviewers who can answer, and reads the requests again after each
answer: chains, second looks and new seats need no plan of their own. Cancelling it ends all it started; what was handed
in stays.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial

from foureyes.app.asks import Ask
from foureyes.app.gate import Gate, new_key
from foureyes.app.reviewers import Bounds, Change, Inconclusive, Look
from foureyes.app.reviewing.budgets import USED_UP
from foureyes.app.reviewing.handing_in import escapes_of, no_report, report_of, spent, verifications
from foureyes.app.reviewing.jobs import Job, Pool, jobs, task_for
from foureyes.app.reviewing.outcome import Looked, LookedState, NotLooked, Watch
from foureyes.app.reviewing.second_look import looked_at
from foureyes.app.reviewing.verdicts import corrected
from foureyes.core.answers.settling import LEFT
from foureyes.core.commands import LeaveSeat, ReviewCommand, SubmitReport, TakeSeat
from foureyes.core.model import Review
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import Rules, Stage
from foureyes.core.stack import stages_of
from foureyes.core.values import Cost, Failure, Verdict, Who

#: Most agents and models that look at once; programs are not counted.
MINDS_MAX = 4
USD_MICRO = 1_000_000
#: Most jobs in one round, whatever the rules make of the answers.
JOBS_MAX = 200
LEASE_MORE = timedelta(minutes=2)
NOT_VERIFIED = "not verified, because "
ASKED_ELSEWHERE = "another run is asking it about this version right now"
AFTERWARDS = "`foureyes review` tells its answer once that run is done"


@dataclass(slots=True, kw_only=True)
class Ran:
    """What the reviewers of one round did."""

    looked: list[Looked] = field(default_factory=list)
    not_looked: list[NotLooked] = field(default_factory=list)
    unclear: str = ""
    #: What a reviewer found after the review had ended.
    late: str = ""
    interrupted: bool = False
    #: Another run handed in a newer version meanwhile.
    overtaken: bool = False
    usd_micro: int = 0


@dataclass(slots=True, kw_only=True)
class Round:
    """One round on one review."""

    gate: Gate
    review: str
    rules: Rules
    pool: Pool
    #: The viewer who sees the whole review: the person at the terminal.
    viewer: Who
    change: Change
    bounds: Bounds
    watch: Watch
    stages_beside: Rules | None = None
    #: Millionths of a dollar this round may still spend.
    purse: int
    #: The version that all reviewers of this round are shown; their reports count for no other.
    revision: int
    #: The digest of the bytes that this run loaded for everybody in it.
    loaded: str
    #: Returns whether this run may ask a question; not if another run asks it, because both would be paid for.
    begin: Callable[[str], bool] = lambda _: True
    clock: Callable[[], float] = time.monotonic
    ran: Ran = field(default_factory=Ran)
    _running: dict[asyncio.Task[Look], tuple[Job, float]] = field(default_factory=dict)
    _reserved: dict[asyncio.Task[Look], int] = field(default_factory=dict)
    _tried: set[tuple[str, str]] = field(default_factory=set)
    _kept_back: list[tuple[Job, Look, float]] = field(default_factory=list)

    async def run(self) -> Ran:
        """Ask reviewers until none at hand is left to ask."""
        try:
            await self._ask_all()
        except asyncio.CancelledError:
            self.ran.interrupted = True
            current = asyncio.current_task()
            if current is not None:
                current.uncancel()
            await self._stop()
        return self.ran

    async def _ask_all(self) -> None:
        while True:
            review = await self._state()
            self.ran.overtaken = self.ran.overtaken or review.revision != self.revision
            if review.outcome is None and not self.ran.overtaken and len(self._tried) < JOBS_MAX:
                due = self._due(review)
                # Each paid reviewer gets an equal part of what is left, including those who are asked later.
                share = self.purse // max(len(self._unpaid(due)), 1)
                for job in due:
                    await self._start(job, review, share)
            if not self._running and not self._kept_back:
                return
            await self._hand_in_kept()
            if not self._running:
                continue
            done, _ = await asyncio.wait(self._running, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                await self._ended(one)

    async def _state(self) -> Review:
        return (await self.gate.read(self.review, self.viewer)).view.review

    def _stages(self, review: Review) -> tuple[Stage, ...]:
        return stages_of(self.rules, review, self.stages_beside)

    def _due(self, review: Review) -> list[Job]:
        busy = {(job.stage.name, job.name) for job, _ in self._running.values()}
        minds = sum(job.is_mind for job, _ in self._running.values())
        found: list[Job] = []
        for job in jobs(review, self._stages(review), self.pool):
            is_mind = job.is_mind
            here = (job.stage.name, job.name)
            if job.key in self._tried or here in busy or (is_mind and minds >= MINDS_MAX):
                continue
            if is_mind and job.reviewer.sends and self.purse <= 0:
                self._tried.add(job.key)
                self.ran.not_looked.append(_out_of_money(job))
                continue
            busy.add(here)
            minds += is_mind
            found.append(job)
        return found

    def _unpaid(self, due: list[Job]) -> set[str]:
        """Return the paid reviewers without a reservation: due now, or at hand and not asked yet."""
        tried = {name for _, name in self._tried}
        later = {name for name in self.pool.minds() if name not in tried}
        names = later | {job.name for job in due if job.is_mind}
        return {name for name in names if (one := self.pool.named(name)) is not None and one.sends}

    def _budget(self) -> str:
        """Describe the state of this round's budget; the sums add up."""
        reserved = {self._running[task][0].name: usd for task, usd in self._reserved.items() if task in self._running}
        total = self.purse + sum(reserved.values()) + self.ran.usd_micro
        parts = [f"of ${total / USD_MICRO:.2f}, ${self.ran.usd_micro / USD_MICRO:.2f} is spent"]
        parts += [f"${usd / USD_MICRO:.2f} reserved for {name}" for name, usd in sorted(reserved.items())]
        return ", ".join((*parts, f"${self.purse / USD_MICRO:.2f} kept for whoever is asked next"))

    async def _start(self, job: Job, review: Review, share: int) -> None:
        self._tried.add(job.key)
        if job.is_mind and not self.begin("\0".join((self.review, str(self.revision), *job.key))):
            self.ran.not_looked.append(NotLooked(who=job.name, why=ASKED_ELSEWHERE, next_step=AFTERWARDS))
            return
        if job.is_mind:
            # The lease shows others who is looking, and frees the seat if this machine goes away.
            lease = timedelta(seconds=self.bounds.seconds) + LEASE_MORE
            seat, stage = (job.seat.id, "") if job.seat else ("", job.stage.name)
            with suppress(Refusal):
                await self._ask(job.reviewer.who, TakeSeat(seat=seat, stage=stage, lease=lease))
        bounds = replace(self.bounds, usd_micro=min(self.bounds.usd_micro, max(share, 0)), share=self._budget())
        task = task_for(job, review, self.change, bounds)
        self.watch.started(job.name)
        begun = asyncio.create_task(looked_at(job.reviewer, task, partial(self.watch.said, job.name)))
        self._running[begun] = (job, self.clock())
        if job.reviewer.sends:
            self._reserved[begun] = bounds.usd_micro
            self.purse -= bounds.usd_micro

    async def _ended(self, done: asyncio.Task[Look]) -> None:
        job, began = self._running.pop(done)
        self.purse += self._reserved.pop(done, 0)
        seconds = self.clock() - began
        error = done.exception()
        if isinstance(error, Inconclusive):
            await self._failed(job, error, seconds)
        elif error is not None:
            words = f"{job.name} failed: {type(error).__name__}"
            await self._failed(job, Inconclusive(Failure.CRASHED, words), seconds)
        else:
            look = done.result()
            look = replace(look, cost=spent(look, seconds))
            if job.is_mind and not job.verifies and await self._objects_not(job, look):
                self.watch.said(job.name, "done; waits for the others" if self._is_awaited(job) else "done")
                self._kept_back.append((job, look, seconds))
            else:
                await self._hand_in(job, look, seconds)

    def _is_awaited(self, job: Job) -> bool:
        """True if another agent or model of this stage is still looking.

        An approval must not end the review before it is done.
        """
        return any(one.is_mind and one.stage.name == job.stage.name for one, _ in self._running.values())

    async def _objects_not(self, job: Job, look: Look) -> bool:
        return report_of(job, look, await self._state(), self.change).verdict in (None, Verdict.APPROVE)

    async def _hand_in_kept(self) -> None:
        """Hand in the approvals that need not wait any more.

        Those of required reviewers come last, because they may end the review.
        """
        ready = [one for one in self._kept_back if not self._is_awaited(one[0])]
        self._kept_back = [one for one in self._kept_back if one not in ready]
        review = await self._state()
        for job, look, seconds in sorted(ready, key=lambda one: _was_asked(one[0], review)):
            await self._hand_in(job, look, seconds)

    async def _hand_in(self, job: Job, look: Look, seconds: float) -> None:
        review = await self._state()
        try:
            if job.verifies:
                for one in verifications(job, look, review):
                    await self._ask(job.reviewer.who, replace(one, revision=self.revision))
            else:
                report = replace(report_of(job, look, review, self.change), revision=self.revision)
                await self._report(job.reviewer.who, report, look)
        except Refusal as refusal:
            if refusal.code is Code.REVIEW_ENDED:
                await self._came_late(job, look, seconds)
            else:
                await self._failed(job, Inconclusive(Failure.MALFORMED, refusal.sentence, cost=look.cost), seconds)
            return
        self._count(look.cost)
        if look.unclear:
            first = next((f": {one.text}" for one in look.findings), "")
            self.ran.unclear = self.ran.unclear or f"{job.name} could not judge all of it{first}"
        self._say(self._looked(job, look, seconds, await self._state()))

    async def _came_late(self, job: Job, look: Look, seconds: float) -> None:
        """Handle a look at a review that another run ended meanwhile.

        An approval changes nothing, an objection is recorded.
        """
        self._count(look.cost)
        found = list(escapes_of(job.name, look))
        for one in found:
            self.ran.late = self.ran.late or one.text
            with suppress(Refusal):
                await self._ask(job.reviewer.who, one)
        state = LookedState.REJECTS if found else LookedState.FOUND_NOTHING
        self._say(replace(self._looked(job, look, seconds, await self._state()), state=state, reason=""))

    async def _report(self, who: Who, report: SubmitReport, look: Look) -> None:
        """Hand in the report; another run of the same work may have handed in the same one."""
        try:
            await self._ask(who, report)
        except Refusal as refusal:
            if refusal.code is Code.DUPLICATE:
                return
            other = corrected(report, refusal, look)
            if other is None:
                raise
            await self._ask(who, other)

    async def _failed(self, job: Job, error: Inconclusive, seconds: float, *, leaves: bool = True) -> None:
        """Tell the gate that there is no answer, neither yes nor no; the seat is freed for the next reviewer."""
        self._count(error.cost)
        cost = Cost(usd_micro=error.cost.usd_micro, tokens=error.cost.tokens, seconds=round(seconds))
        review = await self._state()
        held = next(
            (one for one in review.seats_of(job.stage.name) if one.reviewer and one.reviewer.name == job.name), job.seat
        )
        if held is not None:
            with suppress(Refusal):
                if held.reviewer is None:
                    await self._ask(job.reviewer.who, TakeSeat(seat=held.id))
                told = no_report(replace(job, seat=held), error, review, cost)
                await self._ask(job.reviewer.who, replace(told, revision=self.revision))
            if job.is_mind and leaves:
                # A reviewer without an answer frees its seat.
                with suppress(Refusal):
                    await self._ask(job.reviewer.who, LeaveSeat(seat=held.id, reason=LEFT[error.reason].value))
        self._say(
            Looked(
                reviewer=job.name,
                kind=self.pool.kind_of(job.reviewer),
                state=LookedState.INCONCLUSIVE,
                stage=job.key[0],
                seconds=seconds,
                usd_micro=error.cost.usd_micro or None,
                tokens=error.cost.tokens,
                findings=len(error.found.findings) if error.found else 0,
                reason=f"{NOT_VERIFIED}{error.text}" if job.verifies else error.text,
                until=error.until,
            )
        )

    async def _stop(self) -> None:
        """Cancel all reviewers and give each the time to clean up; nothing that waited is handed in as an approval."""
        for one in self._running:
            one.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        for job, look, seconds in self._kept_back:
            # An approval that waited for them is none yet: stopping the round must not clear anything.
            words = "found nothing, but the others were stopped; it is asked again"
            error = Inconclusive(Failure.INCOMPLETE, words, cost=look.cost)
            await self._failed(job, error, seconds, leaves=False)
        self._kept_back.clear()
        for job, began in self._running.values():
            self._say(
                Looked(
                    reviewer=job.name,
                    kind=self.pool.kind_of(job.reviewer),
                    state=LookedState.INCONCLUSIVE,
                    stage=job.key[0],
                    seconds=self.clock() - began,
                    reason="stopped before it was done",
                )
            )
        self._running.clear()

    async def _ask(self, who: Who, command: ReviewCommand) -> None:
        stream = f"review/{self.review}"
        await self.gate.handle(Ask(actor=who, key=new_key(), command=command, stream=stream, loaded=self.loaded))

    def _looked(self, job: Job, look: Look, seconds: float, review: Review) -> Looked:
        state, reason = _state(job, look, review)
        return Looked(
            reviewer=job.name,
            kind=self.pool.kind_of(job.reviewer),
            state=state,
            stage=job.key[0],
            summary=look.summary,
            seconds=seconds,
            usd_micro=look.cost.usd_micro if look.cost_known and job.reviewer.sends else None,
            tokens=look.cost.tokens,
            unread=look.unread,
            reason=reason,
            looked_at=look.looked_at,
            findings=len(look.findings),
            older=look.older,
            more=look.more,
        )

    def _count(self, cost: Cost) -> None:
        self.purse -= cost.usd_micro
        self.ran.usd_micro += cost.usd_micro

    def _say(self, looked: Looked) -> None:
        # Rounded as it is stored, so that it is shown the same next time.
        looked = replace(looked, seconds=round(looked.seconds, 3))
        self.ran.looked.append(looked)
        self.watch.ended(looked)


def _was_asked(job: Job, review: Review) -> bool:
    """True if the stage requires this reviewer, rather than only accepting it."""
    seats = review.seats_of(job.stage.name)
    return any(one.required and one.reviewer and one.reviewer.name == job.name for one in seats)


def _state(job: Job, look: Look, review: Review) -> tuple[LookedState, str]:
    """Return what a look came to once it is handed in, and the reason if there is no answer."""
    if job.verifies:
        why = f"{NOT_VERIFIED}{look.unverified}" if look.unverified else ""
        return (LookedState.INCONCLUSIVE if why else LookedState.VERIFIED), why
    here = [review.reports.get((one.id, review.revision)) for one in review.seats_of(job.stage.name)]
    report = next((one for one in here if one and one.reviewer.name == job.name), None)
    if report is None:
        missed = ", ".join(one.path for one in look.unread[:3])
        return LookedState.INCONCLUSIVE, f"did not read everything: {missed}"
    if report.verdict is not None and report.verdict != "approve":
        return LookedState.REJECTS, ""
    return (LookedState.HAS_FINDINGS if look.findings else LookedState.FOUND_NOTHING), ""


def _out_of_money(job: Job) -> NotLooked:
    return NotLooked(who=job.name, why=USED_UP, next_step="raise `budget` in the policy")
