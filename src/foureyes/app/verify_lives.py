"""Do the rows about uses of clearances say what the targets' logs say?

One that is gone would let a clearance be used once more; a forged one would use it up.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, field
from typing import Self

from foureyes.app.damages import Collected
from foureyes.app.live import live_row
from foureyes.app.ports import Damaged, Reading
from foureyes.app.rows import LIVES, Stored
from foureyes.app.shelf import dated
from foureyes.app.verify_stream import BACKUP
from foureyes.core.events import WentLive

PAGE = 1_000
LIVE = WentLive.__name__
REBUILD = f"Stop the server and find out who wrote it. The log is the truth: run `foureyes rebuild {LIVES}`."


def _scratch() -> sqlite3.Connection:
    """An unnamed file that SQLite removes by itself, so that many uses need no memory."""
    made = sqlite3.connect("", check_same_thread=False, isolation_level=None)
    made.execute("CREATE TABLE used (key TEXT PRIMARY KEY, digest TEXT, place TEXT) WITHOUT ROWID")
    return made


@dataclass(slots=True)
class Lives:
    """What went live, gathered while the events are met."""

    found: Collected
    used: sqlite3.Connection = field(default_factory=_scratch)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.used.close()

    def see(self, one: Stored) -> None:
        """One event of the log."""
        if one.type != LIVE:
            return
        place = f"{one.stream}@{one.version}"
        try:
            ((event, _),) = dated((one,))
        except Damaged:
            return  # a body that cannot be read does not follow from its link, which is told there
        if isinstance(event, WentLive):
            key, digest = live_row(event)
            new = self.used.execute("INSERT OR IGNORE INTO used VALUES (?, ?, ?)", (key, digest, place)).rowcount
            if not new and event.clearance:  # without its number two clearances of one review look the same
                self.found.add(place, f"used twice: it went live there before by the same clearance ({key})", REBUILD)

    def check(self, reading: Reading) -> None:
        """Hold the rows against the events, in both directions."""
        after = ""
        while page := reading.rows(LIVES, after=after, limit=PAGE):
            for key, digest in page:
                self._check_row(key, digest)
            after = page[-1][0]
        for key, place in self.used.execute("SELECT key, place FROM used ORDER BY place"):
            self.found.add(place, f"deleted: the row that says so ({key}) is gone", REBUILD)

    def _check_row(self, key: str, digest: str) -> None:
        known = self.used.execute("DELETE FROM used WHERE key = ? RETURNING digest, place", (key,)).fetchone()
        if known is None:
            self.found.add(f"{LIVES} {key}", "forged: a row says that this went live, the log does not", BACKUP)
        elif known[0] != digest:
            self.found.add(known[1], f"forged: its row names {digest}, the log {known[0]}", REBUILD)
