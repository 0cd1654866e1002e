"""Seed 003: what starts a review of agents at work, and what continues or stops their session."""

from datetime import datetime, timedelta

import pytest

from foureyes.core import commands, sessions
from foureyes.core.events import ReviewCleared, SideEvent, SignalReceived, SilenceDetected
from foureyes.core.refusals import Code, Refusal
from foureyes.core.sessions import (
    DetectSilence,
    EndSession,
    PauseSession,
    ReceiveSignal,
    ResumeSession,
    SessionFacts,
    Status,
    decide_session,
    silence_due,
    status,
    trigger_of,
)
from foureyes.core.values import CLOCK, Origin, Outcome, Who
from tests.cast import CODEX, DEV, GEMINI, HUGO, START, Play
from tests.seeds.chain_play import asked

OTHER = Who(name="other", session="s-other")


class Team:
    """A session of agents and the review its last trigger started."""

    def __init__(self) -> None:
        self.events: list[tuple[SideEvent, datetime]] = []
        self.play: Play | None = None
        self.now = START
        self.continued_at: datetime | None = None

    @property
    def session(self) -> sessions.Session:
        return sessions.fold("s1", self.events)

    @property
    def facts(self) -> SessionFacts:
        return SessionFacts(reviews_waiting=self._waiting(), continued_at=self.continued_at)

    @property
    def status(self) -> Status:
        return status(self.session, reviews_waiting=self._waiting())

    def do(self, actor: Who, command: sessions.SessionCommand) -> str | None:
        """Run a session command; a trigger opens a review of the session's work."""
        (event,) = decide_session(self.session, command, actor, self.now, self.facts)
        self.events.append((event, self.now))
        found = trigger_of(event)
        if found is not None:
            self.play = Play()
            self.play.open("milestone", trigger=found, origin=Origin(session="s1", targets=("dev", "other")))
        return found

    def refused(self, actor: Who, command: sessions.SessionCommand) -> Code:
        with pytest.raises(Refusal) as caught:
            decide_session(self.session, command, actor, self.now, self.facts)
        return caught.value.code

    def wait(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    def report(self, who: Who, verdict: str) -> None:
        assert self.play is not None
        self.play.now = self.now
        self.play.report(who, verdict=verdict, summary=f"{verdict} by {who.name}")
        if any(isinstance(one, ReviewCleared) for one in self.play.log):
            self.continued_at = self.now

    def _waiting(self) -> bool:
        if self.play is None:
            return False
        owed = self.play.review.revision_request()
        return self.play.review.ruling() is not None or (owed is not None and owed.clarify)


def test_a_milestone_starts_a_review() -> None:
    """003-01: the review names what started it, and the session's other agents are asked to look."""
    team = Team()
    assert team.do(DEV, ReceiveSignal(type="milestone", summary="auth is done")) == "milestone"
    assert team.play is not None
    assert (team.play.review.trigger, sorted(asked(team.play))) == ("milestone", ["codex", "gemini"])
    assert isinstance(team.events[0][0], SignalReceived)


def test_a_blocker_starts_a_review() -> None:
    """003-02: an agent that is stuck is looked at."""
    team = Team()
    assert team.do(DEV, ReceiveSignal(type="blocker", summary="the schema contradicts itself")) == "blocker"
    assert team.play is not None
    assert team.play.review.trigger == "blocker"


def test_a_request_starts_a_review() -> None:
    """003-03: an agent asks for feedback."""
    team = Team()
    assert team.do(DEV, ReceiveSignal(type="request_review", summary="is this right?")) == "request_review"
    assert team.play is not None
    assert team.play.review.trigger == "request_review"


def test_fifteen_silent_minutes_start_a_review() -> None:
    """003-05: from any agent; a second earlier nothing happens, and one silence starts one review."""
    team = Team()
    team.do(DEV, ReceiveSignal(type="progress"))
    team.wait(10)
    team.do(OTHER, ReceiveSignal(type="progress"))
    team.wait(14)
    assert team.refused(CLOCK, DetectSilence()) is Code.NOT_DUE
    team.wait(1)
    assert team.refused(DEV, DetectSilence()) is Code.NOT_THE_CLOCK
    assert team.do(CLOCK, DetectSilence()) == "timeout_fallback"
    assert team.play is not None
    assert team.play.review.trigger == "timeout_fallback"
    team.wait(600)
    assert team.refused(CLOCK, DetectSilence()) is Code.NOT_DUE


def test_nothing_else_starts_a_review() -> None:
    """003-14: progress, pausing, resuming and ending do not, and the only timer there is needs a silence."""
    team = Team()
    assert team.do(DEV, ReceiveSignal(type="progress")) is None
    assert team.do(HUGO, PauseSession(reason="lunch")) is None
    assert team.do(HUGO, ResumeSession(reason="back")) is None
    for _ in range(20):
        team.wait(14)
        assert team.refused(CLOCK, DetectSilence()) is Code.NOT_DUE
        assert team.do(DEV, ReceiveSignal(type="progress")) is None
    assert team.do(DEV, EndSession(reason="done")) is None
    team.wait(60)
    assert team.refused(CLOCK, DetectSilence()) is Code.NOT_OPEN
    assert team.play is None


def test_a_continue_starts_the_timer_again() -> None:
    """003-11, O5: all approved at minute 10, so the silence counts from there."""
    team = Team()
    team.do(DEV, ReceiveSignal(type="milestone"))
    team.wait(10)
    team.report(CODEX, "approve")
    assert silence_due(team.session, team.facts) == START + timedelta(minutes=15)
    team.report(GEMINI, "approve")
    assert team.play is not None
    assert (team.play.review.outcome, team.status) == (Outcome.CLEARED, Status.RUNNING)
    assert silence_due(team.session, team.facts) == START + timedelta(minutes=25)


@pytest.mark.parametrize(("first", "second"), [("reject", "approve"), ("concerns", "concerns")])
def test_a_paused_session_has_no_timer(first: str, second: str) -> None:
    """O5, 003-08, 003-09: a blocker or two concerns pause it; nobody is expected to speak meanwhile."""
    team = Team()
    team.do(DEV, ReceiveSignal(type="milestone"))
    team.report(CODEX, first)
    team.report(GEMINI, second)
    assert (team.status, silence_due(team.session, team.facts)) == (Status.PAUSED, None)
    team.wait(60)
    assert team.refused(CLOCK, DetectSilence()) is Code.NOT_DUE


def test_one_concern_leaves_the_session_running_with_its_timer() -> None:
    """O5, 003-10, O4: RUNNING is for the work; going live still waits."""
    team = Team()
    team.do(DEV, ReceiveSignal(type="milestone"))
    team.report(CODEX, "approve")
    team.report(GEMINI, "concerns")
    assert (team.status, team.continued_at) == (Status.RUNNING, None)
    assert silence_due(team.session, team.facts) == START + timedelta(minutes=15)


def test_any_signal_of_any_agent_resets_the_silence() -> None:
    """O5: the timer is the session's, not an agent's."""
    team = Team()
    team.do(DEV, ReceiveSignal(type="progress"))
    for minutes in (5, 9, 14):
        team.wait(minutes)
        team.do(OTHER, ReceiveSignal(type="progress"))
        assert silence_due(team.session, team.facts) == team.now + timedelta(minutes=15)
    assert not any(isinstance(event, SilenceDetected) for event, _ in team.events)


def test_a_session_waits_for_the_human_and_goes_on_after_the_word() -> None:
    """003-08: STOP waits for a manual override; then it runs again."""
    team = Team()
    team.do(DEV, ReceiveSignal(type="milestone"))
    team.report(CODEX, "reject")
    assert team.play is not None
    pending = team.play.review.ruling()
    assert pending is not None
    team.play.do(HUGO, commands.GiveRuling(request=pending.id, option="as_is", reason="I checked it myself"))
    assert team.status is Status.RUNNING


def test_an_unanswered_review_pauses_its_session() -> None:
    """O1, O2: after the reviewers' time is up a human is asked, and until then the session does not go on by itself."""
    team = Team()
    team.do(DEV, ReceiveSignal(type="milestone"))
    assert team.play is not None
    for _ in range(8):
        if team.status is Status.PAUSED:
            break
        team.play.wait_out(min(team.play.review.requests.values(), key=lambda one: one.due).id)
    assert (team.status, team.play.review.outcome) == (Status.PAUSED, None)
