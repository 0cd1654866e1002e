"""Track records are counted with the log, ignored when damaged, and rebuilt from it to the same bytes."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes.app.ports import Reading, Writing
from foureyes.app.projections.recount import recount
from foureyes.app.rebuilding import digest_of, rebuild
from foureyes.app.rows import Changes, TrustRow
from foureyes.app.trusting import ENDS, SWITCHES, from_row
from foureyes.core import commands as c
from foureyes.store.memory import MemoryStore
from tests.app.house import played
from tests.conftest import EFFORT
from tests.projections.learning import learning_house, rules_in, trust
from tests.projections.logs import Scribe, recorded, rules_of, write_log
from tests.stores.making import Box, append

T = TypeVar("T")
#: A world where the fast lane is opened and shut.
SEED, STEPS = 2, 1_200
EXAMPLES = {"test": 4, "all": 60}[EFFORT]


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 10_000), steps=st.integers(50, 700))
def test_counting_again_gives_the_bytes_that_were_counted_at_once(seed: int, steps: int) -> None:
    """001-81, I21: in whatever helpings the log is read."""

    async def story() -> None:
        run, store = recorded(seed, steps), MemoryStore()
        await write_log(store, run)
        before = await store.read(trust)
        await recount(store, rules_of(run.world), batch=seed % 90 + 1)
        assert await store.read(trust) == before

    asyncio.run(story())


def test_counting_again_gives_the_same_bytes_on_every_store(box: Box) -> None:
    """001-81, I21: the same numbers on each of them, too."""
    run = recorded(SEED, STEPS)
    box.run(write_log(box.store, run))
    before = box.read(trust)
    assert any(from_row(row).attempts > 3 for row in before)
    seen: list[tuple[int, int]] = []
    found = box.run(rebuild(box.store, "trust", rules_of(run.world), lambda done, of: seen.append((done, of))))
    assert box.read(trust) == before
    assert found.sha256 == box.read(lambda reading: digest_of(reading, "trust"))
    assert found.events == box.read(lambda reading: len(reading.tail((0, 0), 1_000_000)))
    assert seen == sorted(seen)
    other = MemoryStore()
    box.run(write_log(other, run))
    assert box.run(other.read(trust)) == before


class Undone(Exception):  # noqa: N818 - the database asks to try again
    """The error of a transaction that must write nothing."""


class Twice:
    """A store that undoes each transaction once, after the log has grown, and runs it again."""

    def __init__(self, store: MemoryStore, grow: Callable[[], Coroutine[None, None, None]]) -> None:
        self._store = store
        self._grow = grow

    async def read(self, work: Callable[[Reading], T]) -> T:
        return await self._store.read(work)

    async def write(self, work: Callable[[Writing], T]) -> T:
        await self._grow()

        def undone(tx: Writing) -> None:
            work(tx)
            raise Undone

        with pytest.raises(Undone):
            await self._store.write(undone)
        return await self._store.write(work)

    async def close(self) -> None:
        """Nothing is left to do."""


@played
async def test_a_last_stretch_that_is_undone_is_counted_once() -> None:
    """I21: a transaction may be asked to run again."""
    run, store, half = recorded(SEED, STEPS), MemoryStore(), 400
    scribe = Scribe(rules=run.world.rules)
    await write_log(store, run, run.said[:half], scribe)
    twice = Twice(store, lambda: write_log(store, run, run.said[half:], scribe))
    events = await recount(twice, rules_of(run.world))
    whole = MemoryStore()
    await write_log(whole, run)
    assert await store.read(trust) == await whole.read(trust)
    assert events == await whole.read(lambda reading: len(reading.tail((0, 0), 1_000_000)))


def test_what_is_counted_is_what_the_simulators_books_count() -> None:
    """001-81: an end by the gates, any other end but a withdrawal, an escape; nothing else."""
    run, store = recorded(SEED, STEPS), MemoryStore()
    asyncio.run(write_log(store, run))
    found = {(one.kind, one.author): one for one in map(from_row, asyncio.run(_rows(store)))}
    booked = {pair: record for pair, record in run.world.books.trust.items() if record.attempts}
    assert {pair for pair, record in found.items() if record.attempts} == set(booked)
    for pair, record in booked.items():
        same = replace(found[pair], seconds_sum=record.seconds_sum)
        assert (same.attempts, same.successes, same.confidence_sum) == (
            record.attempts,
            record.successes,
            record.confidence_sum,
        )
        assert (same.history, same.trust, same.last_review_at) == (record.history, record.trust, record.last_review_at)


@played
async def test_a_withdrawal_counts_neither_way_and_the_time_a_review_took_is_kept() -> None:
    house = learning_house()
    withdrawn = await house.open({"a.py": b"never mind\n"})
    await house.do((await house.review(withdrawn)).author, c.WithdrawReview(reason="Not now"), withdrawn)
    stream = await house.open({"a.py": b"good\n"})
    house.wait(minutes=5)
    await house.approve(stream, confidence=95)
    (row,) = await house.store.read(trust)
    record = from_row(row)
    assert (record.attempts, record.successes, record.seconds_sum) == (1, 1, 300)
    await rebuild(house.store, "trust", rules_in(house))
    assert await house.store.read(trust) == (row,)


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 2**32))
def test_what_happens_while_a_record_is_damaged_is_not_lost(seed: int) -> None:
    """001-81: the damaged row stays as it is, the log goes on, and counting again knows everything."""

    async def story() -> None:
        run, rng, store, whole = recorded(SEED, STEPS), random.Random(seed), MemoryStore(), MemoryStore()
        await write_log(whole, run)
        scribe, half = Scribe(rules=run.world.rules), rng.randrange(1, len(run.said))
        await write_log(store, run, run.said[:half], scribe)
        rows = await store.read(trust)
        hurt = {row.author for row in rng.sample(rows, len(rows) // 2)}
        spoilt = [replace(row, body=row.body + " ") if row.author in hurt else row for row in rows]
        await store.write(lambda tx: tx.set_trust(spoilt))
        await write_log(store, run, run.said[half:], scribe)
        bodies = {(row.kind, row.author): row.body for row in await store.read(trust)}
        assert all(bodies[row.kind, row.author] == row.body for row in spoilt if row.author in hurt)
        await recount(store, rules_of(run.world))
        assert await store.read(trust) == await whole.read(trust)

    asyncio.run(story())


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


def test_counting_again_knows_what_was_committed_behind_a_slow_transaction(on_postgres: Box) -> None:
    """001-81: a reader of the log waits for older transactions; who counts must not forget what they hold back."""
    run, store = recorded(SEED, STEPS), on_postgres.store
    slow = Pausing(lambda tx: tx.apply(Changes(appends=(append("target/slow", 0, "{}"),))))

    async def story() -> tuple[tuple[TrustRow, ...], tuple[TrustRow, ...]]:
        waiting = asyncio.ensure_future(store.write(slow))
        await asyncio.to_thread(slow.stopped.wait, 30)
        await write_log(store, run, run.said[:300])
        before = await store.read(trust)
        await recount(store, rules_of(run.world))
        after = await store.read(trust)
        slow.go_on.set()
        await waiting
        return before, after

    before, after = on_postgres.run(story())
    assert len(before) > 1
    assert after == before


def test_counting_again_waits_for_whoever_is_counting(on_postgres: Box) -> None:
    """001-81: an end that is being written is in the record afterwards, once."""
    run, store = recorded(SEED, STEPS), on_postgres.store
    scribe = Scribe(rules=run.world.rules)
    slow = Pausing(lambda tx: scribe.write(tx, run.said[300:]))

    async def story() -> None:
        await write_log(store, run, run.said[:300], scribe)
        counting = asyncio.ensure_future(store.write(slow))
        await asyncio.to_thread(slow.stopped.wait, 30)
        again = asyncio.ensure_future(recount(store, rules_of(run.world)))
        done, _ = await asyncio.wait({again}, timeout=0.3)
        assert not done, "the records are held by whoever counts"
        slow.go_on.set()
        await asyncio.gather(counting, again)

    on_postgres.run(story())
    whole = MemoryStore()
    asyncio.run(write_log(whole, run))
    assert on_postgres.read(trust) == asyncio.run(_rows(whole))


async def _rows(store: MemoryStore) -> tuple[TrustRow, ...]:
    return await store.read(trust)


def test_the_world_of_these_tests_has_every_sort_of_event_that_counts() -> None:
    kinds = {type(event).__name__ for said in recorded(SEED, STEPS).said for event in said.events}
    assert kinds >= ENDS | SWITCHES
