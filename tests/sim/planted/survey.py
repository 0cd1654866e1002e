"""How fast is each bug found? Prints a table: `python -m tests.sim.planted.survey STEPS [NAME…]`."""

from __future__ import annotations

import sys
import traceback

from tests.sim.planted.bugs import BUGS
from tests.sim.planted.hunt import hunt


def main() -> None:
    most, wanted = int(sys.argv[1]), sys.argv[2:]
    for bug in BUGS:
        if wanted and not any(part in bug.name for part in wanted):
            continue
        try:
            found = hunt(bug, most)
            said = str(found.by or f"NOT FOUND; first {found.first}")
        except Exception:  # noqa: BLE001 - a survey goes on
            print(f"{bug.name:45} {bug.invariant:4} CRASH {traceback.format_exc(limit=-2)}", flush=True)
            continue
        print(f"{bug.name:45} {bug.invariant:4} {found.steps:6} {said[:150]}", flush=True)


if __name__ == "__main__":
    main()
