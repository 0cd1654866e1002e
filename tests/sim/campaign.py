"""Play many worlds, merge their counts, and name what was seen too seldom.

Usage: python -m tests.sim.campaign SEED STEPS prints the histogram, and a shrunk script for the first failing seed.
"""

from __future__ import annotations

import gc
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.sim.counts import SEEN_MIN, Counts
from tests.sim.people import ADVERSARIES, Temper
from tests.sim.run import Run, shrunk
from tests.sim.unreachable import reachable_events, reachable_gates, reachable_outcomes, reachable_refusals

#: The steps of a world, after which the next seed's begins.
WORLD_STEPS = 2_500
ARCHIVE = Path(__file__).parent / "failing_seeds.txt"


@dataclass(slots=True)
class Campaign:
    """The result of many worlds."""

    counts: Counts = field(default_factory=Counts)
    failures: list[str] = field(default_factory=list)


def tempers_of(seed: int) -> tuple[Temper, ...]:
    """The tempers in the world of a seed: only honest, all adversaries, or some."""
    if seed % 3 == 0:
        return ()
    rng = random.Random(seed)
    return ADVERSARIES if seed % 3 == 1 else tuple(rng.sample(ADVERSARIES, rng.randrange(1, 4)))


def play(seed: int, steps: int) -> Run:
    """The world of a seed, played and folded again."""
    run = Run(seed=seed, tempers=tempers_of(seed))
    with _no_garbage_collection():
        run.play(steps)
        if not run.world.violations:
            run.finish()
    return run


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Disable garbage collection: a world makes no cycles, and looking for them takes a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def campaign(first_seed: int, steps: int) -> Campaign:
    """Play worlds, one seed after the other, until so many steps were delivered; stop at the first that fails."""
    found, seed = Campaign(), first_seed
    while found.counts.steps < steps and not found.failures:
        run = play(seed, min(WORLD_STEPS, steps - found.counts.steps))
        found.counts.merge(run.world.counts)
        if run.world.violations:
            found.failures.append(f"seed {seed}: {run.world.violations[0]}\n{shrunk(run)}")
        seed += 1
    return found


def too_seldom(counts: Counts, at_least: int = SEEN_MIN) -> dict[str, int]:
    """The things seen less often than required, with their counts."""
    return {
        **counts.missing("events", reachable_events(), at_least),
        **counts.missing("refusals", reachable_refusals(), at_least),
        **counts.missing("gates", reachable_gates(), at_least),
        **counts.missing("outcomes", reachable_outcomes(), at_least),
    }


def archived() -> list[tuple[int, int]]:
    """The seeds that failed before, with their number of steps."""
    lines = (line.partition("#")[0].split() for line in ARCHIVE.read_text(encoding="utf-8").splitlines())
    return [(int(line[0]), int(line[1])) for line in lines if line]


def main() -> None:
    """Play from the command line."""
    seed, steps = int(sys.argv[1]), int(sys.argv[2])
    began = time.process_time()
    found = campaign(seed, steps)
    spent = time.process_time() - began
    print(found.counts.table())
    print(f"too seldom for {SEEN_MIN}: {too_seldom(found.counts)}")
    print("\n".join(found.failures) or "no violation")
    print(f"{found.counts.steps / spent:.0f} steps a second of processor time")


if __name__ == "__main__":
    main()
