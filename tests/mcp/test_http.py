"""Over HTTP each request is independent: with its own token, well formed, and to a known host name."""

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from foureyes.app.accounts import stream_of
from foureyes.app.ports import Unavailable
from foureyes.codec.sizes import VALUES_MAX
from foureyes.core.principals import RemovePrincipal
from foureyes.mcp.over_http import PATH
from foureyes.mcp.oversize import DRAINED_BYTES_MAX
from foureyes.mcp.strict import MESSAGE_BYTES_MAX
from tests.app.house import played
from tests.calls.counter import SUE
from tests.http.test_http import told
from tests.http.web import Answer
from tests.mcp.desk import ERAS, LEGACY, MODERN, Desk, no, tool
from tests.mcp.wire import ACCEPTED as JSON
from tests.mcp.wire import META, posted, said


def modern(method: str, name: str = "") -> dict[str, str]:
    """The headers of the newer era, which repeat parts of the message."""
    return JSON | {"mcp-protocol-version": MODERN, "mcp-method": method} | ({"mcp-name": name} if name else {})


def called(name: str, arguments: str) -> bytes:
    """A tool call as sent, with its arguments as raw text."""
    params = f'{{"name":"{name}","arguments":{arguments},"_meta":{json.dumps(META)}}}'
    return f'{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}'.encode()


async def sent(desk: Desk, headers: dict[str, str], name: str, arguments: str) -> Answer:
    return await desk.request("POST", PATH, modern("tools/call", name) | headers, called(name, arguments))


@played
async def test_nobody_gets_as_far_as_the_protocol_without_a_token_that_opens() -> None:
    desk = Desk()
    human = await desk.human()
    wrong: tuple[dict[str, str], ...] = (
        {},
        {"authorization": "Bearer nothing"},
        {"authorization": "Basic eA=="},
        human,
    )
    async with desk.endpoint.serving():
        for headers in wrong:
            answer = await sent(desk, headers, "me", "{}")
            told(answer, 401, "credential_needed")
            assert answer.headers["www-authenticate"].startswith("Bearer")
    assert not desk.endpoint._wanted.is_set() or desk.endpoint._over.is_set()


NO_MESSAGES = [
    b"[]",
    b"{}",
    b"null",
    b"7",
    b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    b'{"jsonrpc":"2.0","method":7}',
]


@played
async def test_what_is_no_message_is_told_so_in_one_sentence() -> None:
    """T29: and not in the words of the library that reads them."""
    desk = Desk()
    dev = await desk.agent("dev")
    long = called("me", f'{{"a":{"1" * 5_000}}}')
    async with desk.endpoint.serving():
        for body in NO_MESSAGES:
            answer = await desk.request("POST", PATH, JSON | dev, body)
            assert (answer.status, answer.data["error"]["code"]) == (400, -32600), body
            assert answer.data["error"]["message"].startswith("A message is one JSON-RPC object")
        answer = await desk.request("POST", PATH, modern("tools/call", "me") | dev, long)
        assert answer.status == 400
        assert answer.data["error"]["message"] == "The message is not JSON: a number has too many digits."
        reply = await desk.request("POST", PATH, JSON | dev, b'{"jsonrpc":"2.0","id":1,"result":{}}')
        assert reply.status == 202


@pytest.mark.parametrize("era", ERAS)
def test_a_token_that_is_taken_back_opens_nothing_from_then_on(era: str) -> None:
    """T24: what was opened before is no right by itself."""

    @played
    async def story() -> None:
        desk = Desk()
        dev = await desk.agent("dev")
        async with desk.endpoint.serving(), desk.over_http(dev, era) as client:
            assert (await tool(client, "me"))["who"]["name"] == "dev"
            await desk.house.do(SUE, RemovePrincipal(reason="Gone."), stream_of("dev"))
            with pytest.raises(MCPError):
                await client.call_tool("me", {})

    story()


@played
async def test_the_older_era_keeps_no_session_that_somebody_else_could_use() -> None:
    """T24: the caller of each message is the token that came with it."""
    desk = Desk()
    dev, codex = await desk.agent("dev"), await desk.agent("codex")
    async with desk.endpoint.serving():
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        opened = await desk.request("POST", PATH, JSON | dev, json.dumps(message).encode())
        assert opened.status == 200
        assert "mcp-session-id" not in opened.headers
        message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "me", "arguments": {}}}
        other = JSON | codex | {"mcp-protocol-version": "2025-06-18", "mcp-session-id": "of-dev"}
        answer = await desk.request("POST", PATH, other, json.dumps(message).encode())
        assert b'\\"name\\":\\"codex\\"' in answer.body


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ('{"digest":"a","digest":"b"}', "twice"),
        ('{"digest":NaN}', "no number"),
        ('{"digest":-Infinity}', "no number"),
        ('{"digest":"\\ud83d"}', "half of a character"),
        ("{" * 10, "not JSON"),
        ('{"a":' * 10_000 + "1" + "}" * 10_000, "deep"),
    ],
)
def test_a_message_that_two_readers_would_read_differently_is_refused(arguments: str, word: str) -> None:
    """T29."""

    @played
    async def story() -> None:
        desk = Desk()
        async with desk.endpoint.serving():
            answer = await sent(desk, await desk.agent("dev"), "gate", arguments)
            assert answer.status == 400
            assert word in answer.data["error"]["message"]

    story()


@played
async def test_a_message_of_a_great_many_values_is_refused_as_one_that_is_too_large() -> None:
    """T18: with the status that counts for whoever sends such messages again and again."""
    desk = Desk()
    async with desk.endpoint.serving():
        answer = await sent(desk, await desk.agent("dev"), "gate", f'{{"a":[{"[]," * VALUES_MAX}1]}}')
        assert answer.status == 413
        assert f"at most {VALUES_MAX} values" in answer.data["error"]["message"]


@played
async def test_a_message_that_is_too_long_is_refused_before_it_is_read_to_its_end() -> None:
    """T19."""
    desk = Desk()
    async with desk.endpoint.serving():
        dev = await desk.agent("dev")
        rest = MESSAGE_BYTES_MAX - len(called("gate", '{"digest":""}'))
        long = said(await sent(desk, dev, "gate", f'{{"digest":"{"x" * (rest + 1)}"}}'))["result"]
        assert (long["isError"], long["structuredContent"]["code"]) == (True, "too_large")
        assert long["structuredContent"]["next_call"]["call"] == "send_file"
        told(await sent(desk, dev, "gate", f'{{"digest":"{"x" * DRAINED_BYTES_MAX}"}}'), 413, "too_large")
        assert (await sent(desk, dev, "gate", f'{{"digest":"{"x" * rest}"}}')).status == 200


@played
async def test_only_messages_are_taken_and_only_by_our_own_names() -> None:
    """T23."""
    desk = Desk()
    async with desk.endpoint.serving():
        dev = await desk.agent("dev")
        for method in ("GET", "DELETE", "PUT"):
            answer = await desk.request(method, PATH, JSON | dev)
            told(answer, 405, "wrong_method")
            assert answer.headers["allow"] == "POST"
        told(await sent(desk, dev | {"host": "evil.example"}, "me", "{}"), 421, "wrong_host")
        told(await sent(desk, dev | {"origin": "http://evil.example"}, "me", "{}"), 403, "wrong_origin")
        assert (await sent(desk, dev, "me", "{}")).status == 200


@played
async def test_the_protocol_itself_refuses_strange_names_too() -> None:
    """T23: should it ever stand without the guard before it."""
    desk = Desk()
    dev = await desk.agent("dev")
    desk.app = desk.endpoint
    async with desk.endpoint.serving():
        assert (await sent(desk, dev | {"host": "evil.example"}, "me", "{}")).status == 421
        assert (await sent(desk, dev | {"origin": "http://evil.example"}, "me", "{}")).status == 403
        assert (await sent(desk, dev, "me", "{}")).status == 200


@played
async def test_a_store_that_cannot_answer_is_a_problem_to_come_back_to() -> None:
    desk = Desk()
    dev = await desk.agent("dev")

    async def down(_: object) -> Any:
        raise Unavailable("The store is away.", "Come back.")

    object.__setattr__(desk.office.store, "read", down)
    async with desk.endpoint.serving():
        answer = await sent(desk, dev, "me", "{}")
        told(answer, 503, "unavailable")
        assert answer.headers["retry-after"]


@played
async def test_who_asks_too_fast_is_told_when_to_come_back() -> None:
    """T18: before any of the message is read; a list counts like a call."""
    desk = Desk()
    dev, codex = await desk.agent("dev"), await desk.agent("codex")
    share = replace(desk.office.quotas.limits.account, requests_a_minute=2, waits=0)
    desk.office.quotas.limits = replace(desk.office.quotas.limits, account=share)
    async with desk.endpoint.serving():
        async with desk.near(codex, MODERN) as client:
            assert "Code: limit_reached" in await no(client, "read_review", review="r1", wait=1)
            await client.list_tools()
            with pytest.raises(MCPError, match="limit_reached"):
                await client.list_tools()
        answers = [await sent(desk, dev, "me", "{}") for _ in range(4)]
        assert [one.status for one in answers] == [200, 200, 429, 429]
        told(answers[-1], 429, "limit_reached")
        assert answers[-1].headers["retry-after"] == "30"


@pytest.mark.parametrize(
    ("era", "arguments", "blocked"),
    [
        (LEGACY, '{"review":"r404"}', "http.response.body"),
        (LEGACY, "{" * 10, "http.response.start"),
        (MODERN, '{"review":"r404"}', "http.response.start"),
        (MODERN, '{"review":"r404","wait":0}', "http.response.body"),
    ],
)
def test_whoever_does_not_read_an_answer_keeps_no_turn(era: str, arguments: str, blocked: str) -> None:
    """T18: and the work for it was done in its turn: a stream begins before that, and would be counted twice."""

    @played
    async def story() -> None:
        desk = Desk()
        dev = await desk.agent("dev")
        share = replace(desk.office.quotas.limits.account, requests_a_minute=2, at_once=1, in_line=0)
        desk.office.quotas.limits = replace(desk.office.quotas.limits, account=share)
        headers, body = modern("tools/call", "read_review") | dev, called("read_review", arguments)
        if era == LEGACY:
            headers["mcp-protocol-version"] = "2025-06-18"
        stuck, reads = asyncio.Event(), asyncio.Event()

        async def slowly(scope: Any, receive: Any, send: Any) -> None:
            async def held(message: Any) -> None:
                if message["type"] == blocked:
                    stuck.set()
                    await reads.wait()
                await send(message)

            await desk.endpoint(scope, receive, held)

        async with desk.endpoint.serving(), asyncio.timeout(20):
            first = asyncio.create_task(posted(slowly, headers, body))
            await stuck.wait()
            assert (await sent(desk, dev, "me", "{}")).status == 200
            reads.set()
            assert b"limit_reached" not in (await first).body

    story()


def test_the_library_is_imported_by_the_first_agent_and_not_before() -> None:
    """HTTP answers before MCP is imported, and who needs no tools pays for none."""
    modules = "foureyes.http.app, foureyes.mcp.over_http, foureyes.bootstrap.speaking"
    code = f"import sys, {modules}; print('mcp' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@played
async def test_what_serves_ends_whether_anybody_came_or_not() -> None:
    async with Desk().endpoint.serving():
        pass
    desk = Desk()
    async with asyncio.timeout(20), desk.endpoint.serving(), desk.over_http(await desk.agent("dev"), LEGACY) as client:
        await tool(client, "inbox")


@played
async def test_who_asks_when_the_library_cannot_be_made_is_told_and_not_kept_waiting() -> None:
    desk = Desk()

    def broken() -> Any:
        raise ImportError("gone")

    desk.endpoint._make = broken
    async with desk.endpoint.serving():
        with pytest.raises(ImportError):
            await sent(desk, await desk.agent("dev"), "me", "{}")
