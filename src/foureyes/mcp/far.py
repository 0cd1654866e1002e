"""MCP on stdio in front of a running server: each request is forwarded over HTTP with the agent's own token.

Every request is self-contained, in the newer era of the protocol. The client does not notice when the server restarts,
even at another address.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import httpx2
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
)
from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    CLIENT_INFO_META_KEY,
    PROTOCOL_VERSION_META_KEY,
    SERVER_INFO_META_KEY,
)
from mcp_types.version import LATEST_MODERN_VERSION

from foureyes import __version__
from foureyes.app.credentials import AGENT_HEADER, Credential
from foureyes.app.ports import Unavailable
from foureyes.codec import Json
from foureyes.mcp.instructions import instructions_for
from foureyes.mcp.listing import WORD, Which
from foureyes.mcp.over_http import PATH
from foureyes.mcp.told import failed
from foureyes.mcp.tools import WAIT_SECONDS_MAX

CONNECT_SECONDS_MAX = 5.0
#: Requests whose answer depends on the list of tools that was chosen.
_BY_LIST = frozenset(("tools/list", "server/discover"))
ANSWER_SECONDS_MAX = WAIT_SECONDS_MAX + 15.0
_META: Json = {
    PROTOCOL_VERSION_META_KEY: LATEST_MODERN_VERSION,
    CLIENT_INFO_META_KEY: {"name": "foureyes-stdio", "version": __version__},
    CLIENT_CAPABILITIES_META_KEY: dict[str, Any](),
}


def client() -> httpx2.AsyncClient:
    """The HTTP client of the bridge. It uses no proxy and follows no redirect, because it sends the token."""
    timeout = httpx2.Timeout(ANSWER_SECONDS_MAX, connect=CONNECT_SECONDS_MAX)
    return httpx2.AsyncClient(timeout=timeout, trust_env=False, follow_redirects=False)


class Far:
    """Answer requests by forwarding them to a running server."""

    def __init__(
        self,
        web: httpx2.AsyncClient,
        address: Callable[[], str],
        credential: Credential,
        *,
        path: str = PATH,
        which: Which = Which.USUAL,
    ) -> None:
        """Forward with this credential to the server's current address, at this path."""
        self._web = web
        self._address = address
        self._headers = {"authorization": f"Bearer {credential.token}"}
        if credential.agent:
            self._headers[AGENT_HEADER] = credential.agent
        self._path = path
        self._which = which

    async def answer(self, method: str, params: Json, _: object) -> Json:
        """Forward one request."""
        try:
            return await self._asked(method, params)
        except Unavailable as error:
            if method != "tools/call":
                raise
            return failed(error.word, error.sentence, error.next_step)

    def takes(self, _: str) -> Mapping[str, Any] | None:
        """None: only the server knows the tools' schemas."""
        return None

    async def instructions(self, _: object) -> str:
        """The server's instructions for this client; if no server answers, those of authors and reviewers."""
        try:
            found = await self._asked("server/discover", {})
        except (Unavailable, MCPError):
            return instructions_for(frozenset((Which.AUTHOR, Which.REVIEWER)))
        return str(found.get("instructions") or "")

    async def _asked(self, method: str, params: Json) -> Json:
        address = self._address()
        place = address + self._path + (f"?{WORD}={self._which}" if method in _BY_LIST else "")
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": _META}}
        try:
            reply = await self._web.post(place, json=message, headers=self._headers | _routing(method, params))
        except httpx2.TransportError as error:
            raise Unavailable(f"The server at {address} does not answer ({type(error).__name__}).", _START) from None
        found = _message(reply)
        if "error" in found:
            said = found["error"]
            raise MCPError(int(said["code"]), str(said["message"]), said.get("data"))
        return _unsigned(dict(found["result"]))


_START = "Start it with `foureyes up`, then ask again with the same key."


def _routing(method: str, params: Json) -> dict[str, str]:
    headers = {
        "accept": "application/json, text/event-stream",
        MCP_PROTOCOL_VERSION_HEADER: LATEST_MODERN_VERSION,
        MCP_METHOD_HEADER: method,
    }
    if method in NAME_BEARING_METHODS:
        headers[MCP_NAME_HEADER] = encode_header_value(str(params[NAME_BEARING_METHODS[method]]))
    return headers


def _message(reply: httpx2.Response) -> Json:
    """The message in an HTTP answer: its body, or the last event of a stream; raises Unavailable for anything else."""
    text = reply.text
    if reply.headers.get("content-type", "").startswith("text/event-stream"):
        text = next((line[5:] for line in reversed(text.splitlines()) if line.startswith("data:")), "")
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, dict) and ("result" in found or "error" in found):
        return found
    said = found if isinstance(found, dict) else {}
    sentence = str(said.get("title") or f"The server answered with {reply.status_code}.")
    is_full = said.get("code") == Unavailable("", "", full=True).word
    raise Unavailable(sentence, str(said.get("next_step") or "Look at the server's log."), full=is_full)


def _unsigned(result: Json) -> Json:
    """The result without the server's name: the client sees this process as the server, under its own name."""
    said = {name: one for name, one in (result.pop("_meta", None) or {}).items() if name != SERVER_INFO_META_KEY}
    return {**result, "_meta": said} if said else result
