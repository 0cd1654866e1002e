"""Jobs of a round: every open request that a reviewer at hand may answer now, and every volunteer who may look too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from foureyes.app.ports import Reading
from foureyes.app.reviewers import AtHand, Bounds, Change, Earlier, Reviewer, Task
from foureyes.app.reviewing.outcome import LookedKind
from foureyes.core.assign import same_role
from foureyes.core.commands import Draft
from foureyes.core.facts import Principal
from foureyes.core.gates import Criteria, Standards
from foureyes.core.model import Finding, ReportRequest, Review, Seat
from foureyes.core.rules import Stage, Style
from foureyes.core.values import Part, WhoKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One reviewer is to look, on a seat that is there or as a volunteer of a stage."""

    reviewer: Reviewer
    stage: Stage
    seat: Seat | None = None
    about: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the reviewer."""
        return self.reviewer.who.name

    @property
    def verifies(self) -> bool:
        """True if it is asked only about findings of others."""
        return self.seat is not None and self.seat.part is Part.VERIFY

    @property
    def is_mind(self) -> bool:
        """True if the reviewer is an agent or a model, not a program."""
        return self.reviewer.who.kind is not WhoKind.PROGRAM

    @property
    def key(self) -> tuple[str, str]:
        """The key of a job, which is tried once per round.

        An agent or model is asked once per stage, as holder or as volunteer, and once more as a verifier.
        """
        if self.seat is not None and self.seat.part is not Part.JUDGE:
            return self.seat.id, self.name
        return self.stage.name, self.name


class Pool:
    """Who there is, for the gate: everybody at hand, with the roles they hold."""

    def __init__(self, hand: AtHand) -> None:
        """Collect the reviewers at hand with their roles."""
        roles: dict[str, set[str]] = {}
        self._by_name: dict[str, Reviewer] = {}
        for role, reviewers in hand.reviewers.items():
            for one in reviewers:
                self._by_name.setdefault(one.who.name, one)
                roles.setdefault(one.who.name, set()).add(role)
        self._roles = roles
        self._everybody = tuple(
            Principal(who=one.who, roles=frozenset(roles[name]), hosted=True, paid=bool(one.sends))
            for name, one in self._by_name.items()
        )
        self._models = hand.models

    def pool(self, _: Reading) -> tuple[Principal, ...]:
        """Return everybody who may be asked to review."""
        return self._everybody

    def names(self) -> list[str]:
        """Return all names."""
        return list(self._by_name)

    def roles(self) -> list[str]:
        """Return the roles that at least one of them holds."""
        return sorted({role for roles in self._roles.values() for role in roles})

    def minds(self) -> list[str]:
        """Return the names of the agents and models among them."""
        return [name for name, one in self._by_name.items() if one.who.kind is not WhoKind.PROGRAM]

    def named(self, name: str) -> Reviewer | None:
        """Return the reviewer of this name, if at hand."""
        return self._by_name.get(name)

    def kind_of(self, reviewer: Reviewer) -> LookedKind:
        """Return what kind of reviewer this is, in the words that people read."""
        if reviewer.who.kind is WhoKind.PROGRAM:
            return LookedKind.PROGRAM
        return LookedKind.MODEL if reviewer.who.name in self._models else LookedKind.AGENT

    def holders(self, roles: tuple[str, ...]) -> Iterator[Reviewer]:
        """Yield those at hand who hold one of these roles; without roles, everybody."""
        wanted = {same_role(one) for one in roles}
        for name, reviewer in self._by_name.items():
            if not wanted or wanted & {same_role(one) for one in self._roles[name]}:
                yield reviewer


def jobs(review: Review, stages: tuple[Stage, ...], pool: Pool) -> list[Job]:
    """Return what can be started now, the programs first: they are quick."""
    by_name = {one.name: one for one in stages}
    found: list[Job] = []
    for request in review.requests.values():
        if isinstance(request, ReportRequest):
            seat = review.seats[request.seat]
            stage = by_name.get(seat.stage)
            # A reviewer who holds a seat in this stage reports only from there: its findings belong to that seat.
            sitting = {one.reviewer.name for one in review.seats_of(seat.stage, seat.part) if one.reviewer}
            reviewer = for_seat(seat, pool, sitting | {one.name for one in found if one.stage.name == seat.stage})
            if stage and reviewer:
                found.append(Job(reviewer=reviewer, stage=stage, seat=seat, about=request.about))
    found.extend(_volunteers(review, stages, pool, found))
    return sorted(found, key=lambda one: one.reviewer.who.kind is not WhoKind.PROGRAM)


def for_seat(seat: Seat, pool: Pool, busy: set[str]) -> Reviewer | None:
    """Return the reviewer at hand who holds the seat, or could take it."""
    if seat.reviewer is not None:
        return pool.named(seat.reviewer.name)
    free = (one for one in pool.holders(seat.candidates) if one.who.name not in busy and one.who.name not in seat.left)
    # A seat open to anyone is for an agent or a model; programs look beside it.
    return next((one for one in free if seat.candidates or one.who.kind is not WhoKind.PROGRAM), None)


def _volunteers(review: Review, stages: tuple[Stage, ...], pool: Pool, asked: list[Job]) -> Iterator[Job]:
    """Yield agents besides those who are asked, on active stages that take volunteers."""
    going = {seat.stage for one in review.requests if (seat := review.seats.get(one))}
    for stage in stages:
        if stage.name not in going or stage.seats_max <= 0:
            continue
        taken = {one.name for one in asked if one.stage.name == stage.name}
        spoken = {one.reviewer.name for one in review.reports_in(stage.name)}
        roles = tuple(role for rule in stage.seats if rule.part is Part.JUDGE for role in rule.roles)
        for one in pool.holders(roles):
            may = one.who.kind is not WhoKind.PROGRAM or not roles
            if may and one.who.name not in taken | spoken:
                seats = [seat for seat in review.seats_of(stage.name) if seat.reviewer]
                own = next((seat for seat in seats if seat.reviewer and seat.reviewer.name == one.who.name), None)
                yield Job(reviewer=one, stage=stage, seat=own)


def task_for(job: Job, review: Review, change: Change, bounds: Bounds) -> Task:
    """Return the task of this reviewer; it contains nothing of other reviewers' reports."""
    seat = job.seat
    own = [one for one in review.findings.values() if seat and one.seat == seat.id]
    own += review.inherited_from(job.reviewer.who.name)
    return Task(
        change=change,
        revision=review.revision,
        scope=seat.scope if seat else "",
        role=_role(job),
        checklist=tuple(name for one in _criteria(job.stage, review) for name, _ in one.required),
        checks=tuple(_checks(_criteria(job.stage, review))),
        optional=tuple(dict.fromkeys(name for one in _criteria(job.stage, review) for name, _ in one.optional)),
        questions=review.questions,
        earlier=tuple(_earlier(one) for one in own if one.source or one.revision < review.revision or one.answer),
        verify=tuple(_draft(review.findings[one]) for one in job.about) if job.verifies else (),
        draft=seat.draft if seat and seat.left else "",
        bounds=bounds,
        author=review.author.name,
    )


def _role(job: Job) -> str:
    """Return the role to review in: a panel's stage, else the role the seat is for."""
    if job.stage.options.style is Style.PANEL:
        return job.stage.name
    return next(iter(job.seat.candidates), "") if job.seat else ""


def _criteria(stage: Stage, review: Review) -> tuple[Criteria, ...]:
    standards = next((one for one in stage.gates if isinstance(one, Standards)), None)
    return standards.for_kinds(review.kinds) if standards else ()


def _checks(criteria: tuple[Criteria, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what each criterion means, and what exactly to check for it."""
    for one in criteria:
        more = dict(one.checks)
        yield from ((name, (words, *more.get(name, ()))) for name, words in (*one.required, *one.optional))


def _earlier(finding: Finding) -> Earlier:
    return Earlier(
        finding=finding.id,
        draft=_draft(finding),
        standing=finding.standing,
        answer=finding.answer,
        rebuttal=finding.rebuttal,
    )


def _draft(finding: Finding) -> Draft:
    return Draft(
        severity=finding.severity.name.lower(),
        text=finding.text,
        category=finding.category,
        scope=finding.scope,
        place=finding.place,
        evidence=finding.evidence,
        suggestion=finding.suggestion,
        rule=finding.rule,
    )
