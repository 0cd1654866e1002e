"""Beyond the seeds: who may judge, who must agree, and how all parties are told why the gate is open or shut."""

from dataclasses import replace

import pytest

from foureyes.core import commands, protocols
from foureyes.core.assess import assess
from foureyes.core.events import ReportRequested, ReviewCleared, RulingRequested, StageOverridden
from foureyes.core.explain import Explanation, Status, explain
from foureyes.core.facts import Facts, Principal
from foureyes.core.gates import Independence, Quorum, Resolved
from foureyes.core.model import RulingRequest
from foureyes.core.refusals import Code
from foureyes.core.rules import Humans, RiskRule, SeatRule, SkipRule
from foureyes.core.values import Outcome, Risk, RiskLevel, Severity, Who, WhoKind
from tests.cast import (
    ANN,
    AUDITOR,
    BOB,
    CHECKED,
    CODEX,
    DEV,
    EVE,
    HANNA,
    HUGO,
    LINTER,
    POOL,
    RULES,
    Play,
    agent,
    finding,
    holds,
    proven,
    rules_with,
)
from tests.seeds.shaped import NAME, is_cleared, protocol, shaped, stage

AGENT_SEAT = (SeatRule(roles=("agent",)),)


def human(name: str) -> Who:
    return Who(name=name, kind=WhoKind.HUMAN)


def test_neither_the_author_nor_a_token_of_the_same_session_sits_or_confirms() -> None:
    """D-04: another name in the same session is the author's own eyes."""
    play = Play()
    play.open("story")
    twin = agent("somebody-else", session=DEV.session)
    for take in (commands.TakeSeat(stage="resolve"), play.a_report(evidence=CHECKED)):
        assert play.refused(DEV, take) is Code.AUTHOR_MAY_NOT
        assert play.refused(twin, take) is Code.NO_FREE_SEAT
    assert play.refused(twin, commands.TakeSeat(seat="resolve.1")) is Code.NOT_ELIGIBLE
    play.report(ANN, findings=(finding("a gap"),))
    confirm = commands.SettleFinding(finding="resolve.1-F1", revision=1, resolved=True, note="it is fine")
    assert play.refused(DEV, confirm) is Code.NOT_THE_HOLDER
    assert play.refused(twin, confirm) is Code.NOT_THE_HOLDER


@pytest.mark.parametrize("name", ["hugo", "Hugo ", "\uff28ugo"])
def test_a_human_author_does_not_open_the_own_gate_under_any_spelling(name: str) -> None:
    """D-04, D-24: no override, no waiver, no ruling for the own work."""
    play = Play(author=HUGO)
    play.open("story")
    play.report(ANN, findings=(finding("a gap"),))
    me = human(name)
    override = commands.OverrideStage(stage="resolve", revision=1, digest="d1", reason="mine")
    assert play.refused(me, override) is Code.AUTHOR_MAY_NOT
    assert play.refused(me, commands.WaiveFinding(finding="resolve.1-F1", reason="mine")) is Code.AUTHOR_MAY_NOT
    play.do(HUGO, commands.RequestRuling(reason="I disagree"))
    assert play.refused(me, commands.GiveRuling(request="ruling-1", option="as_is", reason="x")) is Code.AUTHOR_MAY_NOT
    play.do(HANNA, commands.GiveRuling(request="ruling-1", option="as_is", reason="it is an alias"))
    assert is_cleared(play)


@pytest.mark.parametrize(
    ("pool", "seated"),
    [
        ((agent("sonnet-2", family="claude"),), ""),
        ((agent("nobody-knows"),), ""),
        ((agent("sonnet-2", family="claude"), agent("gpt", family="gpt")), "gpt"),
        ((human("hanna"),), "hanna"),
    ],
)
def test_independence_the_pool_lacks_is_a_humans_matter(pool: tuple[Who, ...], seated: str) -> None:
    """D-05: opus reviewing sonnet is one family; unknown is not independent; nobody is assigned instead."""
    facts = Facts(pool=tuple(holds(one, "agent") for one in pool))
    demanding = stage(Quorum(reviewers=1), seats=AGENT_SEAT, independence=("model_family",))
    play = shaped(protocol(demanding), facts=facts)
    if seated:
        assert play.review.seats[f"{NAME}.1"].reviewer == next(one for one in pool if one.name == seated)
    else:
        assert play.count(ReportRequested) == 0
        assert play.last(RulingRequested).reason == "nobody_can_hold"


def test_a_reviewer_who_is_not_independent_enough_does_not_satisfy_the_gate() -> None:
    """D-05: of the author, and of each other."""
    seats = (SeatRule(roles=("agent",)), SeatRule(roles=("auditor",)))
    play = shaped(protocol(stage(Independence(facts=("model_family",)), Quorum(reviewers=2), seats=seats)))
    play.report(CODEX, verdict="approve")
    play.report(AUDITOR, verdict="approve")
    said = "auditor is not independent of codex: model_family is the same or unknown"
    assert play.last(RulingRequested).text == said
    apart = Independence(facts=("model_family",), of_each_other=False)
    loose = shaped(protocol(stage(apart, Quorum(reviewers=2), seats=seats)))
    loose.report(CODEX, verdict="approve")
    loose.report(AUDITOR, verdict="approve")
    assert is_cleared(loose)


def test_a_quorum_by_operator_does_not_count_one_operators_agents_twice() -> None:
    """D-05, Y24: two agents of one operator are one voice."""
    seats = (SeatRule(), SeatRule())
    play = shaped(protocol(stage(Quorum(reviewers=2, distinct="operator"), seats=seats)))
    play.report(ANN, verdict="approve")
    play.report(EVE, verdict="approve")
    assert play.last(RulingRequested).text == "Need 2 reviewers, have 1 that differ in operator"


def test_explain_lists_each_requirement_with_who_must_act_and_how() -> None:
    """D-08: met, not met, not applicable; with the findings as evidence."""
    play = shaped(
        protocol(stage(Quorum(reviewers=1), Resolved(), seats=AGENT_SEAT), stage(Quorum(reviewers=1), name="second"))
    )
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"),))
    told = explain(play.rules, play.review)
    assert [(one.stage, one.requirement, one.status) for one in told.requirements] == [
        (NAME, "Quorum", Status.NOT_MET),
        (NAME, "Resolved", Status.NOT_MET),
        ("second", "Quorum", Status.NOT_APPLICABLE),
    ]
    assert told.requirements[1].findings == ("shaped.1-F1",)
    assert told.in_words() == (
        "r1, version 1 (d1): open",
        "shaped: Quorum: not met. Need 1 reviewer, have 0",
        "shaped: Resolved: not met. 1 feedback items unresolved",
        "second: Quorum: not applicable. Not looked at yet",
        "Waiting for dev: an answer to shaped.1-F1. Answer shaped.1-F1, or submit a new version",
    )


def overridden_review() -> Play:
    play = shaped(protocol(stage(Quorum(reviewers=1), name="first", seats=AGENT_SEAT), stage(Quorum(reviewers=1))))
    play.do(HUGO, commands.OverrideStage(stage="first", revision=1, digest="d1", reason="I looked myself"))
    return play


def test_explain_says_what_a_human_passed_and_what_is_in_error() -> None:
    """D-08: overridden is neither met nor not met; unreadable rules are an error that never passes."""
    play = overridden_review()
    told = explain(play.rules, play.review).requirements
    assert (told[0].stage, told[0].status, told[0].reason) == ("first", Status.OVERRIDDEN, "I looked myself")
    unknown = explain(replace(play.rules, protocols=()), play.review).requirements
    assert [(one.requirement, one.status) for one in unknown] == [("Unknown", Status.ERROR)]
    empty = explain(replace(play.rules, protocols=(protocol(stage()),)), play.review).requirements
    assert [(one.requirement, one.status) for one in empty] == [("something to meet", Status.ERROR)]


def test_the_clearance_carries_the_very_judgement_that_explain_tells() -> None:
    """D-08: one code decides and explains."""
    play = overridden_review()
    play.report(ANN, verdict="approve")
    told = explain(play.rules, play.review)
    recorded = play.last(ReviewCleared).requirements
    assert [(one.stage, one.reason) for one in recorded] == [(one.stage, one.reason) for one in told.requirements]
    assert {one.status for one in told.requirements} == {Status.MET, Status.OVERRIDDEN}
    assert assess(play.rules, play.review).speaking is None


def test_a_new_policy_is_tried_on_past_work_without_touching_it() -> None:
    """D-08: the same function with other rules."""
    play = overridden_review()
    play.report(ANN, verdict="approve")
    stricter = replace(play.rules, protocols=(protocol(stage(Quorum(reviewers=3), seats=AGENT_SEAT)),))
    before = list(play.log)
    (told,) = explain(stricter, play.review).requirements
    assert (told.status, told.reason) == (Status.NOT_MET, "Need 3 reviewers, have 1 that differ in reviewer")
    assert play.log == before


def turns(told: Explanation) -> dict[str, tuple[tuple[str, ...], str]]:
    return {one.request: (one.who, one.how) for one in told.turns}


def test_everybody_who_owes_something_is_named_with_what_to_do() -> None:
    """D-08, D-21: a seat's holder, those who may take it, the author, a human or a group."""
    play = Play()
    play.open("story")
    assert turns(explain(RULES, play.review))["resolve.1"] == (
        ("anyone eligible",),
        "Submit a report on version 1 for seat resolve.1",
    )
    play.report(ANN, findings=(finding("a gap"), finding("a hole")))
    answer = turns(explain(RULES, play.review))["revision"]
    assert answer == (("dev",), "Answer resolve.1-F1, resolve.1-F2, or submit a new version")
    play.do(DEV, commands.AnswerFinding(finding="resolve.1-F1", text="filled"))
    play.do(DEV, commands.AnswerFinding(finding="resolve.1-F2", text="filled"))
    assert turns(explain(RULES, play.review))["resolve.1"] == (("ann",), "Settle these on version 1")
    play.do(DEV, commands.RequestRuling(reason="nobody confirms"))
    who, how = turns(explain(RULES, play.review))["ruling-1"]
    assert who == ("a human",)
    assert how.startswith("Give a ruling on ruling-1: as_is, ")


def test_a_new_version_and_a_clarification_are_asked_for_in_different_words() -> None:
    """D-08."""
    play = Play()
    play.open("default_step")
    play.report(play.review.seats["default.format.1"].reviewer or ANN, verdict="reject", summary="no title")
    assert turns(explain(RULES, play.review))["revision"] == (("dev",), "Submit a revision; 3 left")
    asked = Play()
    asked.open("milestone")
    for seat in ("session.1", "session.2"):
        asked.report(asked.review.seats[seat].reviewer or ANN, verdict="concerns", summary="is this meant?")
    how = turns(explain(RULES, asked.review))["revision"][1]
    assert how == "Submit the same version with a note, or a new one"


def test_what_is_only_advice_is_asked_of_nobody() -> None:
    """D-21: the author's request names the findings that stop the work, and no others."""
    play = Play()
    play.open("thing")
    play.report(LINTER, verdict="approve", findings=(finding("a style nit", "nit"),))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"), finding("too long a line", "minor")))
    request = play.review.revision_request()
    assert request is not None
    assert request.findings == ("solo.2-F1",)
    assert {one.who for one in explain(RULES, play.review).turns} == {("dev",)}


def test_the_risk_of_the_bytes_chooses_the_depth() -> None:
    """D-19, Y19: a dangerous change gets three lenses, whatever the author calls it; a harmless one gets one."""
    lenses = tuple(
        protocol(stage(Quorum(reviewers=1), name=name, seats=AGENT_SEAT), name=name) for name in ("a", "b", "c")
    )
    rules = rules_with(*lenses, default=("a",), risks=(RiskRule(level=RiskLevel.HIGH, protocols=("b", "c")),))
    for level, wanted in ((RiskLevel.LOW, ("a",)), (RiskLevel.MEDIUM, ("a",)), (RiskLevel.HIGH, ("a", "b", "c"))):
        play = Play(rules, Facts(pool=POOL, risk=Risk(level=level)))
        play.open("thing")
        assert play.review.protocols == wanted


def test_a_cheap_way_never_stands_in_for_a_veto_or_a_dangerous_kind() -> None:
    """D-19: skipped where the bytes are harmless, never for security."""
    skip = SkipRule(name="all", kinds=("fix_typo", "security_change", "security_step"))
    for kind, skipped in (("fix_typo", True), ("security_change", False), ("security_step", True)):
        play = Play(replace(RULES, skips=(skip,)), Facts(pool=POOL, **proven()))  # type: ignore[arg-type]
        play.open(kind)
        assert bool(play.review.skipped) is skipped
        assert is_cleared(play) is (kind == "fix_typo")
        assert ("security.security", 1) not in play.review.skipped


def two_of_three(members: frozenset[str]) -> Play:
    """A play with a pending ruling, on which two of a group must agree."""
    demanding = stage(Quorum(reviewers=1), seats=AGENT_SEAT, ruling_needs=2, ruling_group="leads")
    play = shaped(protocol(demanding), groups=(Humans(name="leads", members=members),))
    play.do(DEV, commands.RequestRuling(reason="nobody answers"))
    return play


def ruling(option: str) -> commands.GiveRuling:
    return commands.GiveRuling(request="ruling-1", option=option, reason="I looked at it")


def test_two_of_a_group_must_agree_and_a_name_counts_once_however_it_is_spelt() -> None:
    """D-24."""
    play = two_of_three(frozenset({"hugo", "hanna", "dev"}))
    play.do(HUGO, ruling("as_is"))
    assert play.review.outcome is None
    assert play.count(StageOverridden) == 0
    for name in ("hugo", "Hugo ", "HUGO", "hu\u200bgo"):
        assert play.refused(human(name), ruling("as_is")) is Code.DUPLICATE
    assert play.refused(human("zoe"), ruling("as_is")) is Code.NOT_IN_GROUP
    play.do(human("Hanna "), ruling("as_is"))
    assert is_cleared(play)


def test_an_empty_group_opens_nothing_but_anybody_may_close() -> None:
    """D-24: nobody in the list means nobody, not everybody."""
    play = two_of_three(frozenset())
    assert play.refused(HUGO, ruling("as_is")) is Code.EMPTY_GROUP
    override = commands.OverrideStage(stage=NAME, revision=1, digest="d1", reason="in a hurry")
    assert play.refused(HUGO, override) is Code.EMPTY_GROUP
    play.do(HUGO, ruling("reject"))
    assert play.review.outcome is Outcome.REJECTED


def test_where_several_must_agree_nobody_opens_the_gate_alone() -> None:
    """D-24: neither by an override nor by a waiver."""
    play = two_of_three(frozenset({"hugo", "hanna"}))
    override = commands.OverrideStage(stage=NAME, revision=1, digest="d1", reason="in a hurry")
    assert play.refused(HUGO, override) is Code.RULING_NEEDED
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"),))
    assert play.refused(HUGO, commands.WaiveFinding(finding="shaped.1-F1", reason="no")) is Code.RULING_NEEDED
    assert play.review.findings["shaped.1-F1"].blocks(Severity.IMPORTANT)


def test_votes_for_different_options_do_not_add_up() -> None:
    """D-24: two people agree when they want the same."""
    demanding = stage(Quorum(reviewers=1), Resolved(answers_max=1), seats=AGENT_SEAT, ruling_needs=2)
    play = shaped(protocol(demanding))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"),))
    play.do(DEV, commands.AnswerFinding(finding="shaped.1-F1", text="it does not"))
    play.do(CODEX, commands.SettleFinding(finding="shaped.1-F1", revision=1, resolved=False))
    asked = play.review.ruling()
    assert isinstance(asked, RulingRequest)
    assert asked.needs == 2
    play.do(HUGO, ruling("as_is"))
    play.do(HANNA, ruling("not_real"))
    assert play.review.ruling() is not None
    assert not play.review.findings["shaped.1-F1"].is_settled
    play.do(HUGO, ruling("not_real"))
    assert play.review.findings["shaped.1-F1"].is_settled


def test_whoever_changes_their_mind_counts_once_for_what_they_want_now() -> None:
    """D-24: one human has one vote, so nobody lends a hand to two decisions."""
    demanding = stage(Quorum(reviewers=1), Resolved(answers_max=1), seats=AGENT_SEAT, ruling_needs=2)
    play = shaped(protocol(demanding))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"),))
    play.do(DEV, commands.AnswerFinding(finding="shaped.1-F1", text="it does not"))
    play.do(CODEX, commands.SettleFinding(finding="shaped.1-F1", revision=1, resolved=False))
    play.do(HUGO, ruling("as_is"))
    play.do(human("Hugo "), ruling("not_real"))
    play.do(HANNA, ruling("as_is"))
    assert play.review.ruling() is not None
    assert play.count(StageOverridden) == 0
    assert play.refused(HUGO, ruling("not_real")) is Code.DUPLICATE
    play.do(HUGO, ruling("as_is"))
    assert play.count(StageOverridden) == 1


def test_the_group_is_named_to_whoever_waits() -> None:
    """D-24, D-08."""
    play = two_of_three(frozenset({"hugo"}))
    assert turns(explain(play.rules, play.review))["ruling-1"][0] == ("leads",)


def test_programs_are_asked_beside_people_but_are_no_second_pair_of_eyes() -> None:
    """D-05: "programs looked; no model or person did" is not an approval."""
    only = Facts(pool=(Principal(who=LINTER, roles=frozenset({"program", "agent"})),))
    play = Play(rules_with(protocols.solo(agents=())), only)
    play.open("thing")
    play.report(LINTER, verdict="approve")
    assert play.review.outcome is None
    assert play.last(RulingRequested).text == "Need 1 reviewer, have 0 that differ in reviewer"


def test_bob_is_the_other_operator() -> None:
    """D-05, Y24: two of different operators and families make the highest level."""
    play = shaped(protocol(stage(Quorum(reviewers=2, distinct="operator"), seats=(SeatRule(), SeatRule()))))
    play.report(ANN, verdict="approve")
    play.report(BOB, verdict="approve")
    assert play.last(ReviewCleared).level == 3
