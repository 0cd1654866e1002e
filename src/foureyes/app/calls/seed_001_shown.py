"""Shows a review in seed 001's words, and turns a reviewer's report in those words into a report of the core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from foureyes.app.calls import seed_words as words
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.done import REVIEW
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.own_ids import by_own_id
from foureyes.app.calls.seed_confidence import Confidence
from foureyes.app.calls.seed_work import artifacts_of, context_of
from foureyes.app.calls.witness import Witness, given_work, moment, witness
from foureyes.app.ports import Reading
from foureyes.app.rows import Counts
from foureyes.core import commands as c
from foureyes.core import events as e
from foureyes.core.answers.reports import LAST_SERVED
from foureyes.core.briefs import Brief
from foureyes.core.claims import UNNAMED_GROUND
from foureyes.core.evidence import WHOLE_WORK, words_of
from foureyes.core.explain import Status
from foureyes.core.grounds import REJECT_GROUNDS
from foureyes.core.model import Finding, Report, Review, Seat
from foureyes.core.reasons import against, policy_changed, settled_word
from foureyes.core.refusals import Code, Refusal
from foureyes.core.situation import Situation
from foureyes.core.values import Criterion, Evidence, Part, Verdict, WhoKind

CONCERN, SUGGESTION = "concern", "suggestion"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What a reviewer says: what is good, what stops the work, what would be nicer, and the answers to questions."""

    overall: str = ""
    strengths: tuple[str, ...] = ()
    #: Each stops the work, unless it begins with `minor:`; `critical:` is graver.
    concerns: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    question_answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitForm:
    """A reviewer's report on the version they were last given; who read none names the revision they judged."""

    reviewId: str  # noqa: N815 - the seed's own spelling
    status: str = field(metadata={c.WORDS: tuple(one.upper() for one in words.VERDICT_OF)})
    reviewer: str = ""
    feedback: Feedback = Feedback()
    checklist: Mapping[str, bool] = field(default_factory=dict)
    confidence: Confidence | None = None
    #: Grounds of a rejection: fundamental_flaw, would_break_system, security_risk, better_to_start_over.
    grounds: tuple[str, ...] = ()
    revision: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GetForm:
    """Which review."""

    reviewId: str  # noqa: N815 - the seed's own spelling


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRow:
    """One resubmission: what was asked for, and what was done."""

    review_id: str
    revision_number: int
    created_at: str
    changes_requested: str
    changes_made: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerReview:
    """A whole review in the seed's fields."""

    id: str
    type: str
    title: str
    creator: str
    reviewer: str | None
    status: str
    created_at: str
    started_at: str | None
    completed_at: str | None
    artifacts: Mapping[str, object]
    context: Mapping[str, object]
    questions: tuple[str, ...]
    feedback: Feedback | None
    checklist: Mapping[str, bool] | None
    confidence: int | None
    time_to_review_ms: int | None
    revision_count: int
    escalation_reason: str | None
    creator_argument: str | None
    revisions: tuple[RevisionRow, ...]
    #: The result, whose turn it is and what comes next; the same words at every door.
    situation: Situation
    #: What the reviewer judges by: criteria, the role's profile, the matrix's reasons, the creator's confidence.
    briefs: tuple[Brief, ...]
    #: Says if the policy was changed while this was open, and which criteria apply.
    policy_changed: str


async def get_review(office: Office, caller: Caller, form: GetForm) -> PeerReview:
    """A whole review; who is asked to judge it begins by this, and is given the bytes."""
    try:
        found = await witness(office, caller, form.reviewId)
        if _begins(found.review, caller.who.name) and await _has_room(office, caller, found.review):
            seat = _own_seat(found.review, caller.who.name)
            command = c.TakeSeat(seat=seat.id if seat else "")
            await office.do(caller, command, Handed(stream=REVIEW + form.reviewId))
        found, files = await given_work(office, caller, form.reviewId)
    except Refusal as refusal:
        raise (words.not_found(form.reviewId) if refusal.code is Code.REVIEW_MISSING else refusal) from None
    return _shown(found, files)


def peer_seat(review: Review) -> Seat | None:
    """The seat whose reviewer is the review's: the colleague's, or where another style judges the first of its own."""
    tie = tie_seat(review)
    if tie is not None:
        return tie
    judges = [one for one in review.seats.values() if one.part is Part.JUDGE]
    peers = [one for one in judges if one.stage == words.PEER]
    others = [one for one in judges if one.reviewer is not None and one.reviewer.kind is not WhoKind.PROGRAM]
    return next(iter(peers or others), None)


def tie_seat(review: Review) -> Seat | None:
    """The seat that breaks a tie about the current version, from when it is asked: its word is the review's."""
    ties = [one for one in review.seats.values() if one.part is Part.TIE_BREAK and one.stage == words.PEER]
    asked = (one for one in ties if review.report_request(one.id) or review.report_of(one.id))
    return next(asked, None)


def report_of(form: SubmitForm, found: Witness | None, verdict: Verdict, name: str) -> c.SubmitReport:
    """The report that a seed's call is; an approval says that one's own concerns are settled.

    Without a look at the review, while the database is down, it is about the version that the reviewer was given last.
    """
    review, said = found.review if found else None, form.feedback
    seat = _own_seat(review, name) if review else None
    own = review.findings.values() if review and seat else ()
    unsettled = [one for one in own if seat and one.seat == seat.id and not one.is_settled]
    unsettled += review.inherited_from(name) if review else []
    note = said.overall or "approved"
    settled = tuple(c.Settlement(finding=one.id, resolved=True, note=note) for one in unsettled)
    grounds = _grounds(form)
    is_bare = verdict is Verdict.REJECT and not grounds and bool(words_of(" ".join((said.overall, *said.concerns))))
    is_peer = review is None or words.PEER in review.protocols
    stage = seat.stage if seat else words.PEER if is_peer else ""
    last = found.served_revision() if found else LAST_SERVED
    return c.SubmitReport(
        revision=last if form.revision is None else form.revision,
        seat=seat.id if seat else "",
        stage="" if seat else stage,
        verdict=verdict.value,
        grounds=(UNNAMED_GROUND,) if is_bare and stage == words.PEER else grounds,
        summary=said.overall,
        strengths=said.strengths,
        evidence=_evidence(form),
        checklist=_checklist(form) if stage == words.PEER else (),
        answers=said.question_answers,
        findings=(*_drafts(said), *(() if stage == words.PEER else _unmet(form))),
        settled=settled if verdict is Verdict.APPROVE else (),
        confidence=form.confidence,
    )


def _grounds(form: SubmitForm) -> tuple[str, ...]:
    """The grounds of a rejection: those in their own field, and those that concerns begin with."""
    named = (one for one in REJECT_GROUNDS if any(text.startswith(one) for text in form.feedback.concerns))
    return tuple(dict.fromkeys((*form.grounds, *named)))


def _evidence(form: SubmitForm) -> tuple[Evidence, ...]:
    """What was checked in the seed's own fields: the overall word on the whole work, and the criteria that passed."""
    overall = form.feedback.overall.strip()
    passed = ", ".join(name.replace("_", " ") for name, met in form.checklist.items() if met)
    if not words_of(overall):
        return ()  # names of criteria are no words of the reviewer's own
    return (Evidence(what=WHOLE_WORK, why=f"{overall} Checked: {passed}" if passed else overall),)


def _drafts(said: Feedback) -> Iterator[c.Draft]:
    for text in said.concerns:
        yield c.Draft(severity=words.gravity(text), text=text, category=CONCERN, evidence=said.overall or text)
    for text in said.suggestions:
        yield c.Draft(severity="minor", text=text, category=SUGGESTION)


def _checklist(form: SubmitForm) -> tuple[Criterion, ...]:
    return tuple(Criterion(name=one, passed=passed) for one, passed in form.checklist.items())


def _unmet(form: SubmitForm) -> Iterator[c.Draft]:
    """Criteria that are not met, as findings: other styles have no criteria, and nothing is lost for that."""
    for name, passed in form.checklist.items():
        if not passed:
            text = f"Not met: {name.replace('_', ' ')}"
            yield c.Draft(severity="important", text=text, category=CONCERN, evidence=form.feedback.overall or text)


def _own_seat(review: Review, name: str) -> Seat | None:
    held = [one for one in review.seats.values() if one.reviewer and one.reviewer.name == name]
    # A reviewer with several seats is asked on the one that owes a report.
    owing = [one for one in held if review.report_request(one.id)]
    return next(iter(owing or held), None)


def _begins(review: Review, name: str) -> bool:
    """Whether the viewer is asked and has not begun."""
    seat = _own_seat(review, name)
    if seat is None or seat.stage != words.PEER or review.outcome is not None or seat.lease is not None:
        return False
    return review.report_request(seat.id) is not None


async def _has_room(office: Office, caller: Caller, review: Review) -> bool:
    """Whether looking at a review begins it: one that waits in the queue of somebody with enough at hand does not."""
    name = caller.who.name
    seat = _own_seat(review, name)
    request = review.report_request(seat.id) if seat else None
    if request is None or not request.queued:
        return True

    def look(reading: Reading) -> bool:
        most = office.gate.policies.current(reading).policy.rules.limits.parallel_max
        return reading.counts([name]).get(name, Counts()).active < most

    return await office.store.read(look)


def _shown(found: Witness, files: Mapping[str, bytes]) -> PeerReview:
    review = found.review
    seat = peer_seat(review)
    report = _last_report(review, seat)
    started, completed = _times(found, seat, report)
    asked = found.of(e.RulingRequested)
    ruling = asked[-1][0] if asked else None
    return PeerReview(
        id=review.id,
        type=review.kind,
        title=review.title,
        creator=review.author.name,
        reviewer=seat.reviewer.name if seat and seat.reviewer else None,
        status=words.peer_status(review, seat),
        created_at=found.seen.opened,
        started_at=started,
        completed_at=completed,
        artifacts=artifacts_of(review.current.parts, files),
        context=context_of(review.context),
        questions=review.questions,
        feedback=_feedback(review, report) if report else None,
        checklist={one.name: one.passed for one in report.checklist} if report else None,
        confidence=report.confidence if report else None,
        time_to_review_ms=_took(found, seat, started, completed),
        revision_count=review.resubmissions,
        escalation_reason=ruling.text if ruling else _tie_reason(found),
        creator_argument=ruling.argument or None if ruling else None,
        revisions=tuple(_rows(found)),
        situation=found.seen.explanation.situation,
        briefs=tuple(one for one in found.seen.explanation.briefs if seat is None or one.seat in ("", seat.id)),
        policy_changed=policy_changed(review),
    )


def _tie_reason(found: Witness) -> str | None:
    """Why a tie-break is asked; nothing once it has spoken, or where none is."""
    tie = tie_seat(found.review)
    if tie is None or found.review.report_request(tie.id) is None:
        return None
    needs = [one for one in found.seen.explanation.requirements if one.stage == tie.stage]
    unmet = dict.fromkeys(one.reason for one in needs if one.status is Status.NOT_MET)
    return "; ".join(("A tie-break is asked", *unmet))


def _last_report(review: Review, seat: Seat | None) -> Report | None:
    reports = [one for one in review.reports.values() if seat and one.seat == seat.id]
    return max(reports, key=lambda one: one.revision, default=None)


def _feedback(review: Review, report: Report) -> Feedback:
    raised = against(review, report)
    return Feedback(
        overall=report.summary,
        strengths=report.strengths,
        concerns=tuple(f"{settled_word(one)}{one.text}" for one in raised if not _is_suggestion(one)),
        suggestions=tuple(one.text for one in raised if _is_suggestion(one)),
        question_answers=report.answers,
    )


def _is_suggestion(finding: Finding) -> bool:
    return finding.category == SUGGESTION


def _times(found: Witness, seat: Seat | None, report: Report | None) -> tuple[str | None, str | None]:
    """When the current version was begun and done; a new version sets both back."""
    if seat is None:
        return None, None
    taken, done = None, None
    for event, at in found.past:
        match event:
            case e.RevisionSubmitted():
                taken, done = None, None
            case e.SeatTaken(seat=name) if name == seat.id:
                taken = at
            case e.ReportSubmitted(seat=name) if name == seat.id:
                done = at
            case _:
                continue
    is_done = report is not None and report.revision == found.review.revision
    return taken, done if is_done else None


def _took(found: Witness, seat: Seat | None, started: str | None, completed: str | None) -> int | None:
    """How long the review took; who never began is counted from the request on."""
    if completed is None or seat is None:
        return None
    asked = [at for one, at in found.of(e.ReportRequested) if one.seat.id == seat.id and at <= completed]
    begun = started if started and started < completed else (asked[-1] if asked else started or completed)
    return int((moment(completed) - moment(begun)).total_seconds() * 1_000)


def _rows(found: Witness) -> Iterator[RevisionRow]:
    number, asked = 0, ""
    for event, at in found.past:
        if isinstance(event, e.RevisionRequested):
            asked = "; ".join(event.reasons)
        if isinstance(event, e.RevisionSubmitted) and event.number > 1:
            number += 1
            made = found.review.revisions[event.number - 1].note
            yield RevisionRow(
                review_id=found.review.id,
                revision_number=number,
                created_at=at,
                changes_requested=asked,
                changes_made=words.changes_made(made),
            )


def calls() -> Iterator[Call[Any]]:
    """The one tool that shows a review."""
    says = (get_review.__doc__ or "").strip()
    # It is a read; that a requested reviewer was given the work, and so began, is recorded as with every read of it.
    answer = by_own_id("reviewId", get_review)
    yield Call(name="get_review", says=says, needs=Need.READ, form=GetForm, answer=answer, changes=False)
