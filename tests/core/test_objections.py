"""U-03: objections to exact bytes, who lifts them, and that nothing else does."""

import pytest

from foureyes.core import commands as c
from foureyes.core.objections import Objection, objection
from foureyes.core.refusals import Code
from foureyes.core.stack import stages_of
from foureyes.core.values import Effect, Outcome, Who
from tests.cast import ANN, BOB, CHECKED, CODEX, DEV, HANNA, HUGO, Play, finding
from tests.seeds.chain_play import approve, opened, reject

FIRST = "resolve.1-F1"


def standing(play: Play, digest: str = "d1") -> Objection | None:
    """The objection of a play's review to a version."""
    return objection(play.review, stages_of(play.rules, play.review), digest)


def raised() -> Play:
    """Ann has one finding that blocks a story."""
    play = Play()
    play.open("story")
    play.report(ANN, findings=(finding("a gap"),))
    return play


def withdrawn() -> Play:
    play = raised()
    play.do(DEV, c.WithdrawReview(reason="another way"))
    return play


def rejecting() -> Play:
    """Codex rejects with a ground and without a finding."""
    play = Play()
    play.open("script")
    play.report(CODEX, verdict="reject", grounds=("security_risk",), summary="it phones home")
    return play


def test_an_open_finding_that_blocks_stands_and_is_named() -> None:
    found = standing(raised())
    assert found == Objection(review="r1", findings=(FIRST,))
    assert found.sentence == f"This exact version still has open findings in review r1: {FIRST}."
    assert found.way_out == "Answer it there, change the work, or ask for a ruling there."


@pytest.mark.parametrize(
    ("ended", "ways"),
    [
        (Outcome.WITHDRAWN, ("have its raiser settle it there", "ask a human to waive it there", "ask for a ruling")),
        (Outcome.RETURNED, ("have its raiser settle it there", "ask a human to waive it there", "revise the work")),
        (Outcome.SHELVED, ("have its raiser settle it there", "ask a human to waive it there", "revise the work")),
        (Outcome.CLEARED, ("ask a human to waive it there",)),
    ],
)
def test_of_an_ended_review_only_the_ways_out_are_told_that_it_takes(ended: Outcome, ways: tuple[str, ...]) -> None:
    said = Objection(review="r1", findings=(FIRST,), ended=ended).way_out
    assert "nswer" not in said
    assert said.startswith("That review has ended: ")
    assert said.endswith(", or change the work.")
    assert [one for one in ways if one not in said] == []
    assert ("ruling" in said) is (ended is Outcome.WITHDRAWN)


def test_a_rejection_is_not_settled_by_a_reviewer() -> None:
    said = Objection(review="r1", findings=(FIRST,), rejected=True, ended=Outcome.REJECTED).way_out
    assert said == "That review has ended: ask for a ruling there or have a human reopen it, or change the work."
    assert Objection(review="r1", seats=("s.1",), ended=Outcome.CLEARED).way_out == (
        "That review has ended: change the work."
    )


def test_many_findings_are_named_as_far_as_there_is_room() -> None:
    found = Objection(review="r1", findings=tuple(f"s.1-F{one}" for one in range(1, 9)))
    assert found.sentence.endswith("s.1-F4, s.1-F5 and 3 more.")


def test_nothing_stands_where_nothing_was_said() -> None:
    play = Play()
    play.open("story")
    assert standing(play) is None
    assert standing(play, "d9") is None


@pytest.mark.parametrize("severity", ["minor", "nit"])
def test_what_does_not_block_by_the_rules_of_its_review_is_no_objection(severity: str) -> None:
    play = Play()
    play.open("script")
    play.report(CODEX, verdict="approve", findings=(finding("a word", severity=severity),))
    assert standing(play) is None


def test_its_raiser_lifts_it_for_these_bytes() -> None:
    play = raised()
    play.do(DEV, c.AnswerFinding(finding=FIRST, text="it is there"))
    assert standing(play) is not None
    play.do(ANN, c.SettleFinding(finding=FIRST, revision=1, resolved=True))
    assert standing(play) is None


def test_a_fix_in_the_next_version_lifts_nothing_of_the_one_before() -> None:
    """The shopper who fixes it, has it resolved, and comes back with the old bytes is refused."""
    play = raised()
    play.revise("d2")
    play.do(ANN, c.SettleFinding(finding=FIRST, revision=2, resolved=True, note="it is filled now"))
    assert standing(play, "d2") is None
    assert standing(play, "d1") == Objection(review="r1", findings=(FIRST,))
    assert play.refused(DEV, c.SubmitRevision(digest="d1", parts=play.review.current.parts)) is Code.OBJECTED
    assert play.refused(ANN, c.SettleFinding(finding=FIRST, revision=2, resolved=True)) is Code.SETTLED
    play.do(HUGO, c.WaiveFinding(finding=FIRST, reason="it never was one"))
    assert standing(play, "d1") is None
    assert play.refused(HUGO, c.WaiveFinding(finding=FIRST, reason="once more")) is Code.SETTLED


def test_an_override_lifts_what_its_stage_has_against_these_bytes() -> None:
    play = raised()
    play.do(HUGO, c.OverrideStage(stage="resolve", revision=1, digest="d1", reason="I looked"))
    assert play.review.outcome is Outcome.CLEARED
    assert standing(play) is None


def test_a_rejection_stands_until_its_stage_is_overridden_or_the_review_reopened() -> None:
    play = rejecting()
    found = standing(play)
    assert found == Objection(review="r1", seats=("solo.2",))
    assert found.sentence == "solo.2 spoke against this exact version in review r1."
    play.do(DEV, c.WithdrawReview(reason="another way"))
    assert standing(play) == found
    play.do(HUGO, c.OverrideStage(stage="solo", revision=1, digest="d1", reason="I looked"))
    assert play.review.outcome is Outcome.WITHDRAWN
    assert standing(play) is None


def test_a_doubt_with_a_named_ground_stands_and_one_without_rests_on_a_question() -> None:
    """U-03: the author withdraws, and the same bytes are not opened beside it."""
    play = opened("script")
    play.report(CODEX, seat="solo.2", verdict="concerns", confidence=90, grounds=("security_risk",), evidence=CHECKED)
    play.do(DEV, c.WithdrawReview(reason="another reviewer, please"))
    assert standing(play) == Objection(review="r1", seats=("solo.2",))


def test_a_veto_stands_before_everything_else() -> None:
    play = opened("security")
    approve(play, "seldon")
    reject(play, "hardin", "it deletes everything")
    found = standing(play)
    assert found == Objection(review="r1", veto="security.security")
    assert found.sentence == "A veto stands on this version in review r1."
    assert found.way_out == "A human must override it there, or the author revises."


def test_what_a_human_rejected_stays_rejected_though_the_author_takes_it_back() -> None:
    play = raised()
    play.do(DEV, c.RequestRuling(reason="we disagree"))
    play.do(HUGO, c.GiveRuling(request="ruling-1", option="reject", reason="no"))
    play.do(HANNA, c.ReopenReview(reason="once more", undoes=Outcome.REJECTED))
    play.do(ANN, c.SettleFinding(finding=FIRST, revision=1, resolved=True, note="I was wrong"))
    assert standing(play) is None
    play.do(HANNA, c.RequestRuling(reason="they disagree"))
    play.do(HUGO, c.GiveRuling(request="ruling-2", option="reject", reason="no"))
    assert standing(play) == Objection(review="r1", rejected=True)
    assert Objection(review="r1", rejected=True).sentence == "Review r1 rejected this exact version."


@pytest.mark.parametrize("other", [{}, {"kind": "task"}])
def test_the_same_bytes_are_opened_nowhere_beside_it(other: dict[str, str]) -> None:
    play = Play()
    play.know(objections={"d1": Objection(review="r7", findings=(FIRST,))})
    opening = c.OpenReview(review="r1", kind=other.get("kind", "story"), title="t", digest="d1")
    assert play.refused(DEV, opening) is Code.OBJECTED
    assert play.refused(BOB, opening) is Code.OBJECTED


def test_a_revision_to_bytes_that_another_review_objects_to_is_refused() -> None:
    play = raised()
    play.know(objections={"d7": Objection(review="r7", rejected=True)})
    assert play.refused(DEV, c.SubmitRevision(digest="d7", parts=play.review.current.parts)) is Code.OBJECTED


def test_a_withdrawn_review_takes_what_lifts_its_objection_and_nothing_else() -> None:
    play = withdrawn()
    assert standing(play) is not None
    assert play.refused(ANN, c.SettleFinding(finding=FIRST, revision=1, resolved=False)) is Code.REVIEW_ENDED
    assert play.refused(DEV, c.AnswerFinding(finding=FIRST, text="done")) is Code.REVIEW_ENDED
    assert play.refused(BOB, c.SettleFinding(finding=FIRST, revision=1, resolved=True)) is Code.NOT_THE_HOLDER
    play.do(ANN, c.SettleFinding(finding=FIRST, revision=1, resolved=True, note="I was wrong"))
    assert (play.review.outcome, standing(play)) == (Outcome.WITHDRAWN, None)


def test_a_waiver_lifts_it_in_a_withdrawn_review() -> None:
    play = withdrawn()
    play.do(HUGO, c.WaiveFinding(finding=FIRST, reason="not real"))
    assert (play.review.outcome, standing(play)) == (Outcome.WITHDRAWN, None)


@pytest.mark.parametrize(
    ("option", "outcome", "lifted"),
    [
        ("as_is", Outcome.WITHDRAWN, True),
        ("not_real", Outcome.WITHDRAWN, True),
        ("reject", Outcome.REJECTED, False),
    ],
)
def test_a_human_rules_on_what_stands_against_withdrawn_bytes(option: str, outcome: Outcome, lifted: bool) -> None:
    play = withdrawn()
    play.do(DEV, c.RequestRuling(reason="it is no gap"))
    ruling = play.review.ruling()
    assert ruling is not None
    assert (ruling.stage, ruling.findings, ruling.fallback) == ("resolve", (FIRST,), None)
    assert {one.effect for one in ruling.options} == {Effect.PASS_STAGE, Effect.WAIVE, Effect.REJECT}
    assert play.refused(DEV, c.RequestRuling(reason="it is no gap")) is Code.RULING_PENDING
    play.do(HUGO, c.GiveRuling(request=ruling.id, option=option, reason="I looked"))
    assert (play.review.outcome, standing(play) is None) == (outcome, lifted)


def test_the_ruling_about_a_rejecting_seat_is_about_its_stage() -> None:
    play = rejecting()
    play.do(DEV, c.WithdrawReview(reason="another way"))
    play.do(HUGO, c.RequestRuling(reason="shall this stand?"))
    ruling = play.review.ruling()
    assert ruling is not None
    assert ruling.stage == "solo"


@pytest.mark.parametrize("who", [ANN, BOB])
def test_nobody_else_asks_about_a_withdrawn_review_or_learns_whether_something_stands(who: Who) -> None:
    assert withdrawn().refused(who, c.RequestRuling(reason="why")) is Code.REVIEW_ENDED
    quiet = Play()
    quiet.open("story")
    quiet.do(DEV, c.WithdrawReview(reason="another way"))
    assert quiet.refused(who, c.RequestRuling(reason="why")) is Code.REVIEW_ENDED
    assert quiet.refused(DEV, c.RequestRuling(reason="why")) is Code.REVIEW_ENDED
