"""When is a reviewer's answer to be expected, in seed 001's words? After its own time and that of those before it."""

from __future__ import annotations

from datetime import timedelta

from foureyes.app.calls.office import Office
from foureyes.app.ports import Quick, Reading
from foureyes.app.rows import Counts
from foureyes.core.model import ReportRequest, Review, Seat
from foureyes.core.rules import Limits, Times
from foureyes.core.stack import stages_of


async def expected(
    office: Office, review: Review, seat: Seat, request: ReportRequest, *, is_stored: bool = True
) -> timedelta:
    """How long until the answer to a request, which is counted already where it `is_stored`."""

    def look(reading: Reading) -> timedelta:
        policies = office.gate.policies
        rules = policies.rules(reading, review.rules)
        stages = stages_of(rules, review, policies.stricter(reading, review.stricter))
        times = next((one.options.times for one in stages if one.name == seat.stage), Times())
        ahead = _ahead(reading, seat, rules.limits, int(is_stored)) if request.queued else 0
        return times.unstarted * (1 + ahead // max(1, rules.limits.parallel_max))

    return await office.store.read(Quick(look))


def _ahead(reading: Reading, seat: Seat, limits: Limits, own: int) -> int:
    """How many the reviewer of a seat in the queue has beside it; where everybody's queue is full, as many as fit."""
    if seat.reviewer is None:
        return limits.parallel_max + limits.queued_max
    name = seat.reviewer.name
    held = reading.counts([name]).get(name, Counts())
    return max(0, held.active + held.queued - own)
