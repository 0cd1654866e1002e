"""Every projection is rebuilt from the log to the same bytes, and concurrent readers never see a partial rebuild."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes.app.following import Follower, _move, catch_up_all
from foureyes.app.ports import Reading, Store, Writing
from foureyes.app.projections import PROJECTIONS
from foureyes.app.projections.anew import make_anew
from foureyes.app.projections.costs import COSTS
from foureyes.app.projections.metrics import METRICS, totals
from foureyes.app.projections.projection import SLOTS, slot_of
from foureyes.app.projections.steps import Folds, plan, targets
from foureyes.app.rebuilding import NAMES, Overtaken, digest_of, rebuild
from foureyes.app.rows import START
from foureyes.core import commands as c
from foureyes.store.memory import MemoryStore
from tests.app.house import House, played
from tests.conftest import EFFORT
from tests.projections.logs import Said, Scribe, recorded, rules_of, write_log
from tests.projections.test_following import Killed, Mortal
from tests.stores.making import Box

T = TypeVar("T")
SEED, STEPS = 4, 700
EXAMPLES = {"test": 5, "all": 60}[EFFORT]


async def followed(store: Store) -> None:
    await write_log(store, recorded(SEED, STEPS))
    await catch_up_all(store)


@pytest.mark.parametrize("name", sorted(PROJECTIONS))
def test_rebuilding_gives_the_same_bytes(name: str) -> None:
    """I21, F15: dropped or spoilt, twice in a row, and with how far it has come."""

    async def story() -> None:
        store, run = MemoryStore(), recorded(SEED, STEPS)
        await followed(store)
        before = await store.read(lambda reading: digest_of(reading, name))
        everything = await store.read(lambda reading: len(reading.tail(START, 1_000_000)))
        for damage in (_add, _drop):
            seen: list[tuple[int, int]] = []
            await store.write(partial(damage, name))
            assert await store.read(lambda reading: digest_of(reading, name)) != before
            found = await rebuild(store, name, rules_of(run.world), lambda done, of: seen.append((done, of)))  # noqa: B023 - called before the next turn
            assert found.sha256 == before
            assert found.events == everything
            assert seen[-1] == (everything, everything)

    asyncio.run(story())


def _add(name: str, tx: Writing) -> None:
    slot = slot_of(tx, name)
    tx.follow(slot, {"something": "{}"}, tx.cursor(slot))


def _drop(name: str, tx: Writing) -> None:
    slot = slot_of(tx, name)
    tx.follow(slot, {key: None for key, _ in tx.rows(slot, limit=9)}, tx.cursor(slot))


def test_rebuilding_gives_the_same_bytes_on_every_store_while_others_go_on(box: Box) -> None:
    """I21: the log grows and a follower follows while everything is made anew."""
    run = recorded(SEED, STEPS)
    scribe, half = Scribe(rules=run.world.rules), len(run.said) // 2

    async def story() -> None:
        await write_log(box.store, run, run.said[:half], scribe)
        await catch_up_all(box.store)
        follower = Follower(box.store, batch=20)

        async def others() -> None:
            for begin in range(half, len(run.said), 40):
                await write_log(box.store, run, run.said[begin : begin + 40], scribe)
                await follower.catch_up()

        await asyncio.gather(others(), *(make_anew(box.store, one, batch=100) for one in (COSTS, METRICS)))
        await catch_up_all(box.store)
        before = {name: await box.store.read(lambda r, name=name: digest_of(r, name)) for name in PROJECTIONS}  # type: ignore[misc]
        for name in PROJECTIONS:
            assert (await rebuild(box.store, name, rules_of(run.world))).sha256 == before[name]

    box.run(story())
    left = {name for name in _used(box) if "~" in name}
    assert left == {box.read(lambda reading, name=name: slot_of(reading, name)) for name in PROJECTIONS}  # type: ignore[misc]


def _used(box: Box) -> set[str]:
    """The slots that hold rows."""
    names = [f"{name}{end}" for name in PROJECTIONS for end in ("", "~1", "~2", "~3")]
    return {name for name in names if box.read(lambda reading, name=name: reading.rows(name, limit=1))}  # type: ignore[misc]


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 2**32))
def test_whoever_dies_while_rebuilding_leaves_readers_what_they_had(seed: int) -> None:
    """I21: the old rows stay in use until the new ones are whole; the next rebuild clears away what was left."""

    async def story() -> None:
        store, rng = MemoryStore(), random.Random(seed)
        await followed(store)
        before = await store.read(lambda reading: digest_of(reading, "metrics"))
        mortal = Mortal(store, rng)
        for _ in range(6):
            with suppress(Killed):
                await make_anew(mortal, METRICS, batch=200)
            assert await store.read(lambda reading: digest_of(reading, "metrics")) == before
        await make_anew(store, METRICS)
        assert await store.read(lambda reading: digest_of(reading, "metrics")) == before
        assert await store.read(lambda reading: reading.row(SLOTS, "building/metrics")) is None

    asyncio.run(story())


@played
async def test_a_rebuild_that_another_one_overtakes_gives_up() -> None:
    store = MemoryStore()
    await followed(store)
    before = await store.read(lambda reading: digest_of(reading, "costs"))
    ends = await asyncio.gather(*(make_anew(store, COSTS, batch=50) for _ in range(3)), return_exceptions=True)
    assert sorted(type(one).__name__ for one in ends) == ["Overtaken", "Overtaken", "int"]
    assert issubclass(Overtaken, Exception)
    assert await store.read(lambda reading: digest_of(reading, "costs")) == before


@played
async def test_readers_see_the_old_rows_or_the_new_ones_and_never_fewer() -> None:
    """What has been counted does not go back while it is counted again."""
    store, run = MemoryStore(), recorded(SEED, STEPS)
    await followed(store)
    opened = len(run.world.reviews)
    building = asyncio.ensure_future(make_anew(store, METRICS, batch=25))
    looks = 0
    while not building.done():
        assert (await store.read(totals))["opened"] == opened
        looks += 1
    assert await building
    assert looks > 20


class Overtaking:
    """A store where the log grows and is followed before every other write of a rebuild, which no reader notices."""

    def __init__(self, store: Store, pieces: list[tuple[Said, ...]]) -> None:
        self._store = store
        self._pieces = pieces
        self._writes = 0
        self._scribe = Scribe(rules=recorded(SEED, STEPS).world.rules)

    async def grow(self) -> None:
        if self._pieces:
            await write_log(self._store, recorded(SEED, STEPS), self._pieces.pop(0), self._scribe)
            await catch_up_all(self._store)

    async def read(self, work: Callable[[Reading], T]) -> T:
        return await self._store.read(work)

    async def write(self, work: Callable[[Writing], T]) -> T:
        self._writes += 1
        if self._writes % 2 == 0:  # a step, then the switch over: that is when it hurts
            await self.grow()
        before = await self._store.read(totals)
        result = await self._store.write(work)
        assert await self._store.read(totals) == before
        return result

    async def close(self) -> None:
        """Nothing is left to do."""


@played
async def test_nothing_goes_back_when_a_follower_is_faster_than_the_rebuild() -> None:
    """The new rows are used only once they know all that the old ones knew."""
    said = recorded(SEED, STEPS).said
    pieces = [tuple(said[begin : begin + 60]) for begin in range(0, len(said), 60)]
    store = MemoryStore()
    faster = Overtaking(store, pieces)
    await faster.grow()
    while pieces:
        await make_anew(faster, METRICS, batch=10_000)


@played
async def test_what_a_dead_rebuild_left_is_not_taken_over() -> None:
    """It may have been another version of the program."""
    store = MemoryStore()
    await followed(store)
    before = await store.read(lambda reading: digest_of(reading, "costs"))
    end = await store.read(lambda reading: reading.cursor("costs"))
    await store.write(lambda tx: tx.follow("costs~1", {"day/2026-01-05": '{"usd_micro":1}', "junk": "[]"}, end))
    await make_anew(store, COSTS)
    assert await store.read(lambda reading: digest_of(reading, "costs")) == before


@played
async def test_who_was_about_to_write_into_rows_that_were_replaced_does_not() -> None:
    store = MemoryStore()
    await write_log(store, recorded(SEED, STEPS))
    stale = await store.read(lambda reading: plan(reading, Folds(), targets(reading, (COSTS,)), 50))
    await make_anew(store, COSTS)
    assert await store.write(lambda tx: _move(stale, tx)) == 0
    assert await store.read(lambda reading: reading.rows("costs")) == ()


@played
async def test_only_what_has_a_name_is_made_anew() -> None:
    with pytest.raises(KeyError):
        await rebuild(MemoryStore(), "log", lambda _, __: None)  # type: ignore[arg-type, return-value]
    assert set(NAMES) == {*PROJECTIONS, "trust", "reviews", "digests", "inbox", "lives", "objections", "inheritable"}


@played
async def test_an_empty_log_gives_empty_rows() -> None:
    store = MemoryStore()
    for name in NAMES:
        assert (await rebuild(store, name, lambda _, __: None)).events == 0  # type: ignore[arg-type, return-value]
    assert await catch_up_all(store) == 0


TABLES = {
    "reviews": ("UPDATE reviews SET state = 'cleared', waits = '', title = ''", "DELETE FROM reviews"),
    "digests": ("UPDATE digests SET cleared = 1 - cleared, vetoed = 1", "DELETE FROM digests"),
    "inbox": ("UPDATE inbox SET due = '', who = 'eve'", "DELETE FROM inbox"),
}


@pytest.mark.parametrize("name", sorted(TABLES))
def test_what_is_written_with_the_log_is_written_again_as_it_was(sqlite: Box, name: str) -> None:
    """I21, F15: lists, digests and inbox, spoilt or dropped in the file."""
    house = House(store=sqlite.store)
    sqlite.run(lived(house))
    assert sqlite.raw
    whole = f"SELECT * FROM {name} ORDER BY 1, 2, 3"  # noqa: S608 - a name of ours
    before = sqlite.raw(whole)
    assert before
    for damage in TABLES[name]:
        sqlite.raw(damage)
        assert sqlite.raw(whole) != before
        found = sqlite.run(rebuild(sqlite.store, name, house.gate.policies.rules))
        assert sqlite.raw(whole) == before
        assert found.events == sqlite.read(_events_of_reviews)


def _events_of_reviews(reading: Reading) -> int:
    return sum(one.version for one in reading.heads(limit=1_000) if one.stream.startswith("review/"))


async def lived(house: House) -> None:
    """Reviews in many states: open, cleared, rejected, waiting for an author, a reviewer, a human."""
    for number in range(60):
        stream = await house.open({"a.py": b"%d\n" % number})
        house.wait(minutes=1)
        match number % 5:
            case 1:
                await house.approve(stream)
            case 2:
                await house.object_to(stream, "It is wrong")
            case 3:
                await house.object_to(stream, "It is wrong")
                await house.revise(stream, {"a.py": b"better %d\n" % number})
            case 4:
                author = (await house.review(stream)).author
                await house.do(author, c.WithdrawReview(reason="Not now"), stream)
