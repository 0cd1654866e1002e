"""Expired rows are deleted in the end, however many live rows come before them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial

import pytest

from foureyes.app import links, signing_in
from foureyes.app.accounts import stream_of
from foureyes.app.ports import Writing
from foureyes.app.rows import DECIDING_LINKS, LINKS, SIGN_INS, START
from foureyes.app.sweeping import SWEPT_MAX, sweep
from foureyes.core.principals import EnrolPrincipal
from foureyes.store.memory import MemoryStore
from tests.app.house import House, played
from tests.calls.counter import OWNER
from tests.cast import START as NOW

LIVING = 2 * SWEPT_MAX
#: The start is random: each run looks at about one of two rows.
TRIES_MAX = 60


def hashed(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


@played
async def test_what_is_over_goes_wherever_it_lies_and_what_lives_stays() -> None:
    store = MemoryStore()
    living = {hashed(f"living {number}"): "9999-01-01T00:00:00+00:00" for number in range(LIVING)}
    over = {"0" * 64: NOW.isoformat(), "f" * 64: NOW.isoformat()}

    def fill(tx: Writing) -> None:
        tx.follow(SIGN_INS, {key: json.dumps({"ends": ends}) for key, ends in (living | over).items()}, START)

    await store.write(fill)
    for number in range(20):
        await store.write(lambda tx, number=number: sweep(tx, SIGN_INS, hashed(f"new {number}"), NOW))  # type: ignore[misc]
    rows = await store.read(lambda reading: reading.rows(SIGN_INS, limit=2 * LIVING))
    assert {key for key, _ in rows} == set(living)


@played
async def test_one_sweep_looks_at_all_there_is_where_that_is_little() -> None:
    store = MemoryStore()
    ends = json.dumps({"ends": NOW.isoformat()})
    await store.write(lambda tx: tx.follow(SIGN_INS, dict.fromkeys(("1", "5", "9"), ends), START))
    await store.write(lambda tx: sweep(tx, SIGN_INS, "5", NOW))
    assert await store.read(lambda reading: reading.rows(SIGN_INS)) == ()


def decide(number: int, tx: Writing) -> None:
    asked = links.Asked(letter=f"m{number}", human="sue", review="r1", request="q")
    assert links.made(tx, b"k", asked, NOW)


def sign_in(_number: int, tx: Writing) -> None:
    secret = signing_in.new_link(tx, "sue", NOW)
    assert secret
    assert signing_in.redeemed(tx, secret, NOW)


@pytest.mark.parametrize(("table", "act"), [(DECIDING_LINKS, decide), (LINKS, sign_in), (SIGN_INS, sign_in)])
def test_links_and_sessions_that_are_over_go_behind_many_that_are_not(
    table: str, act: Callable[[int, Writing], None]
) -> None:
    @played
    async def story() -> None:
        house = House()
        await house.do(OWNER, EnrolPrincipal(kind="human"), stream_of("sue"))
        living = {hashed(f"living {number}"): "9999-01-01T00:00:00+00:00" for number in range(LIVING)}
        rows = {key: json.dumps({"ends": ends}) for key, ends in (living | {"~": NOW.isoformat()}).items()}
        await house.store.write(lambda tx: tx.follow(table, rows, START))
        for number in range(TRIES_MAX):
            await house.store.write(partial(act, number))
        assert await house.store.read(lambda reading: reading.row(table, "~")) is None

    story()
