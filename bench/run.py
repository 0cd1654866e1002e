"""Run all benchmarks, one after the other, each in its own process, and write the page.

Usage: python -m bench.run [FOLDER]. Takes about half an hour; ends with 1 when a demand was not met or an answer was
wrong. FOLDER holds real commits for `bench.quality_commits`; without it these are not replayed.
"""

from __future__ import annotations

import subprocess
import sys

from bench import core, page, sim
from bench.lines import Figure, keep, read

PARTS = (
    *("cold", "bytes", "lifecycle", "groups", "doors", "engine", "cluster", "starts"),
    *("timing", "flood", "sustained", "growth", "review", "redaction"),
)


def alone() -> None:
    """The core and the simulator, which need no store."""
    command = core.measure(500)
    steps = sim.measure(1_000, 30_000)
    keep(
        Figure(
            figure="core.command",
            what=f"fold, decide and evolve one command on a review of {command['events']} events",
            measured=float(str(command["median_ms"])),
            unit="ms",
            correct=bool(command["correct"]),
            command="python -m bench.core",
        ),
        Figure(
            figure="sim.steps",
            what="steps of the simulator with every invariant on, per second of one processor",
            measured=float(str(steps["steps_per_second"])),
            unit="/s",
            correct=bool(steps["correct"]),
            command="python -m bench.sim",
        ),
    )


def main() -> int:
    """Run all of it."""
    alone()
    folder = sys.argv[1:2]
    parts = [[part] for part in PARTS] + ([["quality_commits", *folder]] if folder else [])
    failed = [part for part, *words in parts if _fails(part, *words)]
    if not folder:
        print("not measured: whole commits (make bench DATA=FOLDER)", file=sys.stderr)
    page.write()
    missed = [line["figure"] for line in read() if line["kept"] is False or not line["correct"]]
    for name in (*failed, *missed):
        print(f"not as it must be: {name}", file=sys.stderr)
    return 1 if failed or missed else 0


def _fails(part: str, *words: str) -> bool:
    return subprocess.run([sys.executable, "-m", f"bench.{part}", *words], check=False).returncode != 0  # noqa: S603 - our own modules


if __name__ == "__main__":
    sys.exit(main())
