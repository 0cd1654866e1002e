"""Decisions about the model: changing policies, vetoed bytes, sessions, levels of independence, going live."""

from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.core import commands
from foureyes.core.events import (
    LiveRefused,
    PolicyNoted,
    ReviewCleared,
    RulingRequested,
    SignalReceived,
    SignalType,
    WentLive,
)
from foureyes.core.explain import explain
from foureyes.core.facts import Facts, PolicyInForce, Principal
from foureyes.core.gates import Quorum, Resolved
from foureyes.core.live import Clearance, LiveFacts, RecordLive, decide_live
from foureyes.core.refusals import Code
from foureyes.core.rules import SeatRule
from foureyes.core.sessions import PauseSession, Session, SessionFacts, Status, decide_session, evolve_session, status
from foureyes.core.values import Effect, Who, WhoKind
from tests.cast import (
    ANN,
    AUDITOR,
    BOB,
    CHECKED,
    CODEX,
    DEV,
    EVE,
    GEMINI,
    HARDIN,
    HUGO,
    SELDON,
    START,
    TESTER,
    Play,
    agent,
    finding,
)
from tests.seeds.shaped import NAME, is_cleared, protocol, shaped, shaped_rules, stage

AGENT_SEAT = (SeatRule(roles=("agent",)),)


def with_policy(*, in_flight: bool) -> Play:
    """An open review during which a human activates a stricter policy."""
    play = shaped(protocol(stage(Quorum(reviewers=1), seats=AGENT_SEAT)))
    strict = stage(Quorum(reviewers=2), seats=(SeatRule(roles=("agent",)), SeatRule(roles=("auditor",))))
    extra = stage(Quorum(reviewers=1), name="extra", seats=(SeatRule(roles=("tester",)),))
    newer = replace(shaped_rules(protocol(strict, extra)), digest="rules-2")
    play.know(policy=PolicyInForce(digest="rules-2", applies_in_flight=in_flight, rules=newer))
    return play


def test_a_review_under_way_keeps_its_rules() -> None:
    """Y20: the change is noted once, and does not bind."""
    play = with_policy(in_flight=False)
    play.do(ANN, commands.AddNote(text="hello"))
    play.report(CODEX, verdict="approve")
    assert play.count(PolicyNoted) == 1
    assert not play.last(PolicyNoted).stricter
    assert is_cleared(play)


def test_a_policy_that_applies_in_flight_must_be_met_too() -> None:
    """Y20: both; where the seats differ both stages stand, and what is new comes behind."""
    play = with_policy(in_flight=True)
    play.report(CODEX, verdict="approve")
    assert play.last(PolicyNoted).stricter
    assert play.review.outcome is None
    for who in (CODEX, AUDITOR):
        play.report(who, stage=f"{NAME}+", verdict="approve")
    assert play.review.outcome is None
    play.report(TESTER, stage="extra", verdict="approve")
    assert is_cleared(play)


def test_a_stage_both_policies_share_must_meet_the_gates_of_both() -> None:
    """Y20: each gate once; the cap is the lowest of all."""
    seats = (SeatRule(), SeatRule())
    play = shaped(protocol(stage(Quorum(reviewers=1), seats=seats)))
    both = stage(Quorum(reviewers=1), Quorum(reviewers=2), seats=seats)
    newer = replace(shaped_rules(protocol(both, revisions_max=0)), digest="rules-2")
    play.know(policy=PolicyInForce(digest="rules-2", applies_in_flight=True, rules=newer))
    play.report(ANN, verdict="approve")
    told = explain(play.rules, play.review, newer).requirements
    assert [one.reason for one in told] == ["1 reviewer vouches for this version", "Need 2 reviewers, have 1"]
    play.report(BOB, verdict="concerns", findings=(finding("no"),))
    assert play.refused(DEV, commands.SubmitRevision(digest="d2")) is Code.RULING_PENDING


def test_a_policy_in_flight_that_cannot_be_read_passes_nothing() -> None:
    """Y20: fail closed, also once the policy fact is gone."""
    play = with_policy(in_flight=True)
    play.know(policy=PolicyInForce(digest="rules-3", applies_in_flight=True))
    play.report(CODEX, verdict="approve")
    assert play.last(RulingRequested).text == "The rules name 'policy rules-3', which is not known here"


def test_the_stricter_policy_binds_even_after_another_one_came_into_force() -> None:
    """Y20: the shell finds it again by its digest."""
    play = with_policy(in_flight=True)
    play.do(ANN, commands.AddNote(text="hello"))
    assert play.facts.policy is not None
    play.know(stricter=play.facts.policy.rules, policy=PolicyInForce(digest="rules-9"))
    play.report(CODEX, verdict="approve")
    assert play.review.stricter == "rules-2"
    assert play.review.outcome is None


def vetoed() -> Play:
    """Hardin has vetoed d1 in review r1."""
    play = Play()
    play.open("security_step")
    play.report(SELDON, verdict="approve")
    play.report(HARDIN, verdict="reject", summary="a key in the code")
    return play


def test_vetoed_bytes_are_refused_in_every_other_review() -> None:
    """Y21: another review, another chain, another author; the refusal names where the veto stands."""
    there = vetoed()
    assert there.review.vetoes == {("security.security", "d1")}
    for author, kind in ((DEV, "default_step"), (EVE, "story"), (HUGO, "thing")):
        play = Play(author=author)
        play.know(vetoes={"d1": "r1"})
        assert play.refused(author, commands.OpenReview(review="r2", kind=kind, title="x", digest="d1")) is Code.VETOED
        play.open(kind, digest="d2")
        assert play.refused(author, commands.SubmitRevision(digest="d1")) is Code.VETOED


def test_vetoed_bytes_are_refused_in_the_same_review_too() -> None:
    """Y21: going away and coming back does not help."""
    play = vetoed()
    play.revise("d2")
    assert play.refused(DEV, commands.SubmitRevision(digest="d1")) is Code.VETOED


def test_a_veto_elsewhere_that_came_meanwhile_keeps_the_gate_shut() -> None:
    """Y21: the other gates pass, these bytes do not; no option of the ruling lets them through."""
    play = Play()
    play.open("story")
    play.report(ANN, evidence=CHECKED)
    play.know(vetoes={"d1": "r7"})
    play.report(BOB, evidence=CHECKED)
    asked = play.last(RulingRequested)
    assert asked.reason == "vetoed_elsewhere"
    assert Effect.PASS_STAGE not in {one.effect for one in asked.options}
    assert play.review.outcome is None


def running() -> Session:
    heard = SignalReceived(session="s1", agent="dev", type=SignalType.PROGRESS, summary="at work")
    return evolve_session(Session(id="s1"), heard, START)


def waits(play: Play) -> bool:
    """Whether this review blocks its session: a clarification or a decision is owed."""
    asked = play.review.revision_request()
    return play.review.ruling() is not None or (asked is not None and asked.clarify)


def test_a_session_is_paused_while_any_of_its_reviews_waits() -> None:
    """Y22: derived, so one review's approval cannot resume what another one stopped."""
    held, fine = Play(), Play()
    for play in (held, fine):
        play.open("milestone")
    for who in (CODEX, GEMINI):
        held.report(who, verdict="concerns", summary="is this meant?")
        fine.report(who, verdict="approve")
    assert is_cleared(fine)
    waiting = waits(held) or waits(fine)
    assert status(running(), reviews_waiting=waiting) is Status.PAUSED
    held.revise("d1", note="yes, it is meant")
    waiting = waits(held) or waits(fine)
    assert status(running(), reviews_waiting=waiting) is Status.RUNNING


def test_a_session_a_human_paused_stays_paused_whatever_its_reviews_say() -> None:
    """Y22."""
    (event,) = decide_session(running(), PauseSession(reason="lunch"), HUGO, START, SessionFacts())
    paused = evolve_session(running(), event, START)
    assert status(paused, reviews_waiting=False) is Status.PAUSED


def cleared_by(*reviewers: Who, needed: int = 1) -> int:
    seats = tuple(SeatRule() for _ in reviewers)
    facts = Facts(pool=tuple(Principal(who=one) for one in reviewers))
    play = shaped(protocol(stage(Quorum(reviewers=needed), seats=seats)), facts=facts)
    for one in reviewers[:needed]:
        play.report(one, verdict="approve")
    return play.last(ReviewCleared).level


@pytest.mark.parametrize(
    ("level", "reviewer"),
    [
        (0, agent("x")),
        (1, agent("x", session="s-x")),
        (1, agent("x", session="s-x", operator="other")),
        (2, agent("x", session="s-x", family="gpt", operator="acme")),
        (3, agent("x", session="s-x", family="gpt", operator="other")),
    ],
)
def test_the_level_of_independence_reached_is_part_of_the_clearance(level: int, reviewer: Who) -> None:
    """Y24: other session, other family, other operator; what is unknown is not distinct."""
    assert cleared_by(reviewer) == level


def test_the_level_is_that_of_as_many_reviewers_as_the_quorum_asks_for() -> None:
    """Y24: one far away and one near make the near one's level where two are needed."""
    far, near = agent("far", session="s-1", family="gpt", operator="bolt"), agent("near", session="s-2")
    assert cleared_by(far, near, needed=2) == 1
    assert cleared_by(far, near, needed=1) == 3


@pytest.mark.parametrize("reviewers", [0, -1, True, False])
def test_no_policy_asks_for_fewer_than_one_other_pair_of_eyes(reviewers: int) -> None:
    """Y24: the floor is in the code; True is not one."""
    with pytest.raises(ValueError, match="at least 1 reviewer"):
        Quorum(reviewers=reviewers)


def test_gates_that_ask_for_nobody_do_not_clear_what_nobody_looked_at() -> None:
    """Y24: a stage whose only gate is satisfied without a report ends with a human."""
    play = shaped(protocol(stage(Resolved(), seats=AGENT_SEAT)))
    assert play.last(RulingRequested).reason == "nobody_vouched"
    assert play.review.outcome is None


HOOK = Who(name="hook", kind=WhoKind.SERVICE)


def test_going_live_and_its_refusal_are_recorded() -> None:
    """Y25, D-02: from the clearance itself; a later defect finds its review."""
    rules = shaped_rules(
        protocol(stage(Quorum(reviewers=1), seats=AGENT_SEAT)),
        single_use_kinds=frozenset({"thing"}),
        clearance_expires=timedelta(hours=1),
    )
    play = Play(rules)
    play.open("thing")
    play.report(CODEX, verdict="approve")
    given = play.last(ReviewCleared)
    assert (given.single_use, given.expires) == (True, START + timedelta(hours=1))
    clearance = Clearance(digest=given.digest, level=given.level, single_use=given.single_use, expires=given.expires)
    command = RecordLive(target="prod", review="r1", digest="d1", commit="c0ffee")
    (live,) = decide_live(command, HOOK, LiveFacts(clearance=clearance), play.now)
    assert live == WentLive(target="prod", review="r1", digest="d1", commit="c0ffee")
    again = replace(command, target="elsewhere")
    (refused,) = decide_live(again, HOOK, LiveFacts(clearance=clearance, lives=(live,)), play.now)
    assert isinstance(refused, LiveRefused)
    assert "for one use" in refused.reason
    play.wait(hours=1)
    (expired,) = decide_live(command, HOOK, LiveFacts(clearance=clearance), play.now)
    assert isinstance(expired, LiveRefused)
    assert "expired" in expired.reason


def test_other_kinds_of_work_get_a_clearance_without_end() -> None:
    """Y25."""
    play = Play()
    play.open("story")
    play.report(ANN, evidence=CHECKED)
    play.report(BOB, evidence=CHECKED)
    assert (play.last(ReviewCleared).single_use, play.last(ReviewCleared).expires) == (False, None)
