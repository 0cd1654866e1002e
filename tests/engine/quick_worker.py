"""`foureyes worker` whose death is noticed sooner: python -m tests.engine.quick_worker ARGUMENTS."""

from __future__ import annotations

import sys
from datetime import timedelta

from foureyes.bootstrap import main
from foureyes.engine import place, workers

HELD = timedelta(seconds=8)

if __name__ == "__main__":
    place.HELD = workers.HELD = HELD
    sys.exit(main(["worker", *sys.argv[1:]]))
