"""Measures the spool's files, without disturbing a server that holds the spool."""

from __future__ import annotations

import os
from contextlib import suppress

SUFFIX = ".spool"


def spool_bytes(folder: str) -> int:
    """Return the total size; a file that is removed meanwhile counts as empty."""
    total = 0
    with suppress(FileNotFoundError, NotADirectoryError), os.scandir(folder) as files:
        for one in files:
            with suppress(FileNotFoundError):
                total += one.stat().st_size if one.name.endswith(SUFFIX) else 0
    return total
