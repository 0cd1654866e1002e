"""Which calls does seed 001 have for authors and reviewers? Its tools, with its names, arguments and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from foureyes.app.asks import Ask
from foureyes.app.calls import seed_words as words
from foureyes.app.calls.about_reviews import REVIEW
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.files import FileSent
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.seed_001_shown import SubmitForm, peer_seat, report_of
from foureyes.app.calls.seed_work import check_is, files_of, pairs_of, work_of
from foureyes.app.calls.waiting import SECONDS_MAX, waited
from foureyes.app.calls.witness import witness
from foureyes.app.gate import Preview, new_key
from foureyes.core import commands as c
from foureyes.core.kinds import canonical_kind
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Standing

#: What stands for work whose bytes nobody has sent yet: prose, as harmless as its name says it is.
UNSEEN = FileSent(path="README.md", text="A small correction.\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckForm:
    """An action somebody is about to take; with `artifacts` it is judged by its bytes, as the gate will."""

    action: str
    context: Mapping[str, object] = field(default_factory=dict)
    artifacts: Mapping[str, object] = field(default_factory=dict)
    creator: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needless:
    """No review is needed, and why; the gate decides anew on the bytes themselves."""

    needs_review: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """A review is needed: who would be asked, and after how many minutes to expect an answer."""

    needs_review: bool
    reviewer: str | None
    estimated_time: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestForm:
    """Work that a colleague shall judge. The id is the caller's own; repeating it repeats nothing."""

    type: str = ""
    creator: str = ""
    title: str = ""
    artifacts: Mapping[str, object] = field(default_factory=dict)
    context: Mapping[str, object] = field(default_factory=dict)
    questions: tuple[str, ...] = ()
    id: str = ""
    creator_confidence: int | None = None
    #: Seconds to wait for the answer; it is not waited for unless this is said.
    wait: int = 0
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """The review that was opened, who was asked, and when to expect an answer."""

    id: str
    reviewer: str | None
    status: str
    estimated_completion: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """The same, while everybody who could be asked is busy."""

    id: str
    reviewer: str | None
    status: str
    estimated_completion: datetime | None
    queued: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """The report is in."""

    success: bool
    review_id: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainForm:
    """A new version after changes were asked for; the number is ours, and one that is sent must be the same."""

    reviewId: str  # noqa: N815 - the seed's own spelling
    changes_made: str
    artifacts: Mapping[str, object]
    revision_number: int | None = None
    message: str = ""
    creator_confidence: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """The new version is in; it is not a success where a human is asked instead."""

    success: bool
    review_id: str
    revision_number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalateForm:
    """A human shall decide."""

    reviewId: str  # noqa: N815 - the seed's own spelling
    reason: str
    creator_argument: str = ""
    request_human_decision: bool = True
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalated:
    """A human was asked."""

    success: bool
    escalated: bool


async def check_review_required(office: Office, caller: Caller, form: CheckForm) -> Needless | Needed:
    """Whether an action needs a review: why not, or who would be asked."""
    check_is(caller, form.creator)
    if not form.action.strip():
        raise Refusal(Code.REASON_MISSING, "No action is named.", "Name the action, such as create_core.")
    files = files_of(form.artifacts) or (UNSEEN,)
    command, handed = await _opening(
        office, RequestForm(type=form.action, title="A preview", context=form.context), files
    )
    found = await office.gate.preview(Ask(actor=caller.who, key=new_key(), command=command, blobs=handed.blobs))
    review = found.view.review
    skipped = next(iter(review.skipped.values()), None)
    if review.outcome is not None:
        return Needless(needs_review=False, reason=skipped.reason if skipped else review.reason)
    seat = peer_seat(review)
    return Needed(
        needs_review=True,
        reviewer=seat.reviewer.name if seat and seat.reviewer else None,
        estimated_time=_minutes(found, office.clock()),
    )


async def request_review(office: Office, caller: Caller, form: RequestForm) -> Requested | Queued:
    """Ask a colleague to judge a piece of work; answered at once, the author goes on meanwhile."""
    faults = tuple(_faults(form))
    if faults:
        raise Refusal(Code.BAD_VALUE, f"{words.INVALID}: {', '.join(faults)}", "Correct these fields and ask again.")
    check_is(caller, form.creator)
    command, handed = await _opening(office, form, files_of(form.artifacts))
    key = form.key or (f"request_review {form.id}" if form.id else "")
    reply = await office.do(caller, command, Handed(key=key, blobs=handed.blobs))
    if form.wait:
        seconds = min(form.wait, SECONDS_MAX)
        await waited(office, caller, reply.review, seconds, lambda seen: not _is_pending(seen.review.turns))
    return await _requested(office, caller, reply.review)


async def submit_review(office: Office, caller: Caller, form: SubmitForm) -> Submitted:
    """Hand in what a reviewer says of the version they were given."""
    check_is(caller, form.reviewer)
    word, verdict = words.verdict_said(form.status)
    try:
        found = await witness(office, caller, form.reviewId)
        command = report_of(form, found, verdict, caller.who.name)
        await office.do(caller, command, Handed(key=form.key, stream=REVIEW + form.reviewId))
    except Refusal as refusal:
        raise await _in_their_words(office, caller, form.reviewId, refusal) from None
    return Submitted(success=True, review_id=form.reviewId, status=word)


async def request_re_review(office: Office, caller: Caller, form: AgainForm) -> Again:
    """Hand in a new version after changes were asked for."""
    try:
        review = (await office.gate.read(form.reviewId, caller.who)).view.review
    except Refusal as refusal:
        raise await _in_their_words(office, caller, form.reviewId, refusal) from None
    number = review.resubmissions + 1
    if form.revision_number not in (None, number) and not form.key:
        raise Refusal(
            Code.STALE, f"The revision_number is {form.revision_number}, the next one is {number}.", "Leave it out."
        )
    work = await work_of(office, files_of(form.artifacts))
    answers = tuple(
        c.Answer(finding=one.id, text=form.changes_made)
        for one in review.findings.values()
        if one.standing is Standing.OPEN and form.changes_made.strip()
    )
    command = c.SubmitRevision(
        digest=work.digest,
        parts=work.parts,
        note="\n".join(one for one in (form.changes_made, form.message) if one),
        answers=answers,
        confidence=form.creator_confidence,
    )
    reply = await office.do(caller, command, Handed(key=form.key, stream=REVIEW + form.reviewId, blobs=work.blobs))
    done = "RevisionSubmitted" in reply.events
    return Again(success=done, review_id=form.reviewId, revision_number=number if done else number - 1)


async def escalate_review(office: Office, caller: Caller, form: EscalateForm) -> Escalated:
    """Ask a human to decide; by the author or a reviewer, with a reason."""
    command = c.RequestRuling(reason=form.reason, argument=form.creator_argument)
    try:
        await office.do(caller, command, Handed(key=form.key, stream=REVIEW + form.reviewId))
    except Refusal as refusal:
        raise await _in_their_words(office, caller, form.reviewId, refusal) from None
    return Escalated(success=True, escalated=True)


def _faults(form: RequestForm) -> Iterator[str]:
    if canonical_kind(form.type) not in words.REVIEW_TYPES:
        yield f"type must be one of {' | '.join(words.REVIEW_TYPES)}"
    for name in ("creator", "title"):
        if not getattr(form, name).strip():
            yield f"{name} is missing"
    if not form.artifacts:
        yield "artifacts is empty"
    complexity = form.context.get("estimated_complexity", "low")
    if complexity not in words.COMPLEXITIES:
        yield f"context.estimated_complexity must be one of {' | '.join(words.COMPLEXITIES)}"
    for name in ("dependencies", "related_issues"):
        listed = form.context.get(name, [])
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            yield f"context.{name} must be a list of texts"


async def _opening(office: Office, form: RequestForm, files: tuple[FileSent, ...]) -> tuple[c.OpenReview, Handed]:
    work = await work_of(office, files)
    command = c.OpenReview(
        review="",
        kind=form.type,
        title=form.title,
        digest=work.digest,
        parts=work.parts,
        protocols=(words.PEER,),
        context=pairs_of(form.context),
        questions=form.questions,
        confidence=form.creator_confidence,
    )
    return command, Handed(blobs=work.blobs)


async def _requested(office: Office, caller: Caller, name: str) -> Requested | Queued:
    review = (await office.gate.read(name, caller.who)).view.review
    seat = peer_seat(review)
    request = review.report_request(seat.id) if seat else None
    said: dict[str, Any] = {
        "id": name,
        "reviewer": seat.reviewer.name if seat and seat.reviewer else None,
        "status": words.peer_status(review, seat),
        "estimated_completion": request.due if request else None,
    }
    return Queued(**said, queued=True) if request and request.queued else Requested(**said)


def _is_pending(turns: tuple[Any, ...]) -> bool:
    return any(one.what == "a report" for one in turns)


def _minutes(found: Preview, now: datetime) -> int:
    due = min((one.due for one in found.view.review.requests.values()), default=now)
    return max(0, round((due - now).total_seconds() / 60))


async def _in_their_words(office: Office, caller: Caller, review: str, refusal: Refusal) -> Refusal:
    """A refusal as the seed says it: who is not asked hears who is, as far as the core tells anybody."""
    if refusal.code is Code.REVIEW_MISSING:
        return words.not_found(review)
    if refusal.code not in _NOT_ASKED:
        return refusal
    command = c.RenewSeat(seat=f"{words.PEER}.1")
    try:
        await office.gate.preview(Ask(actor=caller.who, key=new_key(), command=command, stream=REVIEW + review))
    except Refusal as why:
        if why.code is Code.NOT_THE_HOLDER:
            return words.only(why)
    return refusal


_NOT_ASKED = frozenset(
    {Code.NOT_THE_HOLDER, Code.SEAT_TAKEN, Code.NOT_ELIGIBLE, Code.NO_FREE_SEAT, Code.AUTHOR_MAY_NOT, Code.UNKNOWN_SEAT}
)


def calls() -> Iterator[Call[Any]]:
    """The seed's tools for authors and reviewers."""
    for form, answer, needs, changes in (
        (CheckForm, check_review_required, Need.READ, False),
        (RequestForm, request_review, Need.AUTHOR, True),
        (SubmitForm, submit_review, Need.REVIEW, True),
        (AgainForm, request_re_review, Need.AUTHOR, True),
        (EscalateForm, escalate_review, Need.READ, True),
    ):
        yield Call(
            name=answer.__name__,
            says=(answer.__doc__ or "").strip(),
            needs=needs,
            form=form,
            answer=answer,
            changes=changes,
            misread=words.INVALID if answer is request_review else "",
        )
