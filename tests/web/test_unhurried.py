"""A human on the pages does not wait for what strangers send from the same address."""

from __future__ import annotations

from dataclasses import replace

from foureyes.app.limits import Limits
from foureyes.app.patience import FREE, Patience
from foureyes.http.patient import Patient
from tests.app.house import played
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
