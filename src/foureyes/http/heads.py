"""Limits before a request is parsed: the number of connections, and the size and time of each request head.

Time limits for bodies that stall and for idle connections are here too.
"""

from __future__ import annotations

import asyncio
import resource
import time
from typing import Any, cast

from starlette.responses import Response
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from foureyes.app.turns import CAME
from foureyes.http.bodies import UPLOAD_SECONDS_MAX
from foureyes.http.problems import problem

HEAD_BYTES_MAX = 64 * 1024
HEAD_SECONDS_MAX = 20.0
#: For all of a body; an upload has a little less, and is told so.
BODY_SECONDS_MAX = UPLOAD_SECONDS_MAX + 30.0
#: Files that are left for the store, for reviewers and for everything else that is no connection.
FILES_KEPT = 100
CONNECTIONS_MAX = 10_000
_CLOSE = {"connection": "close"}
_TOO_LONG = problem(
    431,
    "too_large",
    f"The head of a request has at most {HEAD_BYTES_MAX} bytes.",
    "Send less in its address and in its headers.",
    _CLOSE,
)
_FULL = problem(
    503, "unavailable", "Too many are connected already.", "Try again soon.", {**_CLOSE, "retry-after": "2"}
)


def connections_max() -> int:
    """How many may be connected at a time, by what the machine lets this process have open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS_MAX if files == resource.RLIM_INFINITY else min(CONNECTIONS_MAX, max(1, files - FILES_KEPT))


class Bounded(HttpToolsProtocol):
    """A connection as uvicorn serves it, which by itself keeps a head of any length and waits for its end for ever."""

    most = connections_max()

    def __init__(self, *given: Any, **named: Any) -> None:
        """Nothing came yet."""
        super().__init__(*given, **named)
        self._is_in_head = self._is_in_body = False
        self._head_bytes = 0
        self._waits: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as the base has it
        """Wait for a head, not for ever; one connection too many is told so."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._refuse(_FULL, b"503 Service Unavailable")
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._wait_no_longer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a head that goes on from piece to piece is counted."""
        if self.transport.is_closing():
            return  # it was refused, and nothing that still comes is asked for
        went_on = self._is_in_head
        super().data_received(data)
        if self.transport.is_closing():
            return
        # The piece in which it begins has a length of its own, and may be the end of what came before.
        self._head_bytes += len(data) if went_on and self._is_in_head else 0
        if self._head_bytes > HEAD_BYTES_MAX:
            self._refuse(_TOO_LONG, b"431 Request Header Fields Too Large")
        elif self._waits is None and (self._is_in_head or self._is_in_body or self._is_answered()):
            # Whatever came, uvicorn waits no longer by itself: an empty line, or the rest of what was answered already.
            self._wait()

    def on_message_begin(self) -> None:
        """Count anew."""
        self._is_in_head, self._is_in_body, self._head_bytes = True, False, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """It is known what is asked: how much comes now is the application's to bound.

        From now on it waits for others, perhaps long before anybody has time for it.
        """
        self._is_in_head, self._is_in_body = False, True
        self._wait_no_longer()
        cast("dict[str, Any]", self.scope)[CAME] = time.perf_counter()
        super().on_headers_complete()
        self.headers = []  # what is named behind the body was not there when it was looked who asks

    def on_chunk_header(self) -> None:
        """Behind the last piece of a body come headers again, and what comes before the next one is short."""
        self._is_in_head, self._head_bytes = True, 0

    def on_body(self, body: bytes) -> None:
        """It goes on."""
        self._is_in_head = False
        super().on_body(body)

    def on_message_complete(self) -> None:
        """All of it is there."""
        self._is_in_head = self._is_in_body = False
        self._wait_no_longer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """What is still to come of what was answered is not waited for as if somebody needed it."""
        super().on_response_complete()
        self._wait_no_longer()
        if (self._is_in_head or self._is_in_body) and not self.transport.is_closing():
            self._wait()

    def _wait(self) -> None:
        seconds = BODY_SECONDS_MAX if self._is_in_body and not self._is_answered() else HEAD_SECONDS_MAX
        self._waits = self.loop.call_later(seconds, self._tired)

    def _wait_no_longer(self) -> None:
        if self._waits is not None:
            self._waits.cancel()
            self._waits = None

    def _is_answered(self) -> bool:
        return bool(getattr(self.cycle, "response_complete", True))

    def _tired(self) -> None:
        if self._is_answered() or (self._is_in_body and not self.pipeline):
            self.transport.close()
        else:
            self._wait()  # who asked before is answered first

    def _refuse(self, no: Response, status: bytes) -> None:
        """Say it as it goes over the wire: no application was asked."""
        lines = (b"%s: %s" % one for one in no.raw_headers)
        self.transport.write(b"\r\n".join((b"HTTP/1.1 " + status, *lines, b"", bytes(no.body))))
        self.transport.close()
