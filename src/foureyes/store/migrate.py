"""Which version has this store, and how does it become ours? Under a lock, after a backup, each step whole or not."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from foureyes.app.ports import Unavailable
from foureyes.store import sqlite as file
from foureyes.store.migrations import STEPS, Step
from foureyes.store.sqlite_backup import backup

_HAS_META = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'"
_VERSION = "SELECT body FROM meta WHERE name = 'schema'"
_SET_VERSION = """INSERT INTO meta (name, body) VALUES ('schema', ?)
ON CONFLICT (name) DO UPDATE SET body = excluded.body"""


def version_of(connection: sqlite3.Connection) -> int:
    """The store's version; 0 when there is nothing yet."""
    if not connection.execute(_HAS_META).fetchone():
        return 0
    found = connection.execute(_VERSION).fetchone()
    return int(found[0]) if found else 0


def check_schema(connection: sqlite3.Connection, steps: Sequence[Step] = STEPS) -> None:
    """Refuse a store that is not of this version."""
    version = version_of(connection)
    refuse_newer(version, len(steps))
    if version < len(steps):
        raise Unavailable(
            f"The store has version {version}, this program needs {len(steps)}.", "Upgrade the store, then ask again."
        )


def refuse_newer(version: int, known: int) -> None:
    """Refuse what a newer program has written: we do not know what it means."""
    if version > known:
        raise Unavailable(
            f"The store has version {version}, this program knows {known}.", "Use the program that wrote it, or newer."
        )


def migrate(
    path: Path, *, steps: Sequence[Step] = STEPS, lock_seconds_max: float = file.LOCK_SECONDS_MAX
) -> Path | None:
    """Bring a store's file, new or old, to this version; gives the backup made before, if there was something in it."""
    with file.speaking(), closing(file.connect_writer(path, lock_seconds_max)) as connection:
        version = version_of(connection)
        refuse_newer(version, len(steps))
        kept = None
        while version < len(steps):
            kept = _step(connection, path, steps, lock_seconds_max) or kept
            version = version_of(connection)
        if kept:
            _verify(connection)
        return kept


def _step(connection: sqlite3.Connection, path: Path, steps: Sequence[Step], lock_seconds_max: float) -> Path | None:
    """One step in one transaction; others who wanted the same find it done."""
    file.begin(connection, lock_seconds_max)
    try:
        version = version_of(connection)
        kept = _kept(path, version) if 0 < version < len(steps) else None
        if version < len(steps):
            for statement in steps[version].sqlite:
                connection.execute(statement)
            connection.execute(_SET_VERSION, (str(version + 1),))
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return kept


def _kept(path: Path, version: int) -> Path:
    """What was there before. We hold the lock, so it is the last of that version; only a first try may have left it."""
    kept = path.with_name(f"{path.name}.version-{version}")
    kept.unlink(missing_ok=True)
    backup(path, kept)
    return kept


def _verify(connection: sqlite3.Connection) -> None:
    file.check_file(connection)
    if connection.execute("PRAGMA foreign_key_check").fetchone():
        raise Unavailable("The upgraded store does not hold together.", "Restore the backup made before the upgrade.")
