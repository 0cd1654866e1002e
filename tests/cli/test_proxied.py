"""A real server behind a real proxy: reached by its public name, and no caller is mistaken for another."""

from __future__ import annotations

import asyncio
import http.client
import json
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.app.house import played
from tests.cli.running import ANSWER_SECONDS_MAX, Running, where
from tests.http.proxied import Proxy
from tests.http.web import Answer
from tests.web.browser import Browser

NAME = "gate.example"
PUBLIC = f"https://{NAME}"
#: Headers of a client that claims other addresses.
LIES = {"x-forwarded-for": "10.0.0.1, 127.0.0.1", "x-real-ip": "10.0.0.1", "forwarded": "for=10.0.0.1"}


@dataclass
class Outside:
    """A client that connects to an address from its own address."""

    netloc: str
    own: str = "127.0.0.2"

    async def send(self, method: str, address: str, headers: dict[str, str], body: bytes = b"") -> Answer:
        """Send a request to the public name, unless another is given."""
        return await asyncio.to_thread(self._sent, method, address, {"host": NAME, **headers}, body)

    def _sent(self, method: str, address: str, headers: dict[str, str], body: bytes) -> Answer:
        parts = urlsplit(address)
        there = f"{parts.path}?{parts.query}" if parts.query else parts.path
        connection = http.client.HTTPConnection(self.netloc, timeout=ANSWER_SECONDS_MAX, source_address=(self.own, 0))
        try:
            connection.request(method, there, body or None, headers)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(status=answer.status, headers=found, body=answer.read())
        finally:
            connection.close()


async def signed_in(server: Running, outside: Outside, page: Path) -> tuple[Browser, str]:
    """A human who came by the public address, with the header that set their cookie."""
    made = await asyncio.to_thread(server.run, "humans", "link", "--to", str(page))
    assert made.returncode == 0, made.stderr
    address = where(page)
    assert address.startswith(f"{PUBLIC}/sign-in?link=")
    cookies = list[str]()

    async def send(method: str, address: str, headers: dict[str, str], body: bytes) -> Answer:
        answer = await outside.send(method, address, headers, body)
        cookies.append(answer.headers.get("set-cookie", ""))
        return answer

    human = Browser(send=send, origin=PUBLIC)
    shown = await human.submit((await human.open(address)).form("/sign-in"))
    assert "What waits" in shown.text
    return human, next(one for one in cookies if one)


@pytest.mark.timeout(180)
def test_behind_a_proxy_it_is_its_public_name_to_humans_and_agents(tmp_path: Path) -> None:
    """T23: links, cookies, the lines that connect agents, and the tools; by no other name, from no other page."""

    @played
    async def story() -> None:
        arguments = ("--public-url", f"https://{NAME.upper()}:443/", "--behind-proxy")
        with Running(tmp_path / "home", has_browser=False, arguments=arguments) as server:
            assert (server.begun["public"], server.begun["mcp"]) == (PUBLIC, f"{PUBLIC}/mcp")
            for keeps_host in (True, False):
                async with Proxy(server.netloc, keeps_host=keeps_host).serving() as netloc:
                    outside = Outside(netloc)
                    human, cookie = await signed_in(server, outside, tmp_path / f"page-{keeps_host}.html")
                    assert {"secure", "httponly", "samesite=strict"} <= set(cookie.lower().split("; "))
                    token = await _enrolled(human, f"agent-{keeps_host}".lower())
                    await _listened(outside, token)
                    assert (await outside.send("GET", "/health", {"origin": "https://evil.example"})).status == 403
                    strange = await outside.send("GET", "/health", {"host": "evil.example"})
                    assert strange.status == (421 if keeps_host else 200), "who rewrites the name answers for it"
            assert server.end() == 0

    story()


async def _enrolled(human: Browser, name: str) -> str:
    form = (await human.open("/accounts")).form("/accounts/enrol")
    page = await human.submit(form, name=name, kind="agent", operator="co")
    assert page.status == 201, page.text
    assert f"{PUBLIC}/mcp" in page.text
    return page.token


async def _listened(outside: Outside, token: str) -> None:
    """List the tools as an agent, with any spelling of the host name."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    headers = {
        "host": NAME.upper(),
        "authorization": f"Bearer {token}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2025-06-18",
    }
    answer = await outside.send("POST", "/mcp", headers, json.dumps(message).encode())
    assert answer.status == 200, answer.body
    assert b"open_review" in answer.body


@pytest.mark.timeout(180)
@pytest.mark.parametrize("behind", [True, False])
def test_only_a_proxy_is_believed_about_who_asks_and_only_for_what_it_saw(tmp_path: Path, behind: bool) -> None:
    """T18: a flooder cannot pretend to be many clients; its address is in the log."""

    @played
    async def story() -> None:
        arguments = ("--public-url", PUBLIC, *(("--behind-proxy",) if behind else ()))
        with Running(tmp_path / "home", has_browser=False, arguments=arguments) as server:
            async with Proxy(server.netloc).serving() as netloc:
                for own in ("127.0.0.2", "127.0.0.3"):
                    assert (await Outside(netloc, own).send("GET", "/health", LIES)).status == 200
            assert (await Outside(server.netloc).send("GET", "/health", {})).status == 200
            assert server.end() == 0
            lines = [json.loads(line) for line in server.logged().splitlines()]
        seen = [one["from"] for one in lines if one.get("path") == "/health"]
        assert seen == (["127.0.0.2", "127.0.0.3", "127.0.0.2"] if behind else ["127.0.0.1", "127.0.0.1", "127.0.0.2"])

    story()
