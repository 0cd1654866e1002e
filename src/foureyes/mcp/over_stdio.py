"""How does one agent speak through stdin and stdout? A message a line; what is not well formed is told so."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError

from foureyes.codec import Json
from foureyes.mcp.strict import MESSAGE_BYTES_MAX, flaw

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

_AHEAD_MAX = 16


async def speak(server: Server[Any], stdin: BinaryIO | None = None, stdout: TextIO | None = None) -> None:
    """Answer on stdout what comes in on stdin, until that ends."""
    lines = _Lines(stdin or sys.stdin.buffer)
    out = anyio.wrap_file(stdout) if stdout else None
    async with stdio_server(stdin=cast("Any", lines), stdout=out) as (reading, writing):

        async def tell(wrong: Json) -> None:
            await writing.send(SessionMessage(JSONRPCError.model_validate(wrong)))

        lines.tell = tell
        await server.run(reading, writing, server.create_initialization_options())


class _Lines:
    """Lines as they come, read by a thread that keeps nobody from leaving."""

    tell: Callable[[Json], Awaitable[None]]

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._ahead: asyncio.Queue[bytes] = asyncio.Queue(_AHEAD_MAX)
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await self._ahead.get():
            wrong = flaw(line)
            if wrong is None:
                yield line.decode()
            elif line.strip():
                await self.tell(wrong)

    def _read(self) -> None:
        line = b"-"
        while line:
            line = self._stream.readline(MESSAGE_BYTES_MAX + 2)
            while len(line) > MESSAGE_BYTES_MAX and not line.endswith(b"\n") and self._more():
                pass  # the rest of a line that is too long is read and dropped
            asyncio.run_coroutine_threadsafe(self._ahead.put(line), self._loop).result()

    def _more(self) -> bool:
        rest = self._stream.readline(MESSAGE_BYTES_MAX)
        return bool(rest) and not rest.endswith(b"\n")
