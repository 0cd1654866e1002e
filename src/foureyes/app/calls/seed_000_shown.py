"""Shows a review in seed 000's words: content, the feedback of each reviewer, items and responses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from foureyes.app.calls import seed_words as words
from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.calls.seed_work import artifacts_of
from foureyes.app.calls.witness import Witness, witness
from foureyes.core import events as e
from foureyes.core.model import Finding
from foureyes.core.reasons import cycle_of
from foureyes.core.refusals import Code, refuse
from foureyes.core.situation import Situation
from foureyes.core.values import Evidence, Outcome

PASSED = "All feedback resolved by all reviewers"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseShown:
    """How the proposer addressed an item."""

    id: str
    feedback_item_id: str
    responder_id: str
    response_text: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemShown:
    """One specific issue, and where it stands."""

    id: str
    review_feedback_id: str
    category: str
    description: str
    severity: str
    status: str
    resolved_at: str | None
    #: Why it was resolved; for a reopened item, why it is not.
    resolution_note: str | None
    responses: tuple[ResponseShown, ...]
    #: Why it does not stop the content; empty if it does. Items with a reason here are not counted by the gate.
    advisory: str
    #: 1 when it is raised, one more each time the reviewer says that it is not resolved.
    cycle: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedbackShown:
    """What one reviewer raised about one piece of content."""

    id: str
    content_type: str
    content_id: str
    reviewer_id: str
    created_at: str
    items: tuple[ItemShown, ...]
    #: What a reviewer checked, and why it holds; without items it is the whole review.
    checked: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graduation:
    """Whether content goes live, and what is still missing."""

    can_graduate: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GraduationVacant:
    """The same where reviewers are missing, and what fills their seats."""

    can_graduate: bool
    reason: str
    next_step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentShown:
    """A piece of content as one viewer may see it: others' feedback only once their own is in."""

    content_type: str
    content_id: str
    title: str
    proposer_id: str
    state: str
    revision: int
    created_at: str
    content: object
    can_graduate: bool
    reason: str
    #: The result, whose turn it is and what comes next; the same words at every door.
    situation: Situation
    feedback: tuple[FeedbackShown, ...]


async def seen_by(office: Office, caller: Caller, content_id: str) -> Witness:
    """The content's review as the caller may see it; another style's is not found here."""
    found = await witness(office, caller, content_id)
    if words.RESOLVE not in found.review.protocols:
        raise refuse(Code.REVIEW_MISSING)
    return found


def content_shown(found: Witness, files: Mapping[str, bytes]) -> ContentShown:
    """The content with everything the viewer may know of it."""
    review, gate = found.review, graduation(found)
    return ContentShown(
        content_type=review.kind,
        content_id=review.id,
        title=review.title,
        proposer_id=review.author.name,
        state=words.content_state(review),
        revision=review.revision,
        created_at=found.seen.opened,
        content=_content(found, files),
        can_graduate=gate.can_graduate,
        reason=gate.reason,
        situation=found.seen.explanation.situation,
        feedback=tuple(_feedbacks(found)),
    )


def graduation(found: Witness) -> Graduation:
    """The gate's answer in the order it is asked: reviewers first, then items."""
    review, situation = found.review, found.seen.explanation.situation
    if review.outcome is Outcome.CLEARED:
        return Graduation(can_graduate=True, reason=PASSED)
    if review.outcome is not None:
        return Graduation(can_graduate=False, reason=f"The content is {review.outcome}")
    reason = next(iter(situation.reasons), situation.sentence.rstrip("."))
    return Graduation(can_graduate=False, reason=reason)


def feedback_of(found: Witness, name: str) -> FeedbackShown:
    """What this reviewer raised."""
    mine = next((one for one in _feedbacks(found) if one.reviewer_id == name), None)
    if mine is None:
        raise refuse(Code.REVIEW_MISSING)
    return mine


def item_shown(found: Witness, name: str) -> ItemShown:
    """One item, if the viewer may see it; a hidden one is as unknown as none."""
    finding = found.review.findings.get(name)
    if finding is None:
        raise refuse(Code.UNKNOWN_FINDING, finding=name[:80])
    return _item(found, finding)


def parted(item: str) -> tuple[str, str]:
    """The review and the finding that an item's id names."""
    review, between, finding = item.partition(words.BETWEEN)
    if not between:
        raise refuse(Code.UNKNOWN_FINDING, finding=item[:80])
    return review, finding


def _content(found: Witness, files: Mapping[str, bytes]) -> object:
    """One text or one JSON value where that was sent, else every file by its name."""
    artifacts = artifacts_of(found.review.current.parts, files)
    only = next(iter(artifacts.items())) if len(artifacts) == 1 else ("", artifacts)
    return only[1] if only[0] in ("", TEXT, JSON) else artifacts


#: The file name of content that was sent as one text or one value.
TEXT, JSON = "content.md", "content.json"


def _feedbacks(found: Witness) -> Iterator[FeedbackShown]:
    review = found.review
    times = dict[str, str]()
    for report, at in found.of(e.ReportSubmitted):
        times.setdefault(report.seat, at)
    for seat in review.seats.values():
        reports = [one for one in review.reports.values() if one.seat == seat.id]
        if not reports or seat.stage != words.RESOLVE:
            continue
        yield FeedbackShown(
            id=f"{review.id}{words.BETWEEN}{seat.id}",
            content_type=review.kind,
            content_id=review.id,
            reviewer_id=reports[-1].reviewer.name,
            created_at=times.get(seat.id, found.seen.opened),
            items=tuple(_item(found, one) for one in review.findings.values() if one.seat == seat.id),
            checked=reports[-1].evidence,
        )


def _item(found: Witness, finding: Finding) -> ItemShown:
    name = f"{found.review.id}{words.BETWEEN}{finding.id}"
    ends = [
        (at, one.note if isinstance(one, e.FindingResolved) else one.reason)
        for one, at in found.past
        if isinstance(one, e.FindingResolved | e.FindingWaived) and one.finding == finding.id
    ]
    at, note = ends[-1] if ends and finding.is_settled else (None, finding.note or None)
    answers = [(one, when) for one, when in found.of(e.FindingAnswered) if one.finding == finding.id]
    return ItemShown(
        id=name,
        review_feedback_id=f"{found.review.id}{words.BETWEEN}{finding.seat}",
        category=finding.category,
        description=finding.text,
        severity=finding.severity.name.lower(),
        status=words.item_status(finding, found.review.ruling()),
        resolved_at=at,
        resolution_note=note,
        responses=tuple(
            ResponseShown(
                id=f"{name}{words.BETWEEN}{number}",
                feedback_item_id=name,
                responder_id=found.review.author.name,
                response_text=one.text,
                created_at=when,
            )
            for number, (one, when) in enumerate(answers, start=1)
        ),
        advisory=found.seen.explanation.advisory.get(finding.id, ""),
        cycle=cycle_of(finding),
    )
