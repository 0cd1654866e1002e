"""Migrate an SQLite store to this version: under a lock, after a backup, each step in one transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from foureyes.app.ports import Unavailable
from foureyes.store import sqlite as file
from foureyes.store.migrations import STEPS, Step
from foureyes.store.sqlite_backup import backup
from foureyes.store.versions import check_schema, refuse_newer, version_of

_SET_VERSION = """INSERT INTO meta (name, body) VALUES ('schema', ?)
ON CONFLICT (name) DO UPDATE SET body = excluded.body"""


def migrate(
    path: Path, *, steps: Sequence[Step] = STEPS, lock_seconds_max: float = file.LOCK_SECONDS_MAX
) -> Path | None:
    """Bring a store's file, new or old, to this version; return the backup made before, if there was anything in it."""
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
    """Run one step in one transaction; another process that wanted the same step finds it done."""
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
    """Back up the store before the step, and return the backup's path.

    The writer's lock is held, so this is the last state of that version; only a first attempt may have left such a
    file.
    """
    kept = path.with_name(f"{path.name}.version-{version}")
    kept.unlink(missing_ok=True)
    backup(path, kept)
    return kept


def _verify(connection: sqlite3.Connection) -> None:
    file.check_file(connection)
    if connection.execute("PRAGMA foreign_key_check").fetchone():
        raise Unavailable("The upgraded store does not hold together.", "Restore the backup made before the upgrade.")


__all__ = ["check_schema", "migrate", "refuse_newer", "version_of"]
