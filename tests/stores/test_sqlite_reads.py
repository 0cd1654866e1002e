"""Reads that wait, fail or are cancelled free their places, and quick reads share one connection."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path

import pytest

from foureyes.app.ports import Quick, Reading, Unavailable
from foureyes.store import sqlite_store
from foureyes.store.sqlite_store import SqliteStore

WAITING_MAX = 6
SECONDS_MAX = 30


async def turned() -> None:
    """Let new requests reach the readers."""
    for _ in range(3):
        await asyncio.sleep(0)


def test_reads_cancelled_before_their_turn_take_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller who hung up must not count as waiting for ever: after enough of them nobody could read."""
    monkeypatch.setattr(sqlite_store, "READS_WAITING_MAX", WAITING_MAX)

    async def play() -> None:
        begun, go = threading.Event(), threading.Event()

        def slow(_: Reading) -> bool:
            begun.set()
            return go.wait(SECONDS_MAX)

        async with SqliteStore.open(tmp_path / "store.db", readers=1) as store:
            first = asyncio.create_task(store.read(slow))
            await turned()
            assert await asyncio.to_thread(begun.wait, SECONDS_MAX)
            for _ in range(3):
                left = [asyncio.create_task(store.read(lambda _: 1)) for _ in range(WAITING_MAX - 1)]
                await turned()
                with pytest.raises(Unavailable):
                    await store.read(lambda _: 1)
                for one in left:
                    one.cancel()
                found = await asyncio.gather(*left, return_exceptions=True)
                assert all(isinstance(one, asyncio.CancelledError) for one in found)
                await turned()
            go.set()
            assert await first
            assert await asyncio.gather(*(store.read(lambda _: 1) for _ in range(WAITING_MAX))) == [1] * WAITING_MAX

    asyncio.run(play())


def test_reads_that_fail_take_no_place_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a read raises reaches its caller, and the next one is let in."""
    monkeypatch.setattr(sqlite_store, "READS_WAITING_MAX", 1)

    def wrong(_: Reading) -> int:
        raise LookupError("wrong")

    async def play() -> None:
        async with SqliteStore.open(tmp_path / "store.db") as store:
            for _ in range(3):
                with pytest.raises(LookupError):
                    await store.read(wrong)
            assert await store.read(lambda _: 1) == 1

    asyncio.run(play())


def test_quick_looks_of_threads_that_come_and_go_share_one_connection(tmp_path: Path) -> None:
    """Each thread's own would stay open after it, until no file could be opened any more."""
    store = SqliteStore.open(tmp_path / "store.db")
    look = Quick(lambda reading: reading.heads())

    def ask() -> None:
        assert asyncio.run(store.read(look)) == ()

    def asked_by_threads() -> int:
        for _ in range(10):
            thread = threading.Thread(target=ask)
            thread.start()
            thread.join(SECONDS_MAX)
        return len(store._connections)

    assert asked_by_threads() == 0, "while nobody writes, the writer's own is used"
    assert store._writer.lend() is not None
    assert store._writer.lend() is None, "one at a time"
    assert asked_by_threads() == 1
    store._writer.give_back()
    asyncio.run(store.close())
    with pytest.raises(Unavailable):
        asyncio.run(store.read(look))


def test_a_quick_look_goes_elsewhere_where_the_writers_connection_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = sqlite3.connect(tmp_path / "other.db")
    broken.close()

    async def play() -> None:
        async with SqliteStore.open(tmp_path / "store.db") as store:
            monkeypatch.setattr(store._writer, "lend", lambda: broken)
            assert await store.read(Quick(lambda reading: reading.heads())) == ()
            monkeypatch.undo()

    asyncio.run(play())


def test_a_quick_look_leaves_the_writers_connection_as_it_was(tmp_path: Path) -> None:
    """What a look raises ends the look; the next command finds no transaction begun."""

    def trips(_: Reading) -> None:
        raise LookupError("nothing here")

    async def play() -> None:
        async with SqliteStore.open(tmp_path / "store.db") as store:
            with pytest.raises(LookupError):
                await store.read(Quick(trips))
            lent = store._writer.lend()
            assert lent is not None
            assert not lent.in_transaction
            store._writer.give_back()
            await store.write(Quick(lambda tx: tx.follow("told", {"a": "b"}, (0, 0))))
            assert await store.read(Quick(lambda reading: reading.row("told", "a"))) == "b"

    asyncio.run(play())
