"""Seed 001: a colleague's review from the request to its clearance and every other end."""

from datetime import timedelta

import pytest

from foureyes.core import commands
from foureyes.core.events import (
    FindingRaised,
    LessonKind,
    LessonRecorded,
    ReportRequested,
    ReviewCleared,
    ReviewClosed,
    RevisionRequested,
    RevisionSubmitted,
    RulingGiven,
    RulingRequested,
    WentLive,
)
from foureyes.core.facts import Facts
from foureyes.core.lessons import RecordLesson, decide_lesson
from foureyes.core.live import Clearance, LiveFacts, RecordLive, decide_live
from foureyes.core.refusals import Code
from foureyes.core.trust import TrustRecord, record_review
from foureyes.core.values import ClearedBy, Outcome, Who, WhoKind
from tests.cast import ARCHITECT, AUDITOR, DEV, FULL, HUGO, RULES, TESTER, Play, finding, holds
from tests.seeds.peer_play import (
    approve,
    ask_changes,
    decided,
    escalation,
    exhausted,
    opened,
    opened_by,
    outcome,
    reject,
    reviewer,
    ruling,
)


def test_the_seeds_happy_path_ends_in_a_clearance_of_exactly_these_bytes() -> None:
    """001-83: request, the primary reviewer is asked, approved at 95, cleared, as in the seed's own test."""
    play = opened("create_core", questions=("Is it complete?",))
    assert reviewer(play) == "auditor"
    play.do(AUDITOR, commands.TakeSeat(seat="peer.1"))
    play.wait(minutes=12)
    approve(play, answers=("It is",))
    cleared = play.last(ReviewCleared)
    assert (cleared.digest, cleared.by, outcome(play)) == ("d1", ClearedBy.GATES, Outcome.CLEARED)
    assert not play.review.requests


def test_the_revision_cycle_of_the_seed_ends_approved_with_one_resubmission_and_a_success_counted() -> None:
    """001-83: request, changes, re-review 1, approved with one revision, live, and the success is counted."""
    play = opened("create_core")
    ask_changes(play)
    assert outcome(play) is None
    play.revise("d2", note="Fixed error handling")
    approve(play)
    assert outcome(play) is Outcome.CLEARED
    assert (play.review.resubmissions, play.last(ReviewCleared).digest) == (1, "d2")

    clearance = Clearance(digest=play.last(ReviewCleared).digest)
    publisher = Who(name="merge", kind=WhoKind.SERVICE)
    order = RecordLive(target="develop", review="r1", digest="d2")
    (live,) = decide_live(order, publisher, LiveFacts(clearance=clearance), play.now)
    assert isinstance(live, WentLive)

    report = play.review.reports["peer.1", 2]
    fresh = TrustRecord(kind=play.review.kind, author=DEV.name)
    record = record_review(
        fresh, approved=True, confidence=report.confidence, at=play.now, learning=RULES.learning, took=timedelta()
    )
    assert record.successes > 0


def test_a_re_review_keeps_its_number_what_was_asked_for_and_what_was_changed() -> None:
    """001-08: the wish with its findings, then the version with its number and note, both in the record."""
    play = opened("create_core")
    ask_changes(play, findings=(finding("Errors are swallowed"),))
    wish = play.last(RevisionRequested)
    assert (wish.revision, wish.reasons, wish.findings) == (1, ("auditor: Errors are swallowed",), ("peer.1-F1",))
    play.revise("d2", note="Fixed error handling")
    version = play.last(RevisionSubmitted)
    assert (version.number, version.digest, version.note) == (2, "d2", "Fixed error handling")
    ask_changes(play, settled=(commands.Settlement(finding="peer.1-F1", resolved=True, note="seen"),), summary="Tests?")
    play.revise("d3", note="Added tests")
    kept = [(one.number, one.note) for one in play.review.revisions]
    assert kept == [(1, ""), (2, "Fixed error handling"), (3, "Added tests")]
    wishes = [one.reasons for one in play.log if isinstance(one, RevisionRequested)]
    assert wishes == [("auditor: Errors are swallowed",), ("auditor: Tests?",)]


def test_a_re_review_has_the_next_number_and_goes_to_the_same_reviewer() -> None:
    """001-31: new bytes and a note make the next version; the same bytes again are refused."""
    play = opened("create_core")
    ask_changes(play)
    assert play.refused(DEV, commands.SubmitRevision(digest="d1")) is Code.SAME_DIGEST
    play.revise("d2", note="Addressed all concerns. Ready for re-review.")
    asked = play.last(ReportRequested)
    assert (asked.revision, play.review.resubmissions, reviewer(play)) == (2, 1, "auditor")


def test_after_three_resubmissions_a_human_is_asked_instead_of_the_author() -> None:
    """001-31, 001-73: the wish for changes after the third resubmission is a question to a human."""
    play = opened_by("app_developer", "architect", "core_developer")
    architect = play.facts.pool[1].who
    for number in (2, 3, 4):
        ask_changes(play, architect)
        assert play.last(RevisionRequested).remaining == 5 - number
        play.revise(f"d{number}")
    ask_changes(play, architect)
    assert escalation(play).reason == "attempts_used_up"
    assert play.refused(play.author, commands.SubmitRevision(digest="d5")) is Code.RULING_PENDING


def test_the_fourth_resubmission_is_itself_the_escalation() -> None:
    """B1, 001-73: three resubmissions were reviewed; offering a fourth before the reviewer speaks asks for a human."""
    play = opened_by("app_developer", "architect")
    architect = play.facts.pool[1].who
    for number in (2, 3, 4):
        ask_changes(play, architect)
        play.revise(f"d{number}")
    assert play.review.resubmissions == 3
    events = play.revise("d5")
    assert not any(isinstance(one, RevisionSubmitted) for one in events)
    assert escalation(play).reason == "attempts_used_up"
    assert play.review.digest == "d4"


def test_after_the_cap_a_third_agent_then_a_human_decides_and_never_the_loop() -> None:
    """001-73, B1: the matrix names the architect for a core developer; after that only a human is left."""
    play = exhausted(opened("create_core"))
    assert reviewer(play, "peer.tie") == "architect"
    ask_changes(play, ARCHITECT, summary="The auditor is right")
    assert ruling(play).reason == "attempts_used_up"
    assert play.count(RevisionSubmitted) == 4


def test_a_rejected_author_accepts_and_the_rejected_approach_is_kept_as_a_lesson() -> None:
    """001-32, B15: nothing is pending after a rejection; the author may accept it, and a lesson says what was wrong."""
    play = opened("create_core")
    reject(play)
    closed = play.last(ReviewClosed)
    assert (closed.outcome, closed.reason) == (Outcome.REJECTED, "auditor: Wrong approach entirely")
    play.do(DEV, commands.WithdrawReview(reason="Accepted, starting over"))
    assert outcome(play) is Outcome.WITHDRAWN
    record = RecordLesson(
        lesson="l1",
        kind=LessonKind.REJECTED_APPROACH,
        text=f"Approach rejected: {closed.reason}",
        source=play.review.id,
    )
    (lesson,) = decide_lesson((), record, DEV, play.now, scope=play.review.kind)
    assert isinstance(lesson, LessonRecorded)
    assert (lesson.kind, lesson.scope) == (LessonKind.REJECTED_APPROACH, "create_core")


def test_a_rejected_author_disputes_with_an_argument_and_a_human_decides() -> None:
    """001-32, 001-22: the seed's escalation test; the argument and the reason creator_disagrees reach the human."""
    play = opened("create_core")
    reject(play)
    play.do(DEV, commands.RequestRuling(reason="creator_disagrees", argument="The approach is correct because …"))
    asked = escalation(play)
    assert (asked.reason, asked.by, asked.argument) == ("creator_disagrees", "dev", "The approach is correct because …")
    assert [one.name for one in asked.positions] == ["dev", "auditor"]
    assert outcome(play) is None
    decided(play, "as_is")
    assert play.last(ReviewCleared).by is ClearedBy.HUMAN


def test_a_disputed_rejection_that_a_human_confirms_is_final() -> None:
    """001-64, B15: the human's decision binds; the author can neither dispute, revise nor withdraw it away."""
    play = opened("create_core")
    reject(play)
    play.do(DEV, commands.RequestRuling(reason="creator_disagrees", argument="It is right"))
    decided(play, "reject")
    assert outcome(play) is Outcome.REJECTED
    again = commands.RequestRuling(reason="creator_disagrees", argument="Really")
    assert play.refused(DEV, again) is Code.REVIEW_ENDED
    assert play.refused(DEV, commands.SubmitRevision(digest="d2")) is Code.REVIEW_ENDED
    assert play.refused(DEV, commands.WithdrawReview(reason="Never mind")) is Code.REVIEW_ENDED
    given = play.last(RulingGiven)
    assert (given.by.name, given.option, given.reason, given.by_clock) == ("hugo", "reject", "I looked at it", False)


def test_a_rejection_stays_shut_for_everybody_but_the_author_who_disputes_once() -> None:
    """B15: no revision reopens it, no reviewer takes it back, and the author has one dispute."""
    play = opened("create_core")
    reject(play)
    assert play.refused(DEV, commands.SubmitRevision(digest="d2")) is Code.REVIEW_ENDED
    assert play.refused(AUDITOR, play.a_report(verdict="approve", checklist=FULL, confidence=95)) is Code.REVIEW_ENDED
    assert play.refused(AUDITOR, commands.RequestRuling(reason="I changed my mind")) is Code.REVIEW_ENDED
    assert play.refused(AUDITOR, commands.WithdrawReview(reason="x")) is Code.NOT_THE_AUTHOR
    play.do(DEV, commands.RequestRuling(reason="creator_disagrees"))
    play.wait_out(ruling(play).id)
    assert outcome(play) is Outcome.REJECTED
    assert play.refused(DEV, commands.RequestRuling(reason="creator_disagrees")) is Code.ALREADY_ASKED


@pytest.mark.parametrize("severe", [ask_changes, reject])
def test_a_critical_security_issue_may_go_back_or_be_rejected_and_both_keep_the_gate_shut(severe: object) -> None:
    """B15: the reviewer chooses between asking for changes and rejecting."""
    play = opened("create_core")
    assert callable(severe)
    severe(play, findings=(finding("Keys are logged", "critical"),))
    assert play.count(FindingRaised) == 1
    assert play.count(ReviewCleared) == 0
    assert outcome(play) in (None, Outcome.REJECTED)


def test_an_author_may_withdraw_while_the_review_is_open() -> None:
    """001-32, B15: withdrawn is an end of its own; nothing is pending after it."""
    play = opened("create_core")
    play.do(DEV, commands.WithdrawReview(reason="Not needed any more"))
    assert (outcome(play), dict(play.review.requests)) == (Outcome.WITHDRAWN, {})


def test_a_report_on_the_old_version_cannot_clear_the_new_one() -> None:
    """001-80, B28: the author goes on without a lock; what was said of the old bytes stops counting."""
    play = opened("create_core")
    play.do(AUDITOR, commands.TakeSeat(seat="peer.1"))
    old = play.a_report(verdict="approve", checklist=FULL, confidence=95)
    play.revise("d2", note="Another idea")
    assert play.refused(AUDITOR, old) is Code.STALE
    assert play.last(ReportRequested).revision == 2
    approve(play)
    assert play.last(ReviewCleared).digest == "d2"


def test_new_bytes_after_a_clearance_need_a_clearance_of_their_own() -> None:
    """001-80, B28: the earlier approval is bound to its digest and says nothing about the next."""
    play = opened("create_core")
    approve(play)
    play.revise("d2")
    assert outcome(play) is None
    assert play.review.report_of("peer.1") is None
    order = RecordLive(target="develop", review="r1", digest="d2")
    (refused,) = decide_live(order, HUGO, LiveFacts(clearance=Clearance(digest="d1")), play.now)
    assert not isinstance(refused, WentLive)


def test_a_report_from_what_was_served_earlier_is_stale_even_with_the_right_number() -> None:
    """001-80, B28: the bytes the reviewer was shown must be the bytes it judges."""
    play = opened("create_core")
    play.know(served="d0")
    report = play.a_report(verdict="approve", checklist=FULL, confidence=95)
    assert play.refused(AUDITOR, report) is Code.STALE


def test_the_authors_questions_are_kept_and_answered_pair_by_pair() -> None:
    """001-30: as many answers as questions, in order; fewer or more are refused."""
    questions = ("Is the validation enough?", "Are the messages clear?")
    play = opened("create_core", questions=questions)
    assert play.review.questions == questions
    short = play.a_report(verdict="approve", checklist=FULL, confidence=95, answers=("Yes",))
    assert play.refused(AUDITOR, short) is Code.ANSWERS_MISMATCH
    long = play.a_report(verdict="approve", checklist=FULL, confidence=95, answers=("Yes", "No", "Why?"))
    assert play.refused(AUDITOR, long) is Code.ANSWERS_MISMATCH
    approve(play, answers=("Yes, comprehensive", "Clear enough"))
    report = play.review.reports["peer.1", 1]
    assert tuple(zip(play.review.questions, report.answers, strict=True)) == (
        ("Is the validation enough?", "Yes, comprehensive"),
        ("Are the messages clear?", "Clear enough"),
    )


def test_the_reviewer_is_never_the_author_even_with_the_right_role() -> None:
    """001-01: an author who is also an auditor is passed over, and may not take the seat either."""
    author = Who(name="dev")
    play = Play(facts=Facts(pool=(holds(author, "core_developer", "auditor"), holds(TESTER, "tester"))), author=author)
    play.open("create_core")
    assert reviewer(play) == "tester"
    assert play.refused(author, commands.TakeSeat(seat="peer.1")) is Code.AUTHOR_MAY_NOT
    own = play.a_report(seat="peer.1", verdict="approve", checklist=FULL, confidence=95)
    assert play.refused(author, own) is Code.AUTHOR_MAY_NOT
    approve(play, TESTER)
    assert outcome(play) is Outcome.CLEARED


def test_an_author_alone_in_the_pool_gets_a_human_not_themselves() -> None:
    """001-01: with nobody else who may review, a human is asked at once."""
    play = opened_by("core_developer")
    assert ruling(play).reason == "nobody_can_hold"
    assert play.count(RulingRequested) == 1
