"""What does a server write down about its work? One JSON object a line, with the request it belongs to."""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
import time
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = b"x-request-id"
PATH_CHARS_MAX = 300
TEXT_CHARS_MAX = 8_000
_ID_BYTES = 8
#: Our tokens, what a link carries, and the password of a database's address.
_SECRETS = re.compile(r"foureyes_[0-9a-f]+_[\w-]+|(?<=link=)[\w-]+|(?<=://)[^\s:/@]*:[^\s@]*(?=@)|(?i:bearer) +\S+")
_request: ContextVar[str] = ContextVar("foureyes_request", default="")
log = logging.getLogger("foureyes.http")


class Logged:
    """Stands around the application: every request gets an id, which its answer and every line about it carry."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand there."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and write down how; of the address the path alone, because a query may hold a secret."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name, began, status = secrets.token_hex(_ID_BYTES), time.perf_counter(), [0]

        async def named(message: Message) -> None:
            if message["type"] == "http.response.start":
                status[0] = message["status"]
                message = {**message, "headers": [*message["headers"], (HEADER, name.encode())]}
            await send(message)

        here = _request.set(name)
        try:
            await self._app(scope, receive, named)
        finally:
            fields = {
                "method": scope["method"],
                "path": scope["path"][:PATH_CHARS_MAX],
                "status": status[0],
                "from": (scope.get("client") or ("",))[0],
                "milliseconds": round(1000 * (time.perf_counter() - began), 1),
            }
            if log.isEnabledFor(logging.INFO):
                # Made by hand: nobody reads where in the program this stands, and to find out costs more than the rest.
                log.handle(log.makeRecord(log.name, logging.INFO, "", 0, "request", (), None, extra={"fields": fields}))
            _request.reset(here)


class JsonLines(logging.Formatter):
    """A record as one line of JSON in ASCII, without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _clean(record.getMessage()),
        }
        if request := _request.get():
            line["request"] = request
        fields = getattr(record, "fields", {})
        line |= {name: _clean(one) if isinstance(one, str) else one for name, one in fields.items()}
        if record.exc_info:
            line["error"] = _clean("".join(traceback.format_exception(*record.exc_info)))
        return json.dumps(line)


def write_to(stream: TextIO = sys.stderr) -> None:
    """Write all lines there: our own from `info` on, those of libraries from `warning` on."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("foureyes").setLevel(logging.INFO)


def _clean(text: str) -> str:
    return _SECRETS.sub("•••", text[:TEXT_CHARS_MAX])
