"""A receiver of notifications: a real server on loopback which records requests and answers as scripted."""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from foureyes.notify.outside import Outside

LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"),)
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"
HANGS = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Got:
    """One received request."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """The received requests in order; it answers with the next scripted answer, otherwise 200."""

    got: list[Got] = field(default_factory=list)
    answers: list[bytes] = field(default_factory=list)
    #: Fixed answers to requests whose path contains this.
    refusing: dict[str, bytes] = field(default_factory=dict)
    port: int = 0
    came: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii")
            first, *lines = head.strip().split("\r\n")
            headers = dict(one.split(": ", 1) for one in lines)
            body = await reader.readexactly(int(headers["content-length"]))
            got = Got(path=first.split(" ")[1], headers=headers, body=body)
            self.got.append(got)
            self.came.set()
            scripted = next((one for part, one in self.refusing.items() if part in got.path), None)
            answer = scripted if scripted is not None else self.answers.pop(0) if self.answers else OK
            if answer == HANGS:
                await reader.read()
            writer.write(answer)
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.transport.abort()


@asynccontextmanager
async def receiving(*answers: bytes, tls: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    """Such a server, as long as it is needed."""
    receiver = Receiver(answers=list(answers))
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()


def way_out(seconds_max: float = 5.0) -> Outside:
    """The way out with loopback opened, as an operator would open it."""
    return Outside(allowed=LOOPBACK, seconds_max=seconds_max)
