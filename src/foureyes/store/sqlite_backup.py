"""How is an SQLite store copied while it is written to, and how does a copy take its place?"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

from foureyes.app.ports import Unavailable
from foureyes.store import sqlite as file

#: Pages copied at a time; in between, whoever wants to stop may.
PAGES_A_STEP = 1024
_SIDES = ("-wal", "-shm", "-journal")

Progress = Callable[[int, int], None]


def backup(path: Path, target: Path, progress: Progress | None = None) -> None:
    """Copy the store as it is at one moment, while others go on writing.

    The copy is whole, synced and checked, or it is not there.
    `progress` hears how many pages there are and how many remain.
    """
    with file.speaking():
        if target.exists():
            raise Unavailable(f"{target} is there already.", "Name a new file.")
        part = target.with_name(target.name + ".part")
        try:
            _copy(path, part, progress)
            os.link(part, target)
        except FileExistsError as error:
            raise Unavailable(f"{target} is there already.", "Name a new file.") from error
        finally:
            forget(part)
        file.sync_folder(target.parent)


def restore(source: Path, path: Path, progress: Progress | None = None) -> Path | None:
    """Put a backup in the store's place, all at once; gives where the store that was there is kept.

    Nobody may have the store open: the caller holds the server's lock.
    """
    with file.speaking():
        part = path.with_name(path.name + ".restoring")
        try:
            _copy(source, part, progress)
            kept = _set_aside(path) if path.exists() else None
            part.replace(path)
        finally:
            forget(part)
        file.sync_folder(path.parent)
        return kept


def forget(path: Path) -> None:
    """Remove a file of SQLite with what stands beside it."""
    for side in ("", *_SIDES):
        path.with_name(path.name + side).unlink(missing_ok=True)


def _copy(source: Path, part: Path, progress: Progress | None) -> None:
    """Copy through one snapshot: a writer's commit would otherwise make SQLite begin again and again."""
    forget(part)
    file.make_file(part)
    with closing(file.connect_reader(source)) as here, closing(sqlite3.connect(part, isolation_level=None)) as there:
        here.execute("BEGIN")
        here.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
        here.backup(there, pages=PAGES_A_STEP, progress=_told(progress))
        here.execute("ROLLBACK")
        # The copy is one file: nothing stands beside it that could be forgotten when it is carried away.
        there.execute("PRAGMA journal_mode = DELETE")
        file.check_file(there)
    handle = os.open(part, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _told(progress: Progress | None) -> Callable[[int, int, int], object] | None:
    return None if progress is None else lambda _status, remaining, total: progress(total, remaining)


def _set_aside(path: Path) -> Path:
    """Keep the store that is there under another name, with everything its journal still held."""
    with suppress(Unavailable, sqlite3.Error), closing(file.connect_writer(path, lock_seconds_max=1)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    left = [side for side in _SIDES if (one := path.with_name(path.name + side)).exists() and one.stat().st_size]
    if "-wal" in left or "-journal" in left:
        raise Unavailable("Another program has the store open.", "Stop it, then restore again.")
    for side in _SIDES:
        path.with_name(path.name + side).unlink(missing_ok=True)
    number = 1
    while (kept := path.with_name(f"{path.name}.before-restore-{number}")).exists():
        number += 1
    os.link(path, kept)
    return kept
