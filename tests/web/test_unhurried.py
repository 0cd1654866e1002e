"""A human on the pages is not delayed by requests of others from the same address."""

from __future__ import annotations

from dataclasses import replace

import pytest
from starlette.types import Receive, Scope, Send

from foureyes.app.limits import Limits
from foureyes.app.patience import FREE, Patience
from foureyes.app.turns import CAME
from foureyes.http.patient import Patient
from foureyes.http.routes import BASE
from tests.app.house import played
from tests.app.test_turns import EVE, Clock, asks
from tests.web.browser import Site

OFTEN = 3 * int(FREE)


@played
async def test_who_is_signed_in_never_waits_though_strangers_at_the_same_address_do() -> None:
    """T18: an agent without a token cannot hold up the human who rules."""
    site, waits = Site(), list[float]()
    human = await site.browser()

    async def pause(seconds: float) -> None:
        waits.append(seconds)

    site.app = Patient(site.app, patience=Patience(), clock=lambda: 50.0, pause=pause)
    assert (await human.open("/")).status == 200
    for _ in range(OFTEN):
        assert (await site.stranger().open("/")).status == 401
    assert waits
    waits.clear()
    for _ in range(OFTEN):
        assert (await human.open("/")).status == 200
    assert waits == []


@played
async def test_who_asks_the_pages_too_fast_is_told_when_to_come_back() -> None:
    """T18: as everywhere, so that it counts as everywhere."""
    site = Site()
    human = await site.browser()
    site.office.quotas.limits = Limits(account=replace(Limits().account, requests_a_minute=1))
    site.house.wait(minutes=2)
    pages = [await human.open("/accounts") for _ in range(2)]
    assert [one.status for one in pages] == [200, 429]
    assert "Try again in 60 seconds." in pages[1].text
    cookie = "; ".join(f"{name}={value}" for name, value in human.cookies.items())
    assert (await site.request("GET", "/accounts", {"cookie": cookie})).headers["retry-after"] == "60"


@pytest.mark.parametrize("path", ["/accounts", f"{BASE}/me"])
@played
async def test_who_came_while_a_flood_was_answered_has_waited_for_it_by_every_door(path: str) -> None:
    """T18: the human on the pages too; behind what is answered in one go nobody is seen waiting."""
    site, clock = Site(), Clock()
    human, inside = await site.browser(), site.app
    quotas = site.office.quotas
    quotas._room = clock.quotas()._room
    for _ in range(1_000):
        await asks(quotas, clock, EVE)
    came = clock.now
    await asks(quotas, clock, EVE)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await inside({**scope, CAME: came}, receive, send)

    site.app = app
    assert (await human.open(path)).status == 200
    await asks(quotas, clock, EVE)
    assert clock.later != []
