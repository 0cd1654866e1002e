"""`foureyes worker` whose death is noticed sooner: python -m tests.engine.quick_worker ARGUMENTS."""

from __future__ import annotations

import sys
from datetime import timedelta

from foureyes.app import workers
from foureyes.bootstrap import main

HELD = timedelta(seconds=8)

if __name__ == "__main__":
    workers.HELD = HELD
    sys.exit(main(["worker", *sys.argv[1:]]))
