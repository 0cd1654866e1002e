"""Sessions of agents at work: their signals, when one needs a review, and whether it is paused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import assert_never

from foureyes.core.events import (
    SessionEnded,
    SessionPaused,
    SessionResumed,
    SideEvent,
    SignalReceived,
    SignalType,
    SilenceDetected,
)
from foureyes.core.independence import normal
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who, WhoKind

SILENCE = timedelta(minutes=15)
TIMEOUT_FALLBACK = "timeout_fallback"
TRIGGERS = frozenset({SignalType.MILESTONE, SignalType.BLOCKER, SignalType.REQUEST_REVIEW, SignalType.USER_MANUAL})
AGENTS_MAX = 100
TEXT_CHARS_MAX = 20_000


class Status(StrEnum):
    """Whether the agents work on."""

    RUNNING = "RUNNING"
    PAUSED = "PAUSED"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiveSignal:
    """An agent says something; who it is comes from the credential, a name given here must be the same."""

    type: str
    summary: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseSession:
    """A human stops the agents."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeSession:
    """A human lets them go on."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EndSession:
    """The work of this group is over."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectSilence:
    """The clock says that nobody spoke for too long."""


SessionCommand = ReceiveSignal | PauseSession | ResumeSession | EndSession | DetectSilence


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What is known of one group of agents at work."""

    id: str
    agents: tuple[tuple[str, datetime], ...] = ()
    last_signal_at: datetime | None = None
    paused_by: str = ""
    resumed_at: datetime | None = None
    silence_since: datetime | None = None
    ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """What the session's reviews say: whether one waits for an answer or a human, and when one last let work go on."""

    reviews_waiting: bool = False
    continued_at: datetime | None = None
    silence: timedelta = SILENCE


def decide_session(
    session: Session, command: SessionCommand, actor: Who, now: datetime, facts: SessionFacts
) -> tuple[SideEvent, ...]:
    """Answer a command about one session."""
    if session.ended:
        raise Refusal(Code.NOT_OPEN, f"Session {session.id} has ended.", "Begin another session.")
    match command:
        case ReceiveSignal():
            return (_signal(session, command, actor),)
        case PauseSession(reason=reason):
            return (_pause(session, actor, reason),)
        case ResumeSession(reason=reason):
            return (_resume(session, actor, reason),)
        case EndSession(reason=reason):
            return (_end(session, actor, reason),)
        case DetectSilence():
            return (_silence(session, actor, now, facts),)
        case _:
            assert_never(command)


def evolve_session(session: Session, event: SideEvent, at: datetime) -> Session:
    """The session after one event."""
    match event:
        case SignalReceived(agent=agent):
            heard = dict(session.agents) | {agent: at}
            return replace(session, agents=tuple(sorted(heard.items())), last_signal_at=at)
        case SilenceDetected(since=since):
            return replace(session, silence_since=since)
        case SessionPaused(by=by):
            return replace(session, paused_by=by)
        case SessionResumed():
            return replace(session, paused_by="", resumed_at=at)
        case SessionEnded():
            return replace(session, ended=True)
        case _:
            return session


def fold(session: str, events: Iterable[tuple[SideEvent, datetime]]) -> Session:
    """The session after its events, each given with its time."""
    state = Session(id=session)
    for event, at in events:
        state = evolve_session(state, event, at)
    return state


def trigger_of(event: SideEvent) -> str | None:
    """The trigger of a review for this event, or None; there are no fixed intervals."""
    match event:
        case SignalReceived(type=kind) if kind in TRIGGERS:
            return kind.value
        case SilenceDetected():
            return TIMEOUT_FALLBACK
        case _:
            return None


def status(session: Session, *, reviews_waiting: bool) -> Status:
    """Paused while a human paused it or any of its reviews waits: no review can resume what another stopped."""
    stopped = session.ended or bool(session.paused_by) or reviews_waiting
    return Status.PAUSED if stopped else Status.RUNNING


def silence_due(session: Session, facts: SessionFacts) -> datetime | None:
    """When the silence becomes too long; None while paused, or if this silence was detected already."""
    since = _silent_since(session, facts)
    if since is None or status(session, reviews_waiting=facts.reviews_waiting) is Status.PAUSED:
        return None
    if session.silence_since is not None and session.silence_since >= since:
        return None
    return since + facts.silence


def silent_agents(session: Session, now: datetime, silence: timedelta = SILENCE) -> tuple[str, ...]:
    """The agents that are silent for too long, so that one talkative agent does not hide the others."""
    return tuple(agent for agent, at in session.agents if now - at >= silence)


def _silent_since(session: Session, facts: SessionFacts) -> datetime | None:
    if session.last_signal_at is None:
        return None
    resets = (session.last_signal_at, session.resumed_at, facts.continued_at)
    return max(at for at in resets if at is not None)


def _signal(session: Session, command: ReceiveSignal, actor: Who) -> SignalReceived:
    if command.agent and normal(command.agent) != normal(actor.name):
        raise Refusal(
            Code.NOT_ELIGIBLE,
            f"You are {actor.name}, not {command.agent}.",
            "Leave the name out; the credential says it.",
        )
    if command.type not in set(SignalType):
        raise Refusal(
            Code.UNKNOWN_WORD,
            f"{command.type!r} is no type of signal.",
            f"Use one of: {', '.join(sorted(SignalType))}.",
            fields={"field": "type", "word": command.type[:80], "allowed": sorted(one.value for one in SignalType)},
        )
    if command.type == SignalType.USER_MANUAL and not actor.is_human:
        raise Refusal(Code.HUMAN_ONLY, "Only a human triggers a review by hand.", "Signal request_review instead.")
    if len(command.summary) > TEXT_CHARS_MAX:
        raise Refusal(
            Code.TOO_LONG,
            f"The summary has {len(command.summary)} characters, more than {TEXT_CHARS_MAX}.",
            "Summarise; the work itself is reviewed anyway.",
        )
    if len(session.agents) >= AGENTS_MAX and actor.name not in dict(session.agents):
        raise Refusal(Code.TOO_MANY, f"The session has {AGENTS_MAX} agents.", "Begin another session.")
    return SignalReceived(session=session.id, agent=actor.name, type=SignalType(command.type), summary=command.summary)


def _pause(session: Session, actor: Who, reason: str) -> SessionPaused:
    _check_human(actor, "pauses")
    _check_reason(reason)
    if session.paused_by:
        raise Refusal(
            Code.DUPLICATE, f"{session.paused_by} paused the session already.", "Resume it when it shall go on."
        )
    return SessionPaused(session=session.id, by=actor.name, reason=reason)


def _resume(session: Session, actor: Who, reason: str) -> SessionResumed:
    _check_human(actor, "resumes")
    _check_reason(reason)
    if not session.paused_by:
        raise Refusal(
            Code.NOT_OPEN, "No human paused the session.", "If it is paused, answer what its reviews wait for."
        )
    return SessionResumed(session=session.id, by=actor.name, reason=reason)


def _end(session: Session, actor: Who, reason: str) -> SessionEnded:
    """Only a human may end a session they do not take part in, because that would end the supervision of others.

    A service may not either: it would speak in the name of the agents it vouches for.
    """
    _check_reason(reason)
    if not actor.is_human and actor.name not in dict(session.agents):
        raise Refusal(
            Code.NOT_ELIGIBLE, f"{actor.name} has no part in session {session.id}.", "Ask one of its agents or a human."
        )
    return SessionEnded(session=session.id, by=actor.name, reason=reason)


def _silence(session: Session, actor: Who, now: datetime, facts: SessionFacts) -> SilenceDetected:
    if actor.kind is not WhoKind.CLOCK:
        raise Refusal(Code.NOT_THE_CLOCK, "Only the clock notices silence.", "Signal request_review instead.")
    due, since = silence_due(session, facts), _silent_since(session, facts)
    if since is None or due is None or now < due:
        raise Refusal(Code.NOT_DUE, f"Session {session.id} has no silence to notice now.", "Ask again when it is due.")
    return SilenceDetected(session=session.id, since=since)


def _check_human(actor: Who, does: str) -> None:
    if not actor.is_human:
        raise Refusal(Code.HUMAN_ONLY, f"Only a human {does} a session.", "Signal blocker or request_review instead.")


def _check_reason(reason: str) -> None:
    if not reason.strip():
        raise Refusal(Code.REASON_MISSING, "No reason is given.", "Say why.")
    if len(reason) > TEXT_CHARS_MAX:
        raise Refusal(
            Code.TOO_LONG,
            f"The reason has {len(reason)} characters, more than {TEXT_CHARS_MAX}.",
            "Say it in fewer words.",
        )
