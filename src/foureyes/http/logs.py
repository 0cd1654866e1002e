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
#: Our tokens, what a link carries, and the password of a database's address.
_SECRETS = re.compile(r"foureyes_[0-9a-f]+_[\w-]+|(?<=link=)[\w-]+|(?<=://)[^\s:/@]*:[^\s@]*(?=@)|(?i:bearer) +\S+")
_request: ContextVar[str] = ContextVar("foureyes_request", default="")
log = logging.getLogger("foureyes.http")


#: Names that nobody guesses and that count nothing, ahead of time: each question to the system takes a while.
_names: deque[str] = deque()


def _name() -> str:
    try:
        return _names.pop()
    except IndexError:
        many = secrets.token_hex(_ID_BYTES * _IDS)
        _names.extend(many[at : at + 2 * _ID_BYTES] for at in range(0, len(many), 2 * _ID_BYTES))
        return _name()


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
    """What `JsonLines` would make of it, by hand: this is written for every request."""
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
    """Writes records and lines that are made already."""

    def put(self, line: str) -> None:
        """One line; where nobody reads any more, nothing."""
        self.acquire()
        try:
            self.stream.write(f"{line}\n")
            self.stream.flush()
        except (OSError, ValueError):
            pass
        finally:
            self.release()


class JsonLines(logging.Formatter):
    """A record as one line of JSON in ASCII, without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
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
    """Write all lines there: our own from `info` on, those of libraries from `warning` on."""
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
    """Remembered, because many lines are written in one."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _text(text: str) -> str:
    return encode_basestring_ascii(_clean(text))


def _clean(text: str) -> str:
    # Every secret comes with one of these: to look for them is far cheaper, and most often all there is to do.
    if "foureyes_" not in text and "link=" not in text and "://" not in text and " " not in text:
        return text[:TEXT_CHARS_MAX]
    return _SECRETS.sub("•••", text[:TEXT_CHARS_MAX])
