"""An application mounted at its own path answers everything there, and its errors are reported."""

from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Message, Receive, Scope, Send

from foureyes.http.table import Table
from tests.app.house import played


async def _router(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("the router")(scope, receive, send)


async def _broken(_: Request, error: Exception) -> Response:
    return PlainTextResponse(f"broken: {error}", 500)


async def _asked(table: Table, path: str, method: str = "POST") -> list[Message]:
    said: list[Message] = []

    async def send(message: Message) -> None:
        said.append(message)

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope: dict[str, Any] = {"type": "http", "method": method, "path": path, "headers": [], "query_string": b""}
    try:
        await table(scope, receive, send)
    except ValueError as error:
        said.append({"type": "raised", "words": str(error)})
    return said


@played
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_an_application_answers_every_method_at_its_path_and_nothing_elsewhere(method: str) -> None:
    table = Table(_router, _broken)
    table.add_app("/tools", PlainTextResponse("the tools"))
    assert (await _asked(table, "/tools", method))[1]["body"] == b"the tools"
    for other in ("/tools/", "/tools/more", "/tool", "/TOOLS"):
        assert (await _asked(table, other, method))[1]["body"] == b"the router"


@played
async def test_an_application_that_breaks_before_it_answers_is_answered_for_and_the_server_is_told() -> None:
    async def breaks(_: Scope, __: Receive, ___: Send) -> None:
        raise ValueError("before")

    table = Table(_router, _broken)
    table.add_app("/tools", breaks)
    start, body, raised = await _asked(table, "/tools")
    assert (start["status"], body["body"], raised["words"]) == (500, b"broken: before", "before")


@played
async def test_an_answer_that_breaks_off_is_not_followed_by_another() -> None:
    async def breaks(_: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ValueError("on the way")

    table = Table(_router, _broken)
    table.add_app("/tools", breaks)
    start, raised = await _asked(table, "/tools")
    assert (start["status"], raised["words"]) == (200, "on the way")
