"""Seeded worlds break no invariant, replay to the same state, and are the same when played again."""

import pytest

from foureyes.store.codec import canonical
from tests.sim.people import ADVERSARIES
from tests.sim.run import Run

STEPS = 500
SEEDS = (4, 5, 6)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seeded_world_breaks_nothing_and_folds_to_the_state_it_kept(seed: int) -> None:
    run = Run(seed=seed, tempers=ADVERSARIES if seed % 2 else ())
    run.play(STEPS)
    assert [str(one) for one in run.finish()] == []
    assert run.world.counts.accepted * 2 >= run.world.counts.steps


def test_the_same_seed_gives_the_same_bytes() -> None:
    first, second = Run(seed=4), Run(seed=4)
    for run in (first, second):
        run.play(STEPS)
    assert first.script == second.script
    assert canonical(first.world.logs) == canonical(second.world.logs)
