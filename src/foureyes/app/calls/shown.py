"""Shows a review to one viewer, the same at every door. All of it is made from the view, so it says nothing hidden."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from foureyes.app.calls.bodies import picked
from foureyes.app.diffs import compared_with
from foureyes.app.gate import Seen
from foureyes.codec.shapes import Json, spelled
from foureyes.core.briefs import Brief
from foureyes.core.explain import Explained, Turn
from foureyes.core.model import Finding, Note, Report, Review, Seat, Vote
from foureyes.core.reasons import cycle_of, policy_changed
from foureyes.core.situation import Situation
from foureyes.core.values import (
    Criterion,
    Evidence,
    KnownBase,
    Option,
    Origin,
    Pairs,
    Part,
    Place,
    Severity,
    Standing,
    Verdict,
    Verification,
    Who,
    WorkPart,
)

TURN_DIGITS_MAX = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatShown:
    """A place for a reviewer, and who sits there."""

    seat: str
    stage: str
    part: Part
    scope: str
    veto: bool
    required: bool
    candidates: tuple[str, ...]
    reviewer: Who | None
    lease: datetime | None
    draft: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportShown:
    """What a reviewer said of one version."""

    seat: str
    revision: int
    reviewer: Who
    verdict: Verdict | None
    summary: str
    strengths: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    checklist: tuple[Criterion, ...]
    answers: tuple[str, ...]
    confidence: int | None
    coverage: int
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingShown:
    """One issue, and where it stands."""

    finding: str
    seat: str
    raiser: str
    revision: int
    severity: Severity
    category: str
    rule: str
    text: str
    place: Place | None
    evidence: str
    suggestion: str
    #: Why it does not stop the work; empty if it does, or if it is settled.
    advisory: str
    standing: Standing
    #: How often its author has to answer it: 1 when it is raised, one more each time it is reopened.
    cycle: int
    answer: str
    rebuttal: bool
    #: Why it was settled, or why it was reopened.
    note: str
    verification: Verification | None
    #: The review and the finding it was inherited from; empty if it was raised here.
    from_review: str
    from_finding: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingShown:
    """A decision that a human owes."""

    request: str
    stage: str
    reason: str
    text: str
    #: Who asked for it, and their argument; empty if a requirement asks.
    by: str
    argument: str
    options: tuple[Option, ...]
    #: Who has voted already, if several votes are needed.
    votes: tuple[Vote, ...]
    needs: int
    group: str
    due: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewShown:
    """A review as one viewer may see it: what is hidden from them is not counted, hinted at or ordered by."""

    review: str
    kind: str
    title: str
    #: `open`, or the outcome.
    state: str
    reason: str
    author: Who
    opened: str
    trigger: str
    origin: Origin
    context: Pairs
    questions: tuple[str, ...]
    protocols: tuple[str, ...]
    revision: int
    digest: str
    #: The base that the author states.
    base: str
    #: What it was compared with, as far as the gate itself knows that; and the same in words.
    known_base: KnownBase
    compared_with: str
    parts: tuple[WorkPart, ...]
    note: str
    confidence: int | None
    #: True if something is hidden until the viewer's own report is in.
    hides: bool
    #: The result in one sentence, whose turn it is and what comes next; the same words at every door.
    situation: Situation
    seats: tuple[SeatShown, ...]
    #: What each seat is given to judge by: criteria with their checks, role, why it is asked, a predecessor's draft.
    briefs: tuple[Brief, ...]
    reports: tuple[ReportShown, ...]
    findings: tuple[FindingShown, ...]
    requirements: tuple[Explained, ...]
    turns: tuple[Turn, ...]
    ruling: RulingShown | None
    vetoed: tuple[str, ...]
    #: The report of a panel of models, as Markdown; empty if no panel judges it.
    report: str
    #: Says if the policy was changed while this was open, and which criteria apply; empty otherwise.
    policy_changed: str
    #: Notes on it, in order; they have no effect on the decision.
    notes: tuple[Note, ...]


def shown(seen: Seen) -> ReviewShown:
    """A review for whoever it was looked up for."""
    review, current = seen.view.review, seen.view.review.current
    return ReviewShown(
        review=review.id,
        kind=review.kind,
        title=review.title,
        state=str(review.outcome or "open"),
        reason=review.reason,
        author=review.author,
        opened=seen.opened,
        trigger=review.trigger,
        origin=review.origin,
        context=review.context,
        questions=review.questions,
        protocols=review.protocols,
        revision=review.revision,
        digest=review.digest,
        base=current.base,
        known_base=current.known_base,
        compared_with=compared_with(current),
        parts=current.parts,
        note=current.note,
        confidence=current.confidence,
        hides=seen.view.hides,
        situation=seen.explanation.situation,
        seats=tuple(map(_seat, review.seats.values())),
        briefs=seen.explanation.briefs,
        reports=tuple(map(_report, review.reports.values())),
        findings=tuple(_finding(one, seen.explanation.advisory) for one in review.findings.values()),
        requirements=seen.explanation.requirements,
        turns=seen.explanation.turns,
        ruling=_ruling(review),
        vetoed=tuple(sorted(_vetoed(review))),
        report=seen.report,
        policy_changed=policy_changed(review),
        notes=review.noted,
    )


def read_mark(mark: str) -> tuple[str, int]:
    """What was shown with a mark that a waiting caller gives back, and how often they have waited; nothing of others.

    Each wait ends with another mark, whether or not anything changed: clients end a loop of equal calls.
    """
    shown, _, turn = mark.partition(".")
    return shown, int(turn) if turn.isascii() and turn.isdigit() and len(turn) <= TURN_DIGITS_MAX else 0


def next_mark(shown: str, turn: int) -> str:
    """The mark to be given with the next wait."""
    return f"{shown}.{turn + 1}"


def mark_of(one: Json) -> str:
    """A name of exactly what a viewer is given; it changes when that does, and with nothing else."""
    return hashlib.sha256(spelled(one).encode()).hexdigest()[:32]


def _vetoed(review: Review) -> Iterator[str]:
    return (stage for stage, digest in review.vetoes if digest == review.digest)


def _seat(one: Seat) -> SeatShown:
    return picked(SeatShown, one, seat=one.id)


def _report(one: Report) -> ReportShown:
    return picked(ReportShown, one)


def _finding(one: Finding, advisory: Mapping[str, str]) -> FindingShown:
    return picked(
        FindingShown,
        one,
        finding=one.id,
        advisory=advisory.get(one.id, ""),
        cycle=cycle_of(one),
        from_review=one.review,
        from_finding=one.source,
    )


def _ruling(review: Review) -> RulingShown | None:
    found = review.ruling()
    if found is None:
        return None
    return picked(RulingShown, found, request=found.id)
