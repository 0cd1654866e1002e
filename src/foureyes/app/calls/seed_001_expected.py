"""When to expect a reviewer's answer, in seed 001's words: after its time and that of the author's works before it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from foureyes.app.calls.office import Office
from foureyes.app.heads import OPEN
from foureyes.app.ports import Quick, Reading
from foureyes.app.rows import Listing
from foureyes.core.model import ReportRequest, Review, Seat
from foureyes.core.rules import Limits, Times
from foureyes.core.stack import stages_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """When to expect an answer, and whether it waits behind other works of the same author."""

    span: timedelta
    queued: bool


async def expected(office: Office, review: Review, seat: Seat, request: ReportRequest) -> Expected:
    """How long until the answer to a request, as its author may know."""

    def look(reading: Reading) -> Expected:
        policies = office.gate.policies
        rules = policies.rules(reading, review.rules)
        stages = stages_of(rules, review, policies.stricter(reading, review.stricter))
        times = next((one.options.times for one in stages if one.name == seat.stage), Times())
        ahead = _ahead(reading, review, seat, rules.limits) if request.queued else 0
        places = max(1, rules.limits.parallel_max)
        return Expected(span=times.unstarted * (1 + ahead // places), queued=ahead >= places)

    return await office.store.read(Quick(look))


def _ahead(reading: Reading, review: Review, seat: Seat, limits: Limits) -> int:
    """How many other works of the same author wait for the reviewer of a seat; where nobody holds it, for anybody.

    Works of others are not counted: how many of them still wait says who has reported on them, and the author of this
    one may owe a report there.
    """
    most = limits.parallel_max + limits.queued_max
    if seat.reviewer is None:
        listed = reading.reviews(Listing(state=OPEN, author=review.author.name, limit=most + 1))
        found = {one.review for one in listed if "reviewer" in one.waits.split()}
    else:
        rows = reading.inbox(seat.reviewer.name, limit=most + 1)
        known = (reading.review(one.review) for one in rows if one.kind == "report")
        found = {one.review for one in known if one is not None and one.author == review.author.name}
    return min(most, len(found - {review.id}))
