"""Tamper detection on PostgreSQL, also when a log moves between databases and is renumbered."""

import sqlite3
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from foureyes.app.checkpoints import standing
from foureyes.app.damages import Inspection
from foureyes.app.handover import restored
from foureyes.app.keys import new_key
from foureyes.app.verify import verify
from foureyes.store.copying import backup_postgres, restore_postgres
from foureyes.store.postgres import PostgresStore
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House, played
from tests.cast import HUGO
from tests.postgres.server import Server, lent
from tests.tamper.desk import Desk

FORGERIES = {
    "edited": ("review/r1@1", "UPDATE log SET body = replace(body, 'A piece', 'A niece') WHERE seq = 1"),
    "deleted": ("review/r1@2", "DELETE FROM log WHERE stream = 1 AND version = 2"),
    "reordered": ("review/r1@2", "UPDATE log SET version = 5 - version WHERE stream = 1 AND version IN (2, 3)"),
    "truncated": ("review/r1@{end}", "DELETE FROM log WHERE stream = 1 AND version = {end}"),
    "fork": ("review/r1@1", "UPDATE log SET actor = 'eve' WHERE stream = 1 AND version = 1"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with lent() as found:
        yield found


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    with server.fresh() as found:
        yield found


@contextmanager
def unguarded(url: str) -> Iterator[psycopg.Connection]:
    """The database as a forger has it: its triggers are off until they are done."""
    with psycopg.connect(url, autocommit=True) as connection:
        for table in ("log", "streams"):
            connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL".encode())
        yield connection
        for table in ("log", "streams"):
            connection.execute(f"ALTER TABLE {table} ENABLE TRIGGER ALL".encode())


def forge(url: str, *statements: str) -> None:
    """A forger has the database; unique numbers do not hold him back either."""
    with unguarded(url) as connection:
        connection.execute(b"ALTER TABLE log DROP CONSTRAINT IF EXISTS log_stream_version_key")
        for statement in statements:
            assert connection.execute(statement.encode()).rowcount


async def signed(store: PostgresStore, folder: Path) -> Desk:
    """Two cleared reviews, each under its own checkpoint."""
    signer = new_key(folder / "keys")
    it = Desk(folder=folder, house=House(store=store), signer=signer, keys=[signer])
    for name in (b"1", b"2"):
        await it.house.cleared({"a.py": name})
        await it.sign()
    return it


async def looked(it: Desk) -> Inspection:
    return await verify(it.house.store, it.book, it.signer.public, deep=True)


@pytest.mark.parametrize("word", FORGERIES)
def test_each_tampering_is_found_on_postgresql_too(word: str, url: str, tmp_path: Path) -> None:
    """D-22: edit, deletion, reorder, truncation and fork, each with its place."""

    @played
    async def play() -> None:
        async with PostgresStore.open(url, durable=False) as store:
            it = await signed(store, tmp_path)
            found = await looked(it)
            assert (found.damages, found.uncovered, found.streams) == ((), 0, 2)
            end = it.signed(1)["review/r1"]
            place, statement = (text.format(end=end) for text in FORGERIES[word])
            forge(url, statement)
            if word == "fork":
                relinked(it, url)
            found = await looked(it)
            assert (place, word) in {(one.place, one.what.partition(":")[0]) for one in found.damages}

    play()


def test_a_number_that_is_given_twice_is_found(url: str, tmp_path: Path) -> None:
    @played
    async def play() -> None:
        async with PostgresStore.open(url, durable=False) as store:
            it = await signed(store, tmp_path)
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(b"ALTER TABLE log DROP CONSTRAINT log_pkey")
                connection.execute(b"ALTER TABLE log ALTER seq DROP IDENTITY")
            forge(url, "UPDATE log SET seq = 1 WHERE stream = 1 AND version = 2")
            words = {one.what for one in (await looked(it)).damages}
            assert "reordered: number 1 is given twice" in words

    play()


def test_a_log_that_moves_to_another_database_is_covered_again_and_its_past_still_holds(
    url: str, tmp_path: Path
) -> None:
    @played
    async def play() -> None:
        async with AsyncExitStack() as stack:
            it = await signed(await stack.enter_async_context(PostgresStore.open(url, durable=False)), tmp_path)
            backup_postgres(url, tmp_path / "backup.db")
            store = await stack.enter_async_context(SqliteStore.open(tmp_path / "backup.db"))
            held = await store.read(lambda reading: standing(reading, it.book).held)
            assert held is not None
            assert held.checkpoint.number == 2
            await restored(store, it.book, it.signer, held, HUGO, reason="We move.", now=it.house.now)
            it.house = House(store=store, ids=20, name="moved")
            await it.house.cleared({"a.py": b"3"})
            it.house.wait(days=1)
            await it.sign()
            found = await looked(it)
            assert (found.damages, found.uncovered) == ((), 0)
            assert "We move." in found.notes[0]

    play()


def test_a_backup_that_was_forged_before_it_is_restored_is_found(url: str, tmp_path: Path) -> None:
    """What checkpoints said of the past before the restore holds after it."""

    @played
    async def play() -> None:
        async with AsyncExitStack() as stack:
            async with PostgresStore.open(url, durable=False) as first:
                it = await signed(first, tmp_path)
            backup_postgres(url, tmp_path / "foureyes.db")
            it.tamper("UPDATE log SET actor = 'eve' WHERE stream = 1 AND version = 1")
            it.rewrite("review/r1")
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute(b"DROP SCHEMA public CASCADE; CREATE SCHEMA public")
            restore_postgres(tmp_path / "foureyes.db", url, durable=False)
            store = await stack.enter_async_context(PostgresStore.open(url, durable=False))
            held = await store.read(lambda reading: standing(reading, it.book).held)
            assert held is not None
            await restored(store, it.book, it.signer, held, HUGO, reason="Trust me.", now=it.house.now)
            it.house = House(store=store)
            places = {one.place for one in (await looked(it)).damages}
            assert "review/r1@1" in places

    play()


def relinked(it: Desk, url: str) -> None:
    """Recompute the links of review/r1 on PostgreSQL, by way of a copy."""
    backup_postgres(url, it.file)
    it.rewrite("review/r1")
    with closing(sqlite3.connect(it.file)) as copy, unguarded(url) as connection:
        for seq, chain in copy.execute("SELECT seq, chain FROM log WHERE stream = 1 ORDER BY version").fetchall():
            connection.execute("UPDATE log SET chain = %s WHERE seq = %s", (chain, seq))
            connection.execute("UPDATE streams SET chain = %s WHERE name = 'review/r1'", (chain,))
