"""Projections count every event once, for any number of followers, deaths and late commits."""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes.app.following import Follower, _move, catch_up, catch_up_all
from foureyes.app.ports import Reading, Store, Writing
from foureyes.app.projections import PROJECTIONS
from foureyes.app.projections.anew import make_anew
from foureyes.app.projections.costs import COSTS
from foureyes.app.projections.metrics import METRICS, totals
from foureyes.app.projections.projection import Projection, key, slot_of
from foureyes.app.projections.steps import Folds, plan, targets
from foureyes.app.rebuilding import digest_of
from foureyes.store.memory import MemoryStore
from tests.app.house import played
from tests.conftest import EFFORT
from tests.projections.logs import Recorded, Scribe, recorded, write_log
from tests.stores.making import Box

T = TypeVar("T")
SEED, STEPS = 6, 700
EXAMPLES = {"test": 5, "all": 60}[EFFORT]


class Killed(Exception):  # noqa: N818 - not an error of the program
    """The process died here."""


class Mortal:
    """A store whose user dies at some writes, before or after they are kept."""

    def __init__(self, store: Store, deaths: random.Random) -> None:
        self._store = store
        self._deaths = deaths
        self.died = 0

    async def read(self, work: Callable[[Reading], T]) -> T:
        return await self._store.read(work)

    async def write(self, work: Callable[[Writing], T]) -> T:
        fate = self._deaths.random()
        if fate < 0.2:
            self._die()
        result = await self._store.write(work)
        if fate > 0.8:
            self._die()
        return result

    async def close(self) -> None:
        """Close nothing."""

    def _die(self) -> None:
        self.died += 1
        raise Killed


async def digests(store: Store) -> dict[str, str]:
    return await store.read(lambda reading: {name: digest_of(reading, name) for name in PROJECTIONS})


@cache
def replayed() -> dict[str, str]:
    """The rows of one replay of the whole log."""

    async def story() -> dict[str, str]:
        store = MemoryStore()
        await write_log(store, recorded(SEED, STEPS))
        await catch_up_all(store, batch=100_000)
        return await digests(store)

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, story()).result()


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 2**32))
def test_any_helpings_give_the_bytes_of_one_replay(seed: int) -> None:
    """I21, S23: derived numbers are a function of the log, also while it is still being written."""

    async def story() -> None:
        run, rng, store = recorded(SEED, STEPS), random.Random(seed), MemoryStore()
        scribe, begin = Scribe(rules=run.world.rules), 0
        while begin < len(run.said):
            piece = run.said[begin : begin + rng.randrange(1, 200)]
            await write_log(store, run, piece, scribe)
            begin += len(piece)
            for name in rng.sample(sorted(PROJECTIONS), 4):
                await catch_up(store, PROJECTIONS[name], batch=rng.randrange(1, 90))
        await catch_up_all(store, batch=rng.randrange(1, 400))
        assert await digests(store) == replayed()

    asyncio.run(story())


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 2**32))
def test_whoever_dies_between_two_steps_leaves_nothing_half_done(seed: int) -> None:
    """I21: another follower goes on where the last step ended."""

    async def story() -> None:
        run, store = recorded(SEED, STEPS), MemoryStore()
        await write_log(store, run)
        mortal = Mortal(store, random.Random(seed))
        while True:
            try:
                await Follower(mortal, batch=60).catch_up()
                break
            except Killed:
                continue
        assert mortal.died
        assert await digests(store) == replayed()

    asyncio.run(story())


def test_followers_that_race_count_nothing_twice(box: Box) -> None:
    """S23: many writers of one file lost each other's numbers; here whoever comes second sees that and reads on."""
    run = recorded(SEED, STEPS)
    others = tuple(one for one in PROJECTIONS.values() if one.name in ("costs", "metrics", "decisions"))

    async def story() -> None:
        half = len(run.said) // 2
        scribe = Scribe(rules=run.world.rules)
        await write_log(box.store, run, run.said[:half], scribe)
        followers = [
            Follower(box.store, batch=37),
            Follower(box.store, batch=50),
            Follower(box.store, others, batch=11),
        ]
        rest = write_log(box.store, run, run.said[half:], scribe)
        await asyncio.gather(rest, *(one.catch_up() for one in followers))
        await catch_up_all(box.store)

    box.run(story())
    expected = replayed()
    found = box.run(digests(box.store))
    # Numbers of events differ between the stores, and the trail has them in its keys.
    assert {name for name in found if found[name] != expected[name]} <= {"decisions"}
    assert box.read(_ends) == _ends_of(run)


def _ends(reading: Reading) -> tuple[int, int]:
    found = totals(reading)
    return found["opened"], found["ended"]


def _ends_of(run: Recorded) -> tuple[int, int]:
    names = [type(event).__name__ for said in run.said for event in said.events]
    return names.count("ReviewOpened"), names.count("ReviewCleared") + names.count("ReviewClosed")


def test_an_event_that_commits_late_is_not_skipped(on_postgres: Box) -> None:
    """I21: on a store where many write at once, the smaller number may appear later."""
    run, store = recorded(SEED, STEPS), on_postgres.store
    opening, held = threading.Event(), threading.Event()
    streams = dict.fromkeys(said.stream for said in run.said if said.stream.startswith("review/"))
    slow_stream = next(iter(streams))
    slow = [said for said in run.said if said.stream == slow_stream]
    rest = [said for said in run.said if said.stream != slow_stream and not said.stream.startswith("trust/")]

    def work(tx: Writing) -> None:
        Scribe(rules=run.world.rules).write(tx, slow)
        opening.set()
        assert held.wait(30)

    async def late() -> None:
        await store.write(work)

    async def quick() -> int:
        await asyncio.to_thread(opening.wait, 30)
        await write_log(store, run, rest[:40])
        before = await catch_up(store, METRICS)
        held.set()
        return before

    async def story() -> tuple[int, int]:
        _, before = await asyncio.gather(late(), quick())
        return before, await catch_up(store, METRICS)

    early, after = on_postgres.run(story())
    assert early == 0, "nothing behind an open transaction is read"
    assert after == sum(len(one.events) for one in (*slow, *rest[:40]))
    opened = {said.stream for said in (*slow, *rest[:40]) if said.stream.startswith("review/")}
    assert on_postgres.read(totals)["opened"] == len(opened)
    again = on_postgres.read(lambda reading: digest_of(reading, "metrics"))
    on_postgres.run(make_anew(store, METRICS))
    assert on_postgres.read(lambda reading: digest_of(reading, "metrics")) == again


@played
async def test_a_step_counts_only_where_the_cursor_still_stands() -> None:
    """S23: what was worked out on old rows is thrown away."""
    run, store = recorded(SEED, STEPS), MemoryStore()
    await write_log(store, run)
    follower = Follower(store, (COSTS,), batch=50)
    stale = await store.read(lambda reading: plan(reading, Folds(), targets(reading, (COSTS,)), 50))
    assert await follower.catch_up()
    before = await digests(store)
    assert await store.write(lambda tx: _move(stale, tx)) == 0
    assert await digests(store) == before


@played
async def test_rows_of_an_earlier_version_are_made_anew_and_those_of_a_later_one_left_alone() -> None:
    """I21: two programs never write one table in two ways."""
    run, store = recorded(SEED, STEPS), MemoryStore()
    scribe = Scribe(rules=run.world.rules)
    await write_log(store, run, run.said[:200], scribe)

    older = replace(COSTS, version=1, changes=lambda _, __: iter(()))
    newer = replace(COSTS, version=2)
    await catch_up(store, older)
    assert await store.read(lambda reading: reading.rows("costs")) == (("!version", "1"),)
    await catch_up(store, newer)
    rows = await store.read(lambda reading: reading.rows(slot_of(reading, "costs"), limit=1000))
    assert ("!version", "2") in rows
    assert any(name.startswith("day/") for name, _ in rows)
    await write_log(store, run, run.said[200:], scribe)
    assert await catch_up(store, older) == 0
    assert await store.read(lambda reading: reading.rows(slot_of(reading, "costs"), limit=1000)) == rows


@pytest.mark.parametrize("name", ["a/b", "a%2Fb", "x" * 5_000, "\x00", "Zoë"])
def test_no_name_looks_like_two_or_like_another_in_a_key(name: str) -> None:
    others = ["a", "b", "a/b", "a%2Fb", "x" * 5_000, "x" * 5_001, "\x00", "\x01", "Zoë"]
    found = key("reviewer", name)
    assert found.count("/") == 1
    assert found.isprintable()
    assert len(found.encode()) < 600
    assert [one for one in others if key("reviewer", one) == found] == [name]


def test_every_projection_has_its_own_name_and_looks_at_something() -> None:
    for name, projection in PROJECTIONS.items():
        assert isinstance(projection, Projection)
        assert projection.name == name
        assert projection.takes
