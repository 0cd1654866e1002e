"""Budgets of a round: what is left for the review, the day and each run. A budget that is used up never approves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from foureyes.app.reviewers import Bounds
from foureyes.app.reviewing.outcome import NotLooked, Options
from foureyes.core.model import Review
from foureyes.policy.policy import Policy

#: Share of a budget at which people are warned.
WARNED_PERCENT = 80
#: Why a reviewer was not asked: the budget is used up, or the user allowed nothing at all.
USED_UP = "the budget for reviews is used up"
NOTHING = "you set the budget of this run to 0"
ALLOW = "allow more: foureyes review --budget-usd 0.50"
_USD_MICRO = 1_000_000


def purse_of(policy: Policy, review: Review, today: int, options: Options) -> int:
    """Return what may still be spent: the minimum over the review, the day and the user's limit."""
    left = [limit - spent for _, limit, spent in _limits(policy, review, today)]
    if options.usd_micro_max is not None:
        left.append(options.usd_micro_max)
    return max(0, min(left, default=Bounds().usd_micro))


def bounds_of(policy: Policy, purse: int, options: Options) -> Bounds:
    """Return what one run of one reviewer may take; the user may set the time to wait."""
    run = policy.each_run
    return Bounds(
        seconds=options.seconds_max or run.seconds,
        usd_micro=min(purse, run.usd_micro) if run.usd_micro else purse,
        tokens=run.tokens,
    )


def warnings(policy: Policy, review: Review, today: int) -> tuple[str, ...]:
    """Return the warnings before a budget is used up, and when it is."""
    return tuple(_warned(policy, review, today))


def unpaid(not_looked: Iterable[NotLooked], options: Options) -> list[NotLooked]:
    """Return the reviewers who were not paid for; if the user allowed nothing, that is given as the reason."""
    if options.usd_micro_max != 0:
        return list(not_looked)
    return [replace(one, why=NOTHING, next_step=ALLOW) if one.why == USED_UP else one for one in not_looked]


def _warned(policy: Policy, review: Review, today: int) -> Iterator[str]:
    for name, limit, spent in _limits(policy, review, today):
        if 100 * spent >= WARNED_PERCENT * limit:
            rest = "is used up" if spent >= limit else f"is used to {100 * spent // limit} %"
            yield f"The budget of {name}, {limit / _USD_MICRO:.2f} USD, {rest}; who costs money is not asked beyond it."


def _limits(policy: Policy, review: Review, today: int) -> Iterator[tuple[str, int, int]]:
    """Yield each budget with its limit and what is spent of it."""
    budget = policy.rules.budget
    if budget.review_usd_micro > 0:
        yield "this review", budget.review_usd_micro, review.usd_micro
    if budget.day_usd_micro > 0:
        yield "this day", budget.day_usd_micro, today
