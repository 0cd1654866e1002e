"""How long until a planted bug is noticed? Worlds are played with it, one after the other, and once without."""

from __future__ import annotations

from dataclasses import dataclass

from tests.sim.checker import Violation
from tests.sim.people import ADVERSARIES
from tests.sim.planted.plant import Bug
from tests.sim.planted.watch import draw, look
from tests.sim.run import Run

STEPS_MAX = 100_000
#: A world is played so long, then the next seed's world begins.
WORLD_STEPS = 4_000
#: Logs are folded again this often, where that is what finds the bug.
FOLDED_EVERY = 250
WATCHED = {"I17": draw, "I18": look}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """After how many steps, in which world, the named invariant spoke, and what was said first."""

    steps: int
    seed: int
    in_world: int
    by: Violation | None
    first: Violation | None


def world(seed: int) -> Run:
    """A world of its own for every seed; in every second one all adversaries live."""
    return Run(seed=seed, tempers=ADVERSARIES if seed % 2 else ())


def hunt(bug: Bug, most: int = STEPS_MAX) -> Found:
    """Play world after world until the bug's invariant speaks."""
    seed, played, first = bug.seed, 0, None
    while played < most:
        with bug.planted():
            run = world(seed)
            by = _hunted(run, bug.invariant, min(WORLD_STEPS, most - played))
        first = first or next(iter(run.world.violations), None)
        played += run.world.counts.steps
        if by is not None:
            return Found(steps=played, seed=seed, in_world=run.world.counts.steps, by=by, first=first)
        seed += 1
    return Found(steps=played, seed=seed, in_world=0, by=None, first=first)


def _hunted(run: Run, invariant: str, most: int) -> Violation | None:
    counts, violations, seen = run.world.counts, run.world.violations, 0
    while counts.steps < most:
        _play(run, invariant, most)
        by = next((one for one in violations[seen:] if one.invariant == invariant), None)
        if by is not None:
            return by
        seen = len(violations)
    return None


def _play(run: Run, invariant: str, most: int) -> None:
    steps = run.world.counts.steps
    if invariant in WATCHED:
        run.play(steps + 1)
        WATCHED[invariant](run)
    elif invariant in ("I19", "I21"):
        run.play(min(most, steps + FOLDED_EVERY))
        run.finish()
    else:
        run.play(most)


def control(seed: int, steps: int) -> list[Violation]:
    """The same world without any bug, watched, drawn from and folded as often."""
    run = world(seed)
    while run.world.counts.steps < steps and not run.world.violations:
        run.play(run.world.counts.steps + 1)
        look(run)
        draw(run)
    return run.finish()
