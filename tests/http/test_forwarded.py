"""Behind a proxy every client has the address the proxy saw, whatever its headers; without one headers are ignored."""

from typing import Any

import pytest

from foureyes.http.forwarded import Forwarded
from tests.app.house import played
from tests.http.test_http import told
from tests.http.test_patient import NOBODY, OFTEN, Hall
from tests.http.web import HOST, Web

PROXY = ("127.0.0.1", 5000)


@pytest.mark.parametrize(
    ("said", "asker"),
    [
        ([], PROXY[0]),
        (["198.51.100.7"], "198.51.100.7"),
        (["10.0.0.1, 127.0.0.1, 198.51.100.7"], "198.51.100.7"),
        (["10.0.0.1", "198.51.100.7:4711"], "198.51.100.7"),
        (["2001:DB8::1"], "2001:db8::1"),
        (["[2001:db8::1]:443"], "2001:db8::1"),
        (["198.51.100.7, unknown"], PROXY[0]),
        (["198.51.100.7,"], PROXY[0]),
        (["\xff" * 5_000], PROXY[0]),
    ],
)
def test_the_last_address_is_the_askers_and_what_is_none_is_the_proxys(said: list[str], asker: str) -> None:
    """T18, T23."""
    seen = list[Any]()

    async def app(scope: Any, *_: Any) -> None:
        seen.append(scope["client"][0])

    @played
    async def story() -> None:
        headers = [(b"x-forwarded-for", one.encode("latin-1")) for one in said]
        await Forwarded(app)({"type": "http", "headers": headers, "client": PROXY}, None, None)  # type: ignore[arg-type]

    story()
    assert seen == [asker]


@played
async def test_who_names_another_address_each_time_waits_all_the_same() -> None:
    """T18: a proxy adds whom it sees, behind whatever came to it."""
    hall = Hall()
    hall.web.app = Forwarded(hall.web.app)
    for number in range(OFTEN + 1):
        told(await hall.me({**NOBODY, "x-forwarded-for": f"10.0.0.{number}, 198.51.100.7"}), 401, "credential_needed")
    assert len(hall.waits) == 1
    await hall.me({**NOBODY, "x-forwarded-for": "198.51.100.7, 198.51.100.8"})
    assert len(hall.waits) == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([("host", HOST)], 200),
        ([("host", HOST.upper()), ("origin", f"HTTP://{HOST}")], 200),
        ([], 421),
        ([("host", "evil.example"), ("host", HOST)], 421),
        ([("host", HOST), ("host", "evil.example")], 421),
        ([("host", HOST), ("host", HOST)], 421),
        ([("host", HOST), ("origin", "https://evil.example"), ("origin", f"http://{HOST}")], 403),
        ([("host", HOST), ("origin", "null")], 403),
        ([("host", HOST), ("x-forwarded-host", "evil.example"), ("forwarded", "host=evil.example")], 200),
    ],
)
def test_a_request_has_one_name_and_it_is_ours(headers: list[tuple[str, str]], status: int) -> None:
    """T23: a request with two host names could be taken for either."""
    found = list[int]()

    async def send(message: Any) -> None:
        found.append(message.get("status", 0))

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    @played
    async def story() -> None:
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/health",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in headers],
            "client": PROXY,
        }
        await Web().app(scope, receive, send)

    story()
    assert found[0] == status
