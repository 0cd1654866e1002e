"""Calls about sessions, which are groups of agents at work: read and list them, and pause, resume or end them.

That a session is paused is told to everybody at once; why, only to callers who owe no report there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, cast

from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.cursors import cursor_of, limited, parts_of
from foureyes.app.calls.office import Handed, Office
from foureyes.app.calls.session_pauses import REVIEWS_MAX, pause_of
from foureyes.app.calls.whole import shown_to
from foureyes.app.gate import Seen
from foureyes.app.ports import Reading
from foureyes.app.projections import findings as issues
from foureyes.app.projections import sessions as rows
from foureyes.app.projections.projection import key, slot_of
from foureyes.app.shelf import read_events
from foureyes.codec.shapes import shape
from foureyes.core import sessions as core
from foureyes.core.events import SessionPaused, SideEvent, SignalReceived
from foureyes.core.refusals import Code, Fact, Refusal, refuse

STREAM = "session/"
SIGNALS_SHOWN_MAX = 20
#: Most rows of issues read for a page.
ISSUES_MAX = 2_000
_time = shape(datetime)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionNamed:
    """Which session."""

    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonForm:
    """Which session, and why."""

    session: str
    reason: str
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentShown:
    """An agent of the session; silent where nothing was heard of it for too long."""

    agent: str
    heard: datetime
    silent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalShown:
    """What an agent said."""

    agent: str
    type: str
    summary: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionShown:
    """A session as the caller may know it."""

    session: str
    #: RUNNING or PAUSED.
    status: str
    #: True if the work goes on with a concern on the issues list.
    flagged: bool
    paused_by: str
    paused_because: str
    ended: bool
    #: The reviews that it waits for.
    waits_for: tuple[str, ...]
    agents: tuple[AgentShown, ...]
    #: The newest signals, the last one last.
    signals: tuple[SignalShown, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsForm:
    """Which sessions, by name; `cursor` is what the page before said comes next."""

    cursor: str = ""
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionListed:
    """A session in a list, with the last signal there."""

    session: str
    status: str
    ended: bool
    heard: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionsShown:
    """A page of sessions."""

    sessions: tuple[SessionListed, ...]
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDone:
    """It was done, and how the session stands."""

    session: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuesForm:
    """Which session; `cursor` is what the page before said comes next, `unsettled` leaves out what is settled."""

    session: str
    unsettled: bool = False
    cursor: str = ""
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueShown:
    """One flagged concern."""

    id: str
    review: str
    reviewer: str
    severity: str
    description: str
    file: str | None
    status: str
    #: Why it does not stop the work; empty if it does.
    advisory: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuesShown:
    """A page of the issues list."""

    session: str
    issues: tuple[IssueShown, ...]
    next: str


async def read_session(office: Office, caller: Caller, form: SessionNamed) -> SessionShown:
    """How a group of agents stands: running or paused, what was said last, and who is silent."""
    past, silence = await office.store.read(partial(_past, office, form.session))
    session = core.fold(form.session, past)
    pause = await pause_of(office, caller, session)
    status = core.status(session, reviews_waiting=pause.paused)
    silent = core.silent_agents(session, office.clock(), silence)
    said = [(one, at) for one, at in past if isinstance(one, SignalReceived)][-SIGNALS_SHOWN_MAX:]
    reasons = [one.reason for one, _ in past if isinstance(one, SessionPaused)]
    return SessionShown(
        session=form.session,
        status=status.value,
        flagged=status is core.Status.RUNNING and await _is_unsettled(office, caller, form.session),
        paused_by=session.paused_by,
        paused_because=reasons[-1] if session.paused_by else pause.because,
        ended=session.ended,
        waits_for=pause.waits_for,
        agents=tuple(AgentShown(agent=name, heard=at, silent=name in silent) for name, at in session.agents),
        signals=tuple(
            SignalShown(agent=one.agent, type=one.type.value, summary=one.summary, at=_time[0](at)) for one, at in said
        ),
    )


async def list_sessions(office: Office, _: Caller, form: SessionsForm) -> SessionsShown:
    """The groups of agents that have signalled, by name."""
    limit = limited(form.limit)
    (after,) = parts_of(form.cursor, tuple[str]) if form.cursor else ("",)
    is_current = await office.caught_up(rows.SESSIONS)
    found = await office.store.read(lambda reading: rows.listed(reading, after, limit + 1))
    known = (one if is_current or one["ended"] else {**one, "status": core.Status.PAUSED.value} for _, one in found)
    page = tuple(SessionListed(**one) for one in islice(known, limit))
    more = cursor_of(found[limit - 1][0]) if len(found) > limit else ""
    return SessionsShown(sessions=page, next=more)


async def session_issues(office: Office, caller: Caller, form: IssuesForm) -> IssuesShown:
    """The issues list of a session: what its reviewers flagged and where each stands; nothing on it is lost."""
    if not 1 <= form.limit <= REVIEWS_MAX:
        raise refuse(Code.BAD_NUMBER, what="The limit", value=form.limit, low=1, high=REVIEWS_MAX, field="limit")
    (after,) = parts_of(form.cursor, tuple[str]) if form.cursor else ("",)
    await office.caught_up(issues.FINDINGS)
    names = await office.store.read(partial(_with_issues, form.session))
    listed = [
        one
        for name in names
        for one in _issues(await shown_to(office, caller, name))
        if not (form.unsettled and one.status in ("resolved", "waived"))
    ]
    behind = sorted((one for one in listed if one.id > after), key=lambda one: one.id)
    page = tuple(behind[: form.limit])
    more = cursor_of(page[-1].id) if len(behind) > len(page) else ""
    return IssuesShown(session=form.session, issues=page, next=more)


async def pause_session(office: Office, caller: Caller, form: ReasonForm) -> SessionDone:
    """Stop the agents of a session."""
    return await _told(office, caller, form, core.PauseSession(reason=form.reason))


async def resume_session(office: Office, caller: Caller, form: ReasonForm) -> SessionDone:
    """Let the agents of a session go on; what its reviews wait for still holds them."""
    return await _told(office, caller, form, core.ResumeSession(reason=form.reason))


async def end_session(office: Office, caller: Caller, form: ReasonForm) -> SessionDone:
    """The work of this group is over; by one of its agents or a human."""
    return await _told(office, caller, form, core.EndSession(reason=form.reason))


async def standing(office: Office, caller: Caller, session: str) -> str:
    """RUNNING or PAUSED, the same for everybody."""
    past, _ = await office.store.read(partial(_past, office, session))
    found = core.fold(session, past)
    return core.status(found, reviews_waiting=(await pause_of(office, caller, found)).paused).value


async def waiting_for(office: Office, caller: Caller, session: str) -> tuple[str, ...]:
    """Which reviews the session waits for, as far as the caller sees."""
    await office.caught_up(rows.SESSIONS)
    names = await office.store.read(partial(_waiting, session))
    return tuple([one for one in names if rows.waits((await office.gate.read(one, caller.who)).view.review)])


async def _told(office: Office, caller: Caller, form: ReasonForm, command: core.SessionCommand) -> SessionDone:
    await office.store.read(partial(_past, office, form.session))
    await office.do(caller, command, Handed(key=form.key, stream=STREAM + form.session))
    return SessionDone(session=form.session, status=await standing(office, caller, form.session))


def _past(office: Office, session: str, reading: Reading) -> tuple[list[tuple[SideEvent, datetime]], timedelta]:
    stream = STREAM + session
    known = reading.known(stream, "", "")
    if not known.version:
        fields: dict[str, Fact] = {"field": "session", "word": session[:80]}
        step = "Name a session that you signalled in; one begins with its first signal."
        raise Refusal(Code.REVIEW_MISSING, "There is no such session.", step, fields=fields)
    past = [(cast("SideEvent", event), _time[1](at)) for event, at in read_events(reading, stream, known)]
    return past, office.gate.policies.current(reading).policy.session_silence


async def _is_unsettled(office: Office, caller: Caller, session: str) -> bool:
    """Whether a concern of any of its reviews is unsettled, as far as the caller sees."""
    await office.caught_up(issues.FINDINGS)
    for name in await office.store.read(partial(_with_issues, session)):
        review = (await office.gate.read(name, caller.who)).view.review
        if any(not one.is_settled and not one.is_advisory for one in review.findings.values()):
            return True
    return False


def _waiting(session: str, reading: Reading) -> tuple[str, ...]:
    prefix = f"{key('waiting', session)}/"
    found = reading.rows(slot_of(reading, rows.SESSIONS.name), prefix, limit=REVIEWS_MAX)
    return tuple(name.removeprefix(prefix) for name, _ in found)


def _with_issues(session: str, reading: Reading) -> tuple[str, ...]:
    """The reviews of a session in which something was found."""
    found, after = dict[str, None](), ""
    for _ in range(ISSUES_MAX // issues.PAGE_MAX):
        page = issues.of_session(reading, session, after)
        found |= dict.fromkeys(str(row["review"]) for _, row in page)
        if len(page) < issues.PAGE_MAX:
            break
        after = page[-1][0]
    return tuple(found)


def _issues(seen: Seen) -> Iterator[IssueShown]:
    review = seen.view.review
    for one in review.findings.values():
        yield IssueShown(
            id=f"{review.id}:{one.id}",
            review=review.id,
            reviewer=one.raiser,
            severity=one.severity_word,
            description=one.text,
            file=one.place.path if one.place else None,
            status=one.standing.value,
            advisory=seen.explanation.advisory.get(one.id, ""),
        )


def calls() -> Iterator[Call[Any]]:
    """Every call about a session that is ours alone; signals and results are in the seed's own words."""
    for form, answer, needs, changes in (
        (SessionNamed, read_session, Need.READ, False),
        (SessionsForm, list_sessions, Need.READ, False),
        (IssuesForm, session_issues, Need.READ, False),
        (ReasonForm, pause_session, Need.HUMAN, True),
        (ReasonForm, resume_session, Need.HUMAN, True),
        (ReasonForm, end_session, Need.SIGNAL, True),
    ):
        says = (answer.__doc__ or "").strip()
        yield Call(name=answer.__name__, says=says, needs=needs, form=form, answer=answer, changes=changes)
