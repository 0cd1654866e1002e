"""How is an SQLite file opened, so that what is acknowledged lasts, and what does its trouble mean to the caller?

Light on purpose: `check` starts with it. The store with its threads is in `sqlite_store.py` and loaded when asked for.
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

#: STRICT tables need it; RETURNING is older.
SQLITE_VERSION_MIN = (3, 37, 0)
STATEMENTS_CACHED = 256
#: How long a writer waits for other processes.
LOCK_SECONDS_MAX = 30.0
READ_LOCK_MILLISECONDS_MAX = 5_000
WRITER_CACHE_KIB = 32 * 1024
#: Each thread that reads has its own: what is small is full early, and the system keeps the file at hand besides.
READER_CACHE_KIB = 2 * 1024
#: After a long transaction the journal goes back to this.
JOURNAL_BYTES_MAX = 64 * 1024 * 1024

_SYNC_FULL = 2
_PIECE_BYTES = 1024 * 1024
_WAIT_SECONDS_MAX = 0.004
_PRIMARY = 0xFF
BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_TWICE = frozenset({sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE})
#: After these the whole transaction is lost, not only the command that met them.
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
        """Run a statement and give all it returns."""
        return self._connection.execute(sql, plain(values)).fetchall()

    def run(self, sql: str, values: Row = ()) -> int:
        """Run a statement and say how many rows it touched."""
        return self._connection.execute(sql, plain(values)).rowcount

    def many(self, sql: str, values: Iterable[Row]) -> None:
        """Run a statement once for each of these."""
        self._connection.executemany(sql, map(plain, values))


class SqliteWriting(SqlWriting):
    """One transaction, and whether bytes were purged in it."""

    purged = False

    def purge(self, digest: str, tombstone: str) -> bool:
        """Remove a blob's bytes and leave the tombstone; False when there is no such blob."""
        self.purged = True
        self._driver.run(say.PUT_SCRUB)
        return super().purge(digest, tombstone)

    def unlist(self, review: str, digests: Iterable[str], blobs: Iterable[str]) -> None:
        """Take a review out of all but the log, and bytes away, out of the journal too."""
        self.purged = True
        self._driver.run(say.PUT_SCRUB)
        super().unlist(review, digests, blobs)


def plain(values: Row) -> Row:
    """The same values; a text with a NUL is refused, as PostgreSQL does."""
    for one in values:
        if type(one) is str and "\0" in one:
            raise ValueError("A text with a NUL character cannot be stored.")
    return values


def code_of(error: BaseException | None) -> int:
    """SQLite's primary word for what went wrong; 0 when it is not SQLite that speaks."""
    if isinstance(error, MemoryError):
        return sqlite3.SQLITE_NOMEM
    return (getattr(error, "sqlite_errorcode", 0) or 0) & _PRIMARY


def said(error: BaseException, *, unknown: bool = False) -> BaseException:
    """What an error means to the caller; our own mistakes stay what they are."""
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
    """Within this, SQLite's errors are said in our words."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise said(error) from error


@contextmanager
def reading(path: Path) -> Iterator[SqlReading]:
    """One consistent look at a store's file, in this thread, without any lock against writers."""
    with speaking(), closing(connect_reader(path)) as connection, snapshot(connection) as found:
        check_schema(connection)
        yield found


@contextmanager
def snapshot(connection: sqlite3.Connection) -> Iterator[SqlReading]:
    """One consistent look through a reader's connection."""
    connection.execute("BEGIN")
    try:
        yield look(connection)
    finally:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")


def look(connection: sqlite3.Connection) -> SqlReading:
    """What reads through a connection on which a look has begun."""
    return SqlReading(SqliteDriver(connection))


def connect_reader(path: Path) -> sqlite3.Connection:
    """A connection that cannot write, whatever is asked of it."""
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
    """The connection that writes: synced at every commit, or not opened at all."""
    if sqlite3.sqlite_version_info < SQLITE_VERSION_MIN:
        needed = ".".join(map(str, SQLITE_VERSION_MIN))
        raise Unavailable(f"SQLite is older than {needed}.", "Use a Python with a newer SQLite.")
    make_file(path)
    connection = _connect(path, "rw")
    try:
        patient(lambda: _set_up(connection), lock_seconds_max)
        patient(lambda: _rewrite_journal(connection, path), lock_seconds_max)
        # SQLite has made its journal by now, and says nothing when the folder's sync fails.
        sync_folder(path.parent)
    except BaseException:
        connection.close()
        raise
    return connection


def patient(act: Callable[[], None], seconds_max: float) -> None:
    """Try until nobody else holds the file. Who has waited longer looks more often, so that each one's turn comes."""
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
    """Make the file and its folder if they are not there, for nobody else's eyes; SQLite's other files follow them."""
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def check_file(connection: sqlite3.Connection) -> None:
    """Read the whole file and find what is not as it must be."""
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

    A sync may have failed before us, here or in a process that is gone. Then SQLite reads from the kernel's memory, and
    believes, what the disk does not have, and no later sync would write it: only bytes that are written again are.
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
