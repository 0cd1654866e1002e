"""Measure how long a planted bug goes unnoticed: worlds are played with it in turn, and once without."""

from __future__ import annotations

from dataclasses import dataclass

from tests.sim.checker import Violation
from tests.sim.people import ADVERSARIES
from tests.sim.planted.plant import Bug
from tests.sim.planted.push import PUSHED_EVERY, Pusher
from tests.sim.planted.watch import draw_twice, look_at
from tests.sim.run import Run

STEPS_MAX = 100_000
#: The steps of a world, after which the next seed's begins.
WORLD_STEPS = 4_000
#: Logs are folded again this often, if that is what finds the bug.
FOLDED_EVERY = 250
FOUND_BY_FOLDING = frozenset({"I19", "I21"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The steps and the world after which the named invariant was violated, and the first violation."""

    steps: int
    seed: int
    in_world: int
    by: Violation | None
    first: Violation | None


def world(seed: int) -> Run:
    """The world of a seed; every second one has all adversaries."""
    return Run(seed=seed, tempers=ADVERSARIES if seed % 2 else ())


def hunt(bug: Bug, most: int = STEPS_MAX) -> Found:
    """Play world after world until the bug's invariant is violated."""
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
    counts, violations, pusher, seen = run.world.counts, run.world.violations, Pusher(run=run), 0
    while counts.steps < most:
        _play(run, pusher, look=invariant == "I18", draw=invariant == "I17")
        if invariant in FOUND_BY_FOLDING and counts.steps % FOLDED_EVERY == 0:
            run.finish()
        by = next((one for one in violations[seen:] if one.invariant == invariant), None)
        if by is not None:
            return by
        seen = len(violations)
    return None


def _play(run: Run, pusher: Pusher, *, look: bool, draw: bool) -> None:
    """Play one step of the world, now and then an act of the pusher, and check what is shown."""
    steps = run.world.counts.steps
    run.play(steps + 1, stop=False)
    if look:
        look_at(run)
    if draw:
        draw_twice(run)
    if steps % PUSHED_EVERY == 0:
        pusher.push()


def control(seed: int, steps: int) -> list[Violation]:
    """Play the same world without a bug, with the same checks."""
    run = world(seed)
    pusher = Pusher(run=run)
    while run.world.counts.steps < steps and not run.world.violations:
        _play(run, pusher, look=True, draw=True)
    return run.finish()
