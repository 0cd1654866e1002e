"""How much may come before it is known what is asked? A head of so many bytes, in so many seconds."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from foureyes.http.problems import problem

HEAD_BYTES_MAX = 64 * 1024
HEAD_SECONDS_MAX = 20.0
_TOO_LONG = problem(
    431,
    "too_large",
    f"The head of a request has at most {HEAD_BYTES_MAX} bytes.",
    "Send less in its address and in its headers.",
    {"connection": "close"},
)


class Bounded(HttpToolsProtocol):
    """A connection as uvicorn serves it, which by itself keeps a head of any length and waits for its end for ever."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """Nothing came yet."""
        super().__init__(*given, **named)
        self._is_in_head = False
        self._head_bytes = 0
        self._waits: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as the base has it
        """Wait for a head, not for ever."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._wait_no_longer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a head that goes on from piece to piece is counted."""
        went_on = self._is_in_head
        super().data_received(data)
        if not self._is_in_head or self.transport.is_closing():
            return
        # The piece in which it begins has a length of its own, and may be the end of what came before.
        self._head_bytes += len(data) if went_on else 0
        if self._head_bytes > HEAD_BYTES_MAX:
            self.transport.write(_written())
            self.transport.close()
        elif self._waits is None:
            self._wait()

    def on_message_begin(self) -> None:
        """Count anew."""
        self._is_in_head, self._head_bytes = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """It is known what is asked: what comes now is the application's to bound."""
        self._is_in_head = False
        self._wait_no_longer()
        super().on_headers_complete()

    def _wait(self) -> None:
        self._waits = self.loop.call_later(HEAD_SECONDS_MAX, self._tired)

    def _wait_no_longer(self) -> None:
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None

    def _tired(self) -> None:
        if not getattr(self.cycle, "response_complete", True):
            self._wait()  # who asked before is answered first
        else:
            self.transport.close()


def _written() -> bytes:
    """The answer as it goes over the wire: no application was asked for it."""
    lines = (b"%s: %s" % one for one in _TOO_LONG.raw_headers)
    return b"\r\n".join((b"HTTP/1.1 431 Request Header Fields Too Large", *lines, b"", bytes(_TOO_LONG.body)))
