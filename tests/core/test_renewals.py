"""Renewals: the holder of a seat keeps it by them, requested or volunteered, until the lease or the total time ends."""

from datetime import timedelta

from foureyes.core import commands as c
from foureyes.core.events import FindingRaised, ReportSubmitted, SeatLeft, SeatRenewed
from foureyes.core.refusals import Code
from foureyes.core.values import LeftBecause
from tests.cast import ANN, CHECKED, EVE, finding
from tests.core.test_volunteers import begun, joined

LEASE = timedelta(minutes=60)


def test_a_volunteer_keeps_the_seat_by_signs_of_life() -> None:
    """A lease that runs is renewed, though nothing is asked of who came unasked."""
    play = begun()
    seat = joined(play, EVE)
    for _ in range(3):
        play.wait(minutes=50)
        play.do(EVE, c.RenewSeat(seat=seat, draft="so far"))
        assert play.last(SeatRenewed) == SeatRenewed(seat=seat, lease=play.now + LEASE, draft="so far")
    play.report(EVE, evidence=CHECKED)
    assert play.last(ReportSubmitted).seat == seat
    assert play.refused(EVE, c.RenewSeat(seat=seat)) is Code.LEASE_ENDED


def test_a_volunteer_whose_lease_ended_takes_the_seat_again() -> None:
    """Like every holder: the lease cannot be renewed any more, but the same seat can be taken again."""
    play = begun()
    seat = joined(play, EVE)
    assert play.refused(EVE, c.TakeSeat(stage="resolve")) is Code.DUPLICATE
    play.wait(minutes=61)
    assert play.refused(EVE, c.RenewSeat(seat=seat)) is Code.LEASE_ENDED
    assert joined(play, EVE) == seat
    play.report(EVE, evidence=CHECKED)
    assert play.last(ReportSubmitted).seat == seat


def test_a_volunteers_report_after_the_lease_is_kept_as_late() -> None:
    """As everybody's: advice, and no report."""
    play = begun()
    seat = joined(play, EVE)
    play.wait(minutes=61)
    play.report(EVE, findings=(finding("no cause"),))
    assert play.count(ReportSubmitted) == 0
    assert play.review.findings[play.last(FindingRaised).finding].is_advisory
    assert play.last(SeatLeft) == SeatLeft(seat=seat, reviewer="eve", reason=LeftBecause.TIMED_OUT)


def test_nobody_who_was_asked_renews_beyond_the_time_it_may_take_in_all() -> None:
    """I26: the limit of what is asked for ends the signs of life."""
    play = begun()
    request = play.review.report_request("resolve.1")
    assert request is not None
    while play.now + timedelta(minutes=50) < request.limit:
        play.wait(minutes=50)
        play.do(ANN, c.RenewSeat(seat="resolve.1"))
    play.now = request.limit
    assert play.refused(ANN, c.RenewSeat(seat="resolve.1")) is Code.LEASE_ENDED
