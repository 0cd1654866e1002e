"""Reads the schema version of an SQLite store and refuses versions that this program does not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from foureyes.app.ports import Unavailable
from foureyes.store.migrations import STEPS, Step

if TYPE_CHECKING:
    import sqlite3

_HAS_META = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'"
_VERSION = "SELECT body FROM meta WHERE name = 'schema'"


def version_of(connection: sqlite3.Connection) -> int:
    """Return the version of a store's file; 0 when there is nothing yet."""
    if not connection.execute(_HAS_META).fetchone():
        return 0
    found = connection.execute(_VERSION).fetchone()
    return int(found[0]) if found else 0


def check_schema(connection: sqlite3.Connection, steps: Sequence[Step] = STEPS) -> None:
    """Refuse a store that is not of this version."""
    version = version_of(connection)
    refuse_newer(version, len(steps))
    if version == 0:
        raise Unavailable("There is no store in this file yet.", "Begin one, or name another file.")
    if version < len(steps):
        raise Unavailable(
            f"The store has version {version}, this program needs {len(steps)}.", "Upgrade the store, then ask again."
        )


def refuse_newer(version: int, known: int) -> None:
    """Refuse a store that a newer program has written: its meaning is unknown here."""
    if version > known:
        raise Unavailable(
            f"The store has version {version}, this program knows {known}.", "Use the program that wrote it, or newer."
        )
