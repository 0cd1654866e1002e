"""An answer is the same with and without the SDK in between; calls that wait go through the SDK."""

import asyncio
from typing import Any

import pytest

from foureyes.mcp.over_http import PATH
from tests.app.house import played
from tests.http.web import HOST
from tests.mcp.desk import MODERN, Desk
from tests.mcp.wire import message

#: Much longer than it takes to notice a disconnected caller.
WAITS_SECONDS, SECONDS_MAX = 40, 20
TURNS_MAX = 10_000


@pytest.mark.parametrize("review", ["", "r404"])
def test_a_call_is_answered_with_the_same_bytes_whether_it_is_watched_over_or_not(review: str) -> None:
    """A wait of zero seconds gets the same answer as no wait argument."""

    @played
    async def story() -> None:
        desk = Desk()
        dev = await desk.agent("dev")
        about = {"review": review or (await desk.house.open()).removeprefix("review/")}
        async with desk.endpoint.serving():
            first, second = [await _called(desk, dev, "read_review", {**about, **more}) for more in ({}, {"wait": 0})]
        assert first.status == second.status == 200
        assert first.body == second.body
        assert first.headers == second.headers

    story()


@pytest.mark.parametrize("more", [{}, {"wait": 0}])
def test_whoever_takes_no_stream_is_told_so_whether_it_would_be_watched_over_or_not(more: dict[str, Any]) -> None:
    @played
    async def story() -> None:
        desk = Desk()
        dev = await desk.agent("dev") | {"accept": "application/json"}
        async with desk.endpoint.serving():
            assert (await _called(desk, dev, "read_review", {"review": "r1", **more})).status == 406

    story()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("read_review", {"wait": WAITS_SECONDS}), ("wait", {"seconds": WAITS_SECONDS})],
)
def test_nobody_is_waited_for_who_left(name: str, arguments: dict[str, Any]) -> None:
    """Otherwise a client that disconnects and retries would have a wait running for each attempt."""

    @played
    async def story() -> None:
        desk = Desk()
        dev = await desk.agent("dev")
        about = {"review": (await desk.house.open()).removeprefix("review/"), **arguments}
        headers, body = message("tools/call", {"name": name, "arguments": about}, MODERN)
        async with desk.endpoint.serving(), asyncio.timeout(SECONDS_MAX):
            await _left(desk, {**headers, **dev}, body)
        assert not desk.office.quotas.held("waits")

    story()


async def _called(desk: Desk, headers: dict[str, str], name: str, arguments: dict[str, Any]) -> Any:
    named, body = message("tools/call", {"name": name, "arguments": arguments}, MODERN)
    return await desk.request("POST", PATH, named | headers, body)


async def _left(desk: Desk, headers: dict[str, str], body: bytes) -> None:
    """Send a request, and disconnect while it waits."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if left:
            return left.pop()
        for _ in range(TURNS_MAX):
            if desk.office.quotas.held("waits"):
                return {"type": "http.disconnect"}
            await asyncio.sleep(0)
        raise AssertionError("nobody waits")

    async def send(_: Any) -> None:
        """Drop the message: there is no receiver."""

    scope = {
        "type": "http",
        "method": "POST",
        "path": PATH,
        "query_string": b"",
        "headers": [(one.lower().encode(), value.encode()) for one, value in {"host": HOST, **headers}.items()],
        "client": ("127.0.0.1", 5000),
    }
    await desk.app(scope, receive, send)
