"""Callers over a limit are told when to come back; callers below it are not affected."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.app.limits import NAMES_MAX, Limits, Quotas, Share, TooFast
from foureyes.core.values import Who
from tests.app.house import played
from tests.cast import START

SHARE = Share(requests_a_minute=6, bytes_a_day=1_000, open_reviews=3, at_once=2, in_line=2, waits=2, feeds=1, uploads=1)
LIMITS = Limits(account=SHARE, operator=replace(SHARE, requests_a_minute=9, open_reviews=5))
ANN, BOB = Who(name="ann", operator="acme"), Who(name="bob", operator="acme")
EVE = Who(name="eve", operator="bolt")


def test_so_many_requests_a_minute_are_taken_and_the_next_is_told_when() -> None:
    """T18."""
    quotas = Quotas(LIMITS)
    for _ in range(6):
        quotas.asked(ANN, START).leave()
    with pytest.raises(TooFast) as caught:
        quotas.asked(ANN, START)
    assert (caught.value.seconds, quotas.is_over(ANN, START), quotas.is_over(EVE, START)) == (10, True, False)
    later = START + timedelta(seconds=10)
    quotas.asked(ANN, later).leave()
    with pytest.raises(TooFast):
        quotas.asked(ANN, later)


def test_many_accounts_of_one_operator_are_one_party() -> None:
    """T2, T18: a second name does not double what one may ask for."""
    quotas = Quotas(LIMITS)
    for number in range(9):
        quotas.asked((ANN, BOB)[number % 2], START).leave()
    with pytest.raises(TooFast, match="acme"):
        quotas.asked(BOB, START)
    quotas.asked(EVE, START)


def test_a_clock_that_is_set_back_shuts_nobody_out_for_long() -> None:
    """F9."""
    quotas = Quotas(LIMITS)
    for _ in range(6):
        quotas.asked(ANN, START + timedelta(days=3650)).leave()
    for _ in range(6):
        quotas.asked(ANN, START).leave()
    assert quotas.is_over(ANN, START)


def test_bytes_are_counted_by_the_day() -> None:
    quotas = Quotas(LIMITS)
    quotas.sent(ANN, START, 600)
    quotas.sent(ANN, START, 0)
    with pytest.raises(TooFast, match="bytes"):
        quotas.sent(ANN, START, 600)
    quotas.sent(ANN, START + timedelta(hours=12), 600)


def test_open_reviews_are_counted_anew_before_one_is_refused() -> None:
    quotas = Quotas(LIMITS)
    assert not quotas.may_open(ANN)
    quotas.counted(ANN, 1)
    assert quotas.may_open(ANN)
    for _ in range(2):
        quotas.opened(ANN)
    assert not quotas.may_open(ANN)
    with pytest.raises(TooFast, match="open reviews"):
        quotas.counted(ANN, 3)
    quotas.counted(ANN, 2)
    quotas.counted(BOB, 1)
    quotas.opened(ANN)
    quotas.opened(BOB)
    with pytest.raises(TooFast, match="acme"):
        quotas.counted(BOB, 2)


def test_what_is_held_is_given_back_however_it_ends() -> None:
    quotas = Quotas(LIMITS)
    with quotas.holding(ANN, "feeds"), pytest.raises(TooFast), quotas.holding(ANN, "feeds"):
        raise AssertionError
    assert quotas.held("feeds") == 0
    with quotas.holding(EVE, "feeds"):
        assert quotas.held("feeds") == 1


@played
async def test_who_sends_much_waits_in_a_line_of_their_own() -> None:
    """T18: a flood of one leaves the others' way free, and has an end."""
    quotas, order = Quotas(replace(LIMITS, account=replace(SHARE, requests_a_minute=60))), list[str]()
    quotas.limits = replace(quotas.limits, operator=replace(SHARE, requests_a_minute=60, at_once=50))
    go = asyncio.Event()

    async def ask(who: Who, *, waits: bool) -> None:
        async with quotas.asked(who, START):
            order.append(who.name)
            if waits:
                await go.wait()

    flood = [asyncio.create_task(ask(ANN, waits=True)) for _ in range(4)]
    await asyncio.sleep(0)
    assert order == ["ann", "ann"]
    with pytest.raises(TooFast, match="under way"):
        await ask(ANN, waits=False)
    await ask(EVE, waits=False)
    assert order == ["ann", "ann", "eve"]
    flood[-1].cancel()
    go.set()
    await asyncio.gather(*flood, return_exceptions=True)
    await ask(ANN, waits=False)
    assert order == ["ann", "ann", "eve", "ann", "ann"]


def test_no_more_names_are_remembered_than_fit() -> None:
    quotas = Quotas()
    for number in range(NAMES_MAX):
        quotas.asked(Who(name=f"a{number}", operator=f"o{number}"), START).leave()
    assert len(quotas._requests.taken) <= NAMES_MAX + 1
    assert len(quotas._lines) <= 2 * NAMES_MAX
