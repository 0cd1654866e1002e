"""Beyond the seeds: approval of exact bytes, failures that are neither yes nor no, and coverage."""

from dataclasses import replace

import pytest

from foureyes.core import commands, protocols
from foureyes.core.events import ReportFailed, ReportKept, ReviewCleared, RevisionSubmitted, RulingRequested
from foureyes.core.explain import Status, explain
from foureyes.core.facts import Facts, PolicyInForce
from foureyes.core.gates import Coverage, Evidence, Quorum, Resolved
from foureyes.core.live import Clearance, LiveFacts, RecordLive, why_not
from foureyes.core.refusals import Code
from foureyes.core.rules import SeatRule
from foureyes.core.values import ChangeKind, Cost, Failure, KeptBy, KnownBase, Severity, Standing
from tests.cast import (
    ANN,
    AUDITOR,
    BASE,
    BOB,
    CHECKED,
    CODEX,
    DEV,
    FULL,
    HAIKU,
    HUGO,
    LINTER,
    POOL,
    SELDON,
    SONNET,
    Play,
    finding,
    holds,
    paid,
    rules_with,
)
from tests.seeds.shaped import NAME, is_cleared, protocol, shaped, shaped_rules, stage

BOTH = (SeatRule(roles=("agent",)), SeatRule(roles=("auditor",)))


def kept(change: ChangeKind, *, keeps: frozenset[ChangeKind], base: KnownBase = BASE) -> Play:
    """One of two reviewers has approved; then the author submits a revision of this sort."""
    play = shaped(protocol(stage(Quorum(reviewers=2), seats=BOTH, keeps=keeps)))
    play.report(CODEX, verdict="approve")
    play.know(change=change, base=base)
    play.revise("d2", note="as it is said")
    return play


def test_one_changed_byte_takes_every_approval_away() -> None:
    """D-02: an approval of the old version never admits the new one."""
    play = kept(ChangeKind.CONTENT, keeps=frozenset())
    play.report(AUDITOR, verdict="approve")
    assert play.review.outcome is None
    assert play.review.reports_in(NAME)[0].reviewer == AUDITOR
    play.report(CODEX, verdict="approve")
    assert play.last(ReviewCleared).digest == "d2"
    live = LiveFacts(clearance=Clearance(digest=play.review.cleared))
    assert why_not(RecordLive(target="main", review="r1", digest="d1"), live, play.now)
    assert not why_not(RecordLive(target="main", review="r1", digest="d2"), live, play.now)


def test_a_report_on_a_version_that_is_no_longer_current_is_refused() -> None:
    """D-02: by its number, and by the bytes that were served to that seat."""
    play = kept(ChangeKind.CONTENT, keeps=frozenset())
    assert play.refused(CODEX, play.a_report(revision=1, verdict="approve")) is Code.STALE
    play.know(served="d1")
    assert play.refused(CODEX, play.a_report(verdict="approve")) is Code.STALE
    play.know(served="d2")
    play.report(CODEX, verdict="approve")


@pytest.mark.parametrize("change", [ChangeKind.REBASE, ChangeKind.MESSAGE])
def test_a_pure_rebase_keeps_an_approval_where_the_policy_says_so(change: ChangeKind) -> None:
    """D-02, Y18, U-01: and only against a base the gate knows."""
    play = kept(change, keeps=frozenset({change}))
    assert play.last(ReportKept).by is KeptBy.RULE
    assert play.last(ReportKept).digest == "d2"
    play.report(AUDITOR, verdict="approve")
    assert is_cleared(play)
    assert kept(change, keeps=frozenset()).count(ReportKept) == 0
    unknown = kept(change, keeps=frozenset({change}), base=KnownBase())
    assert (unknown.count(ReportKept), unknown.last(RevisionSubmitted).change) == (0, ChangeKind.CONTENT)
    assert kept(ChangeKind.CONTENT, keeps=frozenset({change})).count(ReportKept) == 0


@pytest.mark.parametrize("failure", [one for one in Failure if one is not Failure.OUT_OF_BUDGET])
def test_a_reviewer_that_fails_says_neither_yes_nor_no(failure: Failure) -> None:
    """D-03: the gate stays shut, no attempt of the author's is counted, the next step is said."""
    play = shaped(protocol(stage(Quorum(reviewers=1), seats=(SeatRule(roles=("agent",)),))))
    play.do(CODEX, commands.ReportInconclusive(seat="shaped.1", revision=1, reason=failure, text="rate limit"))
    failed = play.last(ReportFailed)
    assert (failed.reason, failed.text) == (failure, "rate limit")
    review = play.review
    assert (review.outcome, review.resubmissions, review.revision_request()) == (None, 0, None)
    assert review.vetoes == frozenset()
    (turn,) = explain(play.rules, review).turns
    assert turn.who == ("codex",)
    assert turn.how == "Submit a report on version 1 for seat shaped.1"


def test_out_of_budget_is_a_humans_matter_at_once() -> None:
    """D-03, D-09: with the cost on the record."""
    one = protocol(stage(Quorum(reviewers=1), seats=(SeatRule(roles=("agent",)),)))
    play = shaped(one, facts=Facts(pool=paid(*POOL)))
    cost = Cost(usd_micro=900_000)
    spent = commands.ReportInconclusive(seat="shaped.1", revision=1, reason=Failure.OUT_OF_BUDGET, cost=cost)
    play.do(CODEX, spent)
    assert play.last(RulingRequested).reason == "out_of_budget"
    assert play.review.usd_micro == 900_000


def test_a_verdict_nobody_knows_is_refused_and_what_a_run_of_ours_says_so_is_malformed() -> None:
    """D-03, U-05: the words of an answer that could not be read are kept."""
    play = shaped(protocol(stage(Quorum(reviewers=1), seats=(SeatRule(roles=("agent",)),))))
    assert play.refused(CODEX, play.a_report(verdict="LGTM, review unavailable", summary="429")) is Code.UNKNOWN_WORD
    failed = commands.ReportInconclusive(seat="shaped.1", revision=1, reason=Failure.MALFORMED, text="429")
    play.do(CODEX, failed)
    assert play.last(ReportFailed).reason is Failure.MALFORMED
    assert play.last(ReportFailed).text == "429"
    assert play.review.outcome is None


def test_reviewers_that_keep_failing_end_with_a_human_and_not_with_an_answer() -> None:
    """D-03: asked again twice, then the next one, then a person."""
    seats = (SeatRule(roles=("agent",)),)
    play = shaped(protocol(stage(Quorum(reviewers=1), seats=seats)))
    play.know(pool=(*POOL, holds(BOB, "agent")))
    for _ in range(3):
        play.do(CODEX, commands.ReportInconclusive(seat="shaped.1", revision=1, reason=Failure.CRASHED))
    assert play.review.seats["shaped.1"].reviewer == BOB
    for _ in range(3):
        play.do(BOB, commands.ReportInconclusive(seat="shaped.1", revision=1, reason=Failure.CRASHED))
    assert play.last(RulingRequested).reason == "reviewers_failed"
    said = "Seat shaped.1 got no answer from its reviewers; last asked: bob (crashed)"
    assert play.last(RulingRequested).text == said


def test_a_budget_that_is_used_up_asks_a_human_and_clears_nothing() -> None:
    """D-09: partial results stay; what was spent is counted, failures too."""
    both = protocol(stage(Quorum(reviewers=1), name="first", seats=BOTH[:1]), stage(Quorum(reviewers=1)))
    play = shaped(both, facts=Facts(pool=paid(*POOL)))
    play.report(CODEX, verdict="approve", cost=Cost(usd_micro=1_000_000))
    assert play.review.outcome is None
    assert play.last(RulingRequested).reason == "out_of_budget"
    assert play.review.reports_in("first")
    play.do(HUGO, commands.GiveRuling(request="ruling-1", option="retry", reason="go on, I pay"))
    play.report(ANN, verdict="approve")
    assert is_cleared(play)


def test_the_budget_of_the_day_holds_too() -> None:
    """D-09."""
    play = Play()
    play.know(spent_today=(10_000_000,), pool=paid(*POOL))
    play.open("story")
    assert play.last(RulingRequested).reason == "out_of_budget"


STYLES = [
    ("story", ANN, {"evidence": CHECKED}),
    ("create_core", AUDITOR, {"verdict": "approve", "confidence": 95, "checklist": FULL}),
    ("default_step", SELDON, {"verdict": "approve"}),
    ("milestone", CODEX, {"verdict": "approve"}),
    ("task", HAIKU, {"verdict": "approve", "stage": "spec"}),
    ("thing", CODEX, {"verdict": "approve"}),
]


@pytest.mark.parametrize(("kind", "who", "report"), STYLES)
def test_nobody_vouches_for_what_they_did_not_read(kind: str, who: object, report: dict[str, object]) -> None:
    """D-15: in every style an approval of a part is inconclusive, and what was found in that part is kept."""
    play = Play()
    play.open(kind)
    minor = finding("a word is missing", "minor")
    play.report(who, **report, coverage=99, findings=(minor,))  # type: ignore[arg-type]
    assert play.last(ReportFailed).reason is Failure.INCOMPLETE
    assert not any(play.review.report_of(seat) for seat in play.review.seats)
    assert [one.text for one in play.review.findings.values()] == ["a word is missing"]
    assert play.review.outcome is None
    play.report(who, **report, coverage=100)  # type: ignore[arg-type]
    assert play.review.reports


def test_a_policy_may_accept_less_than_everything() -> None:
    """D-15: explicitly, by naming the share."""
    play = shaped(protocol(stage(Quorum(reviewers=1), Coverage(percent=60), seats=BOTH[:1])))
    play.report(CODEX, verdict="approve", coverage=59)
    assert play.last(ReportFailed).reason is Failure.INCOMPLETE
    play.report(CODEX, verdict="approve", coverage=60)
    assert is_cleared(play)


def test_doubts_about_a_part_are_taken_but_vouch_for_nothing_until_all_was_read() -> None:
    """D-15: the work goes back for what was found, and nobody need decide about the rest before that."""
    play = Play()
    play.open("thing")
    play.report(CODEX, verdict="concerns", coverage=40, findings=(finding("it leaks"),))
    play.report(LINTER, verdict="approve")
    assert play.review.revision_request() is not None
    play.revise("d2")
    gone = (commands.Settlement(finding="solo.2-F1", resolved=True, note="gone"),)
    play.report(CODEX, verdict="approve", coverage=40, settled=gone)
    assert play.last(ReportFailed).reason is Failure.INCOMPLETE
    play.report(LINTER, verdict="approve")
    assert play.review.outcome is None
    play.report(CODEX, verdict="approve", settled=gone)
    assert is_cleared(play)


def test_what_was_enough_to_read_is_judged_anew_under_a_stricter_policy() -> None:
    """D-15, Y20: a human must say that what nobody read is all right."""
    play = shaped(protocol(stage(Quorum(reviewers=2), Coverage(percent=60), seats=BOTH)))
    play.report(CODEX, verdict="approve", coverage=60)
    rules = replace(shaped_rules(protocol(stage(Quorum(reviewers=2), Coverage(), seats=BOTH))), digest="stricter")
    play.know(policy=PolicyInForce(digest=rules.digest, applies_in_flight=True, rules=rules), stricter=rules)
    play.report(AUDITOR, verdict="approve")
    assert play.last(RulingRequested).text == "codex read 60% of the work, 100% is needed"


def checked() -> Play:
    """Tests as a reviewer: its seat is a program's."""
    seats = (SeatRule(roles=("agent",)), SeatRule(roles=("program",), scope="pytest"))
    return shaped(protocol(stage(Quorum(reviewers=1), Evidence(check="pytest"), Resolved(), seats=seats)))


def test_a_check_that_has_not_run_is_pending_and_not_a_pass() -> None:
    """D-17."""
    play = checked()
    play.report(CODEX, verdict="approve")
    assert play.review.outcome is None
    said = {one.requirement: (one.status, one.reason) for one in explain(play.rules, play.review).requirements}
    assert said["Evidence"] == (Status.NOT_MET, "pytest has not run on this version")
    play.report(LINTER, verdict="approve")
    assert is_cleared(play)


def test_a_failing_check_is_a_finding_that_only_a_green_run_on_the_new_bytes_settles() -> None:
    """D-17: neither the author nor another reviewer, and no run on other bytes."""
    play = checked()
    play.report(CODEX, verdict="approve")
    red = finding("test_login fails", "critical")
    play.report(LINTER, verdict="reject", findings=(red,))
    assert play.review.findings["shaped.2-F1"].blocks(Severity.CRITICAL)
    request = play.review.revision_request()
    assert request is not None
    assert request.reasons == ("pytest failed: program: test_login fails",)
    settle = commands.SettleFinding(finding="shaped.2-F1", revision=1, resolved=True, note="flaky")
    assert play.refused(CODEX, settle) is Code.NOT_THE_HOLDER
    assert play.refused(DEV, settle) is Code.NOT_THE_HOLDER
    assert play.refused(LINTER, play.a_report(verdict="approve")) is Code.OWN_FINDING_BLOCKS
    play.revise("d2")
    play.report(CODEX, verdict="approve")
    assert play.review.outcome is None
    play.report(LINTER, verdict="approve")
    assert play.review.findings["shaped.2-F1"].standing is Standing.RESOLVED
    assert is_cleared(play)


def test_a_check_that_stays_red_finds_the_same_thing_again() -> None:
    """D-17: what a red run still shows is not settled by it."""
    play = checked()
    red = finding("test_login fails", "critical")
    play.report(LINTER, verdict="reject", findings=(red,))
    play.revise("d2")
    play.report(LINTER, verdict="reject", findings=(red,))
    assert list(play.review.findings) == ["shaped.2-F1"]
    assert play.review.findings["shaped.2-F1"].standing is Standing.OPEN
    assert play.review.revision_request()


def test_a_check_that_need_not_pass_is_only_flagged_when_it_failed() -> None:
    """D-17: a policy may look at a check without being stopped by it; it must still have run."""
    seats = (SeatRule(roles=("agent",)), SeatRule(roles=("program",), scope="pytest"))
    play = shaped(protocol(stage(Quorum(reviewers=1), Evidence(check="pytest", must_pass=False), seats=seats)))
    play.report(CODEX, verdict="approve")
    assert play.review.outcome is None
    play.report(LINTER, verdict="concerns", findings=(finding("test_login fails"),))
    assert "pytest failed" in play.last(ReviewCleared).flags


def test_a_check_that_no_seat_runs_is_an_error_and_no_pass() -> None:
    """D-17."""
    play = shaped(protocol(stage(Evidence(check="pytest"), seats=BOTH[:1])))
    assert play.last(RulingRequested).text == "Nobody runs pytest"


def test_one_answer_of_three_is_no_consensus() -> None:
    """D-23: who did not answer is said, and a human decides; the answer that came is not a quorum."""
    three = protocols.panel(models=("haiku", "sonnet", "agent"), speculative_quality=False, auto_approve=True)
    play = Play(rules_with(three))
    play.open("task")
    play.report(HAIKU, verdict="approve")
    for _ in range(3):
        for who, seat in ((SONNET, "spec.2"), (CODEX, "spec.3")):
            if play.review.report_request(seat):
                play.do(who, commands.ReportInconclusive(seat=seat, revision=1, reason=Failure.CRASHED))
    assert play.review.outcome is None
    (said, *_) = explain(play.rules, play.review).requirements
    assert said.reason == "Waiting for 2 models"
    ruling = play.review.ruling()
    assert ruling is not None
    assert ruling.text == "Nobody gave an answer on the seat spec.2; last asked: sonnet (crashed)"
    assert [one.name for one in play.last(RulingRequested).positions] == ["dev", "haiku"]


def test_a_quorum_counts_answers_not_invitations() -> None:
    """D-23: three were asked, one answered, two are demanded."""
    seats = (SeatRule(roles=("agent",)), SeatRule(roles=("auditor",)), SeatRule(roles=("tester",)))
    play = shaped(protocol(stage(Quorum(reviewers=2), seats=seats)))
    play.report(CODEX, verdict="approve")
    assert play.review.outcome is None
    assert explain(play.rules, play.review).requirements[0].reason == "Need 2 reviewers, have 1"


def test_a_lone_developer_waits_for_every_program_and_no_program_is_an_approval() -> None:
    """D-17, D-23: what was asked to look and has not is pending; programs alone are no second pair of eyes."""
    play = Play()
    play.open("thing")
    play.report(CODEX, verdict="approve")
    assert play.review.outcome is None
    play.report(LINTER, verdict="approve")
    assert is_cleared(play)
    alone = Play()
    alone.open("thing")
    alone.report(LINTER, verdict="approve")
    (said, *_) = explain(alone.rules, alone.review).requirements
    assert said.reason == "Need 1 reviewer, have 0"
