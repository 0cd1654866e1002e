"""What the simulator found in the core: each sequence of commands once broke an invariant."""

from dataclasses import replace
from datetime import timedelta

from foureyes.core import commands as c
from foureyes.core.events import ReportRequested, RevisionSubmitted, StagesSkipped
from foureyes.core.facts import PolicyInForce, Risk
from foureyes.core.rules import PathRule
from foureyes.core.values import Outcome, RiskLevel, WorkPart
from tests.cast import ANN, CODEX, DEV, FULL_DEFAULT, GEMINI, HUGO, RULES, Play, finding

TRIVIAL = Risk(level=RiskLevel.LOW, trivial=True)


def test_a_skip_must_be_allowed_by_a_policy_set_above_too() -> None:
    """Y20, I10: both policies must pass; the stricter one skips nothing."""
    play = Play()
    play.open("fix_typo")
    stricter = replace(RULES, digest="rules-2", skips=())
    play.know(risk=TRIVIAL, policy=PolicyInForce(digest="rules-2", applies_in_flight=True, rules=stricter))
    play.revise("d2")
    assert play.count(StagesSkipped) == 0
    assert play.review.outcome is None


def test_a_skip_both_policies_allow_is_one() -> None:
    play = Play()
    play.open("fix_typo")
    stricter = replace(RULES, digest="rules-2")
    play.know(risk=TRIVIAL, policy=PolicyInForce(digest="rules-2", applies_in_flight=True, rules=stricter))
    play.revise("d2")
    assert play.review.outcome is Outcome.CLEARED


def test_the_clock_never_gives_the_last_word_that_clears() -> None:
    """I8: the reviewer approved while a human was asked; the human's silence does not let the work through."""
    play = Play()
    play.open("api_endpoint_change")
    seat = play.last(ReportRequested).seat
    assert seat.reviewer is not None
    play.do(DEV, c.RequestRuling(reason="we need a human"))
    play.report(seat.reviewer, seat=seat.id, verdict="approve", confidence=95, checklist=FULL_DEFAULT)
    ruling = play.review.ruling()
    assert ruling is not None
    play.wait_out(ruling.id)
    assert play.review.outcome is None
    assert play.review.revision_request() is not None


def test_a_clarification_has_the_parts_of_the_bytes_it_is_about() -> None:
    """I11, Y19: leaving the parts out of a clarification does not hide what the paths demand."""
    rules = replace(RULES, paths=(PathRule(pattern="auth/**", kind="security_change"),))
    play = Play(rules)
    play.open("milestone", parts=(WorkPart(name="auth/login.py", digest="p1"),))
    for reviewer in (CODEX, GEMINI):
        play.report(reviewer, verdict="concerns", findings=(finding(f"{reviewer.name} does not see why"),))
    play.revise("d1", note="this is why")
    assert [one.name for one in play.last(RevisionSubmitted).parts] == ["auth/login.py"]


def test_a_lease_that_is_over_does_not_outlive_a_reopening() -> None:
    """I26: whoever is asked anew has the time of the new request, not a lease of long ago."""
    play = Play()
    play.open()
    play.do(ANN, c.TakeSeat(seat="resolve.1"))
    play.do(DEV, c.WithdrawReview(reason="not now"))
    play.wait(hours=5)
    play.do(HUGO, c.ReopenReview(reason="now", undoes=Outcome.WITHDRAWN))
    seat, request = play.review.seats["resolve.1"], play.review.requests["resolve.1"]
    assert seat.reviewer == ANN
    assert seat.lease is None
    assert request.due > play.now


def test_a_lease_that_lasts_stays_when_its_seat_is_asked() -> None:
    """Somebody who began before they were asked goes on."""
    play = Play()
    play.open()
    play.do(ANN, c.TakeSeat(seat="resolve.1", lease=timedelta(hours=1)))
    play.do(DEV, c.WithdrawReview(reason="not now"))
    play.do(HUGO, c.ReopenReview(reason="now", undoes=Outcome.WITHDRAWN))
    assert play.review.seats["resolve.1"].lease is not None
