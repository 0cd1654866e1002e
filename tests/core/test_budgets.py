"""Budgets: whose claim about the cost of a run counts, and who is still asked when nothing is left."""

import pytest

from foureyes.core import commands as c
from foureyes.core.events import ReportFailed, ReportRequested, ReportSubmitted, RulingRequested
from foureyes.core.facts import Facts, Principal
from foureyes.core.gates import Quorum
from foureyes.core.refusals import Code
from foureyes.core.rules import SeatRule
from foureyes.core.values import Cost, Failure, Who, WhoKind
from tests.cast import ANN, AUDITOR, CODEX, CRITICS, HUGO, LINTER, POOL, Play, holds, paid
from tests.seeds.shaped import is_cleared, protocol, shaped, stage

#: More than any budget.
FALSE = Cost(usd_micro=10**12)
ALL_OF_IT = Cost(usd_micro=1_000_000)
USED_UP = (99_000_000,)
AGENT, AUDIT, PROGRAM = SeatRule(roles=("agent",)), SeatRule(roles=("auditor",)), SeatRule(roles=("program",))
TWO_STAGES = protocol(
    stage(Quorum(reviewers=1), seats=(AUDIT,), name="first"), stage(Quorum(reviewers=1), seats=(AGENT,), name="second")
)
MODEL = paid(holds(CODEX, "agent"))
CRITIC_PROGRAMS = tuple(
    holds(Who(name=name, kind=WhoKind.PROGRAM), name) for name in CRITICS if name in ("seldon", "hardin")
)


def test_what_somebody_says_whom_others_run_is_kept_and_counts_in_no_budget() -> None:
    """D-09: one false number must not stop this review, nor any other of the day."""
    play = shaped(TWO_STAGES, facts=Facts(pool=(holds(AUDITOR, "auditor"), *MODEL)))
    play.report(AUDITOR, verdict="approve", cost=FALSE)
    told = play.last(ReportSubmitted)
    assert (told.cost, told.counted, play.review.usd_micro) == (FALSE, False, 0)
    play.report(CODEX, verdict="approve", cost=ALL_OF_IT)
    assert is_cleared(play)
    assert (play.last(ReportSubmitted).counted, play.review.usd_micro) == (True, 1_000_000)


def test_what_a_hosted_reviewer_cost_still_uses_up_the_budget() -> None:
    """D-09: a human is asked instead of a reviewer that would cost more."""
    play = shaped(TWO_STAGES, facts=Facts(pool=(*paid(holds(AUDITOR, "auditor")), *MODEL)))
    play.report(AUDITOR, verdict="approve", cost=ALL_OF_IT)
    assert play.last(RulingRequested).reason == "out_of_budget"
    assert list(play.review.requests) == ["ruling-1"]


@pytest.mark.parametrize("reason", [Failure.CRASHED, Failure.TIMED_OUT])
def test_a_failed_run_of_somebody_whom_others_run_costs_us_nothing(reason: Failure) -> None:
    """D-03, D-09: whatever they say it cost; a word that is no verdict is refused, and costs nothing either."""
    play = shaped(TWO_STAGES, facts=Facts(pool=(holds(AUDITOR, "auditor"), *MODEL)))
    play.do(AUDITOR, c.ReportInconclusive(seat="first.1", revision=1, reason=reason, cost=FALSE))
    assert (play.last(ReportFailed).cost, play.last(ReportFailed).counted) == (FALSE, False)
    assert play.refused(AUDITOR, play.a_report(verdict="LGTM", cost=FALSE)) is Code.UNKNOWN_WORD
    assert play.review.usd_micro == 0
    assert play.review.ruling() is None


def test_a_volunteer_whom_nobody_knows_is_not_paid_by_us() -> None:
    """D-09: who is in no pool is hosted by nobody here."""
    play = Play(facts=Facts(pool=paid(*(one for one in POOL if one.who.name != ANN.name))))
    play.open("story")
    play.do(ANN, c.TakeSeat(stage="resolve"))
    seat = next(one.id for one in play.review.seats.values() if one.reviewer == ANN)
    play.do(ANN, c.ReportInconclusive(seat=seat, revision=1, reason=Failure.CRASHED, cost=FALSE))
    assert play.review.usd_micro == 0


@pytest.mark.parametrize("chain", ["default", "security"])
def test_a_chain_of_programs_passes_though_the_budget_is_used_up(chain: str) -> None:
    """D-09: they cost nothing, so no budget keeps them from looking."""
    play = Play(facts=Facts(pool=paid(*CRITIC_PROGRAMS, holds(CODEX, "agent")), spent_today=USED_UP))
    play.open(f"{chain}_step")
    for one in CRITIC_PROGRAMS[: 1 if chain == "default" else 2]:
        play.report(one.who, verdict="approve")
    assert is_cleared(play)
    assert play.count(RulingRequested) == 0


def test_peers_whom_others_run_are_asked_though_the_budget_is_used_up() -> None:
    """D-09: what they cost is theirs to pay."""
    play = Play(facts=Facts(pool=(*POOL, *paid(holds(Who(name="dear"), "tester"))), spent_today=USED_UP))
    play.open("create_core")
    assert play.review.seats["peer.1"].reviewer == AUDITOR
    assert play.review.ruling() is None


def test_a_human_on_a_seat_is_asked_though_the_budget_is_used_up() -> None:
    """D-09."""
    pool = (holds(HUGO, "agent"), *paid(holds(AUDITOR, "auditor")))
    play = shaped(protocol(stage(Quorum(reviewers=1), seats=(AGENT,))), facts=Facts(pool=pool, spent_today=USED_UP))
    assert play.review.seats["shaped.1"].reviewer == HUGO
    assert play.review.ruling() is None


def test_a_seat_that_only_a_paid_model_can_hold_is_a_humans_matter_at_once() -> None:
    """D-09: with the reason; who costs nothing on another seat of the stage is asked beside it."""
    pool = (*MODEL, *paid(holds(LINTER, "program")))
    two = protocol(stage(Quorum(reviewers=1), seats=(PROGRAM, AGENT)))
    play = shaped(two, facts=Facts(pool=pool, spent_today=USED_UP))
    assert (play.last(RulingRequested).reason, play.last(RulingRequested).text) == (
        "out_of_budget",
        "The budget for reviews is used up",
    )
    assert list(play.review.requests) == ["shaped.1", "ruling-1"]
    play.do(HUGO, c.GiveRuling(request="ruling-1", option="retry", reason="go on, I pay"))
    assert play.review.seats["shaped.2"].reviewer == CODEX


def test_of_those_who_can_hold_a_seat_whoever_costs_nothing_is_asked_when_there_is_no_money() -> None:
    """D-09: whatever lot is drawn."""
    one = protocol(stage(Quorum(reviewers=1), seats=(AGENT,)))
    for draw in range(8):
        pool: tuple[Principal, ...] = (*MODEL, holds(ANN, "agent"))
        play = shaped(one, facts=Facts(pool=pool, spent_today=USED_UP, draw=draw))
        assert play.review.seats["shaped.1"].reviewer == ANN
        assert play.review.ruling() is None


def test_a_paid_holder_is_not_asked_again_without_money_and_whoever_is_free_is() -> None:
    """D-09: on the next version, where both sit already."""
    two = protocol(stage(Quorum(reviewers=2), seats=(AGENT, AUDIT)))
    play = shaped(two, facts=Facts(pool=(*MODEL, holds(AUDITOR, "auditor"))))
    play.report(CODEX, verdict="approve", cost=ALL_OF_IT)
    before = play.count(ReportRequested)
    play.revise("d2")
    asked = [one.request for one in play.log if isinstance(one, ReportRequested)][before:]
    assert asked == ["shaped.2"]
    assert play.last(RulingRequested).reason == "out_of_budget"


def test_a_seat_that_nobody_at_all_can_hold_is_not_called_a_matter_of_money() -> None:
    """D-09: the reason that a human reads is the true one."""
    two = protocol(stage(Quorum(reviewers=2), seats=(AGENT, AUDIT)))
    play = shaped(two, facts=Facts(pool=MODEL, spent_today=USED_UP))
    assert play.last(RulingRequested).reason == "nobody_can_hold"
    assert "shaped.2" in play.last(RulingRequested).text


def test_a_seat_that_is_open_to_anyone_waits_for_a_mind_that_costs_nothing_and_not_for_a_program() -> None:
    """D-09: where none could come, a human is asked at once and not after a day."""
    anyone = protocol(stage(Quorum(reviewers=1), seats=(SeatRule(),)))
    pool = (*MODEL, *paid(holds(LINTER, "program")))
    alone = shaped(anyone, facts=Facts(pool=pool, spent_today=USED_UP))
    assert alone.last(RulingRequested).reason == "out_of_budget"
    play = shaped(anyone, facts=Facts(pool=(*pool, holds(ANN)), spent_today=USED_UP))
    assert play.review.ruling() is None
    play.report(ANN, verdict="approve")
    assert is_cleared(play)
