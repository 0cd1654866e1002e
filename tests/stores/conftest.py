"""The stores that must keep the contract: every test with a `box` runs on each of them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from foureyes.app.ports import Store
from foureyes.store.memory import MemoryStore
from foureyes.store.pg_connecting import Limits
from foureyes.store.postgres import PostgresStore
from foureyes.store.sqlite import SqliteStore
from tests.postgres.server import Server
from tests.stores.making import Box

DATABASES = ("sqlite", "postgres")
STORES = ("memory", *DATABASES)

#: Long waits, because a writer may wait long on a busy machine; timeouts have their own tests.
PATIENT = Limits(lock_seconds=30, statement_seconds=45)

Lend = Callable[[], AbstractContextManager[Box]]


@pytest.fixture(params=STORES)
def box(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Box]:
    """An empty store of each kind."""
    with lending(request.param, request, tmp_path) as lent_box:
        yield lent_box


@pytest.fixture(params=DATABASES)
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Box]:
    """An empty store of each persistent kind."""
    with lending(request.param, request, tmp_path) as lent_box:
        yield lent_box


def lending(kind: str, request: pytest.FixtureRequest, folder: Path) -> AbstractContextManager[Box]:
    match kind:
        case "memory":
            return _boxed(MemoryStore())
        case "sqlite":
            return _sqlite(folder / "data" / "store.db")
        case "postgres":
            return _postgres(request.getfixturevalue("postgres"))
    raise LookupError(kind)


@contextmanager
def _boxed(store: Store, raw: Callable[[str], object] | None = None) -> Iterator[Box]:
    with asyncio.Runner() as runner:
        try:
            yield Box(store=store, runner=runner, raw=raw)
        finally:
            runner.run(store.close())


@contextmanager
def _sqlite(path: Path) -> Iterator[Box]:
    def raw(sql: str) -> object:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            return connection.execute(sql).fetchall()

    with _boxed(SqliteStore.open(path), raw) as lent_box:
        yield lent_box


@contextmanager
def _postgres(server: Server) -> Iterator[Box]:
    with server.fresh() as url:

        def raw(sql: str) -> object:
            with psycopg.connect(url, autocommit=True) as connection:
                return connection.execute(sql.encode()).rowcount

        with _boxed(PostgresStore.open(url, PATIENT, durable=False), raw) as lent_box:
            yield lent_box
