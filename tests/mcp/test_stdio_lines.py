"""`foureyes mcp` driven line by line: it handles cancellation, garbage and a closed stdin."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any

import pytest

from foureyes.mcp.tools import TOOLS, WAIT_SECONDS_MAX
from tests.app.house import House, played
from tests.calls.test_calls import HELLO
from tests.mcp.stdio import PROGRAM, enrolled, environment, home_with, server_at

#: A busy machine is slow before the first answer.
SECONDS_MAX = 110
END_SECONDS_MAX = 10
#: Whatever might be printed by mistake between two messages.
GARBAGE = (b"\x00\xff\xfe{", b"[]", b"null", b'"word"', b"{", b'{"jsonrpc":"1.0"}', b"{}" * 50, b"\x1b]0;hello\x07")
HELLO_THERE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "lines", "version": "1"},
}


@dataclass
class Lines:
    """A process that is spoken to."""

    process: subprocess.Popen[bytes]

    def __post_init__(self) -> None:
        self._said = Queue[dict[str, Any]]()
        Thread(target=self._listen, daemon=True).start()
        self.ask(0, "initialize", HELLO_THERE)
        assert "result" in self.answer(0)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def raw(self, line: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        self.raw(json.dumps(message).encode())

    def ask(self, number: int, method: str, params: dict[str, Any]) -> None:
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    def call(self, number: int, name: str, **arguments: Any) -> None:
        self.ask(number, "tools/call", {"name": name, "arguments": arguments})

    def next(self) -> dict[str, Any]:
        """The next line of its output."""
        return self._said.get(timeout=SECONDS_MAX)

    def answer(self, number: int) -> dict[str, Any]:
        """Send a request and return its answer, which must come first."""
        found = self.next()
        assert found.get("id") == number, found
        return found

    def _listen(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._said.put(json.loads(line))


@contextmanager
def speaking(home: Path, token: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process for an account."""
    with subprocess.Popen(
        [*PROGRAM, "mcp"],
        env=environment(home, token),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def conversation(lines: Lines) -> None:
    """Work that is waited for, called off, disturbed, and left in the middle of another wait."""
    lines.call(1, "open_review", kind="script", title="Say hello", files=HELLO)
    review = lines.answer(1)["result"]["structuredContent"]["review"]
    lines.call(2, "wait", review=review, seconds=WAIT_SECONDS_MAX + 1)
    assert lines.answer(2)["result"]["isError"], "nobody waits longer than that"
    lines.call(3, "wait", review=review, seconds=WAIT_SECONDS_MAX)
    lines.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3}})
    for line in GARBAGE:
        lines.raw(line)
    lines.ask(4, "ping", {})
    while (said := lines.next()).get("id") != 4:  # and what was called off is never answered
        assert (said["id"], said["error"]["code"]) in ((None, -32700), (None, -32600)), said
    assert "result" in said
    lines.call(5, "wait", review=review, seconds=WAIT_SECONDS_MAX)
    lines.call(6, "me")
    assert "result" in lines.answer(6), "who waits can ask for something else meanwhile"
    assert lines.process.stdin
    lines.process.stdin.close()
    assert lines.process.wait(END_SECONDS_MAX) == 0
    assert lines.process.stderr
    assert b"Traceback" not in lines.process.stderr.read()


@pytest.mark.timeout(240)
def test_on_a_store_of_its_own_it_ends_with_its_input(tmp_path: Path) -> None:
    """T19, T29: whatever comes between, and whoever still waits."""

    @played
    async def story() -> None:
        home = tmp_path / "home"
        tokens = await home_with(home, "dev")
        with speaking(home, tokens["dev"]) as process:
            conversation(Lines(process))

    story()


@pytest.mark.timeout(240)
def test_before_a_server_it_ends_with_its_input_too(tmp_path: Path) -> None:
    """T19, T29: what is called off or left is called off there as well."""

    @played
    async def story() -> None:
        home, house = tmp_path / "home", House()
        tokens = await enrolled(house, "dev")
        async with server_at(home, house):
            with speaking(home, tokens["dev"]) as process:
                await asyncio.to_thread(lambda: conversation(Lines(process)))

    story()


def test_no_tool_waits_longer_than_agents_do() -> None:
    """001-02: clients give up after a minute."""
    found = {
        name: field["maximum"]
        for name, tool in TOOLS.items()
        for word, field in tool.takes()["properties"].items()
        if word == "wait" and "maximum" in field
    }
    assert found
    assert set(found.values()) == {WAIT_SECONDS_MAX}
