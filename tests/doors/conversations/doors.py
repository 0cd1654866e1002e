"""The doors at which conversations are played, each with the shipped code of that door and nothing in between."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import product
from typing import Any

import anyio
import httpx2
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from foureyes.app.credentials import Credential
from foureyes.cli.calling import spelt
from foureyes.mcp.far import Far
from foureyes.mcp.near import Near, by_credential
from foureyes.mcp.over_http import PATH, REVIEW_SERVER_PATH
from foureyes.mcp.over_stdio import speak
from foureyes.mcp.server import build
from foureyes.mcp.told import CODE
from foureyes.mcp.tools import OWN, SEVEN
from tests.cli import desk as cli
from tests.doors.conversations.scene import Ask, Door, Said, Scene, over_http
from tests.doors.conversations.script import OK
from tests.http.web import HOST
from tests.mcp.desk import LEGACY, MODERN
from tests.mcp.stdio import PROGRAM, environment, server_at, started


@asynccontextmanager
async def http(scene: Scene) -> AsyncIterator[Ask]:
    """The API."""
    yield partial(over_http, scene)


def _asking(clients: Mapping[tuple[str, bool], Client]) -> Ask:
    """Ask with the client of each caller; the seven tools of the review server have their own address."""

    async def ask(who: str, call: str, takes: Mapping[str, Any]) -> Said:
        result = await clients[who, call in SEVEN].call_tool(call, dict(takes))
        if result.is_error:
            return Said(code=str((result.meta or {})[CODE]))
        return Said(code=OK, data=result.structured_content)

    return ask


@asynccontextmanager
async def mcp_over_http(era: str, scene: Scene) -> AsyncIterator[Ask]:
    """The MCP tools beside the API, with the SDK's own client."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(scene.desk.endpoint.serving())
        clients = {
            (name, seven): await stack.enter_async_context(
                scene.desk.over_http(scene.headers(name), era, path=REVIEW_SERVER_PATH if seven else PATH)
            )
            for name in scene.tokens
            for seven in (False, True)
        }
        yield _asking(clients)


@asynccontextmanager
async def mcp_on_stdio(era: str, scene: Scene, *, embedded: bool) -> AsyncIterator[Ask]:
    """The code of `foureyes mcp` on in-process pipes: on the store itself, or forwarding to a running server."""
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(scene.desk.endpoint.serving())
        transport = httpx2.ASGITransport(app=scene.desk.app)
        web = await stack.enter_async_context(httpx2.AsyncClient(transport=transport))
        clients = dict[tuple[str, bool], Client]()
        for (name, token), seven in product(scene.tokens.items(), (False, True)):
            credential = Credential(token=token)
            near = Near(scene.desk.office, by_credential(scene.desk.office, credential), SEVEN if seven else OWN)
            far = Far(web, lambda: f"http://{HOST}", credential, path=REVIEW_SERVER_PATH if seven else PATH)
            client = Client(_piped(build(near if embedded else far)), mode=era)
            clients[name, seven] = await stack.enter_async_context(client)
        yield _asking(clients)


@asynccontextmanager
async def _piped(server: Server[Any]) -> AsyncIterator[Any]:
    """The client's end of stdin and stdout, with the shipped code at the other end."""
    inward, outward = os.pipe(), os.pipe()
    arriving, reading = anyio.create_memory_object_stream[SessionMessage | Exception](8)
    writing, leaving = anyio.create_memory_object_stream[SessionMessage](8)
    lines = asyncio.StreamReader(limit=2**24)
    loop = asyncio.get_running_loop()
    pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), os.fdopen(outward[0], "rb"))

    async def hear() -> None:
        async for line in lines:
            await arriving.send(SessionMessage(jsonrpc_message_adapter.validate_json(line)))

    async def say() -> None:
        with os.fdopen(inward[1], "wb", buffering=0) as stdin:
            async for one in leaving:
                stdin.write(one.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")

    with os.fdopen(inward[0], "rb") as stdin, os.fdopen(outward[1], "w", encoding="utf-8") as stdout:
        speaking = asyncio.create_task(speak(server, stdin, stdout))
        talking = [asyncio.create_task(one()) for one in (hear, say)]
        try:
            yield reading, writing
        finally:
            await writing.aclose()  # the end of stdin is the end of the process
            await speaking
            for one in talking:
                one.cancel()
            await asyncio.gather(*talking, return_exceptions=True)
            pipe.close()
            for stream in (arriving, reading, leaving):
                stream.close()


@asynccontextmanager
async def mcp_processes(era: str, scene: Scene) -> AsyncIterator[Ask]:
    """`foureyes mcp` itself, a process for each agent, beside a server on loopback."""
    home = scene.folder / "home"
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(server_at(home, scene.desk.house))
        entered = [
            ((name, seven), started(home, token, era, *(("--as", "review-server") if seven else ())))
            for name, token in scene.tokens.items()
            for seven in (False, True)
        ]
        yield _asking({name: await stack.enter_async_context(one) for name, one in entered})


@asynccontextmanager
async def command_line(scene: Scene) -> AsyncIterator[Ask]:
    """`foureyes call` in this process, beside a server on loopback."""
    home = scene.folder / "home"
    desk = cli.Desk(home)

    async def ask(who: str, call: str, takes: Mapping[str, Any]) -> Said:
        file = scene.folder / who
        file.touch(mode=0o600)
        file.write_text(scene.tokens[who], encoding="utf-8")
        ran = await asyncio.to_thread(desk.run, "call", *_words(call, takes), "--token-file", str(file), "--json")
        return _read(ran.code, ran.out)

    async with server_at(home, scene.desk.house):
        yield ask


@asynccontextmanager
async def command_processes(scene: Scene) -> AsyncIterator[Ask]:
    """`foureyes call` itself, a process for each act, with its input on stdin."""
    home = scene.folder / "home"

    async def ask(who: str, call: str, takes: Mapping[str, Any]) -> Said:
        words = [*PROGRAM, "call", spelt(call), "--body", "-", "--json"]
        run = partial(subprocess.run, words, capture_output=True, text=True, check=False)
        body, around = json.dumps(takes), environment(home, scene.tokens[who])
        ran = await asyncio.to_thread(run, input=body, env=around)
        return _read(ran.returncode, ran.stdout)

    async with server_at(home, scene.desk.house):
        yield ask


def _words(call: str, takes: Mapping[str, Any]) -> list[str]:
    """The typed arguments: texts as they are, everything else as JSON."""
    words = [spelt(call)]
    for name, one in takes.items():
        text = one if isinstance(one, str) and (call, name) not in _ANY else json.dumps(one)
        words += [f"--{spelt(name)}={text}"]
    return words


#: Fields that take any value: a text is JSON there too.
_ANY = {("validate", "output"), ("submit_content", "content"), ("revise_content", "content")}


def _read(code: int, out: str) -> Said:
    data = json.loads(out)
    assert data.pop("exit") == code
    if "error" in data:
        return Said(code=data["error"])
    return Said(code=OK, data=data)


def _named() -> dict[str, Door]:
    found: dict[str, Door] = {"cli": command_line}
    for era, name in ((MODERN, "modern"), (LEGACY, "older")):
        found[f"mcp-http-{name}"] = partial(mcp_over_http, era)
        found[f"mcp-stdio-{name}"] = partial(mcp_on_stdio, era, embedded=False)
        found[f"mcp-stdio-embedded-{name}"] = partial(mcp_on_stdio, era, embedded=True)
    return found


#: Every door beside the API, in process.
DOORS: dict[str, Door] = _named()
#: The doors that run as separate programs.
PROCESSES: dict[str, Door] = {
    "cli": command_processes,
    "mcp-stdio-modern": partial(mcp_processes, MODERN),
    "mcp-stdio-older": partial(mcp_processes, LEGACY),
}
