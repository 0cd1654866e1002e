"""Commands that share a transaction: their events are in the log after the events they have read."""

from __future__ import annotations

import asyncio
import threading

from foureyes.app.ports import Writing
from foureyes.app.rows import START
from foureyes.store.postgres import PostgresStore
from tests.postgres.server import Server
from tests.stores.making import grow

SECONDS_MAX = 20


def test_an_event_never_stands_before_one_that_was_there_when_it_was_decided(postgres: Server) -> None:
    """I20, F10: a transaction gets its number with its first write; one that waits then for a stream writes later."""
    begun, other_done = threading.Event(), threading.Event()

    def first_and_third(tx: Writing) -> None:
        grow(tx, "s/mine")
        tx.blob("")  # batched statements have arrived, and the transaction has its number
        begun.set()
        assert other_done.wait(SECONDS_MAX)
        grow(tx, "s/both")

    async def second(store: PostgresStore) -> None:
        assert await asyncio.to_thread(begun.wait, SECONDS_MAX)
        await store.write(lambda tx: grow(tx, "s/both"))
        other_done.set()

    async def story(url: str) -> list[tuple[str, int]]:
        async with PostgresStore.open(url, durable=False) as store:
            await asyncio.gather(store.write(first_and_third), second(store))
            log = await store.read(lambda reading: reading.tail(START))
            return [(one.stream, one.version) for one in log if one.stream == "s/both"]

    with postgres.fresh() as url:
        assert asyncio.run(story(url)) == [("s/both", 1), ("s/both", 2)]
