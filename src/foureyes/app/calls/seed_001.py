"""The calls of seed 001 for authors and reviewers: its tools, with its names, arguments and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from foureyes.app.asks import Reply
from foureyes.app.calls import seed_words as words
from foureyes.app.calls.about_reviews import OpenForm, ReviseForm, open_review, revise
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.done import REVIEW, Told
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.own_ids import by_own_id
from foureyes.app.calls.repair_places import EXAMPLES, added
from foureyes.app.calls.seed_001_basics import check_basics
from foureyes.app.calls.seed_001_expected import expected
from foureyes.app.calls.seed_001_shown import SubmitForm, peer_seat, report_of
from foureyes.app.calls.seed_001_told import told_of_peer
from foureyes.app.calls.seed_001_types import known_types
from foureyes.app.calls.seed_confidence import Confidence
from foureyes.app.calls.seed_work import answered_before, check_is, files_of, pairs_of, waiting
from foureyes.app.calls.waiting import waited
from foureyes.app.calls.whole import shown_to
from foureyes.app.calls.witness import Witness, witness
from foureyes.app.ports import Unavailable
from foureyes.core import commands as c
from foureyes.core.events import ReportSubmitted
from foureyes.core.kinds import canonical_kind
from foureyes.core.refusals import Code, Fact, Refusal
from foureyes.core.values import Origin, Verdict

_COMPLEXITY = "context.estimated_complexity"


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
    creator_confidence: Confidence | None = None
    #: What it is based on: a commit or a protected ref of a repository the server reads, and the target.
    base: str = ""
    target: str = ""
    #: The author's own basic checks, which must pass before any reviewer is asked: syntax_valid, has_metadata,
    #: has_export.
    self_check: tuple[str, ...] = ()
    #: Seconds to wait for the answer; by default there is no wait.
    wait: int = 0
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested(Told):
    """The review that was opened, who was asked, and when to expect an answer."""

    id: str
    reviewer: str | None
    status: str
    estimated_completion: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued(Told):
    """The same, while everybody who could be asked is busy."""

    id: str
    reviewer: str | None
    status: str
    estimated_completion: datetime | None
    queued: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted(Told):
    """The report is in; whoever was replaced meanwhile has no vote, and what they found is kept as advice."""

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
    creator_confidence: Confidence | None = None
    base: str = ""
    target: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Again(Told):
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
class Escalated(Told):
    """A human was asked."""

    success: bool
    escalated: bool


async def request_review(office: Office, caller: Caller, form: RequestForm) -> Requested | Queued:
    """Ask a colleague to judge a piece of work; answered at once, the author goes on meanwhile."""
    types = await known_types(office, form.type)
    faults = tuple(_faults(form, types))
    if faults:
        raise _invalid(form, faults, types)
    check_is(caller, form.creator)
    files = files_of(form.artifacts)
    await check_basics(form.self_check, files)
    opening = OpenForm(
        kind=form.type,
        title=form.title,
        files=files,
        base=form.base,
        target=form.target,
        origin=Origin(ref=form.id),
        context=pairs_of(form.context),
        questions=form.questions,
        confidence=form.creator_confidence,
        key=form.key or (f"request_review {form.id}" if form.id else ""),
    )
    with waiting(office, caller, form.wait):
        review = (await open_review(office, caller, opening)).review
        await waited(office, caller, review, form.wait, lambda seen: not _is_pending(seen.review.turns))
    return await _requested(office, caller, review)


async def submit_review(office: Office, caller: Caller, form: SubmitForm) -> Submitted:
    """Hand in what a reviewer says of the version they were given."""
    check_is(caller, form.reviewer)
    word, verdict = words.verdict_said(form.status)
    try:
        done = await _taken_before(office, caller, form, verdict) or await _report(office, caller, form, verdict)
        if ReportSubmitted.__name__ not in done.events:
            return Submitted(success=False, review_id=form.reviewId, status=words.TOO_LATE)
    except Refusal as refusal:
        raise await _in_their_words(office, caller, form.reviewId, refusal) from None
    told = await told_of_peer(office, caller, form.reviewId)
    return Submitted(success=True, review_id=form.reviewId, status=word, **told)


async def _report(office: Office, caller: Caller, form: SubmitForm, verdict: Verdict) -> Reply:
    """Hand the report in; the same report that waits in the spool, or waited there, was made without a look."""
    _, found = await _known_of(office, caller, form)
    handed = Handed(key=form.key, stream=REVIEW + form.reviewId)
    try:
        return await office.do(caller, report_of(form, found, verdict, caller.who.name), handed)
    except Refusal as refusal:
        if refusal.code is not Code.KEY_REUSED or found is None:
            raise
        return await office.do(caller, report_of(form, None, verdict, caller.who.name), handed)


async def _taken_before(office: Office, caller: Caller, form: SubmitForm, verdict: Verdict) -> Reply | None:
    """The answer to the same report under the same key; another report under that key is refused."""
    # In this order: what was answered meanwhile is in the log that is read then.
    done, found = await _known_of(office, caller, form)
    if done is not None and found is not None:
        found.check_said(done, verdict, form.feedback.overall, form.key)
        return done
    return None


async def _known_of(office: Office, caller: Caller, form: SubmitForm) -> tuple[Reply | None, Witness | None]:
    """What the key was answered with, and the review; neither while the database is down and the call may wait."""
    try:
        done = await answered_before(office, caller, form.key)
        return done, await witness(office, caller, form.reviewId)
    except Unavailable as error:
        if not caller.may_wait or not error.down:
            raise
        return None, None


async def request_re_review(office: Office, caller: Caller, form: AgainForm) -> Again:
    """Hand in a new version after changes were asked for."""
    try:
        again, count = await _counted(office, caller, form)
        if not again and count is not None:
            _check_number(form.revision_number, count + 1)
        revision = ReviseForm(
            review=form.reviewId,
            files=files_of(form.artifacts),
            base=form.base,
            target=form.target,
            note=words.noted(form.changes_made, form.message),
            confidence=form.creator_confidence,
            key=form.key,
        )
        await revise(office, caller, revision)
        number = await _resubmissions(office, caller, form.reviewId)
    except Refusal as refusal:
        raise await _in_their_words(office, caller, form.reviewId, refusal) from None
    told = await told_of_peer(office, caller, form.reviewId)
    return Again(
        success=again or count is None or number > count, review_id=form.reviewId, revision_number=number, **told
    )


async def _counted(office: Office, caller: Caller, form: AgainForm) -> tuple[bool, int | None]:
    """Whether this was answered before, and how many resubmissions there were; unknown while the call may wait."""
    try:
        again = await answered_before(office, caller, form.key) is not None
        return again, await _resubmissions(office, caller, form.reviewId)
    except Unavailable as error:
        if not caller.may_wait or not error.down:
            raise
        return False, None


def _check_number(said: int | None, number: int) -> None:
    """The number is counted here; one that is sent must be the same."""
    if said not in (None, number):
        sentence = f"The revision_number is {said}, the next one is {number}."
        raise Refusal(Code.STALE, sentence, "Leave it out, or look at the review again.")


async def _resubmissions(office: Office, caller: Caller, review: str) -> int:
    return (await office.gate.read(review, caller.who)).view.review.resubmissions


async def escalate_review(office: Office, caller: Caller, form: EscalateForm) -> Escalated:
    """Ask a human to decide; by the author or a reviewer, with a reason."""
    command = c.RequestRuling(reason=form.reason, argument=form.creator_argument)
    try:
        await office.do(caller, command, Handed(key=form.key, stream=REVIEW + form.reviewId))
    except Refusal as refusal:
        raise await _in_their_words(office, caller, form.reviewId, refusal) from None
    return Escalated(success=True, escalated=True, **await told_of_peer(office, caller, form.reviewId))


def _invalid(form: RequestForm, faults: tuple[tuple[str, str, Fact], ...], types: tuple[str, ...]) -> Refusal:
    """Everything that is wrong with a request at once, with an example of each field that is."""
    (_, field, _), *others = faults
    add = dict[str, Fact]()
    for _, name, example in faults:
        add |= added({"context": dict(form.context)} | add, name, example)
    choices: Mapping[str, Sequence[Fact]] = {"type": types, _COMPLEXITY: words.COMPLEXITIES}
    only: dict[str, Fact] = {"allowed": list(choices[field])} if not others and field in choices else {"add": add}
    sentence = f"{words.INVALID}: {', '.join(one for one, _, _ in faults)}"
    step = "Correct these fields and ask again."
    return Refusal(Code.BAD_VALUE, sentence, step, fields={"field": field, **only})


def _faults(form: RequestForm, types: tuple[str, ...]) -> Iterator[tuple[str, str, Fact]]:
    """What is wrong, with which field, and what it may be."""
    if canonical_kind(form.type) not in types:
        yield f"type must be one of {' | '.join(types)}", "type", types[0]
    if not form.title.strip():
        yield "title is missing", "title", "<title>"
    if not form.artifacts:
        yield "artifacts is empty", "artifacts", EXAMPLES["artifacts"]
    complexity = form.context.get("estimated_complexity", "low")
    if complexity not in words.COMPLEXITIES:
        yield f"{_COMPLEXITY} must be one of {' | '.join(words.COMPLEXITIES)}", _COMPLEXITY, words.COMPLEXITIES[0]
    for name in ("dependencies", "related_issues"):
        listed = form.context.get(name, [])
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            yield f"context.{name} must be a list of texts", f"context.{name}", []


async def _requested(office: Office, caller: Caller, name: str) -> Requested | Queued:
    review = (await shown_to(office, caller, name)).view.review
    seat = peer_seat(review)
    request = review.report_request(seat.id) if seat else None
    due = await expected(office, review, seat, request) if seat and request else None
    said: dict[str, Any] = {
        "id": name,
        "reviewer": seat.reviewer.name if seat and seat.reviewer else None,
        "status": words.peer_status(review, seat),
        "estimated_completion": None if due is None else office.clock() + due.span,
        **await told_of_peer(office, caller, name),
    }
    return Queued(**said, queued=True) if due and due.queued else Requested(**said)


def _is_pending(turns: tuple[Any, ...]) -> bool:
    return any(one.what == "a report" for one in turns)


async def _in_their_words(office: Office, caller: Caller, review: str, refusal: Refusal) -> Refusal:
    """A refusal as the seed says it: who is not asked hears who is, as far as the core tells anybody."""
    if refusal.code is Code.REVIEW_MISSING:
        return words.not_found(review)
    if refusal.code not in _NOT_ASKED:
        return refusal
    command = c.RenewSeat(seat=f"{words.PEER}.1")
    try:
        if words.PEER not in (await office.gate.read(review, caller.who)).view.review.protocols:
            return refusal
        await office.gate.preview(office.ask(caller, command, Handed(stream=REVIEW + review)))
    except Refusal as why:
        if why.code is Code.NOT_THE_HOLDER:
            return words.only(why)
    return refusal


_NOT_ASKED = frozenset(
    {Code.NOT_THE_HOLDER, Code.SEAT_TAKEN, Code.NOT_ELIGIBLE, Code.NO_FREE_SEAT, Code.AUTHOR_MAY_NOT, Code.UNKNOWN_SEAT}
)


def calls() -> Iterator[Call[Any]]:
    """The seed's tools for authors and reviewers."""
    for form, answer, needs in (
        (RequestForm, request_review, Need.AUTHOR),
        (SubmitForm, submit_review, Need.REVIEW),
        (AgainForm, request_re_review, Need.AUTHOR),
        (EscalateForm, escalate_review, Need.READ),
    ):
        yield Call(
            name=answer.__name__,
            says=(answer.__doc__ or "").strip(),
            needs=needs,
            form=form,
            answer=answer if answer is request_review else by_own_id("reviewId", answer),
            misread=words.INVALID if answer is request_review else "",
            spools=True,
        )
