"""Which calls does seed 003 have? Signals that start reviews, requests and results in its JSON, and clarifications."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from foureyes.app.accounts import account
from foureyes.app.calls import seed_words as words
from foureyes.app.calls.about_reviews import REVIEW
from foureyes.app.calls.about_sessions import STREAM, SessionNamed, read_session, standing
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.files import FileSent
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.seed_003_asked import (
    Clarification,
    RequestsShown,
    asked_of,
    clarification_of,
    only_one,
    owed_by,
)
from foureyes.app.calls.seed_work import check_is, pairs_of, work_of
from foureyes.app.gate import new_key
from foureyes.core import commands as c
from foureyes.core import sessions
from foureyes.core.events import SignalType
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Origin, Pairs, Place, Verdict, Who

RESULT = "review_result"
#: What the work of agents in a session is called in a policy.
KIND = "milestone"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalForm:
    """What an agent emits. A milestone, a blocker and a request_review start a review of the files it comes with.

    Without files the summary itself is what is reviewed.
    """

    session: str
    type: str
    summary: str = ""
    agent: str = ""
    timestamp: str = ""
    files: tuple[FileSent, ...] = ()
    focus_areas: tuple[str, ...] = ()
    payload: Mapping[str, object] = field(default_factory=dict)
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManualForm:
    """A human wants the work of a session reviewed now: the files, else what its agents said last."""

    session: str
    reason: str = ""
    files: tuple[FileSent, ...] = ()
    focus_areas: tuple[str, ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signalled:
    """The signal was heard; the review it started, if it did, and whether the session goes on."""

    session: str
    status: str
    review: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One issue of a result."""

    severity: str
    description: str
    file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What a reviewer says: approved, concerns or blocker."""

    verdict: str
    summary: str
    issues: tuple[Issue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultForm:
    """A reviewer's result; of which review must be said only where the session has asked for several."""

    session: str
    payload: Payload
    type: str = RESULT
    reviewer: str = ""
    timestamp: str = ""
    review: str = ""
    revision: int | None = None
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """Which of the four rules applies now, what it does, and whether the session goes on."""

    review: str
    #: 0 while others are still asked.
    rule: int
    action: str
    status: str
    flagged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClarificationsShown:
    """What the caller is asked to make clear."""

    clarifications: tuple[Clarification, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClarifyForm:
    """The author's word on the concerns, without new bytes; reviewers are then asked again."""

    session: str
    text: str
    review: str = ""
    key: str = ""


async def signal(office: Office, caller: Caller, form: SignalForm) -> Signalled:
    """Say something as an agent of a session; some signals start a review."""
    check_is(caller, form.agent)
    said = sessions.ReceiveSignal(type=form.type, summary=form.summary)
    if form.type not in sessions.TRIGGERS or form.type == SignalType.USER_MANUAL:
        await office.do(caller, said, Handed(key=form.key, stream=STREAM + form.session))
        return Signalled(session=form.session, status=await standing(office, caller, form.session), review=None)
    summaries = ((f"{caller.who.name}_summary", form.summary),)
    files = form.files or tuple(_texts({caller.who.name: form.summary}))
    opening = _Opening(trigger=form.type, files=files, context=_context(summaries, form.focus_areas, form.payload))
    return await _started(office, caller, said, opening, SessionAsk(session=form.session, key=form.key))


async def trigger_review(office: Office, caller: Caller, form: ManualForm) -> Signalled:
    """Start a review of what the agents of a session have done; by a human."""
    seen = await read_session(office, caller, SessionNamed(session=form.session))
    last = {one.agent: one.summary for one in seen.signals if one.type != SignalType.USER_MANUAL}
    names = tuple(name for name in last if name != caller.who.name)
    if not names:
        raise Refusal(Code.PARTS_MISSING, "No agent of the session has said anything.", "Wait for a signal.")
    author = await office.store.read(lambda reading: account(reading, names[-1]))
    summaries = tuple((f"{name}_summary", last[name]) for name in names)
    opening = _Opening(
        trigger=SignalType.USER_MANUAL.value,
        files=form.files or tuple(_texts({name: last[name] for name in names})),
        context=_context(summaries, form.focus_areas, {}),
        targets=names,
        author=author.who if author else None,
    )
    said = sessions.ReceiveSignal(type=SignalType.USER_MANUAL.value, summary=form.reason)
    return await _started(office, caller, said, opening, SessionAsk(session=form.session, key=form.key))


async def review_requests(office: Office, caller: Caller, form: SessionNamed) -> RequestsShown:
    """What a session asks of the caller as a reviewer, with the work itself."""
    found = await owed_by(office, caller, form.session, "report")
    return RequestsShown(requests=tuple([await asked_of(office, caller, one) for one in found]))


async def submit_result(office: Office, caller: Caller, form: ResultForm) -> Decided:
    """Hand in a reviewer's result, and hear what follows from all of them."""
    check_is(caller, form.reviewer)
    if form.type != RESULT:
        raise Refusal(Code.UNKNOWN_WORD, f"The type is {form.type[:80]!r}, not {RESULT!r}.", "Send a review_result.")
    verdict = words.session_verdict(form.payload.verdict)
    found = await only_one(office, caller, form.session, form.review, "report")
    name = caller.who.name
    own = (
        one.id
        for one in found.review.findings.values()
        if not one.is_settled and _holds(found.review.seats[one.seat].reviewer, name)
    )
    settled = tuple(c.Settlement(finding=one, resolved=True, note=form.payload.summary or "approved") for one in own)
    command = c.SubmitReport(
        revision=found.served_revision() if form.revision is None else form.revision,
        stage=words.SESSION,
        verdict=verdict.value,
        summary=form.payload.summary,
        findings=tuple(map(_draft, form.payload.issues)),
        settled=settled if verdict is Verdict.APPROVE else (),
    )
    review = found.review.id
    await office.do(caller, command, Handed(key=form.key, stream=REVIEW + review))
    decision = words.rule_for((await office.gate.read(review, caller.who)).view.review)
    return Decided(
        review=review,
        rule=decision.rule,
        action=decision.action,
        status=await standing(office, caller, form.session),
        flagged=decision.flagged,
    )


async def read_clarifications(office: Office, caller: Caller, form: SessionNamed) -> ClarificationsShown:
    """What the agents are asked to make clear before the session goes on."""
    found = await owed_by(office, caller, form.session, "revision")
    asked = (clarification_of(one) for one in found)
    return ClarificationsShown(clarifications=tuple(one for one in asked if one is not None))


async def clarify(office: Office, caller: Caller, form: ClarifyForm) -> Signalled:
    """Answer a clarification; the reviewers look again at the same bytes."""
    found = await only_one(office, caller, form.session, form.review, "revision")
    command = c.SubmitRevision(digest=found.review.digest, note=form.text)
    await office.do(caller, command, Handed(key=form.key, stream=REVIEW + found.review.id))
    status = await standing(office, caller, form.session)
    return Signalled(session=form.session, status=status, review=found.review.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opening:
    """What a signal starts a review of."""

    trigger: str
    files: tuple[FileSent, ...]
    context: Pairs
    targets: tuple[str, ...] = ()
    author: Who | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAsk:
    """In which session, under which key."""

    session: str
    key: str


async def _started(
    office: Office, caller: Caller, said: sessions.ReceiveSignal, opening: _Opening, ask: SessionAsk
) -> Signalled:
    """Hear the signal and open its review; nothing is heard where the review would not be taken.

    Each has a key of its own made from the caller's, so that repeating finishes what was begun, once.
    """
    work = await work_of(office, opening.files)
    command = c.OpenReview(
        review="",
        kind=KIND,
        title=f"{opening.trigger} in session {ask.session}"[:TITLE_CHARS_MAX],
        digest=work.digest,
        parts=work.parts,
        protocols=(words.SESSION,),
        trigger=opening.trigger,
        origin=Origin(session=ask.session, targets=opening.targets),
        context=opening.context,
        on_behalf_of=opening.author,
    )
    key = ask.key or new_key()
    handed = Handed(key=f"{key} review", blobs=work.blobs)
    await office.gate.preview(office.ask(caller, command, handed))
    await office.do(caller, said, Handed(key=f"{key} signal", stream=STREAM + ask.session))
    reply = await office.do(caller, command, handed)
    status = await standing(office, caller, ask.session)
    return Signalled(session=ask.session, status=status, review=reply.review)


TITLE_CHARS_MAX = 200


def _texts(said: Mapping[str, str]) -> Iterator[FileSent]:
    """What agents said, as files: where nothing else is there, that is looked at."""
    for name, text in said.items():
        if text.strip():
            yield FileSent(path=f"{name}.md", text=text + "\n")


def _context(summaries: Pairs, focus_areas: tuple[str, ...], payload: Mapping[str, object]) -> Pairs:
    taken = dict(summaries)
    more = {name: value for name, value in payload.items() if name not in taken and name != "focus_areas"}
    areas = {"focus_areas": list(focus_areas)} if focus_areas else {}
    return pairs_of({**taken, **areas, **more})


def _draft(issue: Issue) -> c.Draft:
    place = Place(path=issue.file) if issue.file else None
    return c.Draft(severity=issue.severity, text=issue.description, place=place, evidence=issue.description)


def _holds(who: Who | None, name: str) -> bool:
    return who is not None and who.name == name


def calls() -> Iterator[Call[Any]]:
    """The seed's calls."""
    for form, answer, needs, changes in (
        (SignalForm, signal, Need.SIGNAL, True),
        (ManualForm, trigger_review, Need.HUMAN, True),
        (SessionNamed, review_requests, Need.REVIEW, False),
        (ResultForm, submit_result, Need.REVIEW, True),
        (SessionNamed, read_clarifications, Need.READ, False),
        (ClarifyForm, clarify, Need.SIGNAL, True),
    ):
        says = (answer.__doc__ or "").strip()
        yield Call(name=answer.__name__, says=says, needs=needs, form=form, answer=answer, changes=changes)
