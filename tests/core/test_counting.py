"""What counts and what lapses: rulings, attempts, unreviewed work, track records."""

from __future__ import annotations

from dataclasses import replace

from foureyes.core import commands as c
from foureyes.core.events import RequestLapsed, ReviewReopened, RevisionSubmitted, RulingRequested
from foureyes.core.gates import Quorum, Resolved
from foureyes.core.refusals import Code
from foureyes.core.rules import SeatRule
from foureyes.core.values import Effect, Outcome
from foureyes.core.views import owes_report
from tests.cast import ANN, AUDITOR, BOB, CHECKED, CODEX, DEV, FULL, HARDIN, HUGO, SELDON, TESTER, Play, finding
from tests.seeds.shaped import is_cleared, protocol, shaped, stage


def disputed() -> Play:
    """A play in which a minor finding was reopened until a human is asked."""
    play = Play()
    play.open("story")
    play.report(ANN, findings=(finding("a gap", "minor"),))
    play.report(BOB, evidence=CHECKED)
    for _ in range(3):
        play.do(DEV, c.AnswerFinding(finding="resolve.1-F1", text="it is not"))
        play.do(ANN, c.SettleFinding(finding="resolve.1-F1", revision=1, resolved=False, note="it is"))
    assert play.review.ruling() is not None
    return play


def test_a_ruling_lapses_when_the_raiser_gives_in() -> None:
    """U-12: every requirement is met, so the review goes on and says why."""
    play = disputed()
    play.do(ANN, c.SettleFinding(finding="resolve.1-F1", revision=1, resolved=True, note="I see it now"))
    assert play.last(RequestLapsed).reason == "what a human was asked about is settled"
    assert is_cleared(play)


def test_a_ruling_stands_while_the_raiser_stays() -> None:
    """U-12: an answer of the author alone changes nothing about what a human is asked."""
    play = disputed()
    play.do(DEV, c.AnswerFinding(finding="resolve.1-F1", text="once more"))
    assert play.review.ruling() is not None
    assert play.count(RequestLapsed) == 0


def test_what_somebody_asked_of_a_human_is_answered_by_a_human() -> None:
    """U-12: a question put to a human does not lapse, although everything passes."""
    play = Play()
    play.open("story")
    play.report(ANN, evidence=CHECKED)
    play.do(DEV, c.RequestRuling(reason="is this wanted at all"))
    play.report(BOB, evidence=CHECKED)
    assert play.review.ruling() is not None
    assert play.review.outcome is None


def silent_author() -> Play:
    """A play in which the author gave no answer in time."""
    play = Play()
    play.open("story")
    play.report(ANN, findings=(finding("a gap"),))
    play.report(BOB, evidence=CHECKED)
    play.wait_out("revision")
    assert play.last(RulingRequested).reason == "author_silent"
    return play


def test_the_question_about_a_silent_author_lapses_when_the_answer_is_confirmed() -> None:
    """U-12: the author came back, and the reviewer is content."""
    play = silent_author()
    play.do(DEV, c.AnswerFinding(finding="resolve.1-F1", text="it is closed"))
    assert play.review.ruling() is not None
    play.do(ANN, c.SettleFinding(finding="resolve.1-F1", revision=1, resolved=True, note="so it is"))
    assert is_cleared(play)


def test_the_question_about_a_silent_author_lapses_when_a_new_version_comes() -> None:
    """U-12: an author who is back is not made to wait for the human who was asked in their absence."""
    play = silent_author()
    play.revise("d2")
    assert play.last(RequestLapsed).reason == "the author is back with a new version"
    assert play.review.digest == "d2"
    assert play.last(RevisionSubmitted).prompted


def security() -> Play:
    play = Play()
    play.open("security_step")
    return play


def test_a_version_that_nobody_judged_uses_up_no_attempt() -> None:
    """U-13: quick resubmissions while a layer has not judged leave the retries as they are."""
    play = security()
    for number in (2, 3, 4, 5):
        play.revise(f"d{number}")
    assert (play.review.resubmissions, play.review.retries) == (4, 0)
    assert play.review.ruling() is None
    play.report(SELDON, verdict="approve")
    play.report(HARDIN, verdict="reject", summary="a key in the code", findings=(finding("a key"),))
    play.revise("d6")
    assert (play.review.resubmissions, play.review.retries) == (5, 1)


def test_a_version_that_somebody_judged_against_uses_one_up_before_all_have_spoken() -> None:
    """U-13: a finding and its fix are an attempt, even while other reports are pending."""
    seats = (SeatRule(roles=("agent",)), SeatRule(roles=("tester",)))
    play = shaped(protocol(stage(Quorum(reviewers=2), Resolved(), seats=seats)))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"),))
    play.revise("d2")
    assert play.review.retries == 1


def test_versions_that_nobody_judged_end_with_a_human() -> None:
    """U-13: ten of them, then a human is asked; nobody floods the reviewers for ever."""
    play = security()
    for number in range(2, 12):
        play.revise(f"d{number}")
    assert play.review.unprompted == 10
    events = play.revise("d12")
    assert not any(isinstance(one, RevisionSubmitted) for one in events)
    assert play.last(RulingRequested).reason == "attempts_used_up"
    assert play.review.digest == "d11"


def test_layers_judge_in_order_on_every_version() -> None:
    """U-13: the holder of a later layer waits until the earlier one has passed, also on later versions."""
    play = security()
    play.report(SELDON, verdict="approve")
    play.report(HARDIN, verdict="reject", summary="a key in the code", findings=(finding("a key"),))
    play.revise("d2")
    early = play.a_report(verdict="approve", stage="security.security")
    assert play.refused(HARDIN, early) is Code.NOT_YET
    play.report(SELDON, verdict="approve")
    settled = (c.Settlement(finding="security.security.1-F1", resolved=True, note="gone"),)
    play.report(HARDIN, verdict="approve", settled=settled)
    assert is_cleared(play)


def unreviewed() -> Play:
    """A play in which no reviewer came and no human decided in time."""
    play = Play()
    play.know(pool=(play.facts.pool[0],))
    play.open("create_core")
    assert play.last(RulingRequested).fallback is Effect.RETURN
    play.wait_out("ruling-1")
    return play


def test_work_that_nobody_reviewed_returns_as_not_reviewed() -> None:
    """U-15: nothing is asked of the author, who did nothing wrong."""
    play = unreviewed()
    assert play.review.outcome is Outcome.RETURNED
    assert play.review.reason.startswith("Not reviewed: ")
    assert play.review.is_unreviewed


def test_the_same_version_asks_again_and_keeps_its_place() -> None:
    """U-15: the same review continues with the same version, as soon as a reviewer is available."""
    play = unreviewed()
    play.know(pool=Play().facts.pool)
    play.revise("d1", note="is anybody there now?")
    assert play.last(ReviewReopened).again
    assert play.last(ReviewReopened).reason == "is anybody there now?"
    assert (play.review.revision, play.review.seats["peer.1"].reviewer) == (1, AUDITOR)
    play.report(AUDITOR, verdict="approve", checklist=FULL, confidence=95)
    assert is_cleared(play)


def test_what_a_reviewer_judged_against_does_not_come_again_as_it_is() -> None:
    """U-15: only a version that nobody reviewed may ask again."""
    play = Play()
    play.open("content_step")
    for number in range(2, 6):
        play.report(play.facts.principal("magnifico").who, verdict="reject", findings=(finding(f"{number}"),))  # type: ignore[union-attr]
        play.revise(f"d{number}") if play.review.outcome is None else None
    assert play.review.outcome is Outcome.RETURNED
    assert not play.review.is_unreviewed
    assert play.refused(DEV, c.SubmitRevision(digest=play.review.digest)) is Code.SAME_DIGEST


def test_a_review_that_came_after_all_goes_back_to_the_author() -> None:
    """U-15: the human is silent, but a reviewer has reported by then: that report is the conservative default."""
    play = Play()
    everybody = play.facts.pool
    play.know(pool=(everybody[0],))
    play.open("create_core")
    play.know(pool=everybody)
    ruling = play.review.ruling()
    assert ruling is not None
    play.do(HUGO, c.GiveRuling(request=ruling.id, option="retry", reason="ask the others"))
    assert play.review.seats["peer.1"].reviewer == AUDITOR
    play.wait_out("peer.1")
    play.wait_out("peer.1")
    play.wait(hours=3)
    while play.review.ruling() is None:
        play.wait_out(next(iter(play.review.requests)))
    assert play.last(RulingRequested).fallback is Effect.RETURN
    play.report(TESTER, verdict="concerns", findings=(finding("it leaks", "critical"),), confidence=90)
    play.wait_out(play.last(RulingRequested).request)
    assert play.review.outcome is None
    assert play.review.revision_request() is not None


def test_whoever_holds_a_seat_owes_a_report_until_it_is_in_or_the_review_ends() -> None:
    """U-09: such a reviewer hears nothing of the gate's answer for these bytes."""
    play = Play()
    play.open("story")
    play.do(ANN, c.TakeSeat(seat="resolve.1"))
    assert owes_report(play.review, ANN)
    assert not owes_report(play.review, DEV)
    play.report(ANN, evidence=CHECKED)
    assert not owes_report(play.review, ANN)
    play.do(DEV, c.WithdrawReview(reason="not now"))
    assert not owes_report(play.review, ANN)


def test_a_reviewer_whose_account_is_gone_is_not_asked_again() -> None:
    """U-14: the next version goes to an existing account."""
    play = Play()
    play.open("create_core")
    play.report(AUDITOR, verdict="concerns", findings=(finding("it leaks", "critical"),), confidence=90)
    gone = tuple(replace(one, removed=True, available=False) if one.who == AUDITOR else one for one in play.facts.pool)
    play.know(pool=gone)
    play.revise("d2")
    assert play.review.seats["peer.1"].reviewer == TESTER
