"""A use of a clearance stands in the target's log and in a row; who changes the row is found."""

# ruff: noqa: S608 - a forger builds his statements as he likes

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from foureyes.app.work import work_of
from foureyes.core.live import RecordLive
from tests.app.house import RULES, House, played, policy
from tests.cast import HUGO
from tests.tamper.desk import Desk, desk

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
        ((key, _),) = await it.house.store.read(lambda reading: reading.rows("lives"))
        yield it, key


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
    """Else whoever writes the file could use up a clearance, or make one look used."""
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
