"""Budgets per review, day and reviewer: a hit limit is reported, keeps the findings, and never approves."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.app.reviewers import Inconclusive, Look, Task
from foureyes.app.reviewing.outcome import LookedState
from foureyes.core.events import ReportFailed
from foureyes.core.situation import Result
from foureyes.core.values import Cost, Failure
from foureyes.policy.policy import EachRun
from tests.app.house import played
from tests.policy.reading import loaded
from tests.reviewing.desk import Desk, Scripted, agent, change, issue, reviewed, solo
from tests.reviewing.logs import happened

CLEAN, BAD = "x = 1\n", "x = bad\n"
POLICY = "version: 1\nkinds: {default: solo}\nreviewers: {agent: [{command: codex}, {command: gemini}]}\n"


def costs(usd_micro: int) -> Scripted:
    """An agent that finds a gap each time, for this much."""
    found = Look(findings=(issue("a gap"),), cost=Cost(usd_micro=usd_micro, tokens=5))
    return agent("codex", lambda _: found)


def under(desk: Desk, budget: str) -> Desk:
    return replace(desk, policy=loaded(f"{POLICY}budget: {budget}\n").policy)


def test_the_policy_says_what_one_run_of_a_reviewer_may_take() -> None:
    """D-09."""
    policy = loaded(f"{POLICY}budget: {{reviewer_usd: 0.25, reviewer_minutes: 2, reviewer_tokens: 9000}}\n").policy
    assert policy.each_run == EachRun(usd_micro=250_000, seconds=120, tokens=9_000)
    assert loaded(POLICY).policy.each_run == EachRun(usd_micro=0, seconds=300, tokens=400_000)


@played
async def test_a_reviewer_gets_no_more_than_its_own_budget() -> None:
    """D-09: in money, tokens and time."""
    codex = agent("codex")
    desk = under(solo(codex), "{reviewer_usd: 0.25, reviewer_minutes: 2, reviewer_tokens: 9000}")
    await reviewed(desk, change(CLEAN))
    (task,) = codex.tasks
    assert (task.bounds.usd_micro, task.bounds.seconds, task.bounds.tokens) == (250_000, 120, 9_000)


@played
async def test_several_reviewers_share_what_is_left_of_the_review() -> None:
    """D-09: all together keep to it, whatever each might have."""
    both = agent("codex"), agent("gemini", family="gemini")
    await reviewed(under(solo(*both), "{review_usd: 1, reviewer_usd: 0.75}"), change(CLEAN))
    assert [one.tasks[0].bounds.usd_micro for one in both] == [500_000, 500_000]


@played
async def test_nobody_allows_more_than_the_policy_does() -> None:
    """D-09."""
    codex = agent("codex")
    await reviewed(under(solo(codex), "{review_usd: 0.5}"), change(CLEAN), usd_micro_max=9_000_000)
    assert codex.tasks[0].bounds.usd_micro == 500_000


@played
async def test_people_are_warned_before_a_budget_ends_and_told_when_it_has() -> None:
    """D-09: of the review's and of the day's, and as well when they look again."""
    desk = under(solo(costs(850_000)), "{review_usd: 1, day_usd: 2}")
    first = await reviewed(desk, change(BAD))
    warned = "The budget of this review, 1.00 USD, is used to 85 %; who costs money is not asked beyond it."
    assert first.notes == (warned,)
    assert (await reviewed(desk, change(BAD))).notes == (warned,)
    second = await reviewed(desk, change("x = worse\n"))
    assert second.notes == (
        "The budget of this review, 1.00 USD, is used up; who costs money is not asked beyond it.",
        "The budget of this day, 2.00 USD, is used to 85 %; who costs money is not asked beyond it.",
    )


@played
async def test_when_the_day_s_budget_is_used_up_nobody_who_costs_is_asked_and_nothing_is_approved() -> None:
    """D-09: programs look on; the next day there is money again."""
    codex = costs(900_000)
    desk = under(solo(codex), "{review_usd: 1, day_usd: 1}")
    await reviewed(desk, change(BAD, place="one"))
    codex.does = lambda _: Look(verdict="approve", summary="read it all", cost=Cost(usd_micro=100_000))
    await reviewed(desk, change(CLEAN, place="two"))
    third = await reviewed(desk, change(CLEAN, place="three"))
    assert [one.why for one in third.not_looked] == ["the budget for reviews is used up"]
    assert third.state == "open"
    assert third.result is Result.NOTHING_BLOCKS
    assert {one.state for one in third.looked} == {LookedState.FOUND_NOTHING}
    desk.now += timedelta(days=1)
    fourth = await reviewed(desk, change(CLEAN, place="four"))
    assert fourth.state == "cleared"


@pytest.mark.parametrize("found", [(), (issue("a gap"),), (issue("a nit", "minor"),)])
@played
async def test_who_hits_a_limit_has_no_answer_and_what_it_found_is_kept(found: tuple[object, ...]) -> None:
    """D-09: inconclusive for the budget, with its cost, and never an approval."""

    def ends(_: Task) -> Look:
        look = Look(verdict="approve", findings=found)  # type: ignore[arg-type]
        raise Inconclusive(Failure.OUT_OF_BUDGET, "over its budget", found=look, cost=Cost(usd_micro=7, tokens=3))

    desk = solo(agent("codex", ends))
    outcome = await reviewed(desk, change(CLEAN))
    assert (outcome.state, len(outcome.found)) == ("open", len(found))
    (failed,) = await happened(desk, outcome.review, ReportFailed)
    assert (failed.reason, failed.text, failed.cost.usd_micro) == (Failure.OUT_OF_BUDGET, "over its budget", 7)
    told = next(one for one in outcome.looked if one.reviewer == "codex")
    assert (told.state, told.reason, told.tokens) == (LookedState.INCONCLUSIVE, "over its budget", 3)


@played
async def test_a_budget_of_nothing_is_called_that_and_is_not_said_to_be_used_up() -> None:
    """D-09: the message for a budget of 0 says that it is configured."""
    codex = agent("codex")
    outcome = await reviewed(solo(codex), change(CLEAN), usd_micro_max=0)
    (one,) = outcome.not_looked
    assert (one.who, one.why) == ("codex", "you set the budget of this run to 0")
    assert one.next_step == "allow more: foureyes review --budget-usd 0.50"
    assert codex.tasks == []
