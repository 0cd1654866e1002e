"""Speed of the simulator with every invariant on: whole worlds on one core, folded again at their end.

Usage: python -m bench.sim [--steps N] [--seed N]. Prints one JSON line with commit, load, figures and violations.
"""

from __future__ import annotations

import argparse
import json
import time

from bench.core import context
from tests.sim.campaign import campaign


def measure(seed: int, steps: int) -> dict[str, object]:
    """Play one world per seed; the figure is processor time, the wall-clock time is kept too."""
    wall, processor = time.perf_counter(), time.process_time()
    found = campaign(seed, steps)
    processor, wall = time.process_time() - processor, time.perf_counter() - wall
    return {
        "bench": "sim.steps",
        "steps": found.counts.steps,
        "seconds_processor": round(processor, 2),
        "seconds_wall": round(wall, 2),
        "steps_per_second": round(found.counts.steps / processor),
        "accepted_percent": round(100 * found.counts.accepted / found.counts.steps),
        "violations": len(found.failures),
        "correct": not found.failures and found.counts.steps == steps,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=30_000)
    parser.add_argument("--seed", type=int, default=1_000)
    given = parser.parse_args()
    print(json.dumps({**measure(given.seed, given.steps), **context()}))


if __name__ == "__main__":
    main()
