"""Reports out of turn: stages judge in order."""

from __future__ import annotations

from foureyes.core.model import Review
from tests.sim.wrongs import Acts, Liar


def out_of_turn(m: Liar, review: Review) -> Acts:
    """Reports by holders of seats that are not asked on this revision."""
    for seat in review.seats.values():
        stage = m.agents.stage(review, seat.stage)
        asked = review.report_request(seat.id) is not None
        if stage is not None and seat.reviewer is not None and seat.part == "judge" and not asked:
            yield seat.reviewer, m.agents.report(review, stage, seat.id, seat.reviewer)
