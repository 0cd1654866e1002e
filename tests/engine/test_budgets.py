"""Budgets with hosted and outside reviewers: a false cost stops nobody, a true one does."""

from __future__ import annotations

from foureyes.app.following import catch_up_all
from foureyes.app.projections.costs import Spent, spent
from foureyes.app.reviewers import Look
from foureyes.core.commands import SubmitReport
from foureyes.core.rules import Budget
from foureyes.core.values import Cost, Outcome, Who
from tests.app.house import FIRST, SECOND, played
from tests.cast import START
from tests.engine.hall import READ, Hall, Scripted, hall, program, style

BUDGET = Budget(review_usd_micro=100, day_usd_micro=100)
OUTSIDER = Who(name="zoe", operator="zoe-co", model_family="other", session="s-zoe")
THIRD = {"other.py": b"print(3)\n"}
TODAY = START.date().isoformat()


def spends(usd_micro: int) -> Scripted:
    """A model that costs so much a run."""
    look = Look(verdict="approve", summary="fine", evidence=READ, cost=Cost(usd_micro=usd_micro, tokens=7))
    return Scripted("codex", sends="far away", says=lambda _: look)


async def asked(play: Hall, stream: str) -> str:
    """Why a human is asked; empty if none is."""
    ruling = (await play.home.review(stream)).ruling()
    return ruling.reason if ruling else ""


@played
async def test_the_false_cost_of_an_outside_agent_stops_neither_its_review_nor_the_next() -> None:
    """D-09: it stays in the record, and is told of nobody but them."""
    model = spends(10)
    both = style("agent", "author", seats=2, quorum=2)
    play = await hall({"agent": (model,)}, both, budget=BUDGET)
    await play.enrol(OUTSIDER)
    first = await play.open()
    report = SubmitReport(
        revision=1, verdict="approve", summary="fine", evidence=READ, confidence=90, cost=Cost(usd_micro=10**12)
    )
    await play.home.do(OUTSIDER, report, first, loaded=await play.home.digest(first))
    await catch_up_all(play.home.store)
    await play.quiet()
    review = await play.home.review(first)
    assert (review.outcome, review.usd_micro) == (Outcome.CLEARED, 10)
    await catch_up_all(play.home.store)
    read = play.home.store.read
    assert await read(lambda reading: spent(reading, "day", TODAY)) == Spent(usd_micro=10, tokens=7, runs=1)
    assert (await read(lambda reading: spent(reading, "review", review.id))).usd_micro == 10
    assert (await read(lambda reading: spent(reading, "reviewer", "zoe"))).usd_micro == 10**12
    second = await play.open(SECOND)
    await play.quiet()
    assert [task.bounds.usd_micro for task in model.tasks] == [100, 45]
    assert await asked(play, second) == ""


@played
async def test_what_a_hosted_reviewer_cost_stops_the_next_paid_one_and_no_program() -> None:
    """D-09: whoever costs money is a human's matter at once; a chain of programs passes as on any other day."""
    model = spends(100)
    critics = {"seldon": (program("seldon"),), "hardin": (program("hardin"),)}
    play = await hall({"agent": (model,), **critics}, style("agent"), budget=BUDGET)
    first = await play.open()
    await play.quiet()
    assert (await play.home.review(first)).outcome is Outcome.CLEARED
    await catch_up_all(play.home.store)
    second = await play.open(SECOND)
    assert await asked(play, second) == "out_of_budget", "before anybody was begun"
    for kind, files in (("default_step", FIRST), ("security_step", THIRD)):
        chain = await play.open(files, kind=kind)
        await play.quiet()
        assert (await play.home.review(chain)).outcome is Outcome.CLEARED, kind
    assert len(model.tasks) == 1


@played
async def test_a_paid_run_that_finds_no_money_when_it_begins_is_a_humans_matter_at_once() -> None:
    """D-09: where the gate asked before anybody had counted what was spent."""
    model = spends(100)
    play = await hall({"agent": (model,)}, style("agent"), budget=BUDGET)
    await play.open(FIRST)
    await play.quiet()
    stream = await play.open(SECOND)
    await play.quiet()
    assert len(model.tasks) == 1
    assert await asked(play, stream) == "out_of_budget"
    assert (await play.log(stream)).count("ReportFailed") == 1
