"""What the checkpoints say of each stream, in a scratch table on disk, so that a million streams need no memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Self

from foureyes.app.book import Line
from foureyes.app.rows import Cursor, Head

_TABLES = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE marks (stream TEXT, version INTEGER, chain BLOB, number INTEGER, PRIMARY KEY (stream, version, number))
  WITHOUT ROWID;
CREATE INDEX marks_of ON marks (number);
CREATE TABLE reached (number INTEGER PRIMARY KEY, tx INTEGER, seq INTEGER, events INTEGER, total TEXT);
CREATE TABLE met (stream TEXT PRIMARY KEY) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A stream's link at a version, as a checkpoint has signed it."""

    version: int
    chain: bytes
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What the log must come to at a cursor, as a checkpoint has signed it."""

    number: int
    cursor: Cursor
    events: int
    order: bytes


class Marks:
    """Everything that signed checkpoints say of the log, and which streams were met in it."""

    def __init__(self) -> None:
        """Open an unnamed file that SQLite removes by itself; used by one thread at a time."""
        self._scratch = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._scratch.executescript(_TABLES)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._scratch.close()

    def add(self, line: Line) -> None:
        """Record what a checkpoint says."""
        number, reached = line.checkpoint.number, line.checkpoint.reached
        self._scratch.execute("BEGIN")
        self._scratch.executemany(
            "INSERT OR IGNORE INTO marks VALUES (?, ?, ?, ?)",
            ((head.stream, head.version, head.chain, number) for head in line.heads),
        )
        self._scratch.execute(
            "INSERT OR IGNORE INTO reached VALUES (?, ?, ?, ?, ?)",
            (number, *reached.cursor, reached.events, reached.order),
        )
        self._scratch.execute("COMMIT")

    def forget_behind(self, number: int) -> None:
        """Drop the marks of later checkpoints after a restore to this one; the order is checked from the beginning."""
        self._scratch.execute("DELETE FROM marks WHERE number > ?", (number,))
        self._scratch.execute("DELETE FROM reached")

    def of(self, stream: str) -> list[Mark]:
        """Return what is signed about a stream, by version."""
        query = "SELECT version, chain, number FROM marks WHERE stream = ? ORDER BY version, number"
        return [Mark(version=row[0], chain=row[1], number=row[2]) for row in self._scratch.execute(query, (stream,))]

    def reached(self) -> Iterator[Target]:
        """Yield how far each checkpoint came, in order, without repetitions."""
        query = (
            "SELECT min(number), tx, seq, events, total FROM reached WHERE events > 0 GROUP BY 2, 3, 4, 5 ORDER BY 1"
        )
        for number, tx, seq, events, order in self._scratch.execute(query):
            yield Target(number=number, cursor=(tx, seq), events=events, order=bytes.fromhex(order))

    def meet(self, heads: Iterable[Head]) -> None:
        """Record that these streams are in the log."""
        self._scratch.executemany("INSERT OR IGNORE INTO met VALUES (?)", ((head.stream,) for head in heads))

    def unmet(self) -> Iterator[tuple[str, Mark]]:
        """Yield the streams that checkpoints name and the log lacks, with the last mark of each."""
        query = """SELECT stream, version, chain, number FROM marks WHERE stream NOT IN (SELECT stream FROM met)
          GROUP BY stream HAVING version = max(version) ORDER BY stream"""
        for row in self._scratch.execute(query):
            yield row[0], Mark(version=row[1], chain=row[2], number=row[3])
