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
#: For a whole body. An upload has slightly less time, so that its own error is reported first.
BODY_SECONDS_MAX = UPLOAD_SECONDS_MAX + 30.0
#: File descriptors left for the store, the reviewers and everything else that is not a connection.
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
    """How many connections may be open at a time, from the process's limit on open files."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS_MAX if files == resource.RLIM_INFINITY else min(CONNECTIONS_MAX, max(1, files - FILES_KEPT))


class Bounded(HttpToolsProtocol):
    """uvicorn's HTTP protocol with limits: by itself it accepts a head of any length and waits for it for ever."""

    most = connections_max()

    def __init__(self, *given: Any, **named: Any) -> None:
        """Start before the first request."""
        super().__init__(*given, **named)
        self._is_in_head = self._is_in_body = False
        self._head_bytes = 0
        self._waits: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as the base has it
        """Start the timeout for the head, or refuse a connection beyond the limit."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self._refuse(_FULL, b"503 Service Unavailable")
        else:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timeout."""
        self._wait_no_longer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the data, and count the bytes of a head that comes in several pieces."""
        if self.transport.is_closing():
            return  # the request was refused; what still arrives is ignored
        went_on = self._is_in_head
        super().data_received(data)
        if self.transport.is_closing():
            return
        # The piece in which a head begins is not counted: it may hold the end of the previous request.
        self._head_bytes += len(data) if went_on and self._is_in_head else 0
        if self._head_bytes > HEAD_BYTES_MAX:
            self._refuse(_TOO_LONG, b"431 Request Header Fields Too Large")
        elif self._waits is None and (self._is_in_head or self._is_in_body or self._is_answered()):
            # uvicorn's own timeout ended with these bytes: perhaps an empty line, or the rest of an answered request.
            self._wait()

    def on_message_begin(self) -> None:
        """Start counting the bytes of a new head."""
        self._is_in_head, self._is_in_body, self._head_bytes = True, False, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Stop the head's timeout: from here on the application limits the size of the body.

        Note the time at which the request arrived, because it may wait in a queue from now on.
        """
        self._is_in_head, self._is_in_body = False, True
        self._wait_no_longer()
        cast("dict[str, Any]", self.scope)[CAME] = time.perf_counter()
        super().on_headers_complete()
        self.headers = []  # trailers after the body must not change the headers

    def on_chunk_header(self) -> None:
        """Count again: the size line of a chunk, and the trailers after the last one, are limited like a head."""
        self._is_in_head, self._head_bytes = True, 0

    def on_body(self, body: bytes) -> None:
        """Note that body data arrives, not trailers."""
        self._is_in_head = False
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop the timeout: the whole request has arrived."""
        self._is_in_head = self._is_in_body = False
        self._wait_no_longer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """After the answer, limit the time for what is still to come of its request."""
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
            self._wait()  # an earlier request of this connection is still being answered

    def _refuse(self, no: Response, status: bytes) -> None:
        """Write the refusal directly to the connection, without an application, and close it."""
        lines = (b"%s: %s" % one for one in no.raw_headers)
        self.transport.write(b"\r\n".join((b"HTTP/1.1 " + status, *lines, b"", bytes(no.body))))
        self.transport.close()
