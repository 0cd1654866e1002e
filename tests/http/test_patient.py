"""A client that is refused again and again must wait, and no other client does."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from foureyes.app.accounts import stream_of
from foureyes.app.limits import Limits
from foureyes.app.patience import FREE, LOOKS_A_SECOND, PARTIES_MAX, WAIT_SECONDS_MAX, WAITING_MAX, Patience
from foureyes.codec.sizes import VALUES_MAX
from foureyes.core.principals import RemovePrincipal
from foureyes.http import patient
from foureyes.http.bodies import BODY_BYTES_MAX
from foureyes.http.patient import Patient
from foureyes.http.routes import BASE
from tests.app.house import played
from tests.calls.counter import SUE
from tests.http.test_http import told
from tests.http.web import Answer, Web

OFTEN = int(FREE) + 1
NOBODY = {"authorization": "Bearer foureyes_0123456789_nothing"}


@dataclass
class Hall:
    """An application behind the back-off, with a manual clock."""

    web: Web = field(default_factory=Web)
    now: float = 50.0
    waits: list[float] = field(default_factory=list)
    patience: Patience = field(default_factory=Patience)

    def __post_init__(self) -> None:
        async def pause(seconds: float) -> None:
            self.waits.append(seconds)
            assert self.patience.waiting >= 1

        self.web.app = Patient(self.web.app, patience=self.patience, clock=lambda: self.now, pause=pause)

    async def me(self, headers: dict[str, str]) -> Answer:
        return await self.web.get(f"{BASE}/me", headers)


@pytest.mark.parametrize("headers", [{}, NOBODY])
def test_who_nobody_knows_waits_after_a_few_and_who_has_a_good_token_never(headers: dict[str, str]) -> None:
    """T18: from the same address."""

    @played
    async def story() -> None:
        hall = Hall()
        dev = await hall.web.agent("dev")
        assert (await hall.me(dev)).status == 200
        for _ in range(OFTEN):
            told(await hall.me(headers), 401, "credential_needed")
        assert hall.waits == []
        told(await hall.me(headers), 401, "credential_needed")
        assert hall.waits == pytest.approx([1 / LOOKS_A_SECOND])
        assert (await hall.me(dev)).status == 200
        assert len(hall.waits) == 1
        # A new client waits briefly like the others, and never again.
        codex = await hall.web.agent("codex")
        assert (await hall.me(codex)).status == 200
        assert (await hall.me(codex)).status == 200
        assert hall.waits == pytest.approx([1 / LOOKS_A_SECOND, 2 / LOOKS_A_SECOND])

    story()


@played
async def test_places_that_there_are_not_count_too() -> None:
    hall = Hall()
    for _ in range(OFTEN + 1):
        told(await hall.web.get("/nowhere", {}), 404, "no_such_place")
    assert len(hall.waits) == 1


@played
async def test_a_flood_is_looked_at_so_many_times_a_second_and_the_rest_hears_no() -> None:
    """T18: without looking anything up, and with when to come back."""
    hall = Hall()
    for _ in range(OFTEN):
        await hall.me(NOBODY)
    answers = [await hall.me(NOBODY) for _ in range(150)]
    line = int(WAIT_SECONDS_MAX * LOOKS_A_SECOND)
    assert [one.status for one in answers] == [401] * line + [429] * (150 - line)
    told(answers[-1], 429, "limit_reached")
    assert (answers[-1].headers["retry-after"], answers[-1].headers["connection"]) == ("5", "close")
    assert max(hall.waits) == WAIT_SECONDS_MAX
    hall.now += 60
    hall.waits.clear()
    told(await hall.me(NOBODY), 401, "credential_needed")
    assert hall.waits == []


@played
async def test_who_is_over_a_limit_and_does_not_stop_waits_with_every_token_of_theirs_and_others_do_not() -> None:
    """T18."""
    hall = Hall()
    office = hall.web.office
    dev, codex = await hall.web.agent("dev"), await hall.web.agent("codex")
    office.quotas.limits = Limits(account=replace(Limits().account, requests_a_minute=1))
    answers = [await hall.me(dev) for _ in range(1 + OFTEN)]
    told(answers[-1], 429, "limit_reached")
    assert hall.waits == []
    assert (await hall.me(dev)).status == 429
    assert len(hall.waits) == 1
    assert (await hall.me(codex)).status == 200
    assert len(hall.waits) == 1


@pytest.mark.parametrize("body", [b" " * (BODY_BYTES_MAX + 1), b"[" + b"1," * VALUES_MAX + b"1]"])
def test_who_sends_what_is_too_large_again_and_again_waits_and_others_do_not(body: bytes) -> None:
    """T18: too long or too full; a good token does not help."""

    @played
    async def story() -> None:
        hall = Hall()
        dev, codex = await hall.web.agent("dev"), await hall.web.agent("codex")
        for _ in range(OFTEN):
            told(await hall.web.request("POST", f"{BASE}/reviews", dev, body), 413, "too_large")
        assert hall.waits == []
        assert (await hall.me(dev)).status == 200
        assert len(hall.waits) == 1
        assert (await hall.me(codex)).status == 200
        assert len(hall.waits) == 1

    story()


@played
async def test_a_token_that_is_taken_back_is_nobodys() -> None:
    """T24: what was learnt of it is forgotten."""
    hall = Hall()
    dev = await hall.web.agent("dev")
    for _ in range(OFTEN):
        await hall.me({})
    assert (await hall.me(dev)).status == 200
    await hall.me(dev)
    assert len(hall.waits) == 1
    await hall.web.house.do(SUE, RemovePrincipal(reason="Gone."), stream_of("dev"))
    told(await hall.me(dev), 401, "credential_needed")
    told(await hall.me(dev), 401, "credential_needed")
    assert len(hall.waits) == 2


@played
async def test_who_went_away_while_they_waited_is_not_looked_at() -> None:
    looked = list[str]()

    async def app(_: Any, receive: Any, send: Any) -> None:
        looked.append((await receive())["type"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def pause(_: float) -> None:
        return

    one = Patient(app, clock=lambda: 0.0, pause=pause)
    messages = ["http.request"] * (OFTEN + 1)

    async def receive() -> Any:
        return {"type": messages.pop() if messages else "http.disconnect"}

    async def send(_: Any) -> None:
        return

    scope: dict[str, Any] = {"type": "http", "headers": [], "client": None}
    for _ in range(OFTEN + 2):
        await one(scope, receive, send)
    assert looked == ["http.request"] * (OFTEN + 1)


@played
async def test_what_is_no_request_goes_through() -> None:
    seen = list[str]()

    async def app(scope: Any, *_: Any) -> None:
        seen.append(scope["type"])

    await Patient(app)({"type": "lifespan"}, None, None)  # type: ignore[arg-type]
    assert seen == ["lifespan"]


@pytest.mark.parametrize(
    ("hosts", "alike"),
    [
        (("10.0.0.1", "10.0.0.2"), False),
        (("2001:db8::1", "2001:db8::2"), True),
        (("2001:db8::1", "2001:db8:0:1::1"), False),
        (("fe80::1%eth0", "fe80::2"), True),
        (("a:b", "a:c"), False),
    ],
)
def test_a_house_is_an_address_or_the_part_of_one_that_a_house_has(hosts: tuple[str, str], alike: bool) -> None:
    one, other = (patient._house({"client": (host, 1)}) for host in hosts)
    assert (one == other) is alike


def test_no_more_is_remembered_than_fits_and_no_more_wait() -> None:
    patience = Patience()
    for _ in range(OFTEN):
        patience.told_no("worst", 0.0)
    for number in range(2 * PARTIES_MAX):
        patience.told_no(f"p{number}", 0.0)
    assert len(patience._records) <= PARTIES_MAX
    assert patience.wait("worst", 0.0).seconds
    patience.waiting = WAITING_MAX
    away = patience.wait("worst", 0.0)
    assert (away.seconds, away.is_looked_at) == (0.0, False)
