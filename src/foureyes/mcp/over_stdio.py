"""MCP on stdin and stdout: one message per line; a message that is not well formed is answered with an error."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCResponse

from foureyes.codec import Json
from foureyes.mcp.oversize import EDGE_BYTES, too_large
from foureyes.mcp.strict import MESSAGE_BYTES_MAX, flaw

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

_AHEAD_MAX = 16


async def speak(server: Server[Any], stdin: BinaryIO | None = None, stdout: TextIO | None = None) -> None:
    """Answer messages from stdin on stdout until stdin ends."""
    lines = _Lines(stdin or sys.stdin.buffer)
    out = anyio.wrap_file(stdout) if stdout else None
    async with stdio_server(stdin=cast("Any", lines), stdout=out) as (reading, writing):

        async def tell(wrong: Json) -> None:
            kind = JSONRPCError if "error" in wrong else JSONRPCResponse
            await writing.send(SessionMessage(kind.model_validate(wrong)))

        lines.tell = tell
        await server.run(reading, writing, server.create_initialization_options())


class _Lines:
    """Lines of stdin, read by a daemon thread that does not keep the process from ending."""

    tell: Callable[[Json], Awaitable[None]]

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._ahead: asyncio.Queue[bytes | _Long] = asyncio.Queue(_AHEAD_MAX)
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self._ahead.get():
            wrong = line.answer if isinstance(line, _Long) else flaw(line)
            if wrong is None and isinstance(line, bytes):
                yield line.decode()
            elif wrong is not None and (isinstance(line, _Long) or line.strip()):
                await self.tell(wrong)

    def _read(self) -> None:
        line: bytes | _Long = b"-"
        while line:
            line = self._stream.readline(MESSAGE_BYTES_MAX + 2)
            if len(line) > MESSAGE_BYTES_MAX and not line.endswith(b"\n"):
                line = _Long(too_large(line[:EDGE_BYTES], self._end(line[-EDGE_BYTES:])) or flaw(line) or {})
            asyncio.run_coroutine_threadsafe(self._ahead.put(line), self._loop).result()

    def _end(self, last: bytes) -> bytes:
        """The end of a line that is too long; the rest of the line is read and dropped."""
        while rest := self._stream.readline(MESSAGE_BYTES_MAX):
            last = (last + rest)[-EDGE_BYTES:]
            if rest.endswith(b"\n"):
                break
        return last


@dataclass(frozen=True, slots=True)
class _Long:
    """A line that was too long, and the answer to it."""

    answer: Json
