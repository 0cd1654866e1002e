"""Seed 002: who can lift a veto, what a critic may judge, what a majority decides, and what a crash is."""

from dataclasses import replace

import pytest

from foureyes.core import commands, protocols
from foureyes.core.chains import GAAL, MALLOW, SELDON
from foureyes.core.events import FindingRaised, ReportFailed, ReportKept, ReviewCleared, StageOverridden
from foureyes.core.facts import Facts
from foureyes.core.refusals import Code
from foureyes.core.rules import Exhausted, KindRule, Options, Rules
from foureyes.core.values import ChangeKind, ClearedBy, Failure, KeptBy, Outcome, Verdict, Who, WhoKind
from tests.cast import BASE, CRITICS, DEV, EVE, HUGO, LINTER, RULES, Play, finding, holds, rules_with
from tests.seeds.chain_play import CHAINS, approve, asked, opened, reject, ruling, wanted

HARDINS_STAGE = "security.security"


def vetoed() -> Play:
    """A security step that hardin has just vetoed."""
    play = opened("security")
    approve(play, "seldon")
    reject(play, "hardin", "The password is printed")
    assert play.review.is_vetoed(HARDINS_STAGE)
    return play


def override(play: Play, reason: str = "The password is a dummy") -> commands.OverrideStage:
    return commands.OverrideStage(
        stage=HARDINS_STAGE, revision=play.review.revision, digest=play.review.digest, reason=reason
    )


def majority_rules(*, retries: int = 3) -> Rules:
    """A chain of three layers, the last with a veto, that need not be unanimous."""
    chain = protocols.chain(
        "mixed", (SELDON, MALLOW, GAAL), unanimous=False, retries_max=retries, exhausted=Exhausted.ESCALATE
    )
    return rules_with(chain, kinds=(KindRule(kind="mixed_step", protocols=("mixed",)),))


@pytest.mark.parametrize("who", [CRITICS["seldon"], CRITICS["hardin"], DEV, EVE, LINTER], ids=lambda who: who.name)
def test_no_agent_lifts_a_veto(who: Who) -> None:
    """002-23: neither by overriding the stage, nor by waiving the finding, nor by giving a ruling."""
    play = vetoed()
    (name,) = wanted(play).findings
    assert play.refused(who, override(play)) is Code.HUMAN_ONLY
    assert play.refused(who, commands.WaiveFinding(finding=name, reason="harmless")) is Code.HUMAN_ONLY
    play.do(DEV, commands.RequestRuling(reason="It is a dummy"))
    given = commands.GiveRuling(request=ruling(play).id, option="as_is", reason="It is a dummy")
    assert play.refused(who, given) is Code.HUMAN_ONLY


def test_a_session_left_open_lifts_no_veto() -> None:
    """002-23: neither by an override nor by a ruling; it needs a human who signed in moments ago."""
    play = vetoed()
    play.do(DEV, commands.RequestRuling(reason="It is a dummy"))
    given = commands.GiveRuling(request=ruling(play).id, option="as_is", reason="It is a dummy")
    play.know(signed_in_anew=False)
    assert play.refused(HUGO, override(play)) is Code.SIGN_IN_NEEDED
    assert play.refused(HUGO, given) is Code.SIGN_IN_NEEDED
    play.know(signed_in_anew=True)
    assert play.do(HUGO, given)


def test_a_human_who_made_the_work_does_not_lift_its_veto() -> None:
    """002-23: a person is no better judge of their own work than an agent."""
    maker = Who(name="maker", kind=WhoKind.HUMAN)
    play = Play(author=maker)
    play.open("security_step")
    approve(play, "seldon")
    reject(play, "hardin")
    assert play.refused(maker, override(play)) is Code.AUTHOR_MAY_NOT
    assert play.refused(HUGO, override(play, reason=" ")) is Code.REASON_MISSING
    play.do(HUGO, override(play))
    assert play.review.outcome is Outcome.CLEARED


def test_a_human_lifts_a_veto_with_a_reason_on_record() -> None:
    """002-23: who, why, and for exactly which bytes; the clearance says that a human passed it."""
    play = vetoed()
    play.do(HUGO, override(play))
    lifted = play.last(StageOverridden)
    assert (lifted.by, lifted.reason, lifted.digest, lifted.lifts_veto) == (HUGO, "The password is a dummy", "d1", True)
    cleared = play.last(ReviewCleared)
    assert (cleared.by, cleared.flags) == (ClearedBy.HUMAN, (f"overridden: {HARDINS_STAGE}",))


def test_an_override_is_for_one_version_and_the_next_one_is_judged_anew() -> None:
    """002-23, C4: what a human passed once is no pass for other bytes."""
    play = opened("infrastructure")
    approve(play, "seldon")
    reject(play, "hardin")
    stage = "infrastructure.security"
    play.do(HUGO, commands.OverrideStage(stage=stage, revision=1, digest="d1", reason="a dummy"))
    assert asked(play) == ["daneel"]
    reject(play, "daneel", "It restarts every node at once")
    play.revise("d2")
    assert asked(play) == ["seldon"]
    approve(play, "seldon")
    assert asked(play) == ["hardin"]
    stale = commands.OverrideStage(stage=stage, revision=1, digest="d1", reason="a dummy")
    assert play.refused(HUGO, stale) is Code.STALE


def test_a_veto_outlives_a_waived_finding_a_second_thought_and_the_same_bytes() -> None:
    """002-23, C6: only the override lifts it; nobody talks the critic out of it on the same bytes."""
    play = vetoed()
    (name,) = wanted(play).findings
    play.do(HUGO, commands.WaiveFinding(finding=name, reason="a dummy"))
    assert play.review.is_vetoed(HARDINS_STAGE)
    assert play.review.outcome is None
    assert play.refused(CRITICS["hardin"], play.a_report(verdict="approve", summary="fine")) is Code.VETO_STANDS
    play.revise("d2")
    approve(play, "seldon")
    assert play.refused(DEV, commands.SubmitRevision(digest="d1")) is Code.VETOED


def test_a_critic_cannot_change_the_work() -> None:
    """002-22: a revision comes from the author alone, and no command of a seat moves the digest."""
    play = opened("security")
    for who in (CRITICS["seldon"], CRITICS["hardin"], EVE, HUGO):
        assert play.refused(who, commands.SubmitRevision(digest="better")) is Code.NOT_THE_AUTHOR
    seat = "security.format.1"
    seldon = CRITICS["seldon"]
    play.do(seldon, commands.TakeSeat(seat=seat))
    play.do(seldon, commands.RenewSeat(seat=seat, draft="rm -rf is in line 3"))
    play.do(seldon, commands.LeaveSeat(seat=seat))
    play.do(seldon, commands.TakeSeat(seat=seat))
    suggestion = finding("It ends abruptly", suggestion="write it thus", scope="format")
    play.report(seldon, verdict="reject", findings=(suggestion,), summary="It ends abruptly")
    assert [one.digest for one in play.review.revisions] == ["d1"]
    assert play.review.contributors == (DEV,)


def test_the_layers_have_seven_scopes() -> None:
    """002-24: format, security, factual, operational, creative, financial, quantitative."""
    scopes = {seat.scope for one in RULES.protocols for stage in one.stages for seat in stage.seats} - {""}
    assert scopes == {"format", "security", "factual", "operational", "creative", "financial", "quantitative"}
    assert {scope for chain in CHAINS for _, scope, _ in chain.layers} == scopes


@pytest.mark.parametrize("severity", ["critical", "important"])
def test_a_layer_judges_only_its_own_scope(severity: str) -> None:
    """002-24, C8: what hardin says of the facts is advice; it neither vetoes nor stops the work."""
    play = opened("security")
    approve(play, "seldon")
    outside = finding("The figure is unsourced", severity, scope="factual")
    no_ground = play.a_report(verdict="reject", findings=(outside,), summary="The figure is unsourced")
    assert play.refused(CRITICS["hardin"], no_ground) is Code.GROUND_MISSING
    play.report(CRITICS["hardin"], verdict="approve", findings=(outside,), summary="safe")
    assert play.last(FindingRaised).advisory
    assert (play.review.outcome, play.review.vetoes) == (Outcome.CLEARED, frozenset())


def test_inside_its_scope_the_same_finding_vetoes() -> None:
    """C8, 002-24: a finding without a scope is of the seat's own."""
    for scope in ("security", ""):
        play = opened("security")
        approve(play, "seldon")
        inside = finding("The password is printed", scope=scope)
        play.report(CRITICS["hardin"], verdict="reject", findings=(inside,), summary="no")
        assert (play.last(FindingRaised).advisory, play.last(FindingRaised).scope) == ("", "security")
        assert play.review.is_vetoed(HARDINS_STAGE)


def test_a_decision_is_an_approval_a_rejection_a_veto_or_an_error() -> None:
    """C1: a rejection is a veto only from a seat that has one; an error is neither."""
    play = opened("infrastructure")
    seldon, hardin = CRITICS["seldon"], CRITICS["hardin"]
    crash = commands.ReportInconclusive(seat="infrastructure.format.1", revision=1, reason=Failure.CRASHED)
    play.do(seldon, crash)
    assert (play.last(ReportFailed).reason, play.review.reports) == (Failure.CRASHED, {})
    approve(play, "seldon")
    assert play.review.reports["infrastructure.format.1", 1].verdict is Verdict.APPROVE
    play.do(hardin, play.a_report(verdict="reject", summary="The port is open"))
    assert play.review.vetoes == {("infrastructure.security", "d1")}
    play.revise("d2")
    reject(play, "seldon", "It is no YAML")
    assert play.review.vetoes == {("infrastructure.security", "d1")}
    assert play.review.reports["infrastructure.format.1", 2].verdict is Verdict.REJECT


def test_a_majority_carries_a_layer_that_rejects() -> None:
    """C2: two of three layers approve, so the work passes, and the outvoted layer is said."""
    play = opened("mixed", majority_rules())
    reject(play, "seldon", "The heading is missing")
    assert asked(play) == ["mallow"]
    approve(play, "mallow")
    approve(play, "gaal")
    assert play.last(ReviewCleared).flags == ("outvoted: mixed.format",)


def test_without_a_strict_majority_the_work_goes_back_with_every_reason() -> None:
    """C2, 002-25: one of three is no majority; the author hears both layers that rejected."""
    play = opened("mixed", majority_rules())
    reject(play, "seldon", "The heading is missing")
    reject(play, "mallow", "The sum is wrong")
    (reason,) = wanted(play).reasons
    assert reason == "seldon: The heading is missing; mallow: The sum is wrong"
    assert wanted(play).findings == ("mixed.format.1-F1", "mixed.financial.1-F1")
    assert asked(play) == []


def test_half_of_the_layers_is_no_majority() -> None:
    """C2: with two layers one rejection sends the work back."""
    chain = protocols.chain("pair", (SELDON, MALLOW), unanimous=False, retries_max=1, exhausted=Exhausted.SHELVE)
    play = opened("pair", rules_with(chain, kinds=(KindRule(kind="pair_step", protocols=("pair",)),)))
    reject(play, "seldon")
    assert wanted(play).stage == "pair.format"


def test_one_layer_decides_alone() -> None:
    """C2, 002-07: the default chain is not unanimous and has one layer."""
    play = opened("default")
    reject(play, "seldon", "It is no JSON")
    assert wanted(play).reasons == ("seldon: It is no JSON",)


@pytest.mark.parametrize("outvoted", [False, True])
def test_a_majority_never_outvotes_a_veto(outvoted: bool) -> None:
    """C2, 002-02, 002-25: two approvals do not help against gaal, and what gaal says reaches the author."""
    play = opened("mixed", majority_rules())
    (reject if outvoted else approve)(play, "seldon")
    approve(play, "mallow")
    reject(play, "gaal", "The quote has no author")
    assert "gaal: The quote has no author" in wanted(play).reasons[0]
    assert "mixed.factual.1-F1" in wanted(play).findings
    assert play.review.is_vetoed("mixed.factual")
    assert play.review.outcome is None


def reusing(change: ChangeKind) -> Play:
    """A security step of a chain that reuses layers, approved by seldon and vetoed, then changed in this way."""
    chain = next(one for one in RULES.protocols if one.name == "security")
    keeps = frozenset({ChangeKind.REBASE, ChangeKind.CONTENT})
    stages = tuple(replace(one, options=replace(one.options, keeps=keeps)) for one in chain.stages)
    play = opened("security", rules_with(replace(chain, stages=stages)))
    approve(play, "seldon")
    reject(play, "hardin")
    play.know(change=change, base=BASE)
    return play


@pytest.mark.parametrize(
    ("change", "unchanged", "next_asked"),
    [
        (ChangeKind.REBASE, False, "hardin"),
        (ChangeKind.CONTENT, True, "hardin"),
        (ChangeKind.CONTENT, False, "seldon"),
    ],
)
def test_a_layer_is_reused_only_if_what_it_saw_is_unchanged(
    change: ChangeKind, unchanged: bool, next_asked: str
) -> None:
    """C4: and only where policy says so."""
    play = reusing(change)
    play.know(unchanged_seats=frozenset({"security.format.1"} if unchanged else ()))
    play.revise("d2")
    assert asked(play) == [next_asked]
    assert play.count(ReportKept) == (next_asked == "hardin")


def test_a_veto_layer_is_never_reused() -> None:
    """C4: hardin's approval of the old version says nothing of the new one, whatever policy keeps."""
    play = reusing(ChangeKind.REBASE)
    play.revise("d2")
    approve(play, "hardin")
    assert play.last(ReviewCleared).digest == "d2"
    play.revise("d3")
    assert asked(play) == ["hardin"]
    assert play.last(ReportKept) == ReportKept(seat="security.format.1", revision=3, digest="d3", by=KeptBy.RULE)
    assert Options(style=RULES.protocols[0].stages[0].options.style).keeps == frozenset()


def crash(play: Play, who: Who, *, times: int) -> None:
    for _ in range(times):
        play.do(who, commands.ReportInconclusive(seat=HARDINS_STAGE + ".1", revision=1, reason=Failure.CRASHED))


def test_a_critic_that_crashes_is_asked_twice_more_then_a_human() -> None:
    """C10: it neither approves nor vetoes, and the author's retries are not touched."""
    play = opened("security")
    approve(play, "seldon")
    hardin = CRITICS["hardin"]
    crash(play, hardin, times=2)
    assert asked(play) == ["hardin"]
    crash(play, hardin, times=1)
    assert (ruling(play).reason, asked(play)) == ("nobody_can_hold", [])
    assert (play.review.vetoes, play.review.resubmissions, play.review.outcome) == (frozenset(), 0, None)


def test_a_crashed_critic_is_replaced_by_another_of_its_role() -> None:
    """C10: the next candidate is asked before a human is."""
    other = Who(name="hardin-2", session="s-hardin-2")
    play = Play(facts=Facts(pool=(*opened("security").facts.pool, holds(other, "hardin"))))
    play.open("security_step")
    approve(play, "seldon")
    (first,) = asked(play)
    crash(play, next(one.who for one in play.facts.pool if one.who.name == first), times=3)
    assert set(asked(play)) == {"hardin", "hardin-2"} - {first}


def test_an_answer_nobody_can_read_is_an_error_too() -> None:
    """C10, C1: an unknown verdict is neither an approval nor a veto."""
    play = opened("security")
    approve(play, "seldon")
    sent = play.a_report(verdict="LGTM ship it", summary="review unavailable")
    assert play.refused(CRITICS["hardin"], sent) is Code.UNKNOWN_WORD
    assert (asked(play), play.review.vetoes, play.review.outcome) == (["hardin"], frozenset(), None)
