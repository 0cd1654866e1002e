"""Seed 001: when a human is asked, with what information, and the effects of their ruling and their silence."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.core import commands, protocols
from foureyes.core.events import (
    DeadlinePassed,
    ReviewCleared,
    RevisionRequested,
    RulingGiven,
    RulingRequested,
    StageOverridden,
)
from foureyes.core.facts import Facts, PastRuling
from foureyes.core.refusals import Code
from foureyes.core.rules import Times
from foureyes.core.values import ClearedBy, Effect, Outcome, Step
from tests.cast import (
    AUDITOR,
    BOB,
    DEV,
    FULL_DEFAULT,
    HUGO,
    LINTER,
    POOL,
    TESTER,
    Play,
    finding,
    rules_with,
)
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

HOURS_48 = timedelta(hours=48)
SEVERAL = ("several_valid_options",)


def disputed() -> Play:
    play = opened()
    reject(play)
    play.do(DEV, commands.RequestRuling(reason="creator_disagrees", argument="It is right"))
    return play


def used_up() -> Play:
    play = opened_by("app_developer", "architect")
    architect = play.facts.pool[1].who
    for number in (2, 3, 4):
        ask_changes(play, architect)
        play.revise(f"d{number}")
    ask_changes(play, architect)
    return play


def too_long() -> Play:
    play = opened()
    play.do(AUDITOR, commands.TakeSeat(seat="peer.1"))
    for _ in range(3):
        play.wait(minutes=39)
        play.do(AUDITOR, commands.RenewSeat(seat="peer.1"))
    play.wait(minutes=3)
    play.tick("peer.1")
    return play


def gap() -> Play:
    play = opened_by("app_developer", "architect", confidence=91)
    ask_changes(play, play.facts.pool[1].who, confidence=50)
    return play


def unsure_security() -> Play:
    play = opened("security_change")
    approve(play, checklist=FULL_DEFAULT, confidence=89)
    return play


def several_options() -> Play:
    play = opened("architecture_decision")
    play.report(AUDITOR, verdict="concerns", grounds=SEVERAL, confidence=85, summary="Both would do")
    return play


TRIGGERS: dict[Callable[[], Play], str] = {
    disputed: "creator_disagrees",
    used_up: "attempts_used_up",
    too_long: "too_long",
    gap: "ConfidenceGap",
    unsure_security: "Certainty",
    several_options: "Certainty",
}


@pytest.mark.parametrize("trigger", [disputed, used_up, too_long, gap], ids=lambda one: one.__name__)
def test_each_trigger_of_the_policy_asks_a_human(trigger: Callable[[], Play]) -> None:
    """001-22: a disputed rejection, more than 3 cycles, more than 2 hours, author more than 40 surer."""
    play = trigger()
    assert ruling(play).reason == TRIGGERS[trigger]
    assert outcome(play) is None


@pytest.mark.parametrize("trigger", [unsure_security, several_options], ids=lambda one: one.__name__)
def test_each_trigger_of_the_second_list_asks_a_human(trigger: Callable[[], Play]) -> None:
    """001-23: a security change below 90 sure, an architecture decision with several valid options."""
    play = trigger()
    assert ruling(play).reason == TRIGGERS[trigger]
    assert outcome(play) is None


def test_all_six_triggers_of_both_lists_hold() -> None:
    """B23: the union; every one of them ends with a human's question and none with a clearance."""
    reasons = {trigger.__name__: ruling(trigger()).reason for trigger in TRIGGERS}
    assert reasons == {trigger.__name__: reason for trigger, reason in TRIGGERS.items()}
    assert all(trigger().count(ReviewCleared) == 0 for trigger in TRIGGERS)


@pytest.mark.parametrize("kind", ["security_change", "breaking_change"])
def test_a_dangerous_change_passes_only_when_the_reviewer_is_ninety_percent_sure(kind: str) -> None:
    """001-23: 89 asks a human, 90 clears; other kinds clear from 80 on."""
    play = opened(kind)
    approve(play, checklist=FULL_DEFAULT, confidence=89)
    assert escalation(play).text.startswith("Critical change with reviewer uncertainty")
    sure = opened(kind)
    approve(sure, checklist=FULL_DEFAULT, confidence=90)
    assert outcome(sure) is Outcome.CLEARED
    other = opened("api_endpoint_change")
    approve(other, checklist=FULL_DEFAULT, confidence=80)
    assert outcome(other) is Outcome.CLEARED


def test_several_valid_options_are_a_choice_only_where_a_choice_is_reviewed() -> None:
    """001-23: an architecture decision asks a human which; for any other kind the author gets the wish for changes."""
    assert escalation(several_options()).text == "Multiple valid approaches, human should choose"
    other = opened("create_core")
    ask_changes(other, grounds=SEVERAL)
    assert (other.count(RulingRequested), other.count(RevisionRequested)) == (0, 1)


@pytest.mark.parametrize(
    ("author", "reviewer_sure", "asks"), [(91, 50, True), (90, 50, False), (None, 10, False), (100, 60, False)]
)
def test_the_gap_must_be_more_than_forty(author: int | None, reviewer_sure: int, asks: bool) -> None:
    """B22, 001-22: exactly 40 is not enough, and an author who said nothing is not surer than anybody."""
    play = opened_by("app_developer", "architect", confidence=author)
    ask_changes(play, play.facts.pool[1].who, confidence=reviewer_sure)
    assert (play.review.ruling() is not None) is asks
    if asks:
        assert escalation(play).text == "Large confidence gap: author 91%, architect 50%"


def test_two_hours_are_counted_over_all_reviewers_together() -> None:
    """001-22, B18: the next reviewer does not get another two hours."""
    more = tuple(replace(POOL[4], who=replace(AUDITOR, name=f"auditor{n}", session=f"s{n}")) for n in range(5))
    play = opened(facts=Facts(pool=(*POOL, *more)))
    start = play.now
    while play.review.ruling() is None:
        play.wait_out("peer.1")
    assert (play.now - start, ruling(play).reason) == (timedelta(hours=2), "too_long")


def test_a_human_has_two_days_for_every_question() -> None:
    """001-24: 48 hours from the question, whatever it is about."""
    for trigger in TRIGGERS:
        play = trigger()
        assert ruling(play).due - play.now == HOURS_48, trigger.__name__


def test_only_author_and_reviewer_may_ask_for_a_ruling_and_must_say_why() -> None:
    """001-61: a bystander, a program and an empty reason are refused; author and reviewer are heard, once each."""
    play = opened()
    ask_changes(play)
    for stranger in (TESTER, BOB, LINTER):
        assert play.refused(stranger, commands.RequestRuling(reason="I think so")) is Code.NOT_INVOLVED
    assert play.refused(DEV, commands.RequestRuling(reason="  ")) is Code.REASON_MISSING
    play.do(DEV, commands.RequestRuling(reason="The auditor is wrong", argument="See the docs"))
    assert (escalation(play).by, escalation(play).reason) == ("dev", "asked")
    decided(play, "retry")
    play.do(AUDITOR, commands.RequestRuling(reason="Not my field"))
    assert escalation(play).by == "auditor"
    decided(play, "retry")
    assert play.refused(DEV, commands.RequestRuling(reason="Once more")) is Code.ALREADY_ASKED


def disagreement(past: tuple[PastRuling, ...]) -> Play:
    """The seed's example: a payment core whose author and reviewer do not agree, before humans with this past."""
    play = opened("create_core", facts=Facts(pool=POOL, past_rulings=past), confidence=90)
    reject(play, findings=(finding("No key rotation", "critical"),), confidence=45, summary="Payment is sensitive")
    play.do(DEV, commands.RequestRuling(reason="creator_disagrees", argument="It follows standard practice"))
    return play


def test_a_disagreement_is_logged_with_both_positions_and_the_options() -> None:
    """001-62: log, context and escalation: who says what, how sure, on which evidence, and what may be decided."""
    play = disagreement(())
    asked = escalation(play)
    author, auditor = asked.positions
    assert (author.name, author.confidence, author.says) == ("dev", 90, "It follows standard practice")
    assert (auditor.name, auditor.confidence, auditor.says) == ("auditor", 45, "Payment is sensitive")
    assert auditor.evidence == ("No key rotation",)
    assert [one.id for one in asked.options[:3]] == ["as_is", "as_reviewed", "compromise"]
    assert all(one.time and one.risk and one.pros and one.cons for one in asked.options[:3])
    assert (asked.due, asked.recommendation) == (play.now + HOURS_48, None)


def test_a_decision_is_applied_and_the_next_disagreement_is_recommended_on_by_it() -> None:
    """001-62, 001-49: what three humans decided alike is the hint for the fourth, with its confidence and why."""
    past: tuple[PastRuling, ...] = ()
    for _ in range(3):
        play = disagreement(past)
        decided(play, "as_reviewed")
        assert play.last(RevisionRequested).ordered_by == "hugo"
        given, kind = play.last(RulingGiven), play.review.kind
        case = PastRuling(kind=kind, reason=escalation(play).reason, effect=given.effect, by=given.by.name, at=play.now)
        past = (*past, case)
    hint = escalation(disagreement(past)).recommendation
    assert hint is not None
    assert (hint.option, hint.confidence) == ("as_reviewed", 85)
    assert hint.why[0] == "3 of 3 decisions on create_core with reason creator_disagrees were revise."


def test_a_ruling_is_applied_final_and_kept_with_who_what_and_why() -> None:
    """001-64: the stage passes for these bytes by the human's name; asking again finds nothing pending."""
    play = gap()
    request = ruling(play).id
    decided(play, "as_is", reason="The author is right")
    given, override = play.last(RulingGiven), play.last(StageOverridden)
    assert (given.by, given.effect, given.reason, given.final) == (HUGO, Effect.PASS_STAGE, "The author is right", True)
    assert (override.by, override.digest, play.last(ReviewCleared).by) == (HUGO, "d1", ClearedBy.HUMAN)
    late = commands.GiveRuling(request=request, option="reject", reason="No")
    assert play.refused(HUGO, late) is Code.UNKNOWN_REQUEST


def test_what_a_human_ordered_for_a_version_is_not_argued_about_again() -> None:
    """001-64, Y2: neither author nor reviewer gets rid of the order by asking again; on a new version they may ask."""
    play = gap()
    architect = play.facts.pool[1].who
    decided(play, "compromise", demands=("Log each use of the key",))
    order = play.last(RevisionRequested)
    assert (order.ordered_by, order.findings) == ("hugo", ("peer.1-F1",))
    for party in (play.author, architect):
        again = commands.RequestRuling(reason="Please think again")
        assert play.refused(party, again) is Code.ALREADY_ASKED
    assert play.review.revision_request() is not None
    play.revise("d2")
    play.do(play.author, commands.RequestRuling(reason="This version is another matter"))
    assert ruling(play).reason == "asked"


def test_no_answer_in_two_days_favours_the_reviewer_and_a_human_may_still_override() -> None:
    """001-63, 001-79: the work goes back to the author; the later override clears exactly these bytes."""
    play = gap()
    play.wait(hours=47, minutes=59)
    assert play.refused(play.facts.pool[0].who, commands.PassDeadline(request=ruling(play).id)) is Code.NOT_THE_CLOCK
    play.wait_out(ruling(play).id)
    given, wish = play.last(RulingGiven), play.last(RevisionRequested)
    assert (given.effect, given.by_clock, wish.by_clock) == (Effect.REVISE, True, True)
    assert (outcome(play), play.count(ReviewCleared)) == (None, 0)
    override = commands.OverrideStage(stage="peer", revision=1, digest="d1", reason="I looked after all")
    play.do(HUGO, override)
    assert (outcome(play), play.last(ReviewCleared).by) == (Outcome.CLEARED, ClearedBy.HUMAN)


def test_a_disputed_rejection_nobody_decides_stays_rejected_until_a_human_reopens_it() -> None:
    """001-63, 001-79: silence favours the reviewer who rejected; the human may override later."""
    play = disputed()
    play.wait_out(ruling(play).id)
    assert (outcome(play), play.last(RulingGiven).by_clock) == (Outcome.REJECTED, True)
    play.do(HUGO, commands.ReopenReview(reason="It deserves another look", undoes=Outcome.REJECTED))
    play.do(HUGO, commands.OverrideStage(stage="peer", revision=1, digest="d1", reason="The author is right"))
    assert play.last(ReviewCleared).by is ClearedBy.HUMAN


def test_an_abandoned_escalation_ends_on_the_shelf_and_never_in_a_clearance() -> None:
    """001-79, B2: nobody answers anything, ever; the work is shelved or returned and at no point cleared."""
    for trigger in TRIGGERS:
        play = trigger()
        for _ in range(50):
            if outcome(play) is not None:
                break
            play.wait_out(min(play.review.requests.values(), key=lambda one: one.due).id)
        assert outcome(play) in (Outcome.SHELVED, Outcome.REJECTED, Outcome.RETURNED), trigger.__name__
        assert play.count(ReviewCleared) == 0, trigger.__name__


def test_without_a_time_limit_the_due_time_only_reminds() -> None:
    """B2: a policy may wait for ever; each reminder moves the due time, and nothing is decided by it."""
    shipped = protocols.peer()
    patient = replace(shipped.stages[0].options, times=Times(human_fallback=False))
    rules = rules_with(replace(shipped, stages=(replace(shipped.stages[0], options=patient),)))
    play = opened("security_change", rules=rules)
    approve(play, checklist=FULL_DEFAULT, confidence=85)
    request = ruling(play).id
    dues = []
    for _ in range(5):
        play.wait_out(request)
        assert play.last(DeadlinePassed).step is Step.RENOTIFIED
        dues.append(ruling(play).due)
    assert dues == sorted(set(dues))
    assert (outcome(play), play.count(RulingGiven), ruling(play).id) == (None, 0, request)


def test_the_seeds_third_cycle_asks_for_a_decision() -> None:
    """B1: the seed's own test: revision_count 3 and not approved means escalation; two do not."""
    play = opened_by("app_developer", "architect")
    architect = play.facts.pool[1].who
    for number in (2, 3):
        ask_changes(play, architect)
        play.revise(f"d{number}")
    ask_changes(play, architect)
    assert (play.review.resubmissions, play.count(RulingRequested)) == (2, 0)
    play.revise("d4")
    ask_changes(play, architect)
    assert (play.review.resubmissions, play.count(RulingRequested)) == (3, 1)


def test_the_third_resubmission_may_still_be_approved() -> None:
    """B1, 001-31: the escalation follows from the review of the third resubmission, not from handing it in."""
    play = opened()
    ask_changes(play)
    for number in (2, 3):
        play.revise(f"d{number}")
        ask_changes(play, summary=f"Not yet {number}")
    play.revise("d4")
    approve(play)
    assert (outcome(play), play.last(ReviewCleared).digest) == (Outcome.CLEARED, "d4")
    assert reviewer(exhausted(opened()), "peer.tie") == "architect"
