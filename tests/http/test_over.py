"""An expired token or session stays expired, even when the clock is set back."""

from __future__ import annotations

from datetime import timedelta

from foureyes.app.calls.office import Office
from foureyes.app.signing_in import SIGN_IN_LIFE
from foureyes.http.app import build
from tests.app.house import played
from tests.http.web import SITE, Web

ME = "/api/v1/me"
TOKENS = "/api/v1/accounts/dev/tokens"
LIFE = timedelta(hours=1)


def _restarted(web: Web) -> None:
    """The store in a new process, which has only the stored state."""
    web.office = Office(gate=web.house.gate, store=web.house.store, clock=lambda: web.house.now)
    web.app = build(web.office, SITE)


@played
async def test_a_token_that_is_over_stays_over_when_the_clock_is_set_back() -> None:
    """U-18: in the same process and in the next one."""
    web = Web()
    await web.agent("dev")
    sue = await web.human("sue")
    ends = (web.house.now + LIFE).isoformat().replace("+00:00", "Z")
    issued = (await web.post(TOKENS, sue, expires=ends)).data
    token = {"authorization": f"Bearer {issued['secret']}"}
    assert (await web.get(ME, token)).status == 200
    web.house.now += LIFE
    assert (await web.get(ME, token)).status == 401
    web.house.now -= LIFE
    assert (await web.get(ME, token)).status == 401
    _restarted(web)
    assert (await web.get(ME, token)).status == 401
    other = await web.issued("dev")
    assert (await web.get(ME, other)).status == 200, "a new one is good"


@played
async def test_a_session_that_is_over_stays_over_when_the_clock_is_set_back() -> None:
    """U-18: in the same process and in the next one."""
    web = Web()
    sue = await web.human("sue")
    assert (await web.get(ME, sue)).status == 200
    web.house.now += SIGN_IN_LIFE
    assert (await web.get(ME, sue)).status == 401
    web.house.now -= SIGN_IN_LIFE
    assert (await web.get(ME, sue)).status == 401
    _restarted(web)
    assert (await web.get(ME, sue)).status == 401
