"""Quick commands share a transaction on PostgreSQL, and none is affected by the failure of another."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

import psycopg
import pytest

from foureyes.app.ports import Conflict, Quick, Unavailable, Writing
from foureyes.app.rows import Changes, OutboxRow
from foureyes.store import pg_groups, pg_lines
from foureyes.store.pg_connecting import Limits
from foureyes.store.pg_transaction import PostgresWriting, lock_number
from foureyes.store.postgres import PostgresStore
from tests.postgres.commands import command, faults_in, whole_log
from tests.postgres.proxy import Proxy, between
from tests.postgres.server import Server
from tests.stores.making import append, bodies, grow

COMMANDS = 20
#: One connection for all commands.
ONE = Limits(writers=1, readers=1, lock_seconds=30, wait_seconds=30)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not close a group early on a busy machine."""
    monkeypatch.setattr(pg_groups, "GROUP_SECONDS_MAX", 60)


@pytest.fixture
def url(postgres: Server) -> Iterator[str]:
    with postgres.fresh() as url:
        yield url


@pytest.fixture
def store(url: str) -> Iterator[PostgresStore]:
    store = PostgresStore.open(url, ONE, durable=False)
    yield store
    asyncio.run(store.close())


class GivenUp(BaseException):
    """An error that no `except Exception` catches."""


def nothing(_: Writing) -> int:
    return 0


def failing(_: Writing) -> None:
    raise LookupError


class Held:
    """A command that keeps a connection busy until it is released, so that others wait behind it."""

    def __init__(self, work: Callable[[Writing], object] = lambda _: None) -> None:
        self._work = work
        self.begun, self.go = threading.Event(), threading.Event()

    def __call__(self, tx: Writing) -> None:
        self._work(tx)
        self.begun.set()
        assert self.go.wait(30)


async def behind(store: PostgresStore, *works: Callable[[Writing], object]) -> list[object]:
    """Let these commands wait together behind a running one and return the result of each."""
    held = Held()
    first = asyncio.create_task(store.write(Quick(held)))
    await asyncio.to_thread(held.begun.wait)
    tasks = [asyncio.create_task(store.write(work)) for work in works]
    await asyncio.sleep(0)
    held.go.set()
    await asyncio.gather(first, return_exceptions=True)
    return list(await asyncio.gather(*tasks, return_exceptions=True))


def test_waiting_commands_share_a_transaction_and_see_each_other(store: PostgresStore) -> None:
    """Each decides on what the one before it left, as if that were committed; their order is the one they came in."""
    works = [Quick(partial(grow, stream="review/1", body=f'"{number}"')) for number in range(COMMANDS)]
    assert asyncio.run(behind(store, *works)) == list(range(1, COMMANDS + 1))
    events = asyncio.run(store.read(lambda look: tuple(look.events("review/1"))))
    assert bodies(events) == [f'"{number}"' for number in range(COMMANDS)]
    assert len({one.cursor[0] for one in events}) == 1


def test_a_group_has_an_end(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pg_groups, "GROUP_MAX", 5)
    works = [Quick(partial(grow, stream="review/1")) for _ in range(COMMANDS)]
    assert asyncio.run(behind(store, *works)) == list(range(1, COMMANDS + 1))
    events = asyncio.run(store.read(lambda look: tuple(look.events("review/1"))))
    sizes = [[one.cursor[0] for one in events].count(tx) for tx in sorted({one.cursor[0] for one in events})]
    # The running command is one of the first five.
    assert sizes == [4, 5, 5, 5, 1]


def test_work_that_is_not_quick_has_its_transaction_for_itself(store: PostgresStore) -> None:
    """It may take long, or count how often it runs."""
    grown = partial(grow, stream="review/1")
    assert asyncio.run(behind(store, Quick(grown), grown, grown, Quick(grown), Quick(grown))) == [1, 2, 3, 4, 5]
    events = asyncio.run(store.read(lambda look: tuple(look.events("review/1"))))
    transactions = [one.cursor[0] for one in events]
    assert len(set(transactions)) == 4
    assert transactions[3] == transactions[4]


def test_a_command_that_fails_takes_back_its_own_changes_only(store: PostgresStore) -> None:
    """However it fails: by itself, by a conflict, by the server's refusal, or by one that it tried to hide."""

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

    def hidden(tx: Writing) -> None:
        try:
            conflict(tx)
        except Conflict:
            tx.known("", "", "")

    def refused(tx: Writing) -> None:
        grow(tx, "review/1", '"never"')
        tx.apply(Changes(appends=(append("review/1", 0, "{}"),)))

    def nul(tx: Writing) -> None:
        tx.known("a\0b", "", "")

    numbers = list[int]()

    def good(tx: Writing) -> int:
        numbers.append(cast("PostgresWriting", tx)._driver.rows("SELECT pg_current_xact_id()::text::bigint")[0][0])
        return grow(tx, "review/1")

    works: tuple[Callable[[Writing], object], ...]
    works = (good, fail, good, stop, conflict, nothing, hidden, good, leave, refused, nul, failing, good)
    results = asyncio.run(behind(store, *(Quick(work) for work in works)))
    kinds = [one if isinstance(one, int) else type(one).__name__ for one in results]
    assert kinds == [
        *(1, "LookupError", 2, "RuntimeError", "Conflict", 0, "Conflict", 3),
        *("GivenUp", "Conflict", "ValueError", "LookupError", 4),
    ]
    events = asyncio.run(store.read(whole_log))
    assert [(one.stream, one.version, one.body) for one in events] == [("review/1", n, "{}") for n in (1, 2, 3, 4)]
    assert len(set(numbers)) < len(events), "nobody shared a transaction"


def _conflict(tx: Writing) -> None:
    tx.known("", "", "")
    tx.apply(Changes(appends=(append("review/1", 77, "{}"),)))


def _untyped(tx: Writing) -> None:
    tx.known("", "", "")
    tx.apply(Changes(outbox=(OutboxRow(stream="review/1", version=1, type=None, at=""),)))  # type: ignore[arg-type]


def _divided(tx: Writing) -> None:
    tx._driver.rows("SELECT 1 / 0")  # type: ignore[attr-defined]


def _fails_twice(tx: Writing) -> None:
    tx.apply(Changes(outbox=(OutboxRow(stream="review/1", version=1, type=None, at=""),)))  # type: ignore[arg-type]
    raise LookupError


@pytest.mark.parametrize("earlier", [_conflict, _untyped], ids=["by its answer", "by an error"])
@pytest.mark.parametrize("later", [None, _divided, _fails_twice, failing, nothing])
def test_a_failure_that_is_heard_of_in_the_next_command_is_told_to_whom_it_belongs(
    store: PostgresStore, earlier: Callable[[Writing], None], later: Callable[[Writing], object] | None
) -> None:
    """Nobody waits for what a quick command writes: the server's answer comes with that to the next question."""
    good = partial(grow, stream="review/1")
    works: list[Callable[[Writing], object]] = [good, earlier, *([later] if later else []), good]
    results = asyncio.run(behind(store, *(Quick(work) for work in works)))
    expected: dict[Callable[[Writing], object], object]
    expected = {_divided: "DivisionByZero", _fails_twice: "LookupError", failing: "LookupError", nothing: 0}
    kinds = [one if isinstance(one, int) else type(one).__name__ for one in results]
    first = "Conflict" if earlier is _conflict else "NotNullViolation"
    assert kinds == [1, first, *([expected[later]] if later else []), 2]
    assert bodies(asyncio.run(store.read(lambda look: tuple(look.events("review/1"))))) == ["{}", "{}"]


def test_the_first_of_a_group_fails_alone(store: PostgresStore) -> None:
    def fail(tx: Writing) -> None:
        grow(tx, "review/1", '"never"')
        raise LookupError

    async def story() -> list[object]:
        held = Held(fail)
        works: list[Callable[[Writing], object]] = [held, *[partial(grow, stream="review/1")] * 3]
        tasks = [asyncio.create_task(store.write(Quick(work))) for work in works]
        held.go.set()
        return list(await asyncio.gather(*tasks, return_exceptions=True))

    failed, *grown = asyncio.run(story())
    assert isinstance(failed, LookupError)
    assert grown == [1, 2, 3]


def _killed(url: str, _: Proxy, process: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 30000)", (process,))


def _not_sent(_: str, proxy: Proxy, __: int) -> None:
    proxy.to_server = 0


def _not_heard(_: str, proxy: Proxy, __: int) -> None:
    proxy.from_server = 0


@pytest.mark.parametrize(
    ("cut", "there"),
    [(_killed, 0), (_not_sent, 0), (_not_heard, COMMANDS)],
    ids=["the backend is killed", "the commit is lost", "the answer to it is lost"],
)
def test_when_a_commit_is_lost_everybody_in_the_group_is_told_that_it_is_unknown(
    durable_postgres: Server, cut: Callable[[str, Proxy, int], None], there: int
) -> None:
    """All of them happened or none, and each asked again with its key happened once (F6, F7)."""

    async def story(url: str, proxy: Proxy) -> None:
        keys = [f"key-{number}" for number in range(COMMANDS)]

        def last(tx: Writing) -> None:
            cut(url, proxy, int(tx._driver.rows("SELECT pg_backend_pid()")[0][0]))  # type: ignore[attr-defined]

        works = [Quick(partial(command, review="one", key=key)) for key in keys]
        async with PostgresStore.open(proxy.url, ONE) as store:
            told = await behind(store, *works, Quick(last))
            assert [(type(one), getattr(one, "unknown", None)) for one in told] == [(Unavailable, True)] * len(told)
            assert len({id(one) for one in told}) == len(told)
            proxy.to_server = proxy.from_server = None
            async with PostgresStore.open(url, ONE) as other:
                assert len(await other.read(whole_log)) == 2 * there
                answers = {key: await other.write(partial(command, review="one", key=key)) for key in keys}
                assert await other.read(lambda look: faults_in(look, answers)) == []
            assert sorted(answers.values()) == sorted(f'{{"revision":{n}}}' for n in range(1, COMMANDS + 1))

    with durable_postgres.fresh() as url, between(url) as proxy:
        asyncio.run(story(url, proxy))


def test_when_a_connection_is_lost_before_the_commit_everybody_hears_that_nothing_was_written(
    durable_postgres: Server,
) -> None:
    async def story(proxy: Proxy) -> None:
        def lost(tx: Writing) -> None:
            proxy.cut()
            tx.known("", "", "")

        grown = Quick(partial(grow, stream="review/1"))
        async with PostgresStore.open(proxy.url, ONE) as store:
            told = await behind(store, grown, Quick(failing), grown, Quick(lost), grown)
        kinds = [one if isinstance(one, int) else (type(one), getattr(one, "unknown", None)) for one in told]
        # The last one was no longer in the group, and found a new connection.
        gone = (Unavailable, False)
        assert kinds == [gone, (LookupError, None), gone, gone, 1]

    with durable_postgres.fresh() as url, between(url) as proxy:
        asyncio.run(story(proxy))


def test_a_command_that_must_wait_for_a_lock_does_not_hold_up_its_group(url: str) -> None:
    runs: list[int] = []

    def wants(tx: Writing) -> int:
        grow(tx, "review/waits")
        runs.append(1)
        tx.lock("digest/1")
        return grow(tx, "review/waits")

    async def story() -> None:
        grown = Quick(partial(grow, stream="review/1"))
        async with PostgresStore.open(url, ONE, durable=False) as store:
            with psycopg.connect(url) as other:
                other.execute("SELECT pg_advisory_xact_lock(%s)", (lock_number("digest/1"),))
                held = Held()
                tasks = [asyncio.create_task(store.write(work)) for work in (Quick(held), grown, Quick(wants), grown)]
                held.go.set()
                # Both before it are committed while it waits alone, as the first of the next group.
                assert await tasks[1] == 1
                assert not tasks[2].done()
            assert await asyncio.gather(*tasks) == [None, 1, 2, 2]

    asyncio.run(story())
    assert len(runs) == 2


def test_two_groups_that_want_what_the_other_holds_part_without_a_conflict(url: str) -> None:
    """As two processes may: each of four commands takes one lock, and alone none would stand in another's way."""

    async def story() -> list[object]:
        both = threading.Barrier(2, timeout=30)

        def hold(name: str, tx: Writing) -> None:
            tx.lock(name)
            both.wait()

        def take(name: str, tx: Writing) -> str:
            tx.lock(name)
            return name

        async with (
            PostgresStore.open(url, ONE, durable=False) as one,
            PostgresStore.open(url, ONE, durable=False) as two,
        ):
            works: list[tuple[PostgresStore, Callable[[Writing], object]]] = [
                (one, partial(hold, "a")),
                (one, partial(take, "b")),
                (two, partial(hold, "b")),
                (two, partial(take, "a")),
            ]
            tasks = [asyncio.create_task(store.write(Quick(work))) for store, work in works]
            return list(await asyncio.gather(*tasks, return_exceptions=True))

    assert asyncio.run(story()) == [None, "b", None, "a"]


def test_when_the_lines_that_take_quick_commands_are_held_up_another_one_helps(url: str) -> None:
    async def story() -> None:
        async with PostgresStore.open(url, Limits(writers=pg_lines.SHARING_MAX + 1), durable=False) as store:
            held = [Held() for _ in range(pg_lines.SHARING_MAX)]
            tasks = [asyncio.create_task(store.write(Quick(one))) for one in held]
            for one in held:
                await asyncio.to_thread(one.begun.wait)
            assert await store.write(Quick(partial(grow, stream="review/1"))) == 1
            for one in held:
                one.go.set()
            await asyncio.gather(*tasks)

    asyncio.run(story())


def test_a_command_nobody_waits_for_any_more_is_not_begun_and_the_rest_is_finished_before_the_end(url: str) -> None:
    async def story() -> None:
        store = PostgresStore.open(url, ONE, durable=False)
        held = Held()
        first = asyncio.create_task(store.write(Quick(held)))
        await asyncio.to_thread(held.begun.wait)
        streams = ("review/given-up", "review/kept")
        given_up, kept = (asyncio.create_task(store.write(Quick(partial(grow, stream=one)))) for one in streams)
        await asyncio.sleep(0)
        given_up.cancel()
        await asyncio.sleep(0)
        closing = asyncio.create_task(store.close())
        held.go.set()
        await asyncio.gather(first, kept, closing)
        async with PostgresStore.open(url, ONE, durable=False) as again:
            assert [one.stream for one in await again.read(lambda look: look.heads())] == ["review/kept"]

    asyncio.run(story())
