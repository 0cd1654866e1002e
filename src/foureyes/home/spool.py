"""How much waits in the spool's files? Looking at them disturbs no server that holds the spool."""

from __future__ import annotations

import os
from contextlib import suppress

SUFFIX = ".spool"


def spool_bytes(folder: str) -> int:
    """All of it; a file that goes meanwhile holds nothing any more."""
    total = 0
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as files:
        for one in files:
            with suppress(FileNotFoundError):
                total += one.stat().st_size if one.name.endswith(SUFFIX) else 0
    return total
