"""Opens an SQLite file so that acknowledged commits are durable, and maps SQLite errors to errors for the caller.

Light on purpose: `check` imports it at start. The store with its threads is in `sqlite_store.py` and is loaded on
demand.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from foureyes.app.ports import Conflict, Unavailable
from foureyes.store import statements as say
from foureyes.store.rows import Row
from foureyes.store.sql import SqlReading, SqlWriting
from foureyes.store.versions import check_schema

if TYPE_CHECKING:  # each of these would cost `check` some milliseconds
    from pathlib import Path

    from foureyes.store.sqlite_store import SqliteStore

#: STRICT tables need this version; RETURNING is older.
SQLITE_VERSION_MIN = (3, 37, 0)
STATEMENTS_CACHED = 256
#: How long a writer waits for other processes.
LOCK_SECONDS_MAX = 30.0
READ_LOCK_MILLISECONDS_MAX = 5_000
WRITER_CACHE_KIB = 32 * 1024
#: Each reading thread has a cache of its own. A small one fills early, and the system caches the file besides.
READER_CACHE_KIB = 2 * 1024
#: After a long transaction the journal is truncated to this size.
JOURNAL_BYTES_MAX = 64 * 1024 * 1024

_SYNC_FULL = 2
_PIECE_BYTES = 1024 * 1024
_WAIT_SECONDS_MAX = 0.004
_PRIMARY = 0xFF
BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_TWICE = frozenset({sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE})
#: After these errors the whole transaction is lost, not only the command that met them.
LOST = frozenset(
    {
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
    }
)
_SENTENCES = {
    sqlite3.SQLITE_FULL: ("The disk is full.", "Free some space and ask again."),
    sqlite3.SQLITE_IOERR: ("The disk refused to read or write.", "Look at the disk and its limits, then ask again."),
    sqlite3.SQLITE_READONLY: ("The store may only be read.", "Let this user write the data folder, then ask again."),
    sqlite3.SQLITE_CANTOPEN: ("The store cannot be opened.", "Look whether the data folder is there and is yours."),
    sqlite3.SQLITE_NOMEM: ("There is not enough memory.", "Ask again when there is more."),
    sqlite3.SQLITE_PROTOCOL: ("The store's lock is in disorder.", "Ask again; keep the data folder on a local disk."),
    sqlite3.SQLITE_CORRUPT: ("The store's file is damaged.", "Stop, and restore the last backup."),
    sqlite3.SQLITE_NOTADB: ("The store's file is damaged.", "Stop, and restore the last backup."),
    sqlite3.SQLITE_PERM: ("The store may not be opened.", "Let this user read and write the data folder."),
    sqlite3.SQLITE_BUSY: ("Other programs hold the store.", "Ask again."),
    sqlite3.SQLITE_LOCKED: ("Other programs hold the store.", "Ask again."),
}


class SqliteDriver:
    """A connection to SQLite inside a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, values: Row = ()) -> list[Row]:
        """Run a statement and return all its rows."""
        return self._connection.execute(sql, plain(values)).fetchall()

    def run(self, sql: str, values: Row = ()) -> int:
        """Run a statement and return how many rows it touched."""
        return self._connection.execute(sql, plain(values)).rowcount

    def many(self, sql: str, values: Iterable[Row]) -> None:
        """Run a statement once for each of these rows."""
        self._connection.executemany(sql, map(plain, values))


class SqliteWriting(SqlWriting):
    """One transaction, which notes whether bytes were purged in it."""

    purged = False

    def purge(self, digest: str, tombstone: str) -> bool:
        """Remove a blob's bytes and leave the tombstone; False when there is no such blob."""
        self.purged = True
        self._driver.run(say.PUT_SCRUB)
        return super().purge(digest, tombstone)

    def unlist(self, review: str, digests: Iterable[str], blobs: Iterable[str]) -> None:
        """Remove a review from everything but the log, and remove these bytes, from the journal too."""
        self.purged = True
        self._driver.run(say.PUT_SCRUB)
        super().unlist(review, digests, blobs)


def plain(values: Row) -> Row:
    """Return the same values; a text with a NUL is refused, as PostgreSQL does."""
    for one in values:
        if type(one) is str and "\0" in one:
            raise ValueError("A text with a NUL character cannot be stored.")
    return values


def code_of(error: BaseException | None) -> int:
    """Return SQLite's primary error code; 0 if the error is not SQLite's."""
    if isinstance(error, MemoryError):
        return sqlite3.SQLITE_NOMEM
    return (getattr(error, "sqlite_errorcode", 0) or 0) & _PRIMARY


def said(error: BaseException, *, unknown: bool = False) -> BaseException:
    """Return what an error means to the caller; errors of our own code are returned as they are."""
    if getattr(error, "sqlite_errorcode", 0) in _TWICE:
        return Conflict(str(error))
    if isinstance(error, OSError):
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        sentence, step = _SENTENCES[sqlite3.SQLITE_FULL if full else sqlite3.SQLITE_CANTOPEN]
        return Unavailable(f"{sentence} ({error.strerror})", step, full=full, unknown=unknown)
    code = code_of(error)
    if code not in _SENTENCES:
        return error
    sentence, step = _SENTENCES[code]
    return Unavailable(sentence, step, full=code == sqlite3.SQLITE_FULL, unknown=unknown)


@contextmanager
def speaking() -> Iterator[None]:
    """Turn SQLite's errors into our own inside this context."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise said(error) from error


@contextmanager
def reading(path: Path) -> Iterator[SqlReading]:
    """Open a consistent snapshot of a store's file, in this thread, without any lock against writers."""
    with speaking(), closing(connect_reader(path)) as connection, snapshot(connection) as found:
        check_schema(connection)
        yield found


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[SqlReading]:
    """Open a consistent snapshot through a reader's connection."""
    connection.execute("BEGIN")
    try:
        yield look(connection)
    finally:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")


def look(connection: sqlite3.Connection) -> SqlReading:
    """Return a reader on a connection on which a transaction has begun."""
    return SqlReading(SqliteDriver(connection))


def connect_reader(path: Path) -> sqlite3.Connection:
    """Open a connection that cannot write, whatever statement it is given."""
    connection = _connect(path, "ro")
    try:
        connection.execute(f"PRAGMA busy_timeout = {READ_LOCK_MILLISECONDS_MAX}")
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute(f"PRAGMA cache_size = -{READER_CACHE_KIB}")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_writer(path: Path, lock_seconds_max: float = LOCK_SECONDS_MAX) -> sqlite3.Connection:
    """Open the connection that writes: synced at every commit, or not opened at all."""
    if sqlite3.sqlite_version_info < SQLITE_VERSION_MIN:
        needed = ".".join(map(str, SQLITE_VERSION_MIN))
        raise Unavailable(f"SQLite is older than {needed}.", "Use a Python with a newer SQLite.")
    make_file(path)
    connection = _connect(path, "rw")
    try:
        patient(lambda: _set_up(connection), lock_seconds_max)
        patient(lambda: _rewrite_journal(connection, path), lock_seconds_max)
        # SQLite has made its journal by now, and does not report when the folder's sync fails.
        sync_folder(path.parent)
    except BaseException:
        connection.close()
        raise
    return connection


def patient(act: Callable[[], None], seconds_max: float) -> None:
    """Retry until nobody else holds the file.

    The longer it has waited, the more often it retries, so that each process gets its turn.
    """
    since = time.monotonic()
    while True:
        try:
            act()
        except sqlite3.OperationalError as error:
            waited = time.monotonic() - since
            if code_of(error) not in BUSY or waited > seconds_max:
                raise
            time.sleep(_WAIT_SECONDS_MAX * os.urandom(1)[0] / 255 / (1 + 20 * waited))
        else:
            return


def begin(connection: sqlite3.Connection, seconds_max: float = LOCK_SECONDS_MAX) -> SqliteWriting:
    """Begin a transaction as the only writer."""
    patient(lambda: _execute(connection, "BEGIN IMMEDIATE"), seconds_max)
    return SqliteWriting(SqliteDriver(connection))


def make_file(path: Path) -> None:
    """Make the file and its folder if they are missing, for this user only; SQLite's other files get the same mode."""
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that the names in it are durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_file(connection: sqlite3.Connection) -> None:
    """Read the whole file and refuse it if SQLite finds damage."""
    found = [str(one[0]) for one in connection.execute("PRAGMA quick_check(3)")]
    if found != ["ok"]:
        raise Unavailable(f"The store's file is damaged: {'; '.join(found)}", "Stop, and restore the last backup.")


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    address = str(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return sqlite3.connect(
        f"file:{address}?mode={mode}",
        uri=True,
        timeout=0,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=STATEMENTS_CACHED,
    )


def _set_up(connection: sqlite3.Connection) -> None:
    if _pragma(connection, "journal_mode") != "wal":
        connection.execute("PRAGMA journal_mode = WAL")
    for setting in (
        "synchronous = FULL",
        "foreign_keys = ON",
        "trusted_schema = OFF",
        "secure_delete = ON",
        "cell_size_check = ON",
        "temp_store = MEMORY",
        f"cache_size = -{WRITER_CACHE_KIB}",
        f"journal_size_limit = {JOURNAL_BYTES_MAX}",
    ):
        connection.execute(f"PRAGMA {setting}")
    wanted = {"journal_mode": "wal", "synchronous": _SYNC_FULL, "foreign_keys": 1, "trusted_schema": 0}
    found = {name: _pragma(connection, name) for name in wanted}
    if found != wanted:
        raise Unavailable(
            f"SQLite did not take our settings: {found}, not {wanted}.", "Keep the data folder on a local disk."
        )


def _rewrite_journal(connection: sqlite3.Connection, path: Path) -> None:
    """Write what the journal holds once more, as the only writer, and sync it.

    A sync may have failed before, in this process or in one that is gone. Then SQLite reads from the kernel's page
    cache, and believes, what the disk does not have, and no later sync would write it: only bytes that are written
    again are.
    """
    connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()  # makes the journal, if there is none
    journal = path.with_name(f"{path.name}-wal")
    if not journal.exists() or not journal.stat().st_size:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        handle = os.open(journal, os.O_RDWR | os.O_CLOEXEC)
        try:
            place = 0
            while piece := os.pread(handle, _PIECE_BYTES, place):
                place += os.pwrite(handle, piece, place)
            os.fsync(handle)
        finally:
            os.close(handle)
    finally:
        connection.execute("ROLLBACK")


def _pragma(connection: sqlite3.Connection, name: str) -> object:
    return next(iter(connection.execute(f"PRAGMA {name}")))[0]


def _execute(connection: sqlite3.Connection, sql: str) -> None:
    connection.execute(sql)


def __getattr__(name: str) -> Any:
    if name == "SqliteStore":
        return import_module("foureyes.store.sqlite_store").SqliteStore
    raise AttributeError(name)


__all__ = ["SqliteStore", "begin", "check_file", "connect_reader", "connect_writer", "reading", "snapshot"]
