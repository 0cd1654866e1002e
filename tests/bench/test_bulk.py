"""A store written in bulk for measuring equals the one the gate would have written."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench import bulk, bulk_postgres
from bench.story import TARGET, gate_on, lifecycle
from foureyes.app.checkpoints import AT_ONCE, checkpoint_if_due
from foureyes.app.keys import new_key
from foureyes.app.ports import Reading, Store
from foureyes.app.projections.metrics import totals
from foureyes.app.rebuilding import NAMES, rebuild
from foureyes.app.rows import Listing
from foureyes.app.verify import verify
from foureyes.store.postgres import PostgresStore
from foureyes.store.sqlite_store import SqliteStore
from tests.postgres.server import Server

CLEARED = 24
SIZE = bulk.OPEN + CLEARED
#: Of a lifecycle, of one approved at once, and of one that waits.
EVENTS = CLEARED // bulk.LONG_EVERY * 18 + (CLEARED - CLEARED // bulk.LONG_EVERY) * 5 + bulk.OPEN * 3
NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The place of a store written in bulk."""
    known = asyncio.run(bulk.patterns())
    if request.param == "sqlite":
        bulk.write(tmp_path / "store.db", SIZE, known, makers=0)
        yield str(tmp_path / "store.db")
        return
    server: Server = request.getfixturevalue("postgres")
    with server.fresh() as url:
        bulk_postgres.write(url, SIZE, known, durable=False, makers=0)
        yield url


@asynccontextmanager
async def opened(place: str) -> AsyncIterator[Store]:
    is_server = place.startswith("postgresql:")
    store: Store = PostgresStore.open(place, durable=False) if is_server else SqliteStore.open(place)
    try:
        yield store
    finally:
        await store.close()


def beside(look: Reading) -> tuple[object, ...]:
    """The rows of a review outside the log."""
    digests = [look.digests(bulk.last_digest(number, SIZE)) for number in range(SIZE)]
    return look.reviews(Listing(limit=SIZE)), digests, look.inbox(bulk.REVIEWERS[0], limit=SIZE)


def test_what_is_written_in_bulk_verifies_to_the_last_row(place: str, tmp_path: Path) -> None:
    async def story() -> None:
        async with opened(place) as store:
            signer = new_key(tmp_path / "keys")
            await checkpoint_if_due(store, tmp_path / "book", signer, NOW, AT_ONCE)
            found = await verify(store, tmp_path / "book", signer.public, deep=True)
            assert (found.damages, found.notes, found.uncovered) == ((), (), 0)
            assert (found.streams, found.events) == (SIZE, EVENTS)

    asyncio.run(story())


def test_the_gate_opens_for_what_was_cleared_and_for_nothing_else(place: str) -> None:
    async def story() -> None:
        async with opened(place) as store:
            gate = gate_on(store)
            said = [(await gate.may_go_live(bulk.last_digest(number, SIZE), TARGET)).state for number in range(SIZE)]
            assert said == ["cleared"] * CLEARED + ["pending"] * bulk.OPEN

    asyncio.run(story())


def test_a_rebuild_finds_the_rows_beside_the_log_as_they_must_be(place: str) -> None:
    async def story() -> None:
        async with opened(place) as store:
            before = await store.read(beside)
            sums = await store.read(totals)
            gate = gate_on(store)
            for name in NAMES:
                await rebuild(store, name, gate.policies.rules)
            assert await store.read(beside) == before
            assert (await store.read(totals)).items() >= sums.items()

    asyncio.run(story())


def test_new_reviews_go_on_behind_it(place: str) -> None:
    async def story() -> None:
        async with opened(place) as store:
            reply = await lifecycle(gate_on(store), 1)
            newest = await store.read(lambda look: tuple(look.events(reply.stream)))
            ends = await store.read(lambda look: look.heads(limit=2 * SIZE))
            assert len(ends) == SIZE + 1
            assert newest[0].seq > EVENTS

    asyncio.run(story())


def test_both_databases_hold_the_same_reviews(postgres: Server, tmp_path: Path) -> None:
    async def ends(place: str) -> tuple[object, ...]:
        async with opened(place) as store:
            heads = await store.read(lambda look: look.heads(limit=2 * SIZE))
            return heads, await store.read(beside)

    known = asyncio.run(bulk.patterns())
    with postgres.fresh() as url:
        bulk.write(tmp_path / "store.db", SIZE, known, makers=0)
        bulk_postgres.write(url, SIZE, known, durable=False, makers=0)
        assert asyncio.run(ends(url)) == asyncio.run(ends(str(tmp_path / "store.db")))
