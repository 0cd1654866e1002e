"""Print a table of how fast each bug is found: `python -m tests.sim.planted.survey STEPS [NAME…]`."""

from __future__ import annotations

import sys
import time
import traceback

from tests.sim.planted.bugs import BUGS
from tests.sim.planted.hunt import hunt


def main() -> None:
    most, wanted = int(sys.argv[1]), sys.argv[2:]
    for bug in BUGS:
        if wanted and not any(part in bug.name for part in wanted):
            continue
        began = time.perf_counter()
        try:
            found = hunt(bug, most)
            said = str(found.by or f"NOT FOUND; first {found.first}")
            where = f"{found.steps:6} {found.seed}:{found.in_world}"
        except Exception:  # noqa: BLE001 - a survey goes on
            where, said = "CRASH", traceback.format_exc(limit=-2)
        took = time.perf_counter() - began
        print(f"{bug.invariant:4} {where:14} {took:5.1f}s {bug.name:48} {said[:130]}", flush=True)


if __name__ == "__main__":
    main()
