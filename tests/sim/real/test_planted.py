"""Every bug planted in the engine, the gate's shell or the store is found, and the same worlds without it are clean."""

import os
from pathlib import Path

import pytest

from tests.sim.planted.plant import Bug
from tests.sim.real.campaign import play
from tests.sim.real.planted import BUGS
from tests.sim.real.run import RealRun

EFFORT = os.environ.get("EFFORT", "")
WORLD_STEPS = 400
WORLDS_MAX = 15


def hunted(bug: Bug, folder: Path | None) -> RealRun | None:
    """The first world in which the bug's invariant speaks."""
    with bug.planted():
        for seed in range(bug.seed, bug.seed + WORLDS_MAX):
            run = play(seed, WORLD_STEPS, folder)
            if any(one.invariant == bug.invariant for one in run.world.violations):
                return run
    return None


@pytest.mark.parametrize("bug", BUGS, ids=[one.name for one in BUGS])
def test_a_planted_bug_is_found_by_its_invariant(bug: Bug, tmp_path: Path) -> None:
    """Only a bug of the file's own code needs a file."""
    found = hunted(bug, tmp_path if bug.where.startswith("foureyes.store") else None)
    assert found is not None, f"{bug.invariant} said nothing in {WORLDS_MAX} worlds"
    if EFFORT == "all":
        clean = play(found.seed, WORLD_STEPS, None)
        assert [str(one) for one in clean.world.violations] == []


def test_there_are_enough_bugs_each_with_its_own_sentence() -> None:
    assert len(BUGS) >= 8
    assert len({one.name for one in BUGS}) == len({one.what for one in BUGS}) == len(BUGS)
