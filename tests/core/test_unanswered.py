"""A human who must decide because no reviewer answered is told who was asked, and why there is no answer."""

from foureyes.core import commands
from foureyes.core.explain import explain
from foureyes.core.gates import Quorum
from foureyes.core.reasons import FAILURE_CHARS_MAX
from foureyes.core.rules import Blind, SeatRule
from foureyes.core.scene import Scene
from foureyes.core.unanswered import for_anybody, lost
from foureyes.core.values import Cost, Failure
from foureyes.core.views import view
from tests.cast import CODEX, DEV, HUGO, POOL
from tests.seeds.shaped import protocol, shaped, stage

BOTH = (SeatRule(roles=("agent",)), SeatRule(roles=("auditor",)))


def test_whoever_must_decide_is_told_who_had_no_answer_and_why() -> None:
    """D-03: the reason and the next step are shown, in one line and not without end."""
    play = shaped(protocol(stage(Quorum(reviewers=1), seats=(SeatRule(roles=("agent",)),))))
    play.know(pool=tuple(one for one in POOL if "agent" not in one.roles or one.who == CODEX))
    text = f"no key\n\x1b[2Jfor {'it ' * 500}"
    for _ in range(3):
        failed = commands.ReportInconclusive(seat="shaped.1", revision=1, reason=Failure.TIMED_OUT, text=text)
        play.do(CODEX, failed)
    asked = play.review.ruling()
    assert asked is not None
    said = "Nobody gave an answer on the seat shaped.1; last asked: codex (timed out): no key [2Jfor it it"
    assert asked.text.startswith(said)
    assert asked.text.endswith("…")
    assert len(asked.text) < len(said) + FAILURE_CHARS_MAX
    (turn,) = explain(play.rules, play.review).turns
    assert said in turn.what


def test_a_seat_that_failed_and_one_that_is_vacant_are_told_apart() -> None:
    """D-03: nobody answered on the one, nobody was ever there for the other."""
    play = shaped(protocol(stage(Quorum(reviewers=1), seats=(SeatRule(roles=("agent",)),))))
    play.do(CODEX, commands.ReportInconclusive(seat="shaped.1", revision=1, reason=Failure.CRASHED, text="gone"))
    scene = Scene(rules=play.rules, review=play.review, facts=play.facts, now=play.now)
    (here,) = scene.stages()
    said = lost(scene, here, ["shaped.1", "shaped.2"])
    assert said == "Nobody gave an answer on the seat shaped.1, and nobody can hold the seat shaped.2"
    assert lost(scene, here, ["shaped.2"]) == (
        "Nobody can hold the seat shaped.2. Enrol one more reviewer who had no hand in the work, with "
        "`foureyes agents add NAME`"
    )


def test_a_reviewer_who_has_not_reported_is_not_told_of_anothers_failure() -> None:
    """D-03, D-05: the words about it are for the human, for the author, and for those who have reported."""
    play = shaped(protocol(stage(Quorum(reviewers=2), seats=BOTH, blind=Blind.FIRST)))
    holders = {seat.reviewer: seat.id for seat in play.review.seats.values() if seat.reviewer}
    play.know(pool=tuple(one for one in POOL if one.who in holders))
    one, other = holders
    for _ in range(3):
        failed = commands.ReportInconclusive(seat=holders[one], revision=1, reason=Failure.CRASHED, text="it fell over")
        play.do(one, failed)
    asked = play.review.ruling()
    assert asked is not None
    assert asked.text.endswith("it fell over")
    for viewer, knows in ((other, False), (HUGO, True), (DEV, True)):
        seen = view(play.rules, play.review, viewer).review
        assert ("it fell over" in repr((seen, explain(play.rules, seen)))) is knows


def test_without_money_the_human_is_told_whose_it_was() -> None:
    """D-03, D-09: and what is posted where others may read it names nobody."""
    play = shaped(protocol(stage(Quorum(reviewers=1), seats=BOTH[:1])))
    spent = commands.ReportInconclusive(
        seat="shaped.1", revision=1, reason=Failure.OUT_OF_BUDGET, text="5 USD a day", cost=Cost(usd_micro=1)
    )
    play.do(CODEX, spent)
    asked = play.review.ruling()
    assert asked is not None
    assert asked.text == "The reviewer ran out of budget; last asked: codex (out of budget): 5 USD a day"
    assert for_anybody(asked.text) == "The reviewer ran out of budget"
