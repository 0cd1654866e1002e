"""Write the million reviews of `bulk.py` into PostgreSQL, each batch by COPY.

Some processes make batches and copy them into the shipped tables with every index, key and trigger in place; each batch
is a transaction. The rows are those the store writes for the same changes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from typing import Any

import psycopg

from bench import bulk
from bench.bulk import BATCH, MAKERS, PIECE_BYTES, Patterns
from foureyes.app.rows import Changes, Cursor
from foureyes.store import rows as row
from foureyes.store.pg_driver import PostgresDriver
from foureyes.store.pg_transaction import PostgresWriting
from foureyes.store.postgres import migrate_postgres
from foureyes.store.rows import Row, packed

Connection = psycopg.Connection[tuple[Any, ...]]

_COLUMNS = {
    "streams": "id, name, version, chain",
    "log": "stream, version, type, schema, at, actor, cause, body, chain",
    "answered": "asker, key, body_hash, reply, at",
    "reviews": "review, kind, title, author, state, waits, revision, digest, opened, updated",
    "digests": "digest, review, cleared, vetoed",
    "aliases": "alias, digest",
    "inbox": "review, request, who, kind, held, queued, revision, due, lease",
    "blobs": "digest, size, content",
    "rows": "projection, key, body",
}
#: A file that has been deleted meanwhile has no size.
_FILES = """SELECT f.name, COALESCE((pg_stat_file(f.name, true)).size, 0) FROM (
SELECT 'base/' || oid || '/' || pg_ls_dir('base/' || oid) AS name FROM pg_database WHERE datname = current_database()
) f"""
#: As the manual advises for bulk loading: few checkpoints, so fewer full-page writes, and no autovacuum.
_LOADING = {"max_wal_size": "'32GB'", "checkpoint_timeout": "'1h'", "autovacuum": "off"}
_LENGTH = "SELECT length(pg_read_binary_file(%s, %s, %s, true))"


def write(url: str, size: int, known: Patterns, *, durable: bool = True, makers: int = MAKERS) -> float:
    """Make a store with so many reviews in an empty database; how many seconds it took. No makers: all in here."""
    begun = time.perf_counter()
    migrate_postgres(url, durable=durable)
    batch = partial(_batch, url, size, known)
    with _loading(url):
        if makers:
            with ProcessPoolExecutor(makers, mp_context=get_context("spawn")) as others:
                for _ in others.map(batch, range(0, size, BATCH)):
                    pass
        else:
            for first in range(0, size, BATCH):
                batch(first)
    with psycopg.connect(url, autocommit=True) as connection:
        _beside(connection, size)
        # A server does this by itself within a minute or two, and would otherwise do it while it is measured.
        connection.execute("VACUUM (ANALYZE)")
        connection.execute("CHECKPOINT")
        _warm(connection)
    return time.perf_counter() - begun


@contextmanager
def _loading(url: str) -> Iterator[None]:
    """Configure the server for loading, where we may, and restore its settings before anything is measured."""
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = current_user").fetchone()
        ours = found is not None and bool(found[0])
        if ours:
            for name, value in _LOADING.items():
                connection.execute(f"ALTER SYSTEM SET {name} = {value}".encode())
            connection.execute("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            if ours:
                for name in _LOADING:
                    connection.execute(f"ALTER SYSTEM RESET {name}".encode())
                connection.execute("SELECT pg_reload_conf()")


def _batch(url: str, size: int, known: Patterns, first: int) -> None:
    numbers = range(first, min(first + BATCH, size))
    made = {number: bulk.review(number, size, known) for number in numbers}
    with psycopg.connect(url) as connection:
        for table, rows in _tables(made):
            _copy(connection, table, rows)


def _tables(made: dict[int, Changes]) -> Iterator[tuple[str, Iterable[Row]]]:
    """What goes into which table: streams before the events that name them, the rest in the order of its keys."""
    each = made.values()
    yield "streams", (_stream(number, one) for number, one in made.items())
    yield "log", (line for number, one in made.items() for line in row.log_rows(number + 1, one.appends[0]))
    yield "answered", _sorted(row.answered_row(one.answered) for one in each if one.answered)
    yield "reviews", (row.review_row(line) for one in each for line in one.reviews)
    yield "digests", _sorted(row.digest_row(line) for one in each for line in one.digests)
    yield "aliases", _sorted((packed(alias), packed(digest)) for one in each for alias, digest in one.aliases)
    yield "inbox", (row.inbox_row(line) for one in each for line in one.inbox)
    yield "blobs", _sorted(row.blob_row(digest, content) for one in each for digest, content in one.blobs.items())


def _sorted(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=tuple)


def _stream(number: int, changes: Changes) -> Row:
    """Number the stream here, because the events must name it; the sequence continues after the last number."""
    append = changes.appends[0]
    return (number + 1, append.stream, len(append.entries), append.entries[-1].chain)


def _beside(connection: Connection, size: int) -> None:
    """Write what belongs to no single review, and mark every projection as up to date."""
    connection.execute(f"SELECT setval(pg_get_serial_sequence('streams', 'id'), {size})".encode())
    end = _end(connection)
    driver = PostgresDriver(connection)
    tx = PostgresWriting(driver)
    tx.apply(bulk.standing())
    driver.commit()
    for projection, rows in bulk.sums(size):
        _copy(connection, "rows", ((projection, key, body) for key, body in rows.items()))
        driver = PostgresDriver(connection)
        PostgresWriting(driver).follow(projection, {}, end)
        driver.commit()


def _end(connection: Connection) -> Cursor:
    found = connection.execute("SELECT tx, seq FROM log ORDER BY tx DESC, seq DESC LIMIT 1").fetchone()
    return (found[0], found[1]) if found else (0, 0)


def _warm(connection: Connection) -> None:
    """Have the server read all of it into memory: we may not be allowed to read its files."""
    for name, size in connection.execute(_FILES).fetchall():
        for place in range(0, size, PIECE_BYTES):
            connection.execute(_LENGTH, (name, place, PIECE_BYTES))


def _copy(connection: Connection, table: str, rows: Iterable[Row]) -> None:
    with connection.cursor().copy(f"COPY {table} ({_COLUMNS[table]}) FROM STDIN".encode()) as into:
        for one in rows:
            into.write_row(one)
