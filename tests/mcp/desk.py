"""Agents with the SDK's own client: straight to the server, and over HTTP through the whole application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent
from starlette.routing import Route

from foureyes.app.calls.office import Office
from foureyes.app.credentials import Credential
from foureyes.bootstrap.speaking import endpoint
from foureyes.http.app import build as application
from foureyes.mcp.near import Near, by_credential
from foureyes.mcp.over_http import PATH, REVIEW_SERVER_PATH, Endpoint
from foureyes.mcp.server import FOUREYES, Face, build
from foureyes.mcp.tools import SEVEN, TOOLS
from tests.app.house import House
from tests.http.web import HOST, SITE, Answer, Web

LEGACY, MODERN = "legacy", "2026-07-28"
ERAS = (LEGACY, MODERN)
URL = f"http://{HOST}{PATH}"


@dataclass
class Desk(Web):
    """The application with the MCP tools beside the API."""

    house: House = field(default_factory=House)

    def __post_init__(self) -> None:
        self.office = Office(gate=self.house.gate, store=self.house.store, clock=lambda: self.house.now)
        self.endpoint: Endpoint = endpoint(self.office, SITE.hosts, SITE.origins)
        routes = [Route(path, self.endpoint) for path in (PATH, REVIEW_SERVER_PATH)]
        self.app = application(self.office, SITE, routes)

    async def request(
        self, method: str, path: str, headers: dict[str, str], body: bytes = b"", *, query: str = ""
    ) -> Answer:
        """Send a request and wait for the answer."""
        named = {"host": HOST, **headers}
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=self.app)) as web:
            found = await web.request(method, f"http://{HOST}{path}", params=query, headers=named, content=body)
        return Answer(status=found.status_code, headers=dict(found.headers), body=found.content)

    @asynccontextmanager
    async def near(self, headers: dict[str, str], era: str, face: Face = FOUREYES) -> AsyncIterator[Client]:
        """A client of the server itself, with this credential at its start."""
        credential = Credential(token=headers["authorization"].removeprefix("Bearer "))
        who = by_credential(self.office, credential)
        server = build(Near(self.office, who, SEVEN if face.bare else TOOLS), face)
        async with Client(server, mode=era) as client:
            yield client

    @asynccontextmanager
    async def over_http(
        self, headers: dict[str, str], era: str, tools: str = "?tools=all", path: str = PATH
    ) -> AsyncIterator[Client]:
        """A client of the application, to be used inside `endpoint.serving`.

        All tools are listed to it by default: it checks the answers of listed tools.
        """
        transport = httpx2.ASGITransport(app=self.app)
        async with (
            httpx2.AsyncClient(transport=transport, headers=headers) as web,
            Client(streamable_http_client(f"http://{HOST}{path}{tools}", http_client=web), mode=era) as client,
        ):
            yield client


def text_of(result: CallToolResult) -> str:
    """The text that the model reads."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def tool(client: Client, name: str, /, **arguments: Any) -> dict[str, Any]:
    """A tool that answers."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error, text_of(result)
    found: dict[str, Any] = result.structured_content
    return found


async def no(client: Client, name: str, /, **arguments: Any) -> str:
    """Call a tool that must refuse, and return its text."""
    result = await client.call_tool(name, arguments)
    assert result.is_error, result.structured_content
    return text_of(result)
