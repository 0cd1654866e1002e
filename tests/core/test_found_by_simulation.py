"""What the simulator found in the core: each sequence of commands once broke an invariant."""

from dataclasses import replace
from datetime import timedelta

from foureyes.core import commands as c
from foureyes.core import gates
from foureyes.core.events import ReportRequested, RevisionSubmitted, SeatTaken, StagesSkipped
from foureyes.core.facts import PolicyInForce
from foureyes.core.refusals import Code
from foureyes.core.rules import KindRule, Options, PathRule, Protocol, SeatRule, Stage, Style
from foureyes.core.trust import TrustRecord
from foureyes.core.values import Outcome, Part, WorkPart
from tests.cast import (
    ANN,
    CHECKED,
    CODEX,
    DEV,
    FULL_DEFAULT,
    GEMINI,
    HUGO,
    LINTER,
    POOL,
    RULES,
    SELDON,
    START,
    Play,
    agent,
    finding,
    holds,
    proven,
    rules_with,
)
from tests.seeds.peer_play import exhausted, opened


def test_a_skip_must_be_allowed_by_a_policy_set_above_too() -> None:
    """Y20, I10: both policies must pass; the stricter one skips nothing."""
    play = Play()
    play.open("fix_typo")
    stricter = replace(RULES, digest="rules-2", skips=())
    play.know(**proven("d2"), policy=PolicyInForce(digest="rules-2", applies_in_flight=True, rules=stricter))
    play.revise("d2")
    assert play.count(StagesSkipped) == 0
    assert play.review.outcome is None


def test_a_skip_both_policies_allow_is_one() -> None:
    play = Play()
    play.open("fix_typo")
    stricter = replace(RULES, digest="rules-2")
    play.know(**proven("d2"), policy=PolicyInForce(digest="rules-2", applies_in_flight=True, rules=stricter))
    play.revise("d2")
    assert play.review.outcome is Outcome.CLEARED


def test_the_clock_never_gives_the_last_word_that_clears() -> None:
    """I8: the reviewer approved while a human was asked; the human's silence does not let the work through."""
    play = Play()
    play.open("api_endpoint_change")
    seat = play.last(ReportRequested).seat
    assert seat.reviewer is not None
    play.do(DEV, c.RequestRuling(reason="we need a human"))
    play.report(seat.reviewer, seat=seat.id, verdict="approve", confidence=95, checklist=FULL_DEFAULT)
    ruling = play.review.ruling()
    assert ruling is not None
    play.wait_out(ruling.id)
    assert play.review.outcome is None
    assert play.review.revision_request() is not None


def test_a_clarification_has_the_parts_of_the_bytes_it_is_about() -> None:
    """I11, Y19: leaving the parts out of a clarification does not hide what the paths demand."""
    rules = replace(RULES, paths=(PathRule(pattern="auth/**", kind="security_change"),))
    play = Play(rules)
    play.open("milestone", parts=(WorkPart(name="auth/login.py", digest="p1"),))
    for reviewer in (CODEX, GEMINI):
        play.report(reviewer, verdict="concerns", findings=(finding(f"{reviewer.name} does not see why"),))
    play.revise("d1", note="this is why")
    assert [one.name for one in play.last(RevisionSubmitted).parts] == ["auth/login.py"]


def test_a_lease_that_is_over_does_not_outlive_a_reopening() -> None:
    """I26: a reviewer who is asked again has the time of the new request, not an old lease."""
    play = Play()
    play.open()
    play.do(ANN, c.TakeSeat(seat="resolve.1"))
    play.do(DEV, c.WithdrawReview(reason="not now"))
    play.wait(hours=5)
    play.do(HUGO, c.ReopenReview(reason="now", undoes=Outcome.WITHDRAWN))
    seat, request = play.review.seats["resolve.1"], play.review.requests["resolve.1"]
    assert seat.reviewer == ANN
    assert seat.lease is None
    assert request.due > play.now


def test_a_lease_that_lasts_stays_when_its_seat_is_asked() -> None:
    """Somebody who began before they were asked goes on."""
    play = Play()
    play.open()
    play.do(ANN, c.TakeSeat(seat="resolve.1", lease=timedelta(hours=1)))
    play.do(DEV, c.WithdrawReview(reason="not now"))
    play.do(HUGO, c.ReopenReview(reason="now", undoes=Outcome.WITHDRAWN))
    assert play.review.seats["resolve.1"].lease is not None


def test_a_policy_set_above_looks_at_what_the_first_one_skipped() -> None:
    """Y20, I10: the skip was recorded before; the stricter policy knows no skip."""
    play = Play()
    play.know(**proven())
    play.open("fix_typo", protocols=("security",))
    assert play.count(StagesSkipped) == 1
    stricter = replace(RULES, digest="rules-2", skips=())
    play.know(policy=PolicyInForce(digest="rules-2", applies_in_flight=True, rules=stricter))
    play.do(ANN, c.AddNote(text="the policy has changed"))
    assert play.review.skipped == {}
    assert "peer.1" in play.review.requests


def test_work_that_comes_back_meets_the_policy_set_above_at_once() -> None:
    """I10: the policy came into force for open reviews too while this one had ended."""
    play = Play()
    play.know(**proven())
    play.open("fix_typo")
    assert play.review.outcome is Outcome.CLEARED
    stricter = replace(RULES, digest="rules-2", skips=())
    play.know(policy=PolicyInForce(digest="rules-2", applies_in_flight=True, rules=stricter))
    play.revise("d2")
    assert play.review.stricter == "rules-2"
    assert play.review.outcome is None


def test_an_approval_is_not_kept_beside_what_a_human_demanded() -> None:
    """I3, Y15: the demand belongs to the seat, which says first whether it is met."""
    play = Play()
    play.open("default_step")
    play.do(DEV, c.RequestRuling(reason="is this wanted at all"))
    play.report(SELDON, verdict="approve")
    ruling = play.review.ruling()
    assert ruling is not None
    demand = c.GiveRuling(request=ruling.id, option="compromise", reason="not like this", demands=("add a test",))
    play.do(HUGO, demand)
    play.revise("d2")
    keep = c.KeepReport(seat="default.format.1", revision=2)
    assert play.refused(SELDON, keep) is Code.OWN_FINDING_BLOCKS
    play.do(SELDON, c.SettleFinding(finding="default.format.1-F1", revision=2, resolved=True, note="there it is"))
    play.do(SELDON, keep)
    assert play.review.outcome is Outcome.CLEARED


def verified(*, roles: tuple[str, ...]) -> Play:
    """A review whose findings are verified before they stop anything."""
    seats = (SeatRule(), SeatRule(roles=roles, part=Part.VERIFY))
    conditions = (gates.Quorum(reviewers=1), gates.Resolved())
    stage = Stage(name="checked", seats=seats, gates=conditions, options=Options(style=Style.SOLO))
    protocol = Protocol(name="checked", stages=(stage,), revisions_max=2)
    return Play(rules_with(protocol, kinds=(KindRule(kind="story", protocols=("checked",)),)))


def test_nobody_verifies_a_finding_of_their_own() -> None:
    """D-11: a raiser who moved to the verifying seat adds nothing new."""
    play = verified(roles=("agent", "reviewer"))
    play.open()
    play.report(CODEX, seat="checked.1", verdict="reject", findings=(finding("the lock is never released"),))
    assert play.review.seats["checked.2"].reviewer == GEMINI
    play.do(CODEX, c.LeaveSeat(seat="checked.1"))
    play.do(GEMINI, c.LeaveSeat(seat="checked.2"))
    ruling = play.review.ruling()
    assert ruling is not None, "only the raiser is left, so a human is asked"
    play.do(HUGO, c.GiveRuling(request=ruling.id, option="retry", reason="ask them again"))
    play.do(GEMINI, c.LeaveSeat(seat="checked.2"))
    play.do(CODEX, c.TakeSeat(seat="checked.2"))
    verify = c.VerifyFinding(finding="checked.1-F1", revision=1, result="refuted", evidence="it was nothing")
    assert play.refused(CODEX, verify) is Code.NOT_ELIGIBLE


def test_a_human_who_took_a_seat_reports_before_they_decide() -> None:
    """I18: what they may waive or rule on would tell them what the others found."""
    play = Play()
    play.open()
    play.do(HUGO, c.TakeSeat(seat="resolve.2"))
    play.report(ANN, seat="resolve.1", findings=(finding("nobody explains why"),))
    for name in ("resolve.1-F1", "resolve.1-F2"):
        assert play.refused(HUGO, c.WaiveFinding(finding=name, reason="not real")) is Code.REPORT_FIRST
    ruling = c.GiveRuling(request="ruling-1", option="as_is", reason="it is fine")
    assert play.refused(HUGO, ruling) is Code.REPORT_FIRST
    override = c.OverrideStage(stage="resolve", revision=1, digest="d1", reason="I looked")
    assert play.refused(HUGO, override) is Code.REPORT_FIRST
    play.report(HUGO, seat="resolve.2", evidence=CHECKED)
    play.do(HUGO, c.WaiveFinding(finding="resolve.1-F1", reason="not real"))
    assert play.review.outcome is Outcome.CLEARED


def test_one_attempt_too_many_while_a_tie_is_broken_is_refused() -> None:
    """I22: a command that is taken leaves a trace; the author's fifth version found nothing left to ask for."""
    play = exhausted(opened())
    assert play.review.report_request("peer.tie") is not None
    again = c.SubmitRevision(digest="d5", note="once more")
    assert play.refused(play.author, again) is Code.LIMIT_REACHED
    assert play.review.digest == "d4"


def test_a_skip_says_whose_word_a_policy_set_above_needs_for_it() -> None:
    """X8, I11: reviews are switched off by the first policy; the one above it lets this author's record skip them."""
    record = TrustRecord(
        kind="story",
        author="dev",
        attempts=10,
        successes=10,
        confidence_sum=950,
        history=((START, True),),
        trust=100,
        last_review_at=START,
        enabled_by="hanna",
        enabled_at=START,
        expires=START + timedelta(days=30),
    )
    play = Play(replace(RULES, enabled=False))
    play.know(trust=record, draw=99)
    play.open()
    above = PolicyInForce(digest="rules-2", applies_in_flight=True, rules=replace(RULES, digest="rules-2"))
    play.know(policy=above)
    play.revise("d2")
    skipped = play.last(StagesSkipped)
    assert (skipped.revision, skipped.rule, skipped.pattern, skipped.enabled_by) == (2, "learned", "story/dev", "hanna")


def test_a_volunteers_yes_does_not_clear_when_those_who_were_asked_fall_silent() -> None:
    """I8: they are given up by the clock, and a human decides; nothing that happens meanwhile lets the work through."""
    solo = next(one for one in RULES.protocols if one.name == "solo")
    stage = replace(solo.stages[0], seats=(*solo.stages[0].seats, solo.stages[0].seats[1]), seats_max=10)
    play = Play(rules_with(replace(solo, stages=(stage,))))
    agents = {name: agent(name) for name in ("xan", "yve", "zed")}
    play.know(pool=(*POOL, *(holds(one, "agent") for one in agents.values())))
    play.open("script")
    first, second = (play.review.seats[f"solo.{number}"].reviewer for number in (2, 3))
    assert first is not None
    assert second is not None
    yes = {"verdict": "approve", "confidence": 95, "evidence": CHECKED}
    play.report(second, seat="solo.3", verdict="concerns", confidence=90, findings=(finding("A gap"),))
    play.report(LINTER, seat="solo.1", **yes)
    play.report(first, seat="solo.2", **yes)
    (gap,) = play.review.findings
    play.revise("d2", answers=(c.Answer(finding=gap, text="mended"),))
    volunteer = next(one for one in agents.values() if one.name not in (first.name, second.name))
    play.do(volunteer, c.TakeSeat(stage="solo"))
    play.report(volunteer, seat=play.last(SeatTaken).seat, **yes)
    play.report(LINTER, seat="solo.1", **yes)
    play.do(second, c.SettleFinding(finding=gap, revision=2, resolved=True, note="seen"))
    for request in ("solo.2", "solo.3") * 3:
        if request in play.review.requests:
            play.wait_out(request)
    ruling = play.review.ruling()
    assert ruling is not None
    assert (play.review.outcome, ruling.reason) == (None, "unheard")
    play.do(HUGO, c.AddNote(text="Where are they?"))
    assert play.review.outcome is None
