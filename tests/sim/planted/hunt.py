"""How long until a planted bug is noticed? The simulator is played with it, and once more without."""

from __future__ import annotations

from dataclasses import dataclass

from tests.sim.checker import Violation
from tests.sim.planted.plant import Bug
from tests.sim.run import Run

STEPS_MAX = 100_000
#: What is noticed only when logs are folded again is looked for this often.
FOLDED_EVERY = 250
FOUND_BY_FOLDING = frozenset({"I19", "I21"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """After how many steps the named invariant spoke, and what was said first."""

    steps: int
    by: Violation | None
    first: Violation | None


def hunt(bug: Bug, most: int = STEPS_MAX) -> Found:
    """Play the bug's world until its invariant speaks."""
    with bug.planted():
        run = Run(seed=bug.seed, tempers=bug.tempers)
        while run.world.counts.steps < most:
            _play(run, bug, most)
            seen = run.world.violations
            by = next((one for one in seen if one.invariant == bug.invariant), None)
            if by is not None:
                return Found(steps=run.world.counts.steps, by=by, first=seen[0])
    return Found(steps=most, by=None, first=next(iter(run.world.violations), None))


def _play(run: Run, bug: Bug, most: int) -> None:
    if bug.invariant in FOUND_BY_FOLDING:
        run.play(min(most, run.world.counts.steps + FOLDED_EVERY))
        run.finish()
    else:
        run.play(most)


def control(bug: Bug, steps: int) -> list[Violation]:
    """The same world without the bug."""
    run = Run(seed=bug.seed, tempers=bug.tempers)
    run.play(steps)
    return run.finish()
