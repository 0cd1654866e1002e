"""A message to the endpoint as a server passes it on, without a socket and without a client in between."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from foureyes.mcp.over_http import PATH, REVIEW_SERVER_PATH, App
from foureyes.mcp.tools import SEVEN
from tests.http.web import HOST, Answer
from tests.mcp.desk import MODERN

META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
ACCEPTED = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def message(method: str, params: dict[str, Any], era: str) -> tuple[dict[str, str], bytes]:
    """The headers and the body of a message."""
    if era != MODERN:
        body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        return ACCEPTED | {"mcp-protocol-version": "2025-06-18"}, json.dumps(body).encode()
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {**params, "_meta": META}}
    headers = ACCEPTED | {"mcp-protocol-version": MODERN, "mcp-method": method}
    if method in _NAMED:
        headers["mcp-name"] = str(params[_NAMED[method]])
    return headers, json.dumps(body).encode()


def path_of(method: str, params: dict[str, Any]) -> str:
    """The path of a request: the seven tools of the review server have their own."""
    return REVIEW_SERVER_PATH if method == "tools/call" and params["name"] in SEVEN else PATH


async def posted(app: App, headers: dict[str, str], body: bytes, path: str = PATH) -> Answer:
    """Post a message and wait for the answer."""
    sent, over = list[Any](), asyncio.Event()
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if left:
            return left.pop()
        await over.wait()
        return {"type": "http.disconnect"}

    async def send(one: Any) -> None:
        sent.append(one)
        if one["type"] == "http.response.body" and not one.get("more_body"):
            over.set()

    named = {"host": HOST, **headers}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower().encode(), value.encode("latin-1", "replace")) for name, value in named.items()],
        "client": ("127.0.0.1", 5000),
        "server": ("127.0.0.1", 8004),
        "state": {},
    }
    await app(scope, receive, send)
    found = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(status=sent[0]["status"], headers=found, body=b"".join(one.get("body", b"") for one in sent[1:]))


def said(answer: Answer) -> Any:
    """The message in an answer, alone or as the last event of a stream."""
    text = answer.body.decode()
    if answer.headers.get("content-type", "").startswith("text/event-stream"):
        text = next(line[5:] for line in reversed(text.splitlines()) if line.startswith("data:"))
    return json.loads(text)
