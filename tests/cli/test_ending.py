"""A server that is stopped releases waiting callers, is not held up by anyone, and a retry breaks nothing."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.app.house import played
from tests.cli.running import END_SECONDS_MAX, Running
from tests.cli.test_up import HELLO, enrolled, looked_at, signed_in

#: A busy machine is slow before the first agent is answered.
SECONDS_MAX = 110
MCP = {
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2025-06-18",
}


@contextmanager
def asked(
    server: Running, method: str, path: str, headers: dict[str, str], body: Any = None
) -> Iterator[http.client.HTTPConnection]:
    """A pending request whose caller waits for its answer."""
    with closing(http.client.HTTPConnection(server.netloc, timeout=SECONDS_MAX)) as connection:
        connection.request(method, path, json.dumps(body) if body else None, headers)
        yield connection


@contextmanager
def broken_off(server: Running, sent: bytes) -> Iterator[socket.socket]:
    """A client that starts a request and then sends nothing."""
    host, _, port = server.netloc.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=SECONDS_MAX) as line:
        line.sendall(sent.replace(b"HOST", server.netloc.encode()))
        yield line


def waiting(review: str, seconds: int) -> dict[str, Any]:
    """A call of the tool that waits."""
    params = {"name": "wait", "arguments": {"review": review, "seconds": seconds}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def result_of(call: http.client.HTTPConnection) -> dict[str, Any]:
    """The result of a tool call."""
    said = call.getresponse().read().decode()
    return dict(json.loads(said.partition("data: ")[2] or said)["result"]["structuredContent"])


def end_again_and_again(server: Running) -> int:
    """Ask it to end until it has, as an impatient person does; its exit code."""
    began = time.monotonic()
    while True:
        server.process.send_signal(signal.SIGTERM)
        try:
            return server.process.wait(0.02)
        except subprocess.TimeoutExpired:
            assert time.monotonic() < began + END_SECONDS_MAX, "it must end within ten seconds"


@pytest.mark.timeout(300)
def test_whoever_waits_is_let_go_and_nobody_holds_up_the_end(tmp_path: Path) -> None:
    """SIGTERM drains within 10 s: waits and feeds end whole at every door, half a request keeps nobody."""

    @played
    async def story() -> None:
        with Running(tmp_path / "home") as server, ExitStack() as stack:
            token = await enrolled(server, await signed_in(server), "dev")
            dev = {"authorization": f"Bearer {token}"}
            opened = await server.ask(token, "POST", "/reviews", kind="note", title="Wait", files=HELLO)
            review = opened["review"]
            await looked_at(server, token, review)
            assert result_of(stack.enter_context(asked(server, "POST", "/mcp", dev | MCP, waiting(review, 0))))
            feed = stack.enter_context(asked(server, "GET", "/api/v1/feed", dev)).getresponse()
            assert feed.readline().startswith(b"retry:")
            stack.enter_context(asked(server, "GET", "/api/v1/feed", dev))  # who never reads
            waits = stack.enter_context(asked(server, "GET", f"/api/v1/reviews/{review}/wait?seconds=45", dev))
            tool = stack.enter_context(asked(server, "POST", "/mcp", dev | MCP, waiting(review, 45)))
            half = f"POST /api/v1/reviews HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer {token}\r\n"
            stack.enter_context(broken_off(server, half.encode()))
            stack.enter_context(broken_off(server, f"{half}content-length: 1000\r\n\r\n{{".encode()))
            assert (await server.send("GET", "/health", {})).status == 200
            assert end_again_and_again(server) == 0
            assert feed.read().strip() == b"", "it ends as a whole, with nothing left out"
            answer = waits.getresponse()
            assert (answer.status, json.loads(answer.read())["changed"]) == (200, False)
            assert not result_of(tool)["changed"]
            lines = [json.loads(line) for line in server.logged().splitlines()]
            assert lines[-1]["message"] == "ended"
            assert not [one for one in lines if "Traceback" in one.get("error", "")]
            assert json.loads(server.run("status", "--json").stdout)["server"] is None

    story()
