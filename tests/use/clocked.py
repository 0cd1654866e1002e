"""A started server whose clock a test moves."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from tests.cli.running import Running
from tests.shape import ROOT
from tests.stories.process import DIES, HELD
from tests.use.served import Served, started

#: So long that no process counts as dead when the clock jumps by hours.
HELD_SECONDS = 10 * 365 * 86_400


@dataclass(frozen=True)
class Clock:
    """The seconds by which the server's time is ahead of ours, in a file it reads each time."""

    file: Path

    def wait(self, **span: float) -> None:
        """Let this time pass."""
        ahead = float(self.file.read_text(encoding="utf-8")) + timedelta(**span).total_seconds()
        new = self.file.with_suffix(".new")
        new.write_text(str(ahead), encoding="utf-8")
        new.replace(self.file)


@contextmanager
def clocked(folder: Path, policy: str) -> Iterator[tuple[Served, Clock]]:
    """`foureyes up` with a policy that ships, by a clock of its own."""
    clock = Clock(folder / "clock")
    clock.file.write_text("0", encoding="utf-8")
    environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", HELD: str(HELD_SECONDS), DIES: ""}
    program = (sys.executable, "-m", "tests.stories.process", str(clock.file))
    with started(Running(folder / "home", program=program), policy, environment) as up:
        yield up, clock
