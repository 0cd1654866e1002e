"""Promises of the store on PostgreSQL beyond the contract: many writers, unusual servers, bounded waits."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from operator import methodcaller
from typing import Any, TypeVar

import psycopg
import pytest

from foureyes.app.ports import Conflict, Reading, Store, Unavailable, Writing
from foureyes.app.rows import START, Changes, Stored, TrustRow
from foureyes.store.pg_connecting import Limits
from foureyes.store.pg_driver import PostgresDriver
from foureyes.store.postgres import PostgresStore
from tests.postgres.commands import append, changes, command
from tests.postgres.server import Server
from tests.stores.making import everything

T = TypeVar("T")
LIMITS = Limits(writers=4, readers=2, lock_seconds=30, wait_seconds=30)


@pytest.fixture
def url(postgres: Server) -> Iterator[str]:
    with postgres.fresh() as url:
        yield url


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    store = opened(url)
    yield store
    asyncio.run(store.close())


def opened(url: str, **limits: Any) -> PostgresStore:
    return PostgresStore.open(url, replace(LIMITS, **limits), durable=False)


def write(store: Store, work: Callable[[Writing], T]) -> T:
    return asyncio.run(_written(store, work))


async def _written(store: Store, work: Callable[[Writing], T]) -> T:
    return await store.write(work)


def read(store: Store, work: Callable[[Reading], T]) -> T:
    return asyncio.run(_seen(store, work))


async def _seen(store: Store, work: Callable[[Reading], T]) -> T:
    return await store.read(work)


class Pausing:
    """A transaction that pauses in the middle until it is resumed."""

    def __init__(self, work: Callable[[Writing], object]) -> None:
        self._work = work
        self.stopped = threading.Event()
        self.go_on = threading.Event()

    def __call__(self, tx: Writing) -> None:
        self._work(tx)
        self.stopped.set()
        assert self.go_on.wait(30)


def test_a_reader_of_the_log_skips_no_event_that_commits_late(store: PostgresStore) -> None:
    """Numbers are handed out before the commit: the event with the smaller number may appear later."""
    slow = Pausing(lambda tx: tx.apply(Changes(appends=(append("review/slow", (0, b""), "slow"),))))
    seen: list[Stored] = []

    def follow() -> None:
        seen.extend(read(store, lambda look: look.tail(seen[-1].cursor if seen else START)))

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(write, store, slow)
        assert slow.stopped.wait(30)
        write(store, lambda tx: tx.apply(Changes(appends=(append("review/quick", (0, b""), "quick"),))))
        follow()
        slow.go_on.set()
        first.result()
    while len(read(store, lambda look: look.tail(START))) < 4:
        pass
    follow()

    quick = read(store, lambda look: tuple(look.events("review/quick")))
    late = read(store, lambda look: tuple(look.events("review/slow")))
    assert late[-1].seq < quick[0].seq
    assert seen == [*late, *quick]


def test_the_tail_gives_what_a_transaction_wrote_late_behind_what_it_could_see_by_then(store: PostgresStore) -> None:
    """Two transactions interleave their numbers: the first one goes on after the second has committed."""
    one = Pausing(lambda tx: tx.apply(Changes(appends=(append("review/a", (0, b""), "a"),))))

    def both(tx: Writing) -> None:
        one(tx)
        tx.apply(Changes(appends=(append("review/b", (0, b""), "b"),)))

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(write, store, both)
        assert one.stopped.wait(30)
        write(store, lambda tx: tx.apply(Changes(appends=(append("review/c", (0, b""), "c"),))))
        one.go_on.set()
        first.result()
    seen: tuple[Stored, ...] = ()
    while len(seen) < 6:
        seen = read(store, lambda look: look.tail(START))
    assert [event.cause for event in seen] == ["a", "a", "c", "c", "b", "b"]
    assert [event.seq for event in seen] == [1, 2, 3, 4, 5, 6]


def test_a_read_sees_one_moment_while_others_commit(store: PostgresStore) -> None:
    write(store, lambda tx: command(tx, "one", "first"))

    def look_twice(look: Reading) -> tuple[int, int]:
        before = look.known("review/one", "", "").version
        with ThreadPoolExecutor(1) as threads:
            threads.submit(write, store, lambda tx: command(tx, "one", "second")).result()
        return before, look.known("review/one", "", "").version

    assert read(store, look_twice) == (2, 2)
    assert read(store, lambda look: look.known("review/one", "", "").version) == 4


def test_a_lock_is_held_until_the_transaction_ends(store: PostgresStore) -> None:
    holder = Pausing(lambda tx: tx.lock("digest/1", "digest/2"))
    order: list[str] = []

    def waiting(tx: Writing) -> None:
        tx.lock("digest/2", "digest/1")
        order.append("second")

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(write, store, holder)
        assert holder.stopped.wait(30)
        second = threads.submit(write, store, waiting)
        order.append("first")
        holder.go_on.set()
        first.result()
        second.result()
    assert order == ["first", "second"]


def test_a_lock_somebody_keeps_too_long_is_not_waited_for_for_ever(url: str) -> None:
    store = opened(url, lock_seconds=0.1)
    holder = Pausing(lambda tx: tx.lock("digest/1"))
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(write, store, holder)
        assert holder.stopped.wait(30)
        with pytest.raises(Unavailable, match="too long") as caught:
            write(store, lambda tx: tx.lock("digest/1"))
        holder.go_on.set()
        first.result()
    assert not caught.value.unknown
    asyncio.run(store.close())


def test_two_first_results_of_one_author_are_both_counted(store: PostgresStore, url: str) -> None:
    """There is no row to lock yet, and the record must be what the log says."""

    def count(tx: Writing, before_writing: Callable[[Writing], None] = lambda _: None) -> None:
        found = tx.trust("code", "ann")
        before_writing(tx)
        body = f"{found.body if found else ''}+"
        tx.apply(Changes(trust=(TrustRow(kind="code", author="ann", body=body, checksum=""),)))

    slow = Pausing(lambda _: None)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(write, store, lambda tx: count(tx, slow))
        assert slow.stopped.wait(30)
        second = threads.submit(write, store, count)
        _until_waiting(url, second)
        slow.go_on.set()
        first.result()
        second.result()
    assert read(store, lambda look: look.trust("code", "ann")) == TrustRow(
        kind="code", author="ann", body="++", checksum=""
    )


def _until_waiting(url: str, second: Future[None]) -> None:
    """Wait until a session waits for a lock, or has got it."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute(waiting).fetchone() == (0,) and not second.done():
            pass


def test_a_worker_takes_what_another_has_not_claimed_without_waiting_for_it(url: str) -> None:
    store = opened(url, lock_seconds=0.5)
    for number in (1, 2):
        write(store, methodcaller("apply", everything(number)))
    claimed: list[int] = []
    slow = Pausing(lambda tx: claimed.extend(one.id for one in tx.claim("slow", "1", "9", limit=1)))
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(write, store, slow)
        assert slow.stopped.wait(30)
        claimed += [one.id for one in write(store, lambda tx: tx.claim("quick", "1", "9", limit=5))]
        slow.go_on.set()
        first.result()
    assert claimed == [1, 2]
    asyncio.run(store.close())


def test_a_deadlock_means_decide_again(store: PostgresStore) -> None:
    both = threading.Barrier(2, timeout=30)

    def crosswise(first: str, second: str) -> bool:
        def work(tx: Writing) -> None:
            tx.lock(first)
            both.wait()
            tx.lock(second)

        try:
            write(store, work)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(2) as threads:
        done = [threads.submit(crosswise, "a", "b"), threads.submit(crosswise, "b", "a")]
    assert sorted(one.result() for one in done) == [False, True]


def test_what_failed_is_not_committed_even_if_the_failure_was_caught(store: PostgresStore) -> None:
    write(store, lambda tx: command(tx, "one", "first"))

    def careless(tx: Writing) -> str:
        tx.apply(Changes(appends=(append("review/two", (0, b""), "careless"),)))
        with suppress(Conflict):
            tx.apply(changes("review/one", (1, b""), "careless", number=7))
        return "all is well"

    with pytest.raises(Conflict):
        write(store, careless)
    assert [one.stream for one in read(store, lambda look: look.heads())] == ["review/one"]


def test_commands_on_one_review_leave_no_gap_and_lose_nothing(store: PostgresStore) -> None:
    def until_answered(key: str) -> str:
        while True:
            with suppress(Conflict):
                return write(store, lambda tx: command(tx, "one", key))

    keys = [f"key-{number}" for number in range(40)]
    with ThreadPoolExecutor(4) as threads:
        replies = list(threads.map(until_answered, keys))
    assert len(set(replies)) == len(keys)
    events = read(store, lambda look: look.events("review/one"))
    assert [one.version for one in events] == list(range(1, 81))
    assert {one.cause for one in events} == set(keys)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE log SET body = '{}'",
        "DELETE FROM log",
        "TRUNCATE log",
        "TRUNCATE log CASCADE",
        "DELETE FROM streams",
        "TRUNCATE streams CASCADE",
        "UPDATE streams SET version = version - 1",
        "UPDATE streams SET name = 'review/other'",
    ],
)
def test_the_log_is_append_only_also_for_other_programs(store: PostgresStore, url: str, statement: str) -> None:
    write(store, lambda tx: command(tx, "one", "first"))
    with psycopg.connect(url) as connection, pytest.raises(psycopg.errors.RaiseException, match="append-only"):
        connection.execute(statement.encode())


def test_when_no_connection_becomes_free_the_wait_ends(url: str) -> None:
    store = opened(url, writers=1, wait_seconds=0.1)
    holder = Pausing(lambda tx: tx.lock("digest/1"))
    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(write, store, holder)
        assert holder.stopped.wait(30)
        with pytest.raises(Unavailable, match="no connection became free") as caught:
            write(store, lambda tx: tx.lock("digest/2"))
        holder.go_on.set()
        first.result()
    assert not caught.value.unknown
    asyncio.run(store.close())


def test_a_server_that_hangs_is_not_waited_for_for_ever(durable_postgres: Server) -> None:
    """A stopped backend answers nothing and closes nothing. On a server of our own: its processes are ours to stop."""
    with durable_postgres.fresh() as url:
        _hang(opened(url, writers=1, wait_seconds=1, write_seconds=2))


def test_a_connection_that_cannot_undo_is_thrown_away(url: str) -> None:
    """A killed backend may leave the driver between two of its modes."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("BEGIN")
        connection.pgconn.enter_pipeline_mode()
        PostgresDriver(connection).undo()
        assert connection.closed


def _hang(store: PostgresStore) -> None:
    backend = write(store, _backend)
    stopped: list[int] = []

    def hangs(tx: Writing) -> None:
        process = _backend(tx)
        os.kill(process, signal.SIGSTOP)
        stopped.append(process)
        tx.known("review/one", "", "")

    try:
        with pytest.raises(Unavailable, match="cannot be reached") as caught:
            write(store, hangs)
    finally:
        for process in stopped:
            os.kill(process, signal.SIGCONT)
    assert stopped == [backend]
    assert not caught.value.unknown
    assert write(store, lambda tx: command(tx, "one", "after")) == '{"revision":1}'
    asyncio.run(store.close())


def test_a_transaction_that_thinks_for_too_long_is_ended_and_nothing_of_it_is_kept(url: str) -> None:
    store = opened(url, idle_seconds=0.1)

    def thinks(tx: Writing) -> None:
        tx.apply(Changes(appends=(append("review/one", (0, b""), "slow"),)))
        process = _backend(tx)
        with psycopg.connect(url, autocommit=True) as connection:
            while connection.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", (process,)).fetchone():
                pass
        tx.known("review/one", "", "")

    with pytest.raises(Unavailable) as caught:
        write(store, thinks)
    assert not caught.value.unknown
    assert read(store, lambda look: look.heads()) == ()
    asyncio.run(store.close())


def test_a_closed_store_says_so(url: str) -> None:
    store = opened(url)
    asyncio.run(store.close())
    with pytest.raises(Unavailable, match="closed"):
        write(store, lambda tx: command(tx, "one", "late"))


def _backend(tx: Writing) -> int:
    return int(tx._driver.rows("SELECT pg_backend_pid()")[0][0])  # type: ignore[attr-defined]  # PostgreSQL's own
