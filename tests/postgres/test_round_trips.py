"""The number of round trips per command, which are its expensive part."""

import asyncio
from collections.abc import Callable
from functools import partial
from operator import methodcaller

import pytest

from foureyes.app.ports import Conflict, Reading, Writing
from foureyes.store.pg_connecting import Limits
from foureyes.store.postgres import PostgresStore
from tests.postgres.commands import command
from tests.postgres.proxy import between
from tests.postgres.server import Server
from tests.stores.making import everything

WORK: dict[str, tuple[Callable[[Writing, int], object], int]] = {
    # The stream's end and the reply, with BEGIN; what is written, all together; COMMIT.
    "a command": (lambda tx, turn: command(tx, "one", f"key-{turn}"), 3),
    "every table": (lambda tx, turn: tx.apply(everything(turn)), 2),
    "locks": (lambda tx, turn: tx.lock("digest/1", f"digest/{turn}"), 2),
    "a track record": (lambda tx, turn: (tx.known("", "", ""), tx.trust("code", f"ann-{turn}")), 3),
    "counts": (lambda tx, turn: tx.counts(["ann", "bob", f"carl-{turn}"]), 2),
    "following": (lambda tx, turn: tx.follow("metrics", {"one": "1", "two": None}, (0, turn)), 2),
    "nothing": (lambda _, turn: turn, 0),
}


@pytest.mark.parametrize("name", WORK)
def test_work_in_a_transaction_takes_so_many_round_trips(durable_postgres: Server, name: str) -> None:
    work, trips = WORK[name]
    assert asyncio.run(_trips(durable_postgres, work)) == trips


async def _trips(server: Server, work: Callable[[Writing, int], object]) -> int:
    with server.fresh() as url, between(url) as proxy:
        async with PostgresStore.open(proxy.url, Limits(writers=1, readers=1)) as store:
            # The first time a connection sees a statement, it is prepared.
            await store.write(lambda tx: work(tx, 1))
            proxy.count()
            await store.write(lambda tx: work(tx, 2))
            return proxy.trips


def test_a_read_takes_one_round_trip_more_than_it_has_questions(durable_postgres: Server) -> None:
    async def story(url: str) -> int:
        with between(url) as proxy:
            async with PostgresStore.open(proxy.url, Limits(writers=1, readers=1)) as store:
                await store.read(partial(_look, times=2))
                proxy.count()
                await store.read(partial(_look, times=2))
                return proxy.trips

    with durable_postgres.fresh() as url:
        assert asyncio.run(story(url)) == 3


def test_after_a_conflict_no_statement_is_prepared_again(durable_postgres: Server) -> None:
    async def story(url: str) -> int:
        with between(url) as proxy:
            async with PostgresStore.open(proxy.url, Limits(writers=1, readers=1)) as store:
                for turn in (1, 2):
                    await store.write(methodcaller("apply", everything(turn)))
                with pytest.raises(Conflict):
                    await store.write(methodcaller("apply", everything(1)))
                proxy.count()
                await store.write(methodcaller("apply", everything(3)))
                return proxy.trips

    with durable_postgres.fresh() as url:
        assert asyncio.run(story(url)) == 2


def _look(look: Reading, times: int) -> None:
    for _ in range(times):
        look.digests("a" * 64)
