"""Back up an SQLite store while it is written to, and restore a backup in the store's place."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from foureyes.app.ports import Unavailable
from foureyes.store import sqlite as file

#: Pages copied at a time; the copy can be interrupted in between.
PAGES_A_STEP = 1024
_SIDES = ("-wal", "-shm", "-journal")
#: How long a restore waits for readers.
ALONE_SECONDS_MAX = 1.0
_UNREADABLE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

Progress = Callable[[int, int], None]


def backup(path: Path, target: Path, progress: Progress | None = None) -> None:
    """Copy the store as it is at one moment, while others go on writing.

    The copy is whole, synced and checked, or it is not there.
    `progress` is called with the total number of pages and the number that remain.
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


def free_name(path: Path) -> Path:
    """Return a free name under which the store that is replaced can be kept."""
    number = 1
    while (kept := path.with_name(f"{path.name}.before-restore-{number}")).exists():
        number += 1
    return kept


def restore(source: Path, path: Path, progress: Progress | None = None, kept: Path | None = None) -> Path | None:
    """Put a backup in the store's place, all at once; return where the store that was there is kept.

    Refused while another process has it open, also a program that embeds the gate: what that one wrote later would go
    into the file that was set aside.
    """
    with file.speaking():
        part = path.with_name(path.name + ".restoring")
        try:
            _copy(source, part, progress)
            there = _exchanged(path, part, kept or free_name(path))
        finally:
            forget(part)
        file.sync_folder(path.parent)
        return there


def undo(path: Path, kept: Path | None) -> None:
    """Put back what an interrupted restore has replaced; running it twice changes nothing more.

    `kept` is where the restore was to keep the store that was there; None if there was none.
    """
    with file.speaking():
        forget(path.with_name(path.name + ".restoring"))
        if kept is None:
            forget(path)
        elif kept.exists() and kept.samefile(path):
            kept.unlink()
        elif kept.exists():
            for side in _SIDES:  # those of the copy: the store that was there had given up its journal
                path.with_name(path.name + side).unlink(missing_ok=True)
            kept.replace(path)
        file.sync_folder(path.parent)
    if path.exists():
        # SQLite may have been interrupted while it gave up the journal: a read-only connection could not mend that.
        with suppress(sqlite3.Error, Unavailable), closing(file.connect_writer(path, ALONE_SECONDS_MAX)):
            pass


def forget(path: Path) -> None:
    """Remove an SQLite file with its journal files."""
    for side in ("", *_SIDES):
        path.with_name(path.name + side).unlink(missing_ok=True)


def _copy(source: Path, part: Path, progress: Progress | None) -> None:
    """Copy through one snapshot: otherwise each writer's commit would make SQLite begin again."""
    forget(part)
    file.make_file(part)
    with closing(file.connect_reader(source)) as here, closing(sqlite3.connect(part, isolation_level=None)) as there:
        here.execute("BEGIN")
        here.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
        here.backup(there, pages=PAGES_A_STEP, progress=_told(progress))
        here.execute("ROLLBACK")
        # The copy is one file: there is no journal beside it that could be forgotten when it is moved.
        there.execute("PRAGMA journal_mode = DELETE")
        file.check_file(there)
    handle = os.open(part, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _told(progress: Progress | None) -> Callable[[int, int, int], object] | None:
    return None if progress is None else lambda _status, remaining, total: progress(total, remaining)


def _exchanged(path: Path, part: Path, kept: Path) -> Path | None:
    """Put the copy in the store's place; the old file is kept under another name, with its journal's content in it."""
    if not path.exists():
        part.replace(path)
        return None
    with _alone(path):
        for side in _SIDES:
            path.with_name(path.name + side).unlink(missing_ok=True)
        os.link(path, kept)
        part.replace(path)
    return kept


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the store open exclusively; a file that SQLite cannot read is left as it is.

    SQLite gives up its journal only for the last connection to the file, idle or not. The lock is then held until the
    names are exchanged. A process that opened the old file meanwhile finds it without a journal, and SQLite refuses to
    make one for a file that has lost its name.
    """
    connection = _last_one(path)
    if connection is not None:
        with closing(connection):
            yield
        return
    if any(_size(path.with_name(path.name + side)) for side in ("-wal", "-journal")):
        raise Unavailable(
            "The store's file is damaged, and its journal holds more.", "Move both away together, then restore again."
        )
    yield


def _last_one(path: Path) -> sqlite3.Connection | None:
    """Return a connection that holds the file alone; None if the file cannot be read."""
    try:
        connection = file.connect_writer(path, lock_seconds_max=ALONE_SECONDS_MAX)
        try:
            file.patient(lambda: _shut_out_others(connection), ALONE_SECONDS_MAX)
        except BaseException:
            connection.close()
            raise
    except sqlite3.Error as error:
        if file.code_of(error) in file.BUSY:
            raise Unavailable("Another program has the store open.", "Stop it, then restore again.") from error
        if file.code_of(error) not in _UNREADABLE:
            raise
        return None
    return connection


def _shut_out_others(connection: sqlite3.Connection) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = DELETE").fetchone()
    if mode != "delete":
        raise Unavailable("SQLite did not close the store's journal.", "Stop whoever has the store open.")
    connection.execute("BEGIN EXCLUSIVE")


def _size(path: Path) -> int:
    with suppress(FileNotFoundError):
        return path.stat().st_size
    return 0
