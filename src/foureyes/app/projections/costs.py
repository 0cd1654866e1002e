"""Costs of reviewing per day, reviewer and review. Runs that gave no answer cost too."""

from __future__ import annotations

import json
from dataclasses import dataclass

from foureyes.app.ports import Reading
from foureyes.app.projections.projection import Changed, Happened, Projection, Read, added, key, slot_of, types
from foureyes.core.events import ReportFailed, ReportSubmitted


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """A sum of costs; money in millionths of a dollar."""

    usd_micro: int = 0
    tokens: int = 0
    seconds: int = 0
    runs: int = 0


def changes(one: Happened, read: Read) -> Changed:
    """Add the cost of one run to all its sums.

    A cost that is not counted, because others only claim it, is added to the sums of its reviewer alone.
    """
    match one.event:
        case ReportSubmitted(cost=cost, counted=counted, reviewer=who):
            reviewer = who.name
        case ReportFailed(cost=cost, counted=counted, reviewer=reviewer):
            pass
        case _:
            return
    budgets = (day_key(one.day), key("review", one.review.id)) if counted else ()
    for name in (*budgets, key("reviewer", reviewer), key("reviewer", reviewer, one.day)):
        yield name, added(read(name), usd_micro=cost.usd_micro, tokens=cost.tokens, seconds=cost.seconds, runs=1)


COSTS = Projection(name="costs", version=1, takes=types(ReportSubmitted, ReportFailed), changes=changes)


def day_key(day: str) -> str:
    """Return the key of a date, as in 2026-01-31."""
    return key("day", day)


def spent(reading: Reading, *parts: str) -> Spent:
    """Return a sum: ("day", date), ("reviewer", name), ("reviewer", name, date) or ("review", id)."""
    body = reading.row(slot_of(reading, COSTS.name), key(*parts))
    return Spent(**json.loads(body)) if body else Spent()


def day_usd_micro(reading: Reading, day: str) -> int:
    """Return what was spent on a date."""
    return spent(reading, "day", day).usd_micro
