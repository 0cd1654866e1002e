"""Reassignment, tie-breaks and removed accounts: who is asked next, and for how many reviews at once (U-14)."""

from dataclasses import replace

import pytest

from foureyes.core import commands as c
from foureyes.core.answers.settling import TIE_BROKEN
from foureyes.core.events import FindingResolved, ReportRequested, ReviewCleared, RulingRequested, SeatLeft
from foureyes.core.facts import Facts, Load, Principal
from foureyes.core.refusals import Code
from foureyes.core.values import CLOCK, LeftBecause, Outcome
from tests.cast import ARCHITECT, AUDITOR, FULL, POOL, TESTER, Play, finding


def without(name: str) -> tuple[Principal, ...]:
    """The pool after an account was removed."""
    return tuple(replace(one, removed=True, available=False) if one.who.name == name else one for one in POOL)


def gap(*severities: str) -> Play:
    """A sure author, and an unsure auditor with findings."""
    play = Play()
    play.open("create_core", confidence=95)
    found = tuple(finding(f"thing {number}", severity) for number, severity in enumerate(severities))
    play.report(AUDITOR, verdict="concerns", checklist=FULL, confidence=50, findings=found, summary="Not sure")
    return play


def test_an_approving_tie_break_settles_the_reviewers_findings() -> None:
    """U-14, Y17: they pass to its holder, and the stage is settled once."""
    play = gap("important", "minor")
    play.report(ARCHITECT, seat="peer.tie", verdict="approve", checklist=FULL, confidence=95)
    settled = [one for one in play.log if isinstance(one, FindingResolved)]
    assert [(one.finding, one.by, one.note) for one in settled] == [
        ("peer.1-F1", "architect", TIE_BROKEN),
        ("peer.1-F2", "architect", TIE_BROKEN),
    ]
    assert (play.review.outcome, play.last(ReviewCleared).flags) == (Outcome.CLEARED, ("tie-break",))


def test_a_critical_finding_is_left_to_a_human() -> None:
    """U-14: the tie-break settles the rest, and a human is asked about that one."""
    play = gap("critical", "important")
    play.report(ARCHITECT, seat="peer.tie", verdict="approve", checklist=FULL, confidence=95)
    ruling = play.last(RulingRequested)
    assert (ruling.reason, ruling.findings, play.review.outcome) == ("Resolved", ("peer.1-F1",), None)
    assert play.review.findings["peer.1-F2"].is_settled
    assert play.count(ReviewCleared) == 0


def test_a_tie_break_that_does_not_approve_settles_nothing() -> None:
    """U-14, B24: a human is asked."""
    play = gap("important")
    play.report(ARCHITECT, seat="peer.tie", verdict="concerns", checklist=FULL, confidence=90, findings=(finding("x"),))
    assert play.last(RulingRequested).reason == "ConfidenceGap"
    assert play.count(FindingResolved) == 0


@pytest.mark.parametrize(("load", "queued", "who"), [(Load(), False, TESTER), (Load(active=3), True, TESTER)])
def test_a_removed_reviewers_seat_is_free_at_once_and_the_next_is_not_overloaded(
    load: Load, queued: bool, who: object
) -> None:
    """U-14: long before the request is due; who has three at hand gets it in the queue."""
    play = Play()
    play.open("create_core")
    assert play.refused(CLOCK, c.PassDeadline(request="peer.1")) is Code.NOT_DUE
    play.know(pool=without("auditor"), load={"tester": load})
    play.do(CLOCK, c.PassDeadline(request="peer.1"))
    assert play.last(SeatLeft).reason is LeftBecause.REMOVED
    asked = play.last(ReportRequested)
    assert (asked.seat.reviewer, asked.queued) == (who, queued)


def test_with_three_at_hand_and_five_queued_nobody_is_asked() -> None:
    """U-14: the seat waits for the first free reviewer."""
    play = Play()
    play.open("create_core")
    play.know(pool=without("auditor"), load={"tester": Load(active=3, queued=5)})
    play.do(CLOCK, c.PassDeadline(request="peer.1"))
    asked = play.last(ReportRequested)
    assert (asked.seat.reviewer, asked.queued) == (None, True)


def test_a_removed_reviewer_is_not_asked_for_the_next_version() -> None:
    """U-14: also where nothing was owed when the account was removed."""
    play = Play(facts=Facts(pool=POOL))
    play.open("create_core")
    play.report(AUDITOR, verdict="concerns", checklist=FULL, confidence=90, findings=(finding("a gap"),))
    play.know(pool=without("auditor"))
    play.revise("d2")
    assert play.last(ReportRequested).seat.reviewer == TESTER


def test_nobody_says_of_themselves_that_they_were_removed() -> None:
    """U-14: the word is the server's."""
    play = Play()
    play.open("create_core")
    play.do(AUDITOR, c.TakeSeat(seat="peer.1"))
    assert play.refused(AUDITOR, c.LeaveSeat(seat="peer.1", reason="removed")) is Code.UNKNOWN_WORD
