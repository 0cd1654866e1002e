"""The uses of clearances according to the log alone, held in an unnamed file so that many need no memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Self


class Uses:
    """What went live, gathered while the events are met: the key of its row, its digest, and where the log says so."""

    def __init__(self) -> None:
        """Start empty; SQLite removes an unnamed file by itself."""
        self._file = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._file.execute("CREATE TABLE used (key TEXT PRIMARY KEY, digest TEXT, place TEXT) WITHOUT ROWID")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, key: str, digest: str, place: str = "") -> bool:
        """Record a use; False if it is known already."""
        return self._file.execute("INSERT OR IGNORE INTO used VALUES (?, ?, ?)", (key, digest, place)).rowcount > 0

    def take(self, key: str) -> tuple[str, str] | None:
        """Remove a use and return its digest and place; None if it is not known."""
        found = self._file.execute("DELETE FROM used WHERE key = ? RETURNING digest, place", (key,)).fetchone()
        return (str(found[0]), str(found[1])) if found else None

    def __contains__(self, key: str) -> bool:
        return self._file.execute("SELECT 1 FROM used WHERE key = ?", (key,)).fetchone() is not None

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Yield key and place of each use that was not taken, by place."""
        yield from self._file.execute("SELECT key, place FROM used ORDER BY place")
