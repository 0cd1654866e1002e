"""Waiting commands share a commit, and none is affected by the failure of another."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from foureyes.app.ports import Quick, Unavailable, Writing
from foureyes.app.rows import Changes
from foureyes.store import sqlite_writer
from foureyes.store.sqlite import LOCK_SECONDS_MAX, SqliteStore
from tests.stores.making import append, bodies, grow

COMMANDS = 40


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(tmp_path / "store.db")
    yield opened
    asyncio.run(opened.close())


def commits(store: SqliteStore) -> list[str]:
    """Collect every COMMIT from now on."""
    seen: list[str] = []
    connection = store._writer._connection
    assert connection is not None
    connection.set_trace_callback(lambda sql: seen.append(sql) if sql == "COMMIT" else None)
    return seen


class GivenUp(BaseException):
    """An error that no `except Exception` catches."""


class Held:
    """A command that keeps the writer busy until it is released, so that others wait behind it."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()

    def __call__(self, _: Writing) -> None:
        self.begun.set()
        assert self.go.wait(30)


async def behind(store: SqliteStore, *works: Callable[[Writing], object]) -> list[object]:
    """Let these commands wait together behind a running one and return the result of each."""
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


def growing_here(tx: Writing, stream: str = "review/1") -> tuple[int, str]:
    """Grow a stream and return the name of the thread."""
    return grow(tx, stream), threading.current_thread().name


def test_a_quick_command_of_a_lone_caller_is_run_in_its_own_thread(store: SqliteStore) -> None:
    async def story() -> list[tuple[int, str]]:
        here = [await store.write(Quick(growing_here)) for _ in range(3)]
        return [*here, await store.write(growing_here)]

    seen = commits(store)
    mine = threading.current_thread().name
    assert asyncio.run(story()) == [(1, mine), (2, mine), (3, mine), (4, "foureyes-writer")]
    assert len(seen) == 4
    assert len(asyncio.run(store.read(lambda look: tuple(look.events("review/1"))))) == 4


def test_quick_commands_that_come_together_share_a_commit_in_the_writers_thread(store: SqliteStore) -> None:
    async def story() -> list[tuple[int, str]]:
        return list(await asyncio.gather(*(store.write(Quick(growing_here)) for _ in range(COMMANDS))))

    seen = commits(store)
    found = asyncio.run(story())
    assert [version for version, _ in found] == list(range(1, COMMANDS + 1))
    assert {name for _, name in found} == {"foureyes-writer"}
    assert len(seen) <= 5


def test_a_quick_command_that_fails_leaves_nothing_and_the_next_one_works(store: SqliteStore) -> None:
    def fail(tx: Writing) -> None:
        grow(tx, "review/1", '"never"')
        raise LookupError("no")

    async def story() -> tuple[int, str]:
        with pytest.raises(LookupError):
            await store.write(Quick(fail))
        return await store.write(Quick(growing_here))

    assert asyncio.run(story()) == (1, threading.current_thread().name)


def test_a_quick_command_that_fails_is_told_why_though_another_program_writes_right_after_it(
    store: SqliteStore,
) -> None:
    """What became of the command is known when it is taken back; that the store is held then is no news for it."""

    def fail(tx: Writing) -> None:
        grow(tx, "review/1", '"never"')
        raise LookupError("no")

    async def story(other: sqlite3.Connection) -> tuple[int, str]:
        connection = store._writer._connection
        assert connection is not None
        seen: list[str] = []

        def squeeze_in(sql: str) -> None:
            if sql == "BEGIN IMMEDIATE" and "ROLLBACK" in seen:
                other.execute(sql)
            seen.append(sql)

        connection.set_trace_callback(squeeze_in)
        with pytest.raises(LookupError):
            await store.write(Quick(fail))
        connection.set_trace_callback(None)
        assert other.in_transaction, "nobody wrote right after it"
        other.execute("ROLLBACK")
        return await store.write(Quick(growing_here))

    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        assert asyncio.run(story(other)) == (1, threading.current_thread().name)


def test_a_quick_command_waits_for_another_program_without_holding_up_its_caller(store: SqliteStore) -> None:
    async def story() -> tuple[int, str]:
        with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            begun = time.monotonic()
            waiting = asyncio.create_task(store.write(Quick(growing_here)))
            for _ in range(10):
                await asyncio.sleep(0)
            assert not waiting.done()
            assert time.monotonic() - begun < LOCK_SECONDS_MAX / 2
            other.execute("ROLLBACK")
        return await waiting

    assert asyncio.run(story()) == (1, "foureyes-writer")


def test_where_commits_take_long_no_caller_waits_for_one_in_its_own_thread(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(store.write(growing_here))
    monkeypatch.setattr(sqlite_writer, "COMMIT_SECONDS_MAX", 0.0)
    assert asyncio.run(store.write(Quick(growing_here))) == (2, "foureyes-writer")


def test_callers_in_several_threads_write_one_at_a_time_and_nothing_is_lost(store: SqliteStore) -> None:
    async def story() -> None:
        for _ in range(COMMANDS):
            await store.write(Quick(growing_here))

    threads = [threading.Thread(target=lambda: asyncio.run(story())) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    events = asyncio.run(store.read(lambda look: tuple(look.events("review/1"))))
    assert [one.version for one in events] == list(range(1, 4 * COMMANDS + 1))
