"""Do waiting commands share a commit, and does none of them pay for what another one does?"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from foureyes.app.ports import Unavailable, Writing
from foureyes.app.rows import Changes
from foureyes.store import sqlite_writer
from foureyes.store.sqlite import SqliteStore
from tests.stores.making import append, bodies, grow

COMMANDS = 40


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(tmp_path / "store.db")
    yield opened
    asyncio.run(opened.close())


def commits(store: SqliteStore) -> list[str]:
    """Every COMMIT from now on."""
    seen: list[str] = []
    connection = store._writer._connection
    assert connection is not None
    connection.set_trace_callback(lambda sql: seen.append(sql) if sql == "COMMIT" else None)
    return seen


class GivenUp(BaseException):
    """What no `except Exception` catches."""


class Held:
    """A command that keeps the writer busy until it is let go, so that others come to wait behind it."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()

    def __call__(self, _: Writing) -> None:
        self.begun.set()
        assert self.go.wait(30)


async def behind(store: SqliteStore, *works: Callable[[Writing], object]) -> list[object]:
    """Let these commands wait together behind one that is under way; what became of each."""
    held = Held()
    first = asyncio.create_task(store.write(held))
    await asyncio.to_thread(held.begun.wait)
    tasks = [asyncio.create_task(store.write(work)) for work in works]
    await asyncio.sleep(0)
    held.go.set()
    await first
    return list(await asyncio.gather(*tasks, return_exceptions=True))


def test_waiting_commands_share_a_commit(store: SqliteStore) -> None:
    """40 commands that wait need at most two commits, and all are kept in the order in which they came."""
    seen = commits(store)
    works = [partial(grow, stream="review/1", body=f'"{number}"') for number in range(COMMANDS)]
    results = asyncio.run(behind(store, *works))
    assert results == list(range(1, COMMANDS + 1))
    assert 1 <= len(seen) <= 2
    events = asyncio.run(store.read(lambda look: tuple(look.events("review/1"))))
    assert bodies(events) == [f'"{number}"' for number in range(COMMANDS)]


def test_a_command_that_fails_takes_back_its_own_changes_only(store: SqliteStore) -> None:
    def fail(tx: Writing) -> None:
        grow(tx, "review/1", '"never"')
        grow(tx, "review/9", '"never"')
        raise LookupError("this one only")

    def stop(tx: Writing) -> None:
        grow(tx, "review/1", '"never"')
        raise StopIteration

    def leave(tx: Writing) -> None:
        grow(tx, "review/1", '"never"')
        raise GivenUp

    def conflict(tx: Writing) -> None:
        grow(tx, "review/8", '"never"')
        tx.apply(Changes(appends=(append("review/1", 77, "{}"),)))

    def wrong(tx: Writing) -> None:
        grow(tx, "review/1", '"never"')
        tx.apply(Changes(blobs={"a": "not bytes"}))  # type: ignore[dict-item]

    good = partial(grow, stream="review/1")
    results = asyncio.run(behind(store, good, fail, good, stop, conflict, good, leave, wrong, good))
    kinds = [one if isinstance(one, int) else type(one).__name__ for one in results]
    assert kinds == [1, "LookupError", 2, "RuntimeError", "Conflict", 3, "GivenUp", "TypeError", 4]
    heads = asyncio.run(store.read(lambda look: [(one.stream, one.version) for one in look.heads()]))
    assert heads == [("review/1", 4)]


def test_a_command_nobody_waits_for_any_more_is_not_begun(store: SqliteStore) -> None:
    async def story() -> None:
        held = Held()
        first = asyncio.create_task(store.write(held))
        await asyncio.to_thread(held.begun.wait)
        given_up = asyncio.create_task(store.write(partial(grow, stream="review/given-up")))
        kept = asyncio.create_task(store.write(partial(grow, stream="review/kept")))
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.sleep(0)
        held.go.set()
        await asyncio.gather(first, kept)
        assert given_up.cancelled()
        assert [one.stream for one in await store.read(lambda look: look.heads())] == ["review/kept"]

    asyncio.run(story())


def test_whoever_gives_up_while_it_is_under_way_hurts_nobody(store: SqliteStore) -> None:
    async def story() -> None:
        held = Held()
        first = asyncio.create_task(store.write(held))
        await asyncio.to_thread(held.begun.wait)
        first.cancel()
        other = asyncio.create_task(store.write(partial(grow, stream="review/1")))
        await asyncio.sleep(0)
        held.go.set()
        assert await other == 1

    asyncio.run(story())


def test_an_event_loop_that_ended_hurts_nobody(store: SqliteStore) -> None:
    held = Held()

    async def abandon() -> None:
        task = asyncio.create_task(store.write(held))
        await asyncio.to_thread(held.begun.wait)
        task.cancel()

    asyncio.run(abandon())
    held.go.set()
    assert asyncio.run(store.write(partial(grow, stream="review/1"))) == 1


def test_several_event_loops_share_a_store(store: SqliteStore) -> None:
    async def many() -> None:
        await asyncio.gather(*(store.write(partial(grow, stream="review/1")) for _ in range(10)))

    threads = [threading.Thread(target=asyncio.run, args=(many(),)) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert asyncio.run(store.read(lambda look: look.known("review/1", "", ""))).version == 40


def test_closing_finishes_what_waits(tmp_path: Path) -> None:
    async def story() -> list[object]:
        store = SqliteStore.open(tmp_path / "store.db")
        held = Held()
        first = asyncio.create_task(store.write(held))
        await asyncio.to_thread(held.begun.wait)
        waiting = [asyncio.create_task(store.write(partial(grow, stream="review/1"))) for _ in range(3)]
        await asyncio.sleep(0)
        closing = asyncio.create_task(store.close())
        await asyncio.sleep(0)
        held.go.set()
        await closing
        await first
        return list(await asyncio.gather(*waiting))

    assert asyncio.run(story()) == [1, 2, 3]


def test_more_than_may_wait_is_sent_away(store: SqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_writer, "WAITING_MAX", 2)
    results = asyncio.run(behind(store, *(partial(grow, stream="review/1") for _ in range(3))))
    assert results[:2] == [1, 2]
    assert isinstance(results[2], Unavailable)
