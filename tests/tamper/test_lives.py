"""A use of a clearance is recorded in the target's log and in a row; a changed row is detected."""

# ruff: noqa: S608 - a forger builds his statements as he likes

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import pytest

from foureyes.app.policies import Policies
from foureyes.app.ports import Reading, Store, Writing
from foureyes.app.rebuilding import rebuild
from foureyes.app.work import work_of
from foureyes.core.live import RecordLive
from tests.app.house import RULES, House, played, policy
from tests.cast import HUGO
from tests.tamper.desk import Desk, desk

T = TypeVar("T")

FOUR = {"four.py": b"4\n"}
DIGEST = work_of(FOUR).digest


@asynccontextmanager
async def live(folder: Path) -> AsyncIterator[tuple[Desk, str]]:
    """A clearance for one use, used on a target, and the key of its row."""
    async with desk(folder) as it:
        it.house = House(
            store=it.house.store,
            policy=policy(replace(RULES, single_use_kinds=frozenset({"script"}))),
            ids=50,
            name="live",
        )
        it.house.wait(days=1)
        stream = await it.house.cleared(FOUR)
        review = stream.removeprefix("review/")
        assert await went(it, review, "a") == "WentLive"
        await it.sign()
        ((key, _),) = await lives(it.house.store)
        yield it, key


async def lives(store: Store) -> tuple[tuple[str, str], ...]:
    return await store.read(lambda reading: reading.rows("lives"))


async def went(it: Desk, review: str, target: str) -> str:
    done = await it.house.do(HUGO, RecordLive(target=target, review=review, digest=DIGEST), f"target/{target}")
    return done.events[0]


@played
async def test_a_row_that_says_what_the_log_says_is_sound(tmp_path: Path) -> None:
    async with live(tmp_path) as (it, _):
        assert (await it.look()).damages == ()


@played
async def test_a_row_that_was_deleted_is_named_with_the_event(tmp_path: Path) -> None:
    """Else a clearance for one use could be used again."""
    async with live(tmp_path) as (it, _):
        it.tamper("DELETE FROM rows WHERE projection = 'lives'")
        assert await it.places() == {"target/a@1": "deleted"}


@played
async def test_a_row_that_was_forged_is_named(tmp_path: Path) -> None:
    """Otherwise an attacker with the file could use up a clearance, or make one look used."""
    async with live(tmp_path) as (it, key):
        forged = key.removesuffix("a") + "b"
        it.tamper(f"INSERT INTO rows (projection, key, body) VALUES ('lives', '{forged}', '{DIGEST}')")
        assert await it.places() == {f"lives {forged}": "forged"}


@played
async def test_a_row_about_other_bytes_is_named_with_the_event(tmp_path: Path) -> None:
    async with live(tmp_path) as (it, _):
        it.tamper("UPDATE rows SET body = 'ab' WHERE projection = 'lives'")
        assert await it.places() == {"target/a@1": "forged"}


@played
async def test_a_clearance_that_was_used_twice_on_a_target_is_named(tmp_path: Path) -> None:
    """Somebody took the row away, used the clearance once more, and the row is there again."""
    async with live(tmp_path) as (it, key):
        it.tamper("DELETE FROM rows WHERE projection = 'lives'")
        assert await went(it, key.partition("/")[0], "a") == "WentLive"
        assert await it.places() == {"target/a@2": "used twice"}


@played
@pytest.mark.parametrize(
    "forgery",
    [
        "INSERT INTO rows SELECT 'lives', key || 'nowhere', body FROM rows WHERE projection = 'lives'",
        "INSERT INTO rows SELECT 'lives', replace(key, '/a', '/b'), body FROM rows WHERE projection = 'lives'",
        "INSERT INTO rows VALUES ('lives', 'no such key', 'ab'), ('lives', 'x/1/a', 'ab')",
        "UPDATE rows SET body = 'ab' WHERE projection = 'lives'",
        "DELETE FROM rows WHERE projection = 'lives'",
    ],
)
async def test_a_rebuild_gives_exactly_what_the_log_says(tmp_path: Path, forgery: str) -> None:
    """I21: a forged row goes, also one about a target that has a log; a lost or altered one comes back as it was."""
    async with live(tmp_path) as (it, key):
        store, before = it.house.store, await lives(it.house.store)
        review = key.partition("/")[0]
        it.tamper(forgery)
        assert set((await it.places()).values()) <= {"forged", "deleted"}
        assert await lives(store) != before
        await rebuild(store, "lives", Policies(it.house.policy).rules)
        assert await lives(store) == before
        assert (await it.look()).damages == ()
        assert await went(it, review, "b") == "LiveRefused"  # its one use was on target a


@played
async def test_what_goes_live_during_a_rebuild_is_no_forgery(tmp_path: Path) -> None:
    """I21: a row that came after its target was read is held against the log once more before it goes."""
    async with live(tmp_path) as (it, _):
        rules, house = Policies(it.house.policy).rules, it.house
        meanwhile = Meanwhile(house.store)
        stream = await house.cleared({"five.py": b"5\n"})
        five = RecordLive(target="a", review=stream.removeprefix("review/"), digest=work_of({"five.py": b"5\n"}).digest)
        meanwhile.then = lambda: house.do(HUGO, five, "target/a")
        await rebuild(meanwhile, "lives", rules)
        assert len(await lives(house.store)) == 2
        assert (await it.look()).damages == ()


class Meanwhile:
    """A store in which something happens right after the first transaction."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.then: Callable[[], Awaitable[object]] | None = None

    async def read(self, work: Callable[[Reading], T]) -> T:
        return await self._store.read(work)

    async def write(self, work: Callable[[Writing], T]) -> T:
        result = await self._store.write(work)
        if self.then:
            then, self.then = self.then, None
            await then()
        return result

    async def close(self) -> None:
        await self._store.close()
