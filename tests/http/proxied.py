"""A reverse proxy on loopback, like one in front of a real server: it appends the client's address to its headers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

HEAD_BYTES_MAX = 64 * 1024


@dataclass
class Proxy:
    """Hands each connection on, one request each, to the server at an address."""

    upstream: str
    #: Whether it passes on the Host header; many proxies do not by default.
    keeps_host: bool = True
    port: int = 0
    #: Open connections: a loop that ends without closing them would leave them to the next test.
    _open: set[asyncio.Task[None]] = field(default_factory=set)

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Hand on for as long as this lasts; where it listens."""
        server = await asyncio.start_server(self._hand_on, "127.0.0.1", 0, limit=HEAD_BYTES_MAX)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield f"127.0.0.1:{self.port}"
            await asyncio.gather(*self._open)

    async def _hand_on(self, asked: asyncio.StreamReader, answering: asyncio.StreamWriter) -> None:
        own = asyncio.current_task()
        assert own is not None
        self._open.add(own)
        own.add_done_callback(self._open.discard)
        host, _, port = self.upstream.rpartition(":")
        async with _closed_after(answering):
            head = await asked.readuntil(b"\r\n\r\n")
            reading, writing = await asyncio.open_connection(host, int(port))
            async with _closed_after(writing):
                writing.write(self._rewritten(head, answering.get_extra_info("peername")[0]))
                there = asyncio.create_task(_copied(asked, writing))
                await _copied(reading, answering)
                there.cancel()

    def _rewritten(self, head: bytes, asker: str) -> bytes:
        first, *lines = head.decode("latin-1").strip().split("\r\n")
        named = [tuple(one.split(": ", 1)) for one in lines]
        said = [value for name, value in named if name.lower() == "x-forwarded-for"]
        hosts = [value for name, value in named if name.lower() == "host"]
        kept = [one for one in named if one[0].lower() not in ("x-forwarded-for", "host", "connection")]
        kept += [("Host", one) for one in (hosts if self.keeps_host else [self.upstream])]
        kept += [
            ("X-Forwarded-For", ", ".join([*said, asker])),
            ("X-Forwarded-Proto", "https"),
            ("Connection", "close"),
        ]
        return "\r\n".join([first, *(f"{name}: {value}" for name, value in kept), "", ""]).encode("latin-1")


@asynccontextmanager
async def _closed_after(writing: asyncio.StreamWriter) -> AsyncIterator[None]:
    """The other side may disconnect at any moment."""
    with suppress(OSError, asyncio.IncompleteReadError):
        yield
    writing.close()
    with suppress(OSError):
        await writing.wait_closed()


async def _copied(reading: asyncio.StreamReader, writing: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while piece := await reading.read(HEAD_BYTES_MAX):
            writing.write(piece)
            await writing.drain()
