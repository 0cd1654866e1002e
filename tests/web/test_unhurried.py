"""A human on the pages does not wait for what strangers send from the same address."""

from __future__ import annotations

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
