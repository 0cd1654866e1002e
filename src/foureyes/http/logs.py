"""Logging: one JSON object per line, with the id of the request it belongs to and without secrets."""

from __future__ import annotations

import json
import logging
import re
import secrets
import sys
import time
import traceback
from collections import deque
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:  # a worker writes such lines too, and has no server
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = b"x-request-id"
PATH_CHARS_MAX = 300
TEXT_CHARS_MAX = 8_000
_ID_BYTES = 8
_IDS = 256
#: Our tokens, the secret of a link, the password in a database URL, and bearer credentials.
_SECRETS = re.compile(r"foureyes_[0-9a-f]+_[\w-]+|(?<=link=)[\w-]+|(?<=://)[^\s:/@]*:[^\s@]*(?=@)|(?i:bearer) +\S+")
_request: ContextVar[str] = ContextVar("foureyes_request", default="")
log = logging.getLogger("foureyes.http")


#: Random request ids, generated in advance in batches, because each call to the system takes a while.
_names: deque[str] = deque()


def _name() -> str:
    try:
        return _names.pop()
    except IndexError:
        many = secrets.token_hex(_ID_BYTES * _IDS)
        _names.extend(many[at : at + 2 * _ID_BYTES] for at in range(0, len(many), 2 * _ID_BYTES))
        return _name()


class Logged:
    """Middleware that gives every request an id, sent with its answer and written in every log line about it."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap an application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request and log it; only the path of the URL, because a query may hold a secret."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        name, began, status = _name(), time.perf_counter(), 0

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], (HEADER, name.encode())]}
            await send(message)

        here = _request.set(name)
        try:
            await self._app(scope, receive, named)
        finally:
            if log.isEnabledFor(logging.INFO):
                _tell(_line(scope, name, status, round(1000 * (time.perf_counter() - began), 1)))
            _request.reset(here)


def _line(scope: Scope, name: str, status: int, milliseconds: float) -> str:
    """The log line of a request, built by hand instead of by `JsonLines` because it is written for every request."""
    method, path = _text(scope["method"]), _text(scope["path"][:PATH_CHARS_MAX])
    return (
        f'{{"at": "{_at(time.time())}", "level": "info", "logger": "{log.name}", "message": "request", '
        f'"request": "{name}", "method": {method}, "path": {path}, "status": {status}, '
        f'"from": {_text((scope.get("client") or ("",))[0])}, "milliseconds": {milliseconds}}}'
    )


def _tell(line: str) -> None:
    for one in logging.root.handlers:
        if isinstance(one, Lines):
            one.put(line)


class Lines(logging.StreamHandler[TextIO]):
    """A log handler that writes records, and lines that are already formatted."""

    def put(self, line: str) -> None:
        """Write one line; errors are ignored, because the reader of the log may be gone."""
        self.acquire()
        try:
            self.stream.write(f"{line}\n")
            self.stream.flush()
        except (OSError, ValueError):
            pass
        finally:
            self.release()


class JsonLines(logging.Formatter):
    """Format a record as one line of JSON in ASCII, without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line."""
        line = {
            "at": _at(record.created),
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
    """Send all log lines to this stream: our own from level `info` on, those of libraries from `warning` on."""
    handler = Lines(stream)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("foureyes").setLevel(logging.INFO)


def _at(moment: float) -> str:
    milliseconds = int(1000 * moment)
    return f"{_second(milliseconds // 1000)}.{milliseconds % 1000:03}+00:00"


@lru_cache(maxsize=1)
def _second(second: int) -> str:
    """The timestamp of a second; cached, because many lines are written in one second."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _text(text: str) -> str:
    return encode_basestring_ascii(_clean(text))


def _clean(text: str) -> str:
    # Every secret contains one of these, and searching for them is far cheaper than the regular expression.
    if "foureyes_" not in text and "link=" not in text and "://" not in text and " " not in text:
        return text[:TEXT_CHARS_MAX]
    return _SECRETS.sub("•••", text[:TEXT_CHARS_MAX])
