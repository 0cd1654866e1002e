"""A tool's answer goes directly to its caller, identical to what the SDK would send."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from mcp_types.methods import serialize_server_result

from foureyes.app.credentials import Credential
from foureyes.codec import Json
from foureyes.mcp.near import Near, by_credential
from foureyes.mcp.server import build
from foureyes.mcp.tools import TOOLS
from tests.app.house import played
from tests.mcp.desk import MODERN, Desk
from tests.mcp.test_http import sent
from tests.mcp.wire import META, said

INVALID_PARAMS = -32602


@played
async def test_what_a_tool_answers_has_the_form_that_the_protocol_gives_it() -> None:
    """A yes and a no, each as it would be after the SDK has read it through and written it anew."""
    desk = Desk()
    token = (await desk.agent("dev"))["authorization"].removeprefix("Bearer ")
    near = Near(desk.office, by_credential(desk.office, Credential(token=token)), TOOLS)
    review = (await desk.house.open()).removeprefix("review/")
    for about, is_no in ((review, False), ("r404", True)):
        found = await near.answer("tools/call", {"name": "read_review", "arguments": {"review": about}}, None)
        assert found["isError"] is is_no
        assert serialize_server_result("tools/call", MODERN, found) == found


@pytest.mark.parametrize("arguments", ["[]", '"x"', "1"])
def test_a_call_that_is_badly_formed_is_told_so_in_the_words_of_the_protocol(arguments: str) -> None:
    @played
    async def story() -> None:
        desk = Desk()
        dev = await desk.agent("dev")
        async with desk.endpoint.serving():
            answer = said(await sent(desk, dev, "inbox", arguments))
            assert answer["error"]["code"] == INVALID_PARAMS
            told = said(await sent(desk, dev, "inbox", "{}"))["result"]["_meta"]
        assert told["io.modelcontextprotocol/serverInfo"]["name"] == "foureyes"

    story()


@dataclass
class Asked:
    """A tool that counts its calls."""

    methods: list[str] = field(default_factory=list)

    async def answer(self, method: str, _: Json, __: object) -> Json:
        self.methods.append(method)
        return {"resultType": "complete", "content": [], "isError": False}

    def takes(self, _: str) -> Json:
        return {"type": "object"}

    async def instructions(self, _: object) -> str:
        return ""


@dataclass
class Context:
    """The SDK's context of a message."""

    request_id: int | None
    method: str = "tools/call"
    params: Json = field(default_factory=lambda: {"name": "inbox", "arguments": {}, "_meta": META})
    protocol_version: str = MODERN
    request: object = None


@played
async def test_what_nobody_waits_for_an_answer_to_is_no_call() -> None:
    """A message without an id is a notification, whatever it is named: the SDK drops it."""
    behind, left = Asked(), list[Any]()
    (straight,) = build(behind).middleware

    async def dropped(context: Any) -> None:
        left.append(context)

    assert await straight(Context(request_id=None), dropped) is None  # type: ignore[arg-type] # as much of it as is read
    assert (behind.methods, len(left)) == ([], 1)
    await straight(Context(request_id=7), dropped)  # type: ignore[arg-type] # likewise
    assert (behind.methods, len(left)) == (["tools/call"], 1)
