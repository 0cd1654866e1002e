"""Put a bug into a driven process, by its name, before the process begins."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable

#: The holes of the seeds that are planted here: as a bug, or as a play that has it.
PLANTED_HOLES = {"S12": "memory_takes_what_the_disk_refuses", "S23": "one file, hastily"}

#: Not a bug, but planted like one: the process is killed as soon as its disk fails.
DIES = "it_dies_when_the_disk_fails"

BUGS: dict[str, Callable[[], None]] = {}


def bug(break_it: Callable[[], None]) -> Callable[[], None]:
    """Register a bug under its function's name."""
    BUGS[break_it.__name__] = break_it
    return break_it


def plant(*names: str) -> None:
    """Apply these bugs to this process."""
    for name in names:
        BUGS[name]()


def put(place: object, name: str, broken: object) -> None:
    """Replace an attribute that exists."""
    assert hasattr(place, name)
    setattr(place, name, broken)


def is_file(descriptor: int) -> bool:
    return stat.S_ISREG(os.fstat(descriptor).st_mode)
