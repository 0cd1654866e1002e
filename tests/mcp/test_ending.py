"""A stopping server interrupts no answer: a request received before is answered completely."""

import asyncio
import http.client
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.types import ASGIApp

from foureyes.app.calls.office import Office
from foureyes.mcp.over_http import PATH, Endpoint
from tests.app.house import House, played
from tests.http.web import Answer
from tests.mcp.desk import ERAS
from tests.mcp.stdio import enrolled, server_at
from tests.mcp.wire import message, said

#: Longer than any polling interval for the end of the server.
WAITS_SECONDS = 2
SECONDS_MAX = 60


@pytest.mark.parametrize("era", ERAS)
def test_a_call_that_is_under_way_is_answered_though_the_server_ends(tmp_path: Path, era: str) -> None:
    """F7: an answer that is lost is a command that somebody sends twice."""
    offices = list[Office]()

    def seen(app: ASGIApp, endpoint: Endpoint) -> ASGIApp:
        offices.append(endpoint._office)
        return app

    @played
    async def story() -> None:
        house = House()
        dev = (await enrolled(house, "dev"))["dev"]
        review = (await house.open()).removeprefix("review/")
        async with server_at(tmp_path / "home", house, seen) as address:
            params = {"name": "wait", "arguments": {"review": review, "seconds": WAITS_SECONDS}}
            headers, body = message("tools/call", params, era)
            call = asyncio.create_task(asyncio.to_thread(_posted, address, headers, dev, body))
            while not offices[0].quotas.held("waits"):
                assert not call.done(), await call
                await asyncio.sleep(0)
        assert said(await call)["result"]["structuredContent"]["changed"] is False

    story()


def _posted(address: str, headers: dict[str, str], token: str, body: bytes) -> Answer:
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=SECONDS_MAX)
    try:
        connection.request("POST", PATH, body, headers | {"authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        found = {name.lower(): value for name, value in answer.getheaders()}
        return Answer(status=answer.status, headers=found, body=answer.read())
    finally:
        connection.close()
