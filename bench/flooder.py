"""The flooder: a process that sends requests as fast as it may, up to a rate, and counts the answers.

Usage: python -m bench.flooder KIND PORT TOKEN [--rate N] [--connections N]. It prints `ready`, floods until its input
is closed, then prints one JSON line. It waits for each answer before it asks again on the same connection, except where
the kind is about not doing so. It has the lowest priority on its processor.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import uvloop

HOST = "127.0.0.1"
API = "/api/v1"
NICE = 19
#: Bodies: one with only a declared length, one of the largest size accepted, and the pace of a slow one.
CLAIMED_BYTES = 50_000_000
FAT_BYTES = 4 * 1024 * 1024 - 64
SLOW_SECONDS = 0.5
WAIT_SECONDS_MAX = 30
_MODERN = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": _MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "flooder", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_CALL = {"name": "me", "arguments": {}, "_meta": _META}
_TOOL = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": _CALL}).encode()
_TOOL_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "Mcp-Protocol-Version": _MODERN,
    "Mcp-Method": "tools/call",
    "Mcp-Name": "me",
}


@dataclass(slots=True)
class Flood:
    """The requests, their rate and the counted answers."""

    kind: str
    port: int
    token: str
    gap: float
    #: Answers by status; those with a Retry-After header are also counted with a plus.
    told: Counter[str] = field(default_factory=Counter)
    _next: float = 0.0

    async def connection(self) -> None:
        """Send requests on one connection, and open a new one when it ends."""
        while True:
            with contextlib.suppress(OSError, EOFError, TimeoutError):
                reader, writer = await asyncio.open_connection(HOST, self.port)
                try:
                    while await self._asked(reader, writer):
                        pass
                finally:
                    writer.close()
            await self._turn()

    async def _turn(self) -> None:
        """Wait for the next turn of the rate; missed turns are not made up for."""
        now = time.perf_counter()
        self._next = max(self._next, now) + self.gap
        if self._next > now:
            await asyncio.sleep(self._next - now)

    async def _asked(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Send one request and return whether the connection can be reused."""
        await self._turn()
        writer.write(REQUESTS[self.kind](self))
        if self.kind == "slow":
            await self._trickled(reader, writer)
        async with asyncio.timeout(WAIT_SECONDS_MAX):
            start = (await reader.readuntil(b"\r\n\r\n")).lower()
            if b"transfer-encoding: chunked" in start:
                await reader.readuntil(b"0\r\n\r\n")
            else:
                await reader.readexactly(int(start.partition(b"content-length: ")[2].partition(b"\r")[0] or b"0"))
        self.told[start[9:12].decode() + ("+" if b"retry-after: " in start else "")] += 1
        return self.kind not in ("churn", "claimed", "slow") and b"connection: close" not in start

    async def _trickled(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not reader.at_eof() and not writer.is_closing():
            writer.write(b" ")
            await asyncio.sleep(SLOW_SECONDS)

    def request(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None, *, size: int = -1
    ) -> bytes:
        """The bytes of a request; `size` is its Content-Length."""
        said = len(body) if size < 0 else size
        named = {"Host": f"{HOST}:{self.port}", "Content-Length": str(said), **(headers or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body

    @property
    def mine(self) -> dict[str, str]:
        """The header with the credential."""
        return {"Authorization": f"Bearer {self.token}"}


def _open(flood: Flood) -> bytes:
    files = [{"path": "a.py", "text": f"{secrets.token_hex(20)}\n{'x = 1' * 400}"}]
    body = json.dumps({"kind": "code", "title": "Flood", "files": files}).encode()
    return flood.request("POST", f"{API}/reviews", body, flood.mine)


def _wrong(flood: Flood) -> bytes:
    token = f"foureyes_{secrets.token_hex(5)}_{secrets.token_urlsafe(32)}"
    return flood.request("GET", f"{API}/me", b"", {"Authorization": f"Bearer {token}"})


_FAT = b'{"files":[' + b"[]," * (FAT_BYTES // 3) + b"[]]}"
REQUESTS: dict[str, Callable[[Flood], bytes]] = {
    "reads": lambda one: one.request("GET", f"{API}/reviews", b"", one.mine),
    "gate": lambda one: one.request("GET", f"{API}/gate/{'0' * 64}", b"", one.mine),
    "writes": _open,
    "over": lambda one: one.request("GET", f"{API}/feed", b"", one.mine),
    "wrong": _wrong,
    "none": lambda one: one.request("GET", f"{API}/me"),
    "nowhere": lambda one: one.request("GET", "/nowhere"),
    "claimed": lambda one: one.request("POST", f"{API}/reviews", b"x" * 1000, one.mine, size=CLAIMED_BYTES),
    "fat": lambda one: one.request("POST", f"{API}/reviews", _FAT, one.mine),
    "slow": lambda one: one.request("POST", f"{API}/reviews", b"{", one.mine, size=1000),
    "churn": lambda one: one.request("GET", f"{API}/me"),
    "mcp": lambda one: one.request("POST", "/mcp", _TOOL, one.mine | _TOOL_HEADERS),
}


async def flooded(flood: Flood, connections: int) -> None:
    """Flood until the input is closed."""
    tasks = [asyncio.create_task(flood.connection()) for _ in range(connections)]
    print("ready", flush=True)
    begun, cpu = time.perf_counter(), time.process_time()
    await asyncio.to_thread(sys.stdin.read)
    for one in tasks:
        one.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    took = time.perf_counter() - begun
    cpu_s = time.process_time() - cpu
    print(json.dumps({"told": flood.told, "per_s": sum(flood.told.values()) / took, "cpu": cpu_s / took}), flush=True)


def main() -> None:
    """Flood."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=sorted(REQUESTS))
    parser.add_argument("port", type=int)
    parser.add_argument("token")
    parser.add_argument("--rate", type=float, default=2_000)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--core", type=int, default=1)
    given = parser.parse_args()
    os.nice(NICE)
    os.sched_setaffinity(0, {given.core % (os.cpu_count() or 1)})
    flood = Flood(kind=given.kind, port=given.port, token=given.token, gap=1 / given.rate)
    uvloop.run(flooded(flood, given.connections))


if __name__ == "__main__":
    main()
