"""Decisions where the five seeds contradict each other."""

from dataclasses import replace

import pytest

from foureyes.core.assess import assess
from foureyes.core.commands import (
    Answer,
    AnswerFinding,
    GiveRuling,
    LeaveSeat,
    OverrideStage,
    RenewSeat,
    ReopenReview,
    SettleFinding,
    TakeSeat,
    WithdrawReview,
)
from foureyes.core.events import (
    DeadlinePassed,
    FindingRaised,
    ReviewCleared,
    ReviewClosed,
    RevisionRequested,
    RulingRequested,
    StagesSkipped,
)
from foureyes.core.gates import Quorum
from foureyes.core.protocols import panel, peer, resolve
from foureyes.core.refusals import Code
from foureyes.core.rules import Rules, SkipRule
from foureyes.core.trust import TrustRecord
from foureyes.core.values import ClearedBy, Outcome, Severity, Step
from foureyes.core.views import view
from tests.cast import (
    ANN,
    AUDITOR,
    BOB,
    CHECKED,
    DEV,
    EVE,
    FULL,
    FULL_DEFAULT,
    HAIKU,
    HARDIN,
    HUGO,
    PROTOCOLS,
    RULES,
    SELDON,
    SONNET,
    START,
    TESTER,
    Play,
    finding,
    holds,
    proven,
    rules_with,
)

MODELS = (holds(HAIKU, "haiku"), holds(SONNET, "sonnet"))


def said(play: Play) -> str:
    speaking = assess(play.rules, play.review).speaking
    assert speaking is not None
    return speaking.judgement.reason


def end(play: Play) -> Outcome | None:
    return play.review.outcome


def peer_play() -> Play:
    play = Play()
    play.open("create_core")
    return play


def secured() -> Play:
    """The security chain: Seldon has approved, Hardin vetoed."""
    play = Play()
    play.open("security_step")
    play.report(SELDON, verdict="approve", summary="well formed")
    play.report(HARDIN, verdict="reject", summary="a key is in it")
    return play


def panelled(*, auto_approve: bool = False, auto_reject: bool = False) -> Play:
    """Two models on one task; the test gives each answer."""
    play = Play(rules_with(panel(auto_approve=auto_approve, auto_reject=auto_reject)))
    play.know(pool=MODELS)
    play.open("task")
    return play


def test_approval_beside_an_own_blocking_finding_is_refused() -> None:
    """X1: the findings are the truth, in the report itself and from an earlier one; a minor one does not stop it."""
    play = peer_play()
    approves = {"verdict": "approve", "confidence": 95, "checklist": FULL}
    beside = play.a_report(**approves, findings=(finding("no tests"),))
    assert play.refused(AUDITOR, beside) is Code.OWN_FINDING_BLOCKS
    play.report(AUDITOR, verdict="concerns", confidence=90, checklist=FULL, findings=(finding("no tests"),))
    assert play.refused(AUDITOR, play.a_report(**approves, summary="fine after all")) is Code.OWN_FINDING_BLOCKS
    play.do(AUDITOR, SettleFinding(finding="peer.1-F1", revision=1, resolved=True, note="there are tests"))
    play.report(AUDITOR, **approves, findings=(finding("a name could be better", "minor"),))
    assert end(play) is Outcome.CLEARED


@pytest.mark.parametrize("verdict", ["concerns", "reject"])
def test_asking_for_changes_without_any_ground_is_refused(verdict: str) -> None:
    """X1: nothing found, every criterion passed, sure of it: then there is nothing to ask for."""
    play = peer_play()
    bare = play.a_report(verdict=verdict, confidence=95, checklist=FULL, summary="I do not like it")
    assert play.refused(AUDITOR, bare) is Code.GROUND_MISSING
    one_minor = play.a_report(verdict=verdict, confidence=95, checklist=FULL, findings=(finding("typo", "minor"),))
    assert play.refused(AUDITOR, one_minor) is Code.GROUND_MISSING


def test_how_many_reviewers_is_policy() -> None:
    """X2: two by default, one in the peer style, as many as the policy says, and never none."""
    assert Quorum().reviewers == 2
    assert len(resolve().stages[0].seats) == 2
    assert len(peer().stages[0].seats) == 1
    three = Play(rules_with(resolve(min_reviewers=3)))
    three.open()
    for who in (ANN, BOB):
        three.report(who, evidence=CHECKED)
    assert said(three) == "Need 3 reviewers, have 2"
    three.report(EVE, evidence=CHECKED)
    assert end(three) is Outcome.CLEARED
    alone = peer_play()
    alone.report(AUDITOR, verdict="approve", confidence=95, checklist=FULL)
    assert end(alone) is Outcome.CLEARED
    with pytest.raises(ValueError, match="at least 1"):
        Quorum(reviewers=0)


def test_from_the_second_round_on_only_important_findings_block() -> None:
    """X3: a minor finding blocks in round 1 of resolve and stays; one raised in round 2 is advice."""
    play = Play()
    play.open()
    play.report(ANN, findings=(finding("no cause", "minor"),))
    play.report(BOB, evidence=CHECKED)
    play.revise("d2", answers=(Answer(finding="resolve.1-F1", text="rewritten"),))
    play.report(BOB, findings=(finding("the title is dull", "minor"), finding("the end is missing", "important")))
    play.report(ANN, evidence=CHECKED)
    advice = {one.id: bool(one.advisory) for one in play.review.findings.values()}
    assert advice == {"resolve.1-F1": False, "resolve.2-F1": True, "resolve.2-F2": False}
    assert said(play) == "2 feedback items unresolved"
    blocking = {one.name: one.stages[0].options.blocking for one in PROTOCOLS}
    assert {name for name, least in blocking.items() if least is Severity.MINOR} == {"resolve"}


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        ("critical", Severity.CRITICAL),
        ("important", Severity.IMPORTANT),
        ("HIGH", Severity.IMPORTANT),
        ("major", Severity.IMPORTANT),
        ("moderate", Severity.IMPORTANT),
        ("medium", Severity.IMPORTANT),
        ("minor", Severity.MINOR),
        ("low", Severity.MINOR),
        ("nit", Severity.MINOR),
    ],
)
def test_severity_words_have_one_meaning_and_are_kept(word: str, severity: Severity) -> None:
    """X4: the canonical severity decides, the reviewer's own word stays beside it."""
    play = Play()
    play.open()
    play.report(ANN, findings=(finding("no cause", word),))
    raised = play.last(FindingRaised)
    assert (raised.severity, raised.severity_word) == (severity, word)


def test_the_lowest_of_several_caps_counts_and_one_counter_counts_all() -> None:
    """X5: peer allows 3, the trading chain 1; together 1, whichever of them sent the work back."""
    play = Play()
    play.open("create_core", protocols=("trading",))
    concerned = {"verdict": "concerns", "confidence": 90, "checklist": FULL}
    play.report(AUDITOR, **concerned, findings=(finding("no tests"),))
    assert play.last(RevisionRequested).remaining == 1
    play.revise("d2")
    settled = SettleFinding(finding="peer.1-F1", revision=2, resolved=True, note="tests are there")
    play.do(AUDITOR, settled)
    play.report(AUDITOR, verdict="approve", confidence=95, checklist=FULL)
    play.report(SELDON, verdict="reject", summary="it does not parse")
    asked = play.last(RulingRequested)
    assert (asked.reason, asked.stage) == ("attempts_used_up", "trading.format")
    assert play.review.resubmissions == 1


def test_parallel_reviewers_are_blind_and_a_successor_sees_only_the_draft() -> None:
    """X6: the draft goes only to the successor on the seat."""
    play = Play()
    play.open()
    play.do(ANN, TakeSeat(seat="resolve.1"))
    play.do(BOB, TakeSeat(seat="resolve.2"))
    play.do(ANN, RenewSeat(seat="resolve.1", draft="page 3 has no cause"))
    for somebody in (BOB, EVE, DEV, HUGO):
        seats = view(play.rules, play.review, somebody).review.seats.values()
        assert "page 3 has no cause" not in {one.draft for one in seats}
    play.do(ANN, LeaveSeat(seat="resolve.1"))
    play.report(BOB, findings=(finding("no time"),))
    play.do(EVE, TakeSeat(seat="resolve.1"))
    assert view(play.rules, play.review, BOB).review.seats["resolve.1"].draft == ""
    shown = view(play.rules, play.review, EVE).review
    assert shown.seats["resolve.1"].draft == "page 3 has no cause"
    assert (list(shown.seats), shown.findings, shown.reports) == (["resolve.1"], {}, {})


def test_a_later_layer_knows_only_that_the_earlier_ones_passed() -> None:
    """X6: Hardin sees neither Seldon's words nor his findings, only that the review has come to him."""
    play = Play()
    play.open("security_step")
    play.report(SELDON, verdict="approve", summary="well formed", findings=(finding("a long line", "minor"),))
    shown = view(play.rules, play.review, HARDIN)
    assert list(shown.review.seats) == ["security.security.1"]
    assert (shown.review.reports, shown.review.findings) == ({}, {})
    assert list(shown.review.requests) == ["security.security.1"]


def test_no_timeout_lifts_a_veto() -> None:
    """X7: author and humans silent for a year: only reminders, and the gate stays shut."""
    play = secured()
    play.wait_out("revision")
    ruling = play.review.ruling()
    assert ruling is not None
    assert (ruling.veto, ruling.fallback) == (True, None)
    due = [ruling.due]
    for _ in range(8):
        play.wait_out(ruling.id)
        passed = play.last(DeadlinePassed)
        assert passed.step is Step.RENOTIFIED
        due.append(play.review.requests[ruling.id].due)
    assert due == sorted(set(due))
    assert end(play) is None
    assert play.review.is_vetoed("security.security")
    play.do(HUGO, OverrideStage(stage="security.security", revision=1, digest="d1", reason="it is a test key"))
    assert end(play) is Outcome.CLEARED


def test_skip_and_automatic_approval_are_off_by_default() -> None:
    """X8: rules that say nothing skip nothing; two clean passes of a panel still ask a human."""
    assert Rules(digest="r", protocols=PROTOCOLS).skips == ()
    bare = Play(replace(RULES, skips=()))
    bare.know(**proven(), trust=trusted(), draw=50)
    bare.open("fix_typo", context=(("autonomy_level", "aggressive"),))
    assert bare.count(StagesSkipped) == 0
    assert end(bare) is None
    clean = Play(rules_with(panel()))
    clean.know(pool=MODELS)
    clean.open("task")
    for stage in ("spec", "quality"):
        for who in (HAIKU, SONNET):
            clean.report(who, stage=stage, verdict="approve")
    assert end(clean) is None
    assert "auto_approve is off" in clean.last(RulingRequested).text


def trusted(enabled_by: str = "hugo") -> TrustRecord:
    """A record of twelve successes today, with the fast lane enabled by a human."""
    return TrustRecord(
        kind="create_app",
        author="dev",
        attempts=12,
        successes=12,
        confidence_sum=12 * 95,
        trust=95,
        history=((START, True),) * 12,
        last_review_at=START,
        eligible_since=START,
        enabled_by=enabled_by,
        enabled_at=START,
        expires=START.replace(month=2),
    )


def test_every_bypass_names_its_rule_its_pattern_and_the_human() -> None:
    """X8: the fast lane works only where a human switched it on, and says all three in the record."""
    off = Play()
    off.know(trust=trusted(enabled_by=""), draw=50)
    off.open("create_app")
    assert off.count(StagesSkipped) == 0
    play = Play(replace(RULES, skips=(SkipRule(name="learned", learned=True),)))
    play.know(trust=trusted(), draw=50)
    play.open("create_app")
    skip = play.last(StagesSkipped)
    assert (skip.rule, skip.pattern, skip.enabled_by) == ("learned", "create_app/dev", "hugo")
    assert skip.reason == "Auto-skip: 12 successful reviews, 95% avg confidence"
    cleared = play.last(ReviewCleared)
    assert (cleared.by, cleared.level, cleared.flags) == (ClearedBy.TRUST, 0, ("skipped: peer",))
    assert [one.status for one in cleared.requirements] == ["skipped"]


@pytest.mark.parametrize("sure", [0, 50, 100])
def test_the_scenario_decides_however_sure_the_models_say_they_are(sure: int) -> None:
    """X10: a split stays a split at 40, a clean pass stays 100."""
    split = panelled(auto_approve=True, auto_reject=True)
    split.report(HAIKU, stage="spec", verdict="approve", confidence=sure)
    split.report(SONNET, stage="spec", verdict="reject", confidence=sure, findings=(finding("wrong sum"),))
    speaking = assess(split.rules, split.review).speaking
    assert speaking is not None
    assert (speaking.judgement.scenario, speaking.judgement.confidence) == ("split", 40)
    assert split.count(RulingRequested) == 1
    clean = panelled(auto_approve=True)
    for stage in ("spec", "quality"):
        for who in (HAIKU, SONNET):
            clean.report(who, stage=stage, verdict="approve", confidence=sure)
    assert end(clean) is Outcome.CLEARED


def test_a_self_reported_confidence_only_closes_or_escalates() -> None:
    """X10: 100 opens nothing that is shut; 60 closes, a gap or doubt escalates."""
    failed = tuple(replace(one, passed=one.name != "single_responsibility") for one in FULL)
    play = peer_play()
    surely = play.a_report(verdict="approve", confidence=100, checklist=failed)
    assert play.refused(AUDITOR, surely) is Code.CHECKLIST_INCOMPLETE
    unsure = play.a_report(verdict="approve", confidence=79, checklist=FULL)
    assert play.refused(AUDITOR, unsure) is Code.CONFIDENCE_TOO_LOW
    play.report(AUDITOR, verdict="concerns", confidence=100, checklist=failed)
    assert play.review.revision_request() is not None
    secure = Play()
    secure.open("security_change")
    secure.report(AUDITOR, verdict="approve", confidence=85, checklist=FULL_DEFAULT)
    assert secure.last(RulingRequested).reason == "Certainty"


def test_a_review_is_open_with_a_turn_or_ended_and_nothing_else() -> None:
    """X11, Y1: open means that a party owes something; cleared and closed mean that none does."""
    play = peer_play()
    assert list(play.review.requests) == ["peer.1"]
    play.report(AUDITOR, verdict="concerns", confidence=90, checklist=FULL, findings=(finding("no tests"),))
    assert list(play.review.requests) == ["revision"]
    play.do(DEV, AnswerFinding(finding="peer.1-F1", text="there are"))
    play.do(DEV, WithdrawReview(reason="another way"))
    assert (end(play), play.review.requests) == (Outcome.WITHDRAWN, {})
    play.do(HUGO, ReopenReview(reason="not so fast", undoes=Outcome.WITHDRAWN))
    assert (end(play), bool(play.review.requests)) == (None, True)
    play.do(HUGO, OverrideStage(stage="peer", revision=1, digest="d1", reason="good enough"))
    assert (end(play), play.review.requests) == (Outcome.CLEARED, {})
    assert (play.count(ReviewCleared), play.count(ReviewClosed)) == (1, 1)
    assert set(Outcome) == {"cleared", "rejected", "withdrawn", "shelved", "returned"}


def test_a_tie_break_may_end_a_gap_but_never_a_veto() -> None:
    """X7, Y9: where a veto may stand, only a human's word passes the stage."""
    play = secured()
    play.revise("d2")
    play.report(SELDON, verdict="approve", summary="well formed")
    play.report(HARDIN, verdict="reject", summary="the key is still in it")
    play.revise("d3")
    play.report(SELDON, verdict="approve", summary="well formed")
    play.report(HARDIN, verdict="reject", summary="the key is still in it")
    ruling = play.last(RulingRequested)
    assert (ruling.reason, ruling.veto) == ("attempts_used_up", True)
    assert "retry" not in {one.id for one in ruling.options}
    assert TESTER.name not in {one.reviewer.name for one in play.review.seats.values() if one.reviewer}
    play.do(HUGO, GiveRuling(request=ruling.request, option="as_is", reason="it is the test key"))
    assert end(play) is Outcome.CLEARED
