"""A session is reviewed when something happens, and paused while anything waits."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.events import (
    LessonRetired,
    SessionEnded,
    SessionPaused,
    SessionResumed,
    SideEvent,
    SignalReceived,
    SignalType,
    SilenceDetected,
)
from foureyes.core.refusals import Code, Refusal
from foureyes.core.sessions import (
    AGENTS_MAX,
    SILENCE,
    TEXT_CHARS_MAX,
    DetectSilence,
    EndSession,
    PauseSession,
    ReceiveSignal,
    ResumeSession,
    Session,
    SessionCommand,
    SessionFacts,
    Status,
    decide_session,
    evolve_session,
    fold,
    silence_due,
    silent_agents,
    status,
    trigger_of,
)
from foureyes.core.values import CLOCK, Who, WhoKind

T0 = datetime(2026, 1, 16, 14, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
HAL = Who(name="hal", kind=WhoKind.HUMAN)
CLAUDE = Who(name="claude")
NEW = Session(id="s1")
QUIET = SessionFacts()


def done(
    session: Session, command: SessionCommand, actor: Who, at: datetime = T0, facts: SessionFacts = QUIET
) -> Session:
    for event in decide_session(session, command, actor, at, facts):
        session = evolve_session(session, event, at)
    return session


def signal(session: Session, actor: Who = CLAUDE, at: datetime = T0, kind: str = "progress") -> Session:
    return done(session, ReceiveSignal(type=kind, summary="x"), actor, at)


def refused(
    session: Session, command: SessionCommand, actor: Who, now: datetime = T0, facts: SessionFacts = QUIET
) -> Code:
    with pytest.raises(Refusal) as caught:
        decide_session(session, command, actor, now, facts)
    return caught.value.code


@pytest.mark.parametrize(
    ("kind", "actor", "trigger"),
    [
        ("milestone", CLAUDE, "milestone"),
        ("blocker", CLAUDE, "blocker"),
        ("request_review", CLAUDE, "request_review"),
        ("user_manual", HAL, "user_manual"),
        ("progress", CLAUDE, None),
    ],
)
def test_four_signals_trigger_a_review_and_progress_does_not(kind: str, actor: Who, trigger: str | None) -> None:
    """003-01, 003-02, 003-03, 003-04, 003-14."""
    (event,) = decide_session(NEW, ReceiveSignal(type=kind, summary="half done"), actor, T0, QUIET)
    assert event == SignalReceived(session="s1", agent=actor.name, type=SignalType(kind), summary="half done")
    assert trigger_of(event) == trigger


def test_nothing_but_signals_and_silence_triggers_a_review() -> None:
    """003-05, 003-14: no fixed intervals, no other event."""
    assert trigger_of(SilenceDetected(session="s1", since=T0)) == "timeout_fallback"
    assert trigger_of(SessionResumed(session="s1", by="hal", reason="ok")) is None


def test_who_signals_comes_from_the_credential() -> None:
    """S1, T4: a name in the call must be one's own."""
    assert refused(NEW, ReceiveSignal(type="milestone", agent="gemini"), CLAUDE) is Code.NOT_ELIGIBLE
    (event,) = decide_session(NEW, ReceiveSignal(type="milestone", agent="Claude"), CLAUDE, T0, QUIET)
    assert isinstance(event, SignalReceived)
    assert event.agent == "claude"


def test_a_bad_signal_is_refused() -> None:
    """003-04, S18: the types are closed, the manual one is a human's, texts and agents have a limit."""
    assert refused(NEW, ReceiveSignal(type="party"), CLAUDE) is Code.UNKNOWN_WORD
    assert refused(NEW, ReceiveSignal(type="user_manual"), CLAUDE) is Code.HUMAN_ONLY
    long = "x" * (TEXT_CHARS_MAX + 1)
    assert refused(NEW, ReceiveSignal(type="milestone", summary=long), CLAUDE) is Code.TOO_LONG
    full = NEW
    for n in range(AGENTS_MAX):
        full = signal(full, Who(name=f"a{n}"))
    assert refused(full, ReceiveSignal(type="milestone"), CLAUDE) is Code.TOO_MANY
    assert signal(full, Who(name="a0")).agents == full.agents


def test_fifteen_minutes_without_a_word_from_anybody_are_a_silence() -> None:
    """003-05, O5: per session; any event of any agent resets it."""
    session = signal(signal(NEW), Who(name="gemini"), T0 + 10 * MINUTE)
    assert silence_due(session, QUIET) == T0 + 25 * MINUTE
    early = T0 + 25 * MINUTE - timedelta(microseconds=1)
    assert refused(session, DetectSilence(), CLOCK, early) is Code.NOT_DUE
    (event,) = decide_session(session, DetectSilence(), CLOCK, T0 + 25 * MINUTE, QUIET)
    assert event == SilenceDetected(session="s1", since=T0 + 10 * MINUTE)


def test_a_silence_is_noticed_once() -> None:
    """Y22, O5, I29: again only after a new signal or more work."""
    heard = signal(NEW)
    session = done(heard, DetectSilence(), CLOCK, T0 + 15 * MINUTE)
    assert silence_due(session, QUIET) is None
    assert refused(session, DetectSilence(), CLOCK, T0 + 60 * MINUTE) is Code.NOT_DUE
    spoken = signal(session, at=T0 + 20 * MINUTE)
    assert silence_due(spoken, QUIET) == T0 + 35 * MINUTE
    assert silence_due(session, SessionFacts(continued_at=T0 + 18 * MINUTE)) == T0 + 33 * MINUTE


def test_both_continue_rules_reset_the_timer() -> None:
    """003-11, O5: what a review let go on counts as a sign of life."""
    session = signal(NEW)
    assert silence_due(session, SessionFacts(continued_at=T0 + 9 * MINUTE)) == T0 + 24 * MINUTE
    assert silence_due(session, SessionFacts(continued_at=T0 - 9 * MINUTE)) == T0 + 15 * MINUTE
    assert silence_due(session, SessionFacts(silence=timedelta(minutes=5))) == T0 + 5 * MINUTE


def test_a_paused_session_has_no_timer() -> None:
    """O5, Y22: neither when paused by a human nor by a waiting review; after resuming it restarts."""
    session = signal(NEW)
    paused = done(session, PauseSession(reason="lunch"), HAL)
    assert silence_due(paused, QUIET) is None
    assert refused(paused, DetectSilence(), CLOCK, T0 + 60 * MINUTE) is Code.NOT_DUE
    assert silence_due(session, SessionFacts(reviews_waiting=True)) is None
    resumed = done(paused, ResumeSession(reason="back"), HAL, T0 + 60 * MINUTE)
    assert silence_due(resumed, QUIET) == T0 + 75 * MINUTE


def test_a_session_nobody_spoke_in_cannot_fall_silent() -> None:
    """003-05, 003-14."""
    assert silence_due(NEW, QUIET) is None
    assert refused(NEW, DetectSilence(), CLOCK, T0) is Code.NOT_DUE


def test_only_the_clock_notices_silence() -> None:
    """003-05."""
    assert refused(signal(NEW), DetectSilence(), HAL, T0 + 60 * MINUTE) is Code.NOT_THE_CLOCK


def test_a_silent_agent_is_flagged_though_another_talks() -> None:
    """S20, Y22: one chatty agent does not hide the others."""
    session = signal(signal(NEW), Who(name="gemini"), T0 + 14 * MINUTE)
    assert silent_agents(session, T0 + 15 * MINUTE - timedelta(microseconds=1)) == ()
    assert silent_agents(session, T0 + 15 * MINUTE) == ("claude",)
    assert silent_agents(session, T0 + 29 * MINUTE) == ("claude", "gemini")
    assert silent_agents(session, T0 + MINUTE, MINUTE) == ("claude",)


def test_only_a_human_pauses_and_resumes() -> None:
    """Y22: with a reason, and only what is not so already."""
    session = signal(NEW)
    assert refused(session, PauseSession(reason="x"), CLAUDE) is Code.HUMAN_ONLY
    assert refused(session, ResumeSession(reason="x"), CLAUDE) is Code.HUMAN_ONLY
    assert refused(session, PauseSession(reason=" "), HAL) is Code.REASON_MISSING
    assert refused(session, PauseSession(reason="x" * (TEXT_CHARS_MAX + 1)), HAL) is Code.TOO_LONG
    assert refused(session, ResumeSession(reason="x"), HAL) is Code.NOT_OPEN
    (event,) = decide_session(session, PauseSession(reason="stop"), HAL, T0, QUIET)
    assert event == SessionPaused(session="s1", by="hal", reason="stop")
    paused = evolve_session(session, event, T0)
    assert refused(paused, PauseSession(reason="x"), HAL) is Code.DUPLICATE
    assert decide_session(paused, ResumeSession(reason="go"), HAL, T0, QUIET) == (
        SessionResumed(session="s1", by="hal", reason="go"),
    )


def test_one_review_cannot_resume_what_another_or_a_human_paused() -> None:
    """Y22: the status is derived from everything that waits."""
    session = signal(NEW)
    assert status(session, reviews_waiting=False) is Status.RUNNING
    assert status(session, reviews_waiting=True) is Status.PAUSED
    paused = done(session, PauseSession(reason="stop"), HAL)
    assert status(paused, reviews_waiting=False) is Status.PAUSED
    assert status(replace(session, ended=True), reviews_waiting=False) is Status.PAUSED


def test_a_session_is_ended_by_those_with_a_part_in_it() -> None:
    """S20: a stranger cannot switch the watch off; an ended session takes nothing more."""
    session = signal(NEW)
    assert refused(session, EndSession(reason="x"), Who(name="eve")) is Code.NOT_ELIGIBLE
    assert refused(session, EndSession(reason=" "), CLAUDE) is Code.REASON_MISSING
    service = Who(name="orchestrator", kind=WhoKind.SERVICE)
    assert refused(session, EndSession(reason="x"), service) is Code.NOT_ELIGIBLE
    session = done(session, ReceiveSignal(type="progress"), service)
    for actor in (CLAUDE, HAL, service):
        (event,) = decide_session(session, EndSession(reason="done"), actor, T0, QUIET)
        assert event == SessionEnded(session="s1", by=actor.name, reason="done")
    ended = done(session, EndSession(reason="done"), CLAUDE)
    assert refused(ended, ReceiveSignal(type="milestone"), CLAUDE) is Code.NOT_OPEN
    assert refused(ended, DetectSilence(), CLOCK, T0 + 60 * MINUTE) is Code.NOT_OPEN


def test_the_fold_knows_its_own_events_only() -> None:
    """I21: the state is what the events made it."""
    said = SignalReceived(session="s1", agent="claude", type=SignalType.PROGRESS, summary="")
    other = LessonRetired(lesson="l", scope="s", by="hal", reason="r")
    expected = Session(id="s1", agents=(("claude", T0 + MINUTE),), last_signal_at=T0 + MINUTE)
    assert fold("s1", [(said, T0), (other, T0), (said, T0 + MINUTE)]) == expected


STEPS = st.lists(
    st.tuples(st.integers(0, 20), st.sampled_from(["signal", "clock", "pause", "resume"])), min_size=1, max_size=30
)


@given(steps=STEPS)
def test_a_silence_fires_once_and_only_after_a_quarter_of_an_hour_unpaused(steps: list[tuple[int, str]]) -> None:
    """003-05, O5, Y22, I29: whatever happens in between."""
    commands: dict[str, tuple[SessionCommand, Who]] = {
        "signal": (ReceiveSignal(type="progress"), CLAUDE),
        "clock": (DetectSilence(), CLOCK),
        "pause": (PauseSession(reason="x"), HAL),
        "resume": (ResumeSession(reason="x"), HAL),
    }
    session, now, last, fired, paused = signal(NEW), T0, T0, False, False
    for minutes, name in steps:
        now += minutes * MINUTE
        command, actor = commands[name]
        silent = not paused and not fired and now - last >= SILENCE
        expected = {"signal": True, "clock": silent, "pause": not paused, "resume": paused}[name]
        events: tuple[SideEvent, ...] = ()
        try:
            events = decide_session(session, command, actor, now, QUIET)
        except Refusal:
            assert not expected
            continue
        assert expected
        session = evolve_session(session, events[0], now)
        if name in {"signal", "resume"}:
            last, fired = now, False
        paused = {"pause": True, "resume": False}.get(name, paused)
        fired = fired or name == "clock"
