"""Explain in words why the gate is open or shut, who must act, and how; uses the judgement that decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from foureyes.core.assess import StageJudgement, gate_name, judge_stage
from foureyes.core.briefs import Brief, briefs_of
from foureyes.core.checks import may_rule
from foureyes.core.judgement import Judgement, Move
from foureyes.core.local import is_local
from foureyes.core.model import ReportRequest, Request, Review, RevisionRequest
from foureyes.core.reasons import advisory
from foureyes.core.rules import Rules, Stage, Style
from foureyes.core.situation import Reader, Situation, situation_of
from foureyes.core.stack import stages_of
from foureyes.core.vacancies import HOW_TO_FILL_HERE, how_to_fill
from foureyes.core.values import Outcome, Who, WhoKind


class Status(StrEnum):
    """What became of a requirement; only met, overridden and skipped let the work through."""

    MET = "met"
    NOT_MET = "not met"
    OVERRIDDEN = "overridden"
    SKIPPED = "skipped"
    NOT_APPLICABLE = "not applicable"
    ERROR = "error"


#: The statuses that prevent a clearance.
UNMET = frozenset({Status.NOT_MET, Status.ERROR})


#: What a person can do about a local review that waits for a ruling; no server has a page for it.
RULING_HERE = (
    "Drop what is not real with `foureyes dismiss FINDING --because TEXT`, or have others look with "
    "`foureyes review --share`"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One requirement of one stage on exactly these bytes."""

    stage: str
    requirement: str
    status: Status
    reason: str
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Somebody owes the next answer."""

    request: str
    who: tuple[str, ...]
    what: str
    how: str
    due: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Every requirement, whether it is met, and whose turn it is."""

    review: str
    revision: int
    digest: str
    outcome: Outcome | None
    requirements: tuple[Explained, ...]
    turns: tuple[Turn, ...]
    #: A summary in one sentence, the turn and the next step; the same words at every door.
    situation: Situation
    #: The findings that do not stop the work, each with the reason.
    advisory: Mapping[str, str] = field(default_factory=dict)
    #: The briefs of the visible seats: criteria, role, reasons, draft.
    briefs: tuple[Brief, ...] = ()

    def in_words(self) -> tuple[str, ...]:
        """The explanation as lines of text."""
        state = self.outcome or "open"
        head = f"{self.review}, version {self.revision} ({self.digest}): {state}"
        needs = (f"{one.stage}: {one.requirement}: {one.status}. {one.reason}".rstrip() for one in self.requirements)
        waits = (f"Waiting for {', '.join(one.who)}: {one.what}. {one.how}" for one in self.turns)
        return (head, *needs, *waits)


def explain(
    rules: Rules,
    review: Review,
    stricter: Rules | None = None,
    *,
    viewer: Who | None = None,
    hidden: frozenset[str] = frozenset(),
) -> Explanation:
    """The judgement tree of the review as given; a viewer's redacted review explains only what they may know.

    `hidden` are the stages that were taken out of the review for this viewer.
    """
    stages = stages_of(rules, review, stricter)
    requirements, turns = tuple(_requirements(stages, review)), turns_of(review)
    unmet = (one.reason for one in requirements if one.status in UNMET)
    owed = ((one.what, one.how) for one in turns)
    reader = Reader(
        name=viewer.name if viewer else "",
        is_blind=bool(hidden),
        may_volunteer=any(one.name in hidden and one.options.style is Style.RESOLVE for one in stages),
        decides=_decides(review, viewer),
    )
    return Explanation(
        review=review.id,
        revision=review.revision,
        digest=review.digest,
        outcome=review.outcome,
        requirements=requirements,
        turns=turns,
        situation=situation_of(review, stages, unmet, owed, reader),
        advisory=advisory(review, {one.name: one.options.blocking for one in stages}),
        briefs=briefs_of(review, stages),
    )


def _decides(review: Review, viewer: Who | None) -> bool:
    """True if the viewer is told how to decide; a local review is shown only to the person it is for."""
    if viewer is None:
        return is_local(review)
    # A person at a terminal proves their identity on the web page.
    return is_local(review) or viewer.kind is WhoKind.PERSON or may_rule(review, viewer)


def turns_of(review: Review) -> tuple[Turn, ...]:
    """The turns of a review: who owes an answer, which one, and how to give it."""
    return tuple(_turn(review, one) for one in review.requests.values())


def _requirements(stages: tuple[Stage, ...], review: Review) -> Iterator[Explained]:
    """The requirements of the stages in order; stages after the first that does not pass are not evaluated."""
    shut = False
    for stage in stages:
        if shut:
            names = [gate_name(gate) for gate in stage.gates]
            yield from (_explained(stage, name, Status.NOT_APPLICABLE, "Not looked at yet") for name in names)
            continue
        judged = judge_stage(review, stage)
        shut = judged.judgement.move is not Move.PASS
        yield from _judged(judged)


def _judged(judged: StageJudgement) -> Iterator[Explained]:
    if not judged.gates:
        yield _explained(judged.stage, "something to meet", Status.ERROR, judged.judgement.reason)
    for one in judged.gates:
        status = _status(judged.status, one.judgement)
        yield _explained(judged.stage, one.gate, status, one.judgement.reason, one.judgement.findings)


def _status(stage: str, judgement: Judgement) -> Status:
    if stage != "judged":
        return Status(stage)
    if judgement.error:
        return Status.ERROR
    return Status.MET if judgement.move is Move.PASS else Status.NOT_MET


def _explained(stage: Stage, name: str, status: Status, reason: str, findings: tuple[str, ...] = ()) -> Explained:
    return Explained(stage=stage.name, requirement=name, status=status, reason=reason, findings=findings)


def _turn(review: Review, request: Request) -> Turn:
    if isinstance(request, ReportRequest):
        who, what, how = _of_seat(review, request)
    elif isinstance(request, RevisionRequest):
        who, what, how = _of_author(review, request)
    else:
        people = (request.group,) if request.group else ("a human",)
        choices = ", ".join(one.id for one in request.options)
        whose = f" as one of {request.group}" if request.group else ""
        how = RULING_HERE if is_local(review) else f"Give a ruling on {request.id}{whose}: {choices}"
        who, what = people, f"a decision ({request.text.rstrip('.')})"
    return Turn(request=request.id, who=who, what=what, how=how, due=request.due)


def _of_seat(review: Review, request: ReportRequest) -> tuple[tuple[str, ...], str, str]:
    seat = review.seats[request.seat]
    who = (seat.reviewer.name,) if seat.reviewer else seat.candidates or ("anyone eligible",)
    if request.about:
        return who, f"a word on {', '.join(request.about)}", f"Settle these on version {request.revision}"
    how = f"Submit a report on version {request.revision} for seat {seat.id}"
    if is_vacant(review, request.id):
        filling = HOW_TO_FILL_HERE if is_local(review) else how_to_fill((seat.candidates,))
        return who, "a report", f"Nobody who may hold seat {seat.id} is free. {filling}"
    return who, "a report", how


def is_vacant(review: Review, request: str) -> bool:
    """True if the report is requested from a seat without a candidate, which waits for a volunteer."""
    found = review.requests.get(request)
    return isinstance(found, ReportRequest) and found.queued and review.seats[found.seat].reviewer is None


def _of_author(review: Review, request: RevisionRequest) -> tuple[tuple[str, ...], str, str]:
    who = (review.author.name,)
    reasons = "; ".join(request.reasons)
    if request.answers:
        findings = ", ".join(sorted(request.findings))
        return who, f"an answer to {findings}", f"Answer {findings}, or submit a new version"
    if request.clarify:
        return who, f"a clarification: {reasons}", "Submit the same version with a note, or a new one"
    left = "" if request.ordered_by else f"; {request.remaining} left"
    return who, f"a new version: {reasons}", f"Submit a revision{left}"
