"""Seed 001: busy, late, silent and crashed reviewers, silent authors, and policies that change during a review."""

from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.core import commands, protocols
from foureyes.core.events import (
    DeadlinePassed,
    FindingRaised,
    PolicyNoted,
    ReportRequested,
    ReviewCleared,
    RevisionRequested,
    SeatLeft,
)
from foureyes.core.facts import Facts, Load, PolicyInForce
from foureyes.core.gates import Mode, Standards
from foureyes.core.peer_data import CRITERIA, DEFAULT_CRITERIA
from foureyes.core.refusals import Code
from foureyes.core.rules import Rules
from foureyes.core.values import LeftBecause, Outcome, Step
from tests.cast import AUDITOR, DEV, FULL, HUGO, POOL, TESTER, Play, finding, rules_with
from tests.seeds.peer_play import (
    approve,
    ask_changes,
    decided,
    opened,
    outcome,
    request,
    reviewer,
    ruling,
)

BUSY, FULL_UP = Load(active=3), Load(active=3, queued=5)


def loaded(auditor: Load, tester: Load = Load()) -> Play:  # noqa: B008 - a frozen value
    return opened(facts=Facts(pool=POOL, load={"auditor": auditor, "tester": tester}))


@pytest.mark.parametrize(("active", "who"), [(2, "auditor"), (3, "tester"), (4, "tester")])
def test_a_reviewer_is_busy_from_three_active_reviews_on(active: int, who: str) -> None:
    """B16, 001-68: 2 is free, 3 and the seed's 4 are busy, and the backup is asked."""
    play = loaded(Load(active=active))
    assert (reviewer(play), request(play).queued) == (who, False)


def test_with_both_busy_the_work_waits_a_quarter_of_an_hour_then_a_human_is_asked() -> None:
    """001-68, B18: queued for 15 minutes, unassigned work is then a human's matter."""
    play = loaded(BUSY, BUSY)
    assert (request(play).queued, request(play).due - play.now) == (True, timedelta(minutes=15))
    assert play.review.ruling() is None
    play.wait_out("peer.1")
    assert ruling(play).reason == "nobody_free"
    assert play.count(ReviewCleared) == 0


def test_a_reviewer_who_becomes_free_in_time_takes_the_waiting_work() -> None:
    """001-68: the backup as well as the primary; the wait is then over."""
    play = loaded(BUSY, BUSY)
    play.wait(minutes=10)
    play.do(TESTER, commands.TakeSeat(seat="peer.1"))
    assert (reviewer(play), play.review.report_request("peer.1").queued) == ("tester", False)  # type: ignore[union-attr]
    approve(play, TESTER)
    assert outcome(play) is Outcome.CLEARED


def test_a_request_beyond_the_queue_is_accepted_waits_unassigned_and_is_given_out_later() -> None:
    """B17: five are queued with each already; the sixth waits without a reviewer, and goes to the first free one."""
    play = loaded(FULL_UP, FULL_UP)
    assert (outcome(play), reviewer(play), request(play).queued) == (None, "", True)
    assert "peer.1" in play.review.requests
    play.know(load={"auditor": BUSY, "tester": Load(active=2)})
    play.do(DEV, commands.AddNote(text="Still waiting"))
    assert (reviewer(play), request(play).queued) == ("tester", False)


def test_the_queue_holds_five_per_reviewer() -> None:
    """B17: with four queued the fifth is theirs; with five it is nobody's yet."""
    held = loaded(Load(active=3, queued=4), FULL_UP)
    assert (reviewer(held), request(held).queued) == ("auditor", True)
    beyond = loaded(FULL_UP, FULL_UP)
    assert (reviewer(beyond), request(beyond).queued) == ("", True)


def test_ten_requests_at_once_are_all_taken() -> None:
    """B17: the seed's own load: nobody is free after a while, and none of the ten is dropped."""
    load = {"auditor": Load(), "tester": Load()}
    waiting = 0
    for _ in range(10):
        play = opened(facts=Facts(pool=POOL, load=dict(load)))
        assert "peer.1" in play.review.requests
        name, queued = reviewer(play), request(play).queued
        waiting += not name
        if name:
            old = load[name]
            load[name] = Load(active=old.active + (not queued), queued=old.queued + queued)
    assert (load["auditor"], load["tester"], waiting) == (Load(active=3, queued=4), Load(active=3), 0)


def test_a_review_not_begun_is_reminded_of_and_then_given_to_the_backup() -> None:
    """001-72, B18: 30 minutes, a reminder, 15 more, then the backup; both steps are on the record."""
    play = opened()
    start = play.now
    assert play.refused(AUDITOR, commands.PassDeadline(request="peer.1")) is Code.NOT_THE_CLOCK
    play.wait_out("peer.1")
    assert (play.now - start, play.last(DeadlinePassed).step) == (timedelta(minutes=30), Step.REMINDED)
    assert reviewer(play) == "auditor"
    play.wait_out("peer.1")
    assert (play.now - start, play.last(DeadlinePassed).step) == (timedelta(minutes=45), Step.REASSIGNED)
    left = play.last(SeatLeft)
    assert (left.reviewer, left.reason, reviewer(play)) == ("auditor", LeftBecause.TIMED_OUT, "tester")
    approve(play, TESTER)
    assert outcome(play) is Outcome.CLEARED


def test_a_backup_who_does_not_begin_either_leaves_it_to_a_human() -> None:
    """001-72: reviewers are asked once each, not in circles."""
    play = opened()
    for _ in range(4):
        play.wait_out("peer.1")
    assert ruling(play).reason == "nobody_can_hold"


def test_a_reviewer_silent_for_an_hour_is_replaced_by_the_backup_who_gets_the_draft() -> None:
    """001-78, B18: no sign of life for 60 minutes after the start; what was written so far is kept on the seat."""
    play = opened()
    play.do(AUDITOR, commands.TakeSeat(seat="peer.1"))
    play.wait(minutes=20)
    play.do(AUDITOR, commands.RenewSeat(seat="peer.1", draft="The parser looks right, the tests are missing"))
    seen = play.now
    play.wait_out("peer.1")
    assert play.now - seen == timedelta(minutes=60)
    assert (play.last(SeatLeft).reason, reviewer(play)) == (LeftBecause.CRASHED, "tester")
    assert play.review.seats["peer.1"].draft == "The parser looks right, the tests are missing"
    approve(play, TESTER)
    assert outcome(play) is Outcome.CLEARED


def test_a_sign_of_life_resets_the_hour_but_never_the_two_hours() -> None:
    """B18: silent 60 (renewal resets it), total 120 minutes to a human."""
    play = opened()
    start = play.now
    play.do(AUDITOR, commands.TakeSeat(seat="peer.1"))
    for _ in range(2):
        play.wait(minutes=59)
        play.do(AUDITOR, commands.RenewSeat(seat="peer.1"))
        assert reviewer(play) == "auditor"
    play.wait_out("peer.1")
    assert (play.now - start, ruling(play).reason) == (timedelta(minutes=120), "too_long")


def test_a_report_of_the_replaced_reviewer_is_advice_and_no_report() -> None:
    """001-78: a late answer of the replaced reviewer clears nothing."""
    play = opened()
    play.do(AUDITOR, commands.TakeSeat(seat="peer.1"))
    play.wait_out("peer.1")
    late = play.a_report(seat="peer.1", verdict="approve", checklist=FULL, confidence=95)
    assert play.refused(AUDITOR, late) is Code.LEASE_ENDED
    play.report(AUDITOR, seat="peer.1", verdict="concerns", confidence=70, findings=(finding("A race"),))
    assert play.last(FindingRaised).advisory
    assert (reviewer(play), outcome(play)) == ("tester", None)


def test_an_author_silent_for_a_day_after_a_result_is_a_humans_matter() -> None:
    """001-69: the result is stored, the author has 24 hours, then a human is asked; nobody decides by the clock."""
    play = opened()
    ask_changes(play)
    wish = play.last(RevisionRequested)
    assert wish.due - play.now == timedelta(hours=24)
    play.wait_out("revision")
    assert (ruling(play).reason, play.review.reports["peer.1", 1].summary) == ("author_silent", "Errors are swallowed")
    decided(play, "as_reviewed")
    play.revise("d2", note="Sorry, I was away")
    approve(play)
    assert outcome(play) is Outcome.CLEARED


def test_an_author_who_stays_silent_after_the_clock_sent_it_back_ends_on_the_shelf() -> None:
    """001-69, 001-63: 24 hours, 48 hours, 24 hours, and the work is shelved, never cleared."""
    play = opened()
    ask_changes(play)
    start = play.now
    play.wait_out("revision")
    play.wait_out(ruling(play).id)
    play.wait_out("revision")
    assert (outcome(play), play.now - start) == (Outcome.SHELVED, timedelta(hours=96))
    assert play.count(ReviewCleared) == 0


def test_a_policy_changed_under_way_is_noted_once_and_the_review_ends_by_its_own_rules() -> None:
    """001-74: the criteria of the day it was opened hold, although the new policy would have refused the approval."""
    play = opened(rules=rules_with(protocols.peer(mode=Mode.ADVISORY)))
    other = PolicyInForce(digest="rules-2", rules=rules_with(digest="rules-2"))
    play.know(policy=other)
    play.do(AUDITOR, commands.TakeSeat(seat="peer.1"))
    assert (play.last(PolicyNoted).digest, play.last(PolicyNoted).stricter) == ("rules-2", False)
    approve(play, checklist=())
    assert (outcome(play), play.count(PolicyNoted)) == (Outcome.CLEARED, 1)


def surer() -> Rules:
    """The usual rules under another digest, with a confidence of 97 instead of 80 in the peer style."""
    shipped = protocols.peer()
    standards = Standards(criteria=CRITERIA, default=DEFAULT_CRITERIA, confidence_min=97)
    stage = replace(shipped.stages[0], gates=(standards, *shipped.stages[0].gates[1:]))
    return rules_with(replace(shipped, stages=(stage,)), digest="rules-2")


def test_a_policy_a_human_put_into_force_for_open_reviews_must_be_met_too() -> None:
    """001-74: where the change is significant both policies must pass, so the work is looked at again."""
    play = opened()
    play.know(policy=PolicyInForce(digest="rules-2", applies_in_flight=True, rules=surer()))
    play.do(HUGO, commands.AddNote(text="The new policy holds for this one too"))
    assert play.last(PolicyNoted).stricter
    approve(play, confidence=95)
    assert play.last(RevisionRequested).reasons == ("confidence 95 is below 97",)
    assert outcome(play) is None
    play.revise("d2")
    approve(play, confidence=97)
    assert outcome(play) is Outcome.CLEARED


def test_the_same_report_clears_where_the_new_policy_does_not_reach_open_reviews() -> None:
    """001-74: grandfathered: without a human's word for it, the stricter standard is not asked."""
    play = opened()
    play.know(policy=PolicyInForce(digest="rules-2", rules=surer()))
    approve(play, confidence=95)
    assert (outcome(play), play.count(PolicyNoted)) == (Outcome.CLEARED, 1)


def test_the_four_timers_have_the_seeds_numbers() -> None:
    """B18: unassigned 15, unstarted 30 and 15, silent 60, total 120 minutes; a timer never clears anything."""
    times = protocols.peer().stages[0].options.times
    minutes = (times.unassigned, times.unstarted, times.reassign, times.silent, times.total)
    assert minutes == tuple(timedelta(minutes=number) for number in (15, 30, 15, 60, 120))
    play = opened()
    asked = play.last(ReportRequested)
    assert (asked.due - play.now, asked.limit - play.now) == (timedelta(minutes=30), timedelta(minutes=120))
