"""Decisions about the model: protocols in a row, grounds, majorities, successors, kept reports, growing rules."""

from dataclasses import replace

import pytest

from foureyes.core import commands, protocols
from foureyes.core.drafts import OUT_OF_SCOPE
from foureyes.core.events import (
    ReportKept,
    ReviewCleared,
    RulingRequested,
)
from foureyes.core.facts import Facts
from foureyes.core.gates import Quorum, Resolved, Unanimous
from foureyes.core.refusals import Code
from foureyes.core.rules import Blind, Exhausted, PathRule, RiskRule, SeatRule
from foureyes.core.values import CLOCK, ChangeKind, Criterion, Outcome, Risk, RiskLevel, Standing, WorkPart
from foureyes.core.views import view
from tests.cast import (
    ANN,
    AUDITOR,
    BASE,
    BOB,
    CHECKED,
    CODEX,
    DEV,
    FULL_DEFAULT,
    HAIKU,
    HARDIN,
    HUGO,
    LINTER,
    POOL,
    RULES,
    SELDON,
    SONNET,
    Play,
    agent,
    finding,
    holds,
)
from tests.seeds.shaped import is_cleared, protocol, shaped, stage

AGENT_SEAT = (SeatRule(roles=("agent",)),)


def test_styles_behind_each_other_keep_their_own_ways() -> None:
    """Y13: one has findings without verdicts and is blind, the next has verdicts; each stage by its own options."""
    play = Play()
    play.open("story", protocols=("peer",))
    assert play.review.protocols == ("resolve", "peer")
    assert play.refused(ANN, play.a_report(verdict="approve", evidence=CHECKED)) is Code.NO_VERDICTS_HERE
    play.report(ANN, evidence=CHECKED)
    play.report(BOB, evidence=CHECKED)
    assert play.review.outcome is None
    late = play.a_report(stage="peer", confidence=95, checklist=FULL_DEFAULT)
    assert play.refused(AUDITOR, late) is Code.VERDICT_MISSING
    play.report(AUDITOR, stage="peer", verdict="approve", confidence=95, checklist=FULL_DEFAULT)
    assert is_cleared(play)


def test_blindness_and_exhaustion_belong_to_the_stage_of_their_style() -> None:
    """Y13: the open style shows its seat everything, the blind one in front of it does not."""
    first = protocol(
        stage(Quorum(reviewers=2), name="blind", seats=(SeatRule(), SeatRule())), name="blind", revisions_max=9
    )
    second = protocol(
        stage(Unanimous(), name="open", seats=AGENT_SEAT, blind=Blind.OFF, exhausted=Exhausted.RETURN_TO_AUTHOR),
        name="open",
        revisions_max=1,
    )
    play = shaped(first, second)
    play.report(ANN, stage="blind", verdict="approve")
    play.report(BOB, stage="blind", verdict="approve")
    assert view(play.rules, play.review, CODEX).whole == {"open"}
    play.report(CODEX, stage="open", verdict="concerns", findings=(finding("no"),))
    play.revise("d2")
    play.report(ANN, stage="blind", verdict="approve")
    play.report(BOB, stage="blind", verdict="approve")
    play.report(CODEX, stage="open", verdict="concerns", findings=(finding("still no"),))
    assert play.review.outcome is Outcome.RETURNED


def test_the_lowest_number_of_attempts_holds_for_all_styles() -> None:
    """Y13: ten in one style and one in another make one."""
    first = protocol(stage(Unanimous(), name="a", seats=AGENT_SEAT), name="a", revisions_max=10)
    second = protocol(stage(Unanimous(), name="b", seats=AGENT_SEAT), name="b", revisions_max=1)
    play = shaped(first, second)
    play.report(CODEX, verdict="concerns", findings=(finding("no"),))
    assert play.review.revision_request() is not None
    play.revise("d2")
    play.report(CODEX, verdict="concerns", findings=(finding("still no"),))
    assert play.last(RulingRequested).reason == "attempts_used_up"


def test_with_automatic_approval_off_a_human_is_asked_once() -> None:
    """Y14: at the last stage, about the findings of both, and the answer clears it."""
    play = Play()
    play.open("task")
    for who in (HAIKU, SONNET):
        play.report(who, stage="spec", verdict="approve")
    assert play.count(RulingRequested) == 0
    for who in (HAIKU, SONNET):
        play.report(who, stage="quality", verdict="approve")
    assert play.count(RulingRequested) == 1
    assert play.last(RulingRequested).stage == "quality"
    play.do(HUGO, commands.GiveRuling(request="ruling-1", option="as_is", reason="fine"))
    assert is_cleared(play)
    assert play.count(RulingRequested) == 1


def test_an_approval_is_checked_against_the_own_findings_only() -> None:
    """Y15: another seat's finding would tell a blind reviewer what others said."""
    play = Play()
    play.open("thing")
    play.report(LINTER, verdict="concerns", findings=(finding("it leaks"),))
    play.report(CODEX, verdict="approve")
    own = play.a_report(verdict="approve", findings=(finding("it leaks here too"),))
    assert play.refused(CODEX, own) is Code.OWN_FINDING_BLOCKS
    assert play.review.outcome is None


@pytest.mark.parametrize(
    ("stands", "ground"),
    [
        (False, {}),
        (False, {"findings": (finding("a nit", "minor"), finding("one more", "minor"))}),
        (False, {"findings": (finding("out of scope", scope="security"),)}),
        (True, {"findings": (finding("it leaks"),)}),
        (True, {"findings": tuple(finding(f"nit {word}", "minor") for word in ("a", "b", "c"))}),
        (True, {"grounds": ("fundamental_flaw",)}),
        (True, {"checklist": (Criterion(name="tests", passed=False),)}),
        (True, {"confidence": 59}),
    ],
)
def test_concerns_need_a_ground(stands: bool, ground: dict[str, object]) -> None:
    """Y15: a blocking finding in scope, a failed criterion, low confidence, a named ground, more than two minors."""
    seats = (SeatRule(roles=("agent",), scope="quality"),)
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=seats, confidence_min=60)))
    report = play.a_report(verdict="concerns", **ground)
    if stands:
        play.do(CODEX, report)
        assert play.review.outcome is None
    else:
        assert play.refused(CODEX, report) is Code.GROUND_MISSING


def test_a_finding_outside_the_seats_scope_is_advice() -> None:
    """Y15: it is kept, and it is no ground."""
    seats = (SeatRule(roles=("agent",), scope="quality"),)
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=seats)))
    play.report(CODEX, verdict="approve", findings=(finding("a key leaks", scope="security"),))
    assert play.review.findings["shaped.1-F1"].advisory == OUT_OF_SCOPE
    assert is_cleared(play)


MAJORITY = protocols.chain(
    "majority",
    tuple(SeatRule(roles=(role,), scope=role) for role in ("seldon", "hardin", "gaal")),
    unanimous=False,
    retries_max=1,
    exhausted=Exhausted.ESCALATE,
)


def test_an_outvoted_layer_passes_with_a_flag() -> None:
    """Y16: while most layers can still approve; what it found stops nothing, and is not forgotten."""
    play = shaped(MAJORITY)
    play.report(SELDON, verdict="reject", summary="no title")
    assert play.review.report_request("majority.hardin.1") is not None
    play.report(HARDIN, verdict="approve")
    play.report(agent("gaal", session="s-gaal"), verdict="approve")
    assert is_cleared(play)
    assert "outvoted: majority.seldon" in play.last(ReviewCleared).flags
    assert play.review.findings["majority.seldon.1-F1"].text == "no title"


def test_the_work_goes_back_once_no_majority_is_left() -> None:
    """Y16: two of three against it; the third is not asked any more."""
    play = shaped(MAJORITY)
    play.report(SELDON, verdict="reject", summary="no title")
    play.report(HARDIN, verdict="reject", summary="a leaked key")
    request = play.review.revision_request()
    assert request is not None
    assert request.reasons == ("seldon: no title; hardin: a leaked key",)
    assert "majority.gaal.1" not in play.review.seats


def test_a_finding_outlives_its_raiser_and_the_successor_settles_it() -> None:
    """Y17: it belongs to the seat; the draft is for the successor's eyes only."""
    pool = (*POOL, holds(BOB, "agent"))
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=AGENT_SEAT)), facts=Facts(pool=pool))
    first = play.review.seats["shaped.1"].reviewer
    other = BOB if first == CODEX else CODEX
    assert first is not None
    play.report(first, verdict="concerns", findings=(finding("it leaks"),))
    play.revise("d2")
    play.do(first, commands.LeaveSeat(seat="shaped.1", draft="the leak may be in close()"))
    seat = play.review.seats["shaped.1"]
    assert seat.reviewer == other
    assert view(play.rules, play.review, other).review.seats["shaped.1"].draft == "the leak may be in close()"
    for viewer in (DEV, HUGO):
        assert view(play.rules, play.review, viewer).review.seats["shaped.1"].draft == ""
    assert "shaped.1" not in view(play.rules, play.review, ANN).review.seats
    settle = commands.SettleFinding(finding="shaped.1-F1", revision=2, resolved=True, note="closed now")
    assert play.refused(first, settle) is Code.NOT_THE_HOLDER
    play.do(other, settle)
    assert play.review.findings["shaped.1-F1"].standing is Standing.RESOLVED


def test_without_an_independent_successor_a_human_decides() -> None:
    """Y17: one of the author's own session is no successor."""
    twin = agent("twin", session=DEV.session)
    pool = (holds(CODEX, "agent"), holds(twin, "agent"))
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=AGENT_SEAT)), facts=Facts(pool=pool))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"),))
    play.revise("d2")
    play.do(CODEX, commands.LeaveSeat(seat="shaped.1"))
    assert play.last(RulingRequested).reason == "nobody_can_hold"


def revised(*, veto: bool, unchanged: bool) -> Play:
    """One of two has approved, under a policy that keeps reports if what the seat saw is unchanged."""
    seats = (SeatRule(roles=("agent",), veto=veto), SeatRule(roles=("auditor",)))
    keeps = frozenset({ChangeKind.CONTENT})
    play = shaped(protocol(stage(Quorum(reviewers=2), seats=seats, keeps=keeps)))
    play.report(CODEX, verdict="approve")
    play.know(unchanged_seats=frozenset({"shaped.1"} if unchanged else ()))
    play.revise("d2", base="main-2")
    return play


def test_policy_keeps_a_report_when_what_the_seat_saw_is_unchanged() -> None:
    """Y18, D-02: a revision knows its base and what sort of change it is; a veto seat always looks again."""
    play = revised(veto=False, unchanged=True)
    assert play.last(ReportKept).seat == "shaped.1"
    assert (play.review.current.base, play.review.current.change) == ("main-2", ChangeKind.CONTENT)
    assert revised(veto=False, unchanged=False).count(ReportKept) == 0
    assert revised(veto=True, unchanged=True).count(ReportKept) == 0


def test_doubts_are_never_kept_by_a_rule() -> None:
    """Y18: nor a report of a reviewer who has left the seat since."""
    keeps = frozenset({ChangeKind.REBASE})
    play = shaped(protocol(stage(Quorum(reviewers=2), Resolved(), seats=(SeatRule(), SeatRule()), keeps=keeps)))
    play.report(ANN, verdict="concerns", findings=(finding("no"),))
    play.report(BOB, verdict="approve")
    play.do(BOB, commands.LeaveSeat(seat="shaped.2"))
    play.know(change=ChangeKind.REBASE, base=BASE)
    play.revise("d2")
    assert play.count(ReportKept) == 0


def part(name: str) -> WorkPart:
    return WorkPart(name=name, digest="b1")


def styles(play: Play) -> tuple[str, ...]:
    return play.review.protocols


def test_what_the_bytes_demand_only_grows() -> None:
    """Y19: paths and risk add styles on each revision; a later harmless one takes none away."""
    rules = replace(
        RULES,
        paths=(PathRule(pattern="auth/**", kind="security_step"),),
        risks=(RiskRule(level=RiskLevel.HIGH, protocols=("peer",)),),
    )
    play = Play(rules)
    play.open("story", parts=(part("story.md"),))
    assert styles(play) == ("resolve",)
    play.revise("d2", parts=(part("auth/login.py"),))
    assert styles(play) == ("resolve", "security")
    play.know(risk=Risk(level=RiskLevel.HIGH))
    play.revise("d3", parts=(part("story.md"),))
    assert styles(play) == ("resolve", "security", "peer")
    play.know(risk=Risk(level=RiskLevel.LOW))
    play.revise("d4", parts=(part("story.md"),))
    assert styles(play) == ("resolve", "security", "peer")


def test_a_kind_a_label_or_a_chain_the_author_names_may_only_add() -> None:
    """Y19: asking for the chain without a veto does not spare the one with it."""
    play = Play()
    play.open("security_step", protocols=("default",), context=(("risk", "none"),))
    assert play.review.protocols == ("security", "default")
    unknown = Play()
    named = commands.OpenReview(review="r1", kind="story", title="t", digest="d1", protocols=("no_such_style",))
    assert unknown.refused(DEV, named) is Code.UNKNOWN_WORD
    unknown.do(CLOCK, replace(named, on_behalf_of=DEV))
    unknown.report(ANN, evidence=CHECKED)
    unknown.report(BOB, evidence=CHECKED)
    assert unknown.last(RulingRequested).text == "The rules name 'no_such_style', which is not known here"
