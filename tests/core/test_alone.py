"""The solo style: who reviews when no reviewer is available, and what an unverified person may waive."""

from foureyes.core import commands as c
from foureyes.core.events import FindingRaised, FindingWaived, ReportRequested, ReviewCleared, RulingRequested, SeatLeft
from foureyes.core.explain import Status, explain
from foureyes.core.facts import Facts, Suppression
from foureyes.core.gates import Quorum
from foureyes.core.refusals import Code
from foureyes.core.rules import SeatRule
from foureyes.core.values import Cost, Failure, LeftBecause, Place, Standing, Who, WhoKind
from foureyes.core.views import view
from tests.cast import CODEX, DEV, GEMINI, HARDIN, LINTER, POOL, SELDON, Play, agent, finding, holds, paid
from tests.seeds.shaped import protocol, shaped, stage

TINA = Who(name="tina", kind=WhoKind.PERSON)
PLACE = Place(path="a.py", start=3, end=3, context_hash="c1")
PROGRAMS_ONLY = tuple(one for one in POOL if one.who.kind is WhoKind.PROGRAM)


def alone() -> Play:
    play = Play(facts=Facts(pool=PROGRAMS_ONLY))
    play.open("thing")
    return play


def found() -> Play:
    """The linter has found something."""
    play = alone()
    play.report(LINTER, verdict="reject", findings=(finding("a gap", place=PLACE),))
    return play


def test_a_seat_nobody_can_hold_stays_open_for_whoever_comes() -> None:
    """D-23: programs alone never clear; nobody is bothered, and an agent who comes later may look."""
    play = alone()
    play.report(LINTER, verdict="approve")
    assert play.review.outcome is None
    assert not any(isinstance(one, RulingRequested) for one in play.log)
    asked = [one for one in play.log if isinstance(one, ReportRequested) and one.seat.id == "solo.2"]
    assert [one.seat.reviewer for one in asked] == [None]
    play.know(pool=POOL)
    play.report(CODEX, verdict="approve")
    assert isinstance(play.log[-1], ReviewCleared)


def test_a_new_version_is_taken_while_the_seat_is_open() -> None:
    play = found()
    play.revise("d2")
    play.report(LINTER, verdict="approve", settled=(c.Settlement(finding="solo.1-F1", resolved=True, note="gone"),))
    assert play.review.findings["solo.1-F1"].standing is Standing.RESOLVED
    assert play.review.report_request("solo.2") is not None


def test_further_agents_of_the_role_look_too_and_are_not_waited_for() -> None:
    """D-23."""
    play = Play(facts=Facts(pool=(*PROGRAMS_ONLY, holds(CODEX, "agent"), holds(GEMINI, "agent"))))
    play.open("thing")
    assert play.refused(agent("stranger"), play.a_report(verdict="approve")) is Code.NO_FREE_SEAT
    play.report(LINTER, verdict="approve")
    holder = play.review.seats["solo.2"].reviewer
    assert holder is not None
    second = GEMINI if holder.name == CODEX.name else CODEX
    play.report(second, verdict="reject", findings=(finding("a gap"),))
    assert not play.review.seats[play.last(FindingRaised).seat].required
    play.report(holder, verdict="approve")
    assert play.review.outcome is None


def asked_two() -> tuple[Play, Who, Who]:
    """Both agents may review; one of them holds the requested seat."""
    play = Play(facts=Facts(pool=paid(*PROGRAMS_ONLY, holds(CODEX, "agent"), holds(GEMINI, "agent"))))
    play.open("thing")
    play.report(LINTER, verdict="approve")
    holder = play.review.seats["solo.2"].reviewer
    assert holder is not None
    return play, holder, GEMINI if holder.name == CODEX.name else CODEX


def test_enough_who_vouched_are_not_told_as_too_few_while_somebody_else_was_asked() -> None:
    """D-23: the sentence says what is waited for."""
    play, _, other = asked_two()
    play.report(other, verdict="approve")
    (quorum, *_) = explain(play.rules, play.review).requirements
    assert (quorum.status, quorum.reason) == (Status.NOT_MET, "1 vouched; somebody else was asked too")


def test_another_agent_stands_in_for_one_that_has_no_answer() -> None:
    """D-03, D-23: once the seat is given up, another agent's report suffices; while the seat is held it does not."""
    play, holder, other = asked_two()
    play.report(other, verdict="approve")
    assert play.review.outcome is None
    play.do(holder, c.ReportInconclusive(seat="solo.2", revision=1, reason=Failure.CRASHED))
    assert play.review.outcome is None
    play.do(holder, c.LeaveSeat(seat="solo.2", reason="overloaded"))
    assert isinstance(play.log[-1], ReviewCleared)


def test_nobody_stands_in_where_nobody_looked() -> None:
    play, holder, _ = asked_two()
    play.do(holder, c.LeaveSeat(seat="solo.2", reason="overloaded"))
    assert play.review.outcome is None
    assert play.review.report_request("solo.2") is not None


def test_who_is_over_its_limit_makes_room_and_no_human_is_bothered() -> None:
    """D-09: never an approval, and no decision for anybody either."""
    play, holder, other = asked_two()
    play.do(holder, c.ReportInconclusive(seat="solo.2", revision=1, reason=Failure.OUT_OF_BUDGET))
    seat = play.review.seats["solo.2"]
    assert (holder.name in seat.left, play.review.ruling()) == (True, None)
    assert seat.reviewer is not None
    assert seat.reviewer.name == other.name


def test_what_a_volunteer_spent_in_vain_counts_and_nobody_is_asked_instead() -> None:
    """D-09: a volunteer took a seat, failed, and leaves it; the holder's report is still owed."""
    play, _, other = asked_two()
    play.do(other, c.TakeSeat(stage="solo"))
    seat = next(one.id for one in play.review.seats.values() if one.reviewer and one.reviewer.name == other.name)
    before = play.count(ReportRequested)
    cost = Cost(usd_micro=70_000)
    play.do(other, c.ReportInconclusive(seat=seat, revision=1, reason=Failure.TIMED_OUT, cost=cost))
    assert play.last(SeatLeft) == SeatLeft(seat=seat, reviewer=other.name, reason=LeftBecause.TIMED_OUT)
    assert play.review.usd_micro == cost.usd_micro
    assert play.count(ReportRequested) == before
    assert play.review.report_request("solo.2") is not None


def test_programs_look_though_the_budget_is_used_up() -> None:
    """D-09: they cost nothing; paid reviewers keep to the budget themselves."""
    play = Play(facts=Facts(pool=paid(*POOL), spent_today=(99_000_000,)))
    play.open("thing")
    assert play.review.report_request("solo.1") is not None
    assert play.review.ruling() is None


def test_somebody_at_a_terminal_waives_what_is_neither_critical_nor_a_veto() -> None:
    """D-10: the record says that nothing proves them."""
    play = found()
    play.do(TINA, c.WaiveFinding(finding="solo.1-F1", reason="generated code", false_positive=True))
    waived = play.last(FindingWaived)
    assert waived.by.kind is WhoKind.PERSON
    assert waived.context_hash == "c1"


def test_a_critical_finding_waits_for_a_signed_in_human() -> None:
    """D-10."""
    play = alone()
    play.report(LINTER, verdict="reject", findings=(finding("a backdoor", "critical", place=PLACE),))
    waiver = c.WaiveFinding(finding="solo.1-F1", reason="not so")
    assert play.refused(TINA, waiver) is Code.SIGN_IN_NEEDED


def test_a_veto_and_other_styles_wait_for_a_signed_in_human() -> None:
    """002-23."""
    play = Play()
    play.open("security_step")
    play.report(SELDON, verdict="approve")
    play.report(HARDIN, verdict="reject", findings=(finding("a key", scope="security"),))
    assert play.refused(TINA, c.WaiveFinding(finding="security.security.1-F1", reason="no")) is Code.SIGN_IN_NEEDED


def test_a_veto_waits_for_a_signed_in_human_also_where_a_person_may_waive() -> None:
    """002-23."""
    seats = (SeatRule(roles=("agent",), veto=True),)
    play = shaped(protocol(stage(Quorum(reviewers=1), seats=seats, person_waives=True)))
    play.report(CODEX, verdict="reject", findings=(finding("a gap"),))
    assert play.refused(TINA, c.WaiveFinding(finding="shaped.1-F1", reason="no")) is Code.SIGN_IN_NEEDED


def test_what_another_seat_s_finding_was_answered_with_silences_nobody_else() -> None:
    """D-01: only a human's waiver does."""
    play = Play()
    play.open("thing")
    play.report(CODEX, verdict="concerns", findings=(finding("a gap", place=PLACE),))
    play.do(DEV, c.AnswerFinding(finding="solo.2-F1", text="filled"))
    play.report(LINTER, verdict="concerns", findings=(finding("a gap", place=PLACE),))
    assert play.last(FindingRaised).finding == "solo.1-F1"


def test_an_author_at_a_terminal_waives_nothing_of_their_own() -> None:
    """D-04."""
    play = found()
    self_made = Who(name=f" {DEV.name.upper()} ", kind=WhoKind.PERSON)
    assert play.refused(self_made, c.WaiveFinding(finding="solo.1-F1", reason="no")) is Code.AUTHOR_MAY_NOT


def test_nobody_at_a_terminal_rules_or_overrides() -> None:
    """D-04."""
    play = found()
    override = c.OverrideStage(stage="solo", revision=1, digest="d1", reason="I looked")
    assert play.refused(TINA, override) is Code.HUMAN_ONLY


def test_an_unproven_word_silences_a_finding_only_where_a_person_may_waive() -> None:
    """D-10."""
    mark = found().review.findings["solo.1-F1"].fingerprint
    word = Suppression(fingerprint=mark, context_hash="c1", source="w1", by="tina", proven=False)
    play = Play(facts=Facts(pool=PROGRAMS_ONLY, suppressions=(word,)))
    play.open("thing")
    play.report(LINTER, verdict="approve", findings=(finding("a gap", place=PLACE),))
    assert play.last(FindingRaised).suppressed_by == "w1"
    chain = Play(facts=Facts(pool=POOL, suppressions=(word,)))
    chain.open("security_step")
    chain.report(SELDON, verdict="reject", findings=(finding("a gap", place=PLACE),))
    assert chain.last(FindingRaised).suppressed_by == ""


def test_a_person_without_a_seat_sees_everything() -> None:
    """They sit before their own files; blindness is for reviewers."""
    play = found()
    shown = view(play.rules, play.review, TINA)
    assert not shown.hides
    assert list(shown.review.findings) == ["solo.1-F1"]
