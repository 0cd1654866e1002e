"""The calls of seed 003 that answer: reviewers send results in its JSON, and authors clarify what was doubted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from foureyes.app.calls import seed_words as words
from foureyes.app.calls.about_sessions import SessionNamed, standing
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.done import REVIEW, Told, told_of
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.seed_003 import Signalled
from foureyes.app.calls.seed_003_asked import (
    Clarification,
    RequestsShown,
    asked_of,
    clarifications_for,
    only_one,
    owed_by,
)
from foureyes.app.calls.seed_work import answered_before, check_is
from foureyes.app.calls.whole import shown_to
from foureyes.app.calls.witness import Witness
from foureyes.core import commands as c
from foureyes.core.evidence import WHOLE_WORK
from foureyes.core.refusals import Code, refuse
from foureyes.core.values import Evidence, Place, Verdict

RESULT = "review_result"


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """One issue of a result."""

    severity: str = field(metadata=c.SEVERITY_WORDS)
    description: str
    file: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What a reviewer says: approved, concerns or blocker."""

    verdict: str = field(metadata={c.WORDS: tuple(words.SESSION_VERDICTS)})
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
class Decided(Told):
    """Which of the four rules applies now, what it does, and whether the session goes on."""

    review: str
    #: 0 while other reviewers are still asked.
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


async def review_requests(office: Office, caller: Caller, form: SessionNamed) -> RequestsShown:
    """What a session asks of the caller as a reviewer, with the work itself."""
    found = await owed_by(office, caller, form.session, "report")
    return RequestsShown(requests=tuple([await asked_of(office, caller, one.review.id) for one in found]))


async def submit_result(office: Office, caller: Caller, form: ResultForm) -> Decided:
    """Hand in a reviewer's result, and hear what follows from all of them."""
    check_is(caller, form.reviewer)
    if form.type != RESULT:
        raise refuse(Code.UNKNOWN_WORD, what="The type", word=form.type[:80], allowed=(RESULT,), field="type")
    verdict = words.session_verdict(form.payload.verdict)
    before = await answered_before(office, caller, form.key)
    found = await only_one(office, caller, form.session, form.review or (before.review if before else ""), "report")
    review = found.review.id
    if before:
        found.check_said(before, verdict, form.payload.summary, form.key)
    else:
        command = _report(form, found, verdict, caller.who.name)
        await office.do(caller, command, Handed(key=form.key, stream=REVIEW + review))
    decision = words.rule_for((await shown_to(office, caller, review)).view.review)
    return Decided(
        review=review,
        rule=decision.rule,
        action=decision.action,
        status=await standing(office, caller, form.session),
        flagged=decision.flagged,
        **await told_of(office, caller, review),
    )


def _report(form: ResultForm, found: Witness, verdict: Verdict, name: str) -> c.SubmitReport:
    """The report that a result is; an approval says that one's own issues are settled."""
    note = form.payload.summary or "approved"
    settled = tuple(c.Settlement(finding=one, resolved=True, note=note) for one in found.unsettled_of(name))
    return c.SubmitReport(
        revision=found.served_revision() if form.revision is None else form.revision,
        stage=words.SESSION,
        verdict=verdict.value,
        summary=form.payload.summary,
        evidence=(Evidence(what=WHOLE_WORK, why=form.payload.summary),) if form.payload.summary else (),
        findings=tuple(map(_draft, form.payload.issues)),
        settled=settled if verdict is Verdict.APPROVE else (),
    )


async def read_clarifications(office: Office, caller: Caller, form: SessionNamed) -> ClarificationsShown:
    """What the agents are asked to make clear before the session goes on."""
    return ClarificationsShown(clarifications=await clarifications_for(office, caller, form.session))


async def clarify(office: Office, caller: Caller, form: ClarifyForm) -> Signalled:
    """Answer a clarification; the reviewers look again at the same bytes."""
    before = await answered_before(office, caller, form.key)
    found = await only_one(office, caller, form.session, form.review or (before.review if before else ""), "revision")
    command = c.SubmitRevision(digest=found.review.digest, note=form.text)
    await office.do(caller, command, Handed(key=form.key, stream=REVIEW + found.review.id))
    status = await standing(office, caller, form.session)
    told = await told_of(office, caller, found.review.id)
    return Signalled(session=form.session, status=status, review=found.review.id, **told)


def _draft(issue: Issue) -> c.Draft:
    place = Place(path=issue.file) if issue.file else None
    return c.Draft(severity=issue.severity, text=issue.description, place=place, evidence=issue.description)


def calls() -> Iterator[Call[Any]]:
    """The seed's calls for reviewers, and for authors who are asked to clarify."""
    for form, answer, needs, changes in (
        (SessionNamed, review_requests, Need.REVIEW, False),
        (ResultForm, submit_result, Need.REVIEW, True),
        (SessionNamed, read_clarifications, Need.READ, False),
        (ClarifyForm, clarify, Need.SIGNAL, True),
    ):
        says = (answer.__doc__ or "").strip()
        yield Call(name=answer.__name__, says=says, needs=needs, form=form, answer=answer, changes=changes)
