"""Against every adversary, alone and together, every review ends or waits for a human, within its caps."""

import os

import pytest

from tests.sim.converging import KINDS, STEPS_MAX, settled, waits_for_a_human
from tests.sim.people import ADVERSARIES, Temper

SEEDS = {"test": 3, "all": 10}.get(os.environ.get("EFFORT", ""), 1)
#: Worlds with one temper for all, or with two of each.
WORLDS: dict[str, tuple[Temper, ...]] = {
    "only honest people": (),
    **{temper.value: (temper,) * len(ADVERSARIES) for temper in ADVERSARIES},
    "all adversaries together": ADVERSARIES,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("tempers", WORLDS.values(), ids=WORLDS)
def test_every_review_ends_or_waits_for_a_human(kind: str, tempers: tuple[Temper, ...]) -> None:
    """The checker verifies after every step that an open review has a pending request."""
    for seed in range(1, SEEDS + 1):
        ending, violations = settled(kind, tempers, seed)
        assert [str(one) for one in violations] == []
        assert ending.steps < STEPS_MAX
        assert ending.review.outcome is not None or waits_for_a_human(ending.review)
