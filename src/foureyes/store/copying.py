"""Back up a PostgreSQL store into one SQLite file, and restore such a file into an empty PostgreSQL database.

A backup is an SQLite store, whichever database it was made from; so this is also how one moves from one database to the
other. Rows are copied one at a time: no table is ever held in memory.
"""

# ruff: noqa: S608 - what is put into a statement here are our own names of tables and columns, never a value

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg

from foureyes.app.ports import Damaged, Unavailable
from foureyes.app.rows import FILLED, WRITTEN_ALONG
from foureyes.store import pg_statements as pg
from foureyes.store import sqlite as file
from foureyes.store.migrate import migrate
from foureyes.store.pg_errors import told
from foureyes.store.pg_schema import prepared, version_of
from foureyes.store.pg_transaction import lock_number
from foureyes.store.rows import Row
from foureyes.store.sql import percents
from foureyes.store.sqlite_backup import Progress, forget
from foureyes.store.versions import check_schema
from foureyes.store.versions import version_of as version_of_file

Connection = psycopg.Connection[tuple[Any, ...]]

#: The tables that are copied, in this order; the columns are those of the SQLite file.
TABLES = (
    *("meta", "streams", "log", "answered", "reviews", "digests", "aliases", "inbox", "outbox", "trust", "blobs"),
    "rows",
)
#: A cursor is a position in the log of one database, so following projections are not copied but rebuilt.
NOT_COPIED = ("cursors",)
#: Progress is reported once per this many rows.
ROWS_A_WORD = 1000

_WHERE = {"meta": "WHERE name NOT IN ('schema', 'scrub')", "rows": f"WHERE projection IN {WRITTEN_ALONG}"}
_COLUMNS = "SELECT name FROM pragma_table_info(?) ORDER BY cid"
_TYPES = "SELECT attname, atttypid FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped"
_SEQUENCE = "pg_get_serial_sequence('{table}', '{column}')"
_NUMBERED = {"streams": "id", "log": "seq", "outbox": "id"}
#: The highest outbox number ever given: numbers are never reused, not even those of rows long gone.
_PARCELS = "SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = 'outbox'"


def backup_postgres(url: str, target: Path, progress: Progress | None = None) -> None:
    """Copy the store as it is at one moment, while others go on writing: whole, synced and checked, or not at all.

    `progress` is called with the total number of rows and the number that remain.
    """
    with _speaking():
        if target.exists():
            raise Unavailable(f"{target} is there already.", "Name a new file.")
        part = target.with_name(target.name + ".part")
        forget(part)
        try:
            migrate(part)
            with _connected(url) as store, closing(sqlite3.connect(part, isolation_level=None)) as copy:
                _pour_out(store, copy, progress)
            _sync(part)
            os.link(part, target)
        except FileExistsError as error:
            raise Unavailable(f"{target} is there already.", "Name a new file.") from error
        finally:
            forget(part)
        file.sync_folder(target.parent)


def restore_postgres(source: Path, url: str, progress: Progress | None = None, *, durable: bool = True) -> None:
    """Fill an empty database from a backup, all of it or nothing. Its events count as older than every new one."""
    with _speaking(), closing(file.connect_reader(source)) as copy, _connected(url) as store:
        check_schema(copy)
        file.check_file(copy)
        prepared(store, durable=durable)
        with store.transaction():
            store.execute(percents(pg.LOCK), (lock_number("schema"),))
            store.execute(f"LOCK TABLE {', '.join(TABLES)} IN EXCLUSIVE MODE".encode())
            # A server that was started on the empty database has recorded which projections are complete; the backup
            # has its own record of that.
            store.execute("DELETE FROM rows WHERE projection = %s", (FILLED,))
            if any(_count(store, table) for table in (*TABLES, *NOT_COPIED)):
                raise Unavailable("The database is not empty.", "Restore into a new one.")
            copy.execute("BEGIN")
            _pour_in(copy, store, progress)
            copy.execute("ROLLBACK")


@contextmanager
def _speaking() -> Iterator[None]:
    with file.speaking():
        try:
            yield
        except psycopg.Error as error:
            raise told(error) from error


@contextmanager
def _connected(url: str) -> Iterator[Connection]:
    """Connect without our time limits: how long a copy takes depends on how much there is."""
    with psycopg.connect(url, autocommit=True) as connection:
        for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
            connection.execute(f"SET {name} = 0".encode())
        yield connection


def _pour_out(store: Connection, copy: sqlite3.Connection, progress: Progress | None) -> None:
    # The file is thrown away unless the copy completes, so nothing needs to be durable before the end.
    copy.execute("PRAGMA journal_mode = DELETE")
    copy.execute("PRAGMA synchronous = OFF")
    copy.execute("BEGIN IMMEDIATE")
    with store.transaction():
        store.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        if version_of(store) != version_of_file(copy):
            raise Unavailable("The database has another version than this program.", "Upgrade it, then back up again.")
        counts = {table: _count(store, table) for table in TABLES}
        counted = _counting(progress, sum(counts.values()))
        for table in TABLES:
            columns = _columns(copy, table)
            marks = ", ".join("?" * len(columns))
            insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})"
            copy.executemany(insert, map(counted, _rows(store, table, columns)))
        copy.execute("DELETE FROM sqlite_sequence WHERE name = 'outbox'")
        copy.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('outbox', ?)", (_last_number(store, "outbox"),))
    copy.execute("COMMIT")
    _same(counts, {table: _count(copy, table) for table in TABLES})
    if copy.execute("PRAGMA foreign_key_check").fetchone():
        raise Damaged("The log has events of a stream that is not there.")
    file.check_file(copy)


def _rows(store: Connection, table: str, columns: tuple[str, ...]) -> Iterator[Row]:
    types = _types(store, table)
    select = f"SELECT {', '.join(columns)} FROM {table} {_WHERE.get(table, '')} ORDER BY 1"
    with store.cursor().copy(f"COPY ({select}) TO STDOUT (FORMAT BINARY)".encode()) as rows:
        rows.set_types([types[column] for column in columns])
        yield from rows.rows()


def _pour_in(copy: sqlite3.Connection, store: Connection, progress: Progress | None) -> None:
    counts = {table: _count(copy, table) for table in TABLES}
    counted = _counting(progress, sum(counts.values()))
    for table in TABLES:
        columns = _columns(copy, table)
        types = _types(store, table)
        select = f"SELECT {', '.join(columns)} FROM {table} {_WHERE.get(table, '')} ORDER BY 1"
        # Transaction number 0 is older than every transaction of this database: a reader of the log meets these events
        # first.
        more = {"tx": 0} if table == "log" else {}
        names = (*columns, *more)
        with store.cursor().copy(f"COPY {table} ({', '.join(names)}) FROM STDIN (FORMAT BINARY)".encode()) as rows:
            rows.set_types([types[name] for name in names])
            for row in copy.execute(select):
                rows.write_row((*counted(row), *more.values()))
    for table in _NUMBERED:
        _set_last_number(store, table, max(_number(copy, _PARCELS) if table == "outbox" else 0, _most(store, table)))
    _same(counts, {table: _count(store, table) for table in TABLES})


def _columns(copy: sqlite3.Connection, table: str) -> tuple[str, ...]:
    return tuple(row[0] for row in copy.execute(_COLUMNS, (table,)))


def _types(store: Connection, table: str) -> dict[str, int]:
    return {name: number for name, number in store.execute(_TYPES, (table,)).fetchall()}  # noqa: C416 - typed by it


def _last_number(store: Connection, table: str) -> int:
    """Return the last number given to a row of this table: from its sequence, but at least the highest copied."""
    sequence = _SEQUENCE.format(table=table, column=_NUMBERED[table])
    given = _number(store, f"SELECT COALESCE(pg_sequence_last_value({sequence}), 0)")
    return max(given, _most(store, table))


def _set_last_number(store: Connection, table: str, number: int) -> None:
    if number:
        sequence = _SEQUENCE.format(table=table, column=_NUMBERED[table])
        store.execute(f"SELECT setval({sequence}, {number})".encode())


def _most(store: Connection, table: str) -> int:
    return _number(store, f"SELECT COALESCE(MAX({_NUMBERED[table]}), 0) FROM {table}")


def _count(connection: Connection | sqlite3.Connection, table: str) -> int:
    return _number(connection, f"SELECT COUNT(*) FROM {table} {_WHERE.get(table, '')}")


def _number(connection: Connection | sqlite3.Connection, sql: str) -> int:
    found = connection.execute(sql).fetchone()
    return int(found[0]) if found else 0


def _same(here: dict[str, int], there: dict[str, int]) -> None:
    if here != there:
        raise Damaged(f"The copy does not have what was there: {there}, not {here}.")


def _counting(progress: Progress | None, total: int) -> Callable[[Row], Row]:
    """Return a function that passes rows through unchanged and reports from time to time how many remain."""
    remaining = total

    def counted(row: Row) -> Row:
        nonlocal remaining
        remaining -= 1
        if progress and (remaining % ROWS_A_WORD == 0):
            progress(total, remaining)
        return row

    return counted


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
