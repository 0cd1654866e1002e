"""Every request can be found in the log by the id in its answer, and no secret is ever logged."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.types import Message, Receive, Scope, Send

from foureyes.app.accounts import new_token
from foureyes.http.logs import JsonLines, Logged, write_to
from tests.app.house import played
from tests.http.web import Web


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    root, ours = logging.getLogger(), logging.getLogger("foureyes")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    stream = io.StringIO()
    write_to(stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])


def read(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_request_is_one_line_with_its_id_and_without_its_query(lines: io.StringIO) -> None:
    @played
    async def story() -> None:
        web = Web()
        web.app = Logged(web.app)
        answer = await web.get("/health", {}, link="a-secret")
        (line,) = read(lines)
        assert line["request"] == answer.headers["x-request-id"]
        assert (line["path"], line["status"], line["level"]) == ("/health", 200, "info")
        assert line["from"] == "127.0.0.1"
        assert "a-secret" not in lines.getvalue()
        other = await web.get("/health", {})
        assert other.headers["x-request-id"] != line["request"]

    story()


def test_the_line_of_a_request_is_spelled_as_every_other_and_its_path_tells_no_secret(lines: io.StringIO) -> None:
    """T32."""
    secret = new_token().secret

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        await send({"type": "http.response.start", "status": 204, "headers": []})

    async def send(_: Message) -> None: ...

    @played
    async def story() -> None:
        scope = {"type": "http", "method": "GET", "path": f'/ü"{secret}', "client": ("::1", 1)}
        await Logged(answering)(scope, None, send)  # type: ignore[arg-type]

    story()
    text = lines.getvalue()
    (line,) = read(lines)
    assert text == json.dumps(line) + "\n"
    named = ["at", "level", "logger", "message", "request", "method", "path", "status", "from", "milliseconds"]
    assert list(line) == named
    assert (line["logger"], line["message"], line["method"]) == ("foureyes.http", "request", "GET")
    assert (line["path"], line["status"], line["from"]) == ('/ü"•••', 204, "::1")


def test_a_request_is_answered_where_nobody_reads_the_log(lines: io.StringIO) -> None:
    lines.close()

    @played
    async def story() -> None:
        web = Web()
        web.app = Logged(web.app)
        assert (await web.get("/health", {})).status == 200

    story()


def test_what_breaks_is_told_with_its_request_and_without_secrets(lines: io.StringIO) -> None:
    """T32."""
    secret = new_token().secret

    async def broken(scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive, send
        try:
            int(f"postgresql://me:hidden@host/db and Bearer {secret} and link=abc_def-123")
        except ValueError:
            logging.getLogger("foureyes.test").exception("it broke with %s", secret)

    @played
    async def story() -> None:
        await Logged(broken)({"type": "http", "method": "GET", "path": "/x\n{"}, None, None)  # type: ignore[arg-type]

    story()
    told, request = read(lines)
    assert told["request"] == request["request"]
    assert "ValueError" in told["error"]
    for hidden in (secret, "hidden", "abc_def-123"):
        assert hidden not in lines.getvalue()


def test_libraries_are_heard_from_a_warning_on(lines: io.StringIO) -> None:
    logging.getLogger("uvicorn.error").info("Started")
    logging.getLogger("uvicorn.error").warning("Odd \x1b[31m")
    (line,) = read(lines)
    assert (line["logger"], line["message"]) == ("uvicorn.error", "Odd \x1b[31m")
    assert "\x1b" not in lines.getvalue()
    assert "request" not in line


def test_a_record_of_any_kind_is_one_line() -> None:
    record = logging.LogRecord("x", logging.INFO, "f", 1, "a\nb %s", ("c",), None)
    assert "\n" not in JsonLines().format(record)
