"""Verifies that the rows about uses of clearances agree with the targets' logs.

A missing row would let a clearance be used once more; a forged one would use it up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

from foureyes.app.damages import Collected
from foureyes.app.live import live_row
from foureyes.app.ports import Damaged, Reading
from foureyes.app.rows import LIVES, Stored
from foureyes.app.shelf import dated
from foureyes.app.uses import Uses
from foureyes.core.events import WentLive

PAGE = 1_000
LIVE = WentLive.__name__
REBUILD = f"Stop the server and find out who wrote it. The log is the truth: run `foureyes rebuild {LIVES}`."


@dataclass(slots=True)
class Lives:
    """What went live, gathered while the events are met."""

    found: Collected
    uses: Uses = field(default_factory=Uses)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.uses.__exit__()

    def see(self, one: Stored) -> None:
        """Record one event of the log."""
        if one.type != LIVE:
            return
        place = f"{one.stream}@{one.version}"
        try:
            ((event, _),) = dated((one,))
        except Damaged:
            return  # an unreadable body does not match its link, which is reported there
        if isinstance(event, WentLive):
            key, digest = live_row(event)
            new = self.uses.add(key, digest, place)
            if not new and event.clearance:  # without the number, two clearances of one review look the same
                self.found.add(place, f"used twice: it went live there before by the same clearance ({key})", REBUILD)

    def check(self, reading: Reading) -> None:
        """Compare the rows with the events, in both directions."""
        after = ""
        while page := reading.rows(LIVES, after=after, limit=PAGE):
            for key, digest in page:
                self._check_row(key, digest)
            after = page[-1][0]
        for key, place in self.uses:
            self.found.add(place, f"deleted: the row that says so ({key}) is gone", REBUILD)

    def _check_row(self, key: str, digest: str) -> None:
        known = self.uses.take(key)
        if known is None:
            self.found.add(f"{LIVES} {key}", "forged: a row says that this went live, the log does not", REBUILD)
        elif known[0] != digest:
            self.found.add(known[1], f"forged: its row names {digest}, the log {known[0]}", REBUILD)
