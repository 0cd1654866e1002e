"""An agent that starts its tools itself: `foureyes mcp` as a process, on its own data folder."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from mcp import Client, StdioServerParameters
from starlette.routing import Route
from starlette.types import ASGIApp

from foureyes.app.accounts import new_token, stream_of
from foureyes.app.calls.office import Office
from foureyes.bootstrap.speaking import endpoint
from foureyes.core.principals import EnrolPrincipal, IssueToken
from foureyes.home import folder
from foureyes.home.lock import ServerLock
from foureyes.http.app import Site, build
from foureyes.mcp.over_http import PATH, REVIEW_SERVER_PATH, Endpoint
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House
from tests.calls.counter import SUE

POLICY = """\
version: 1
kinds: {script: resolve, default: resolve}
resolve: {min_reviewers: 1}
"""
PROGRAM = (sys.executable, "-c", "from foureyes.bootstrap import main; raise SystemExit(main())")


async def enrolled(house: House, *names: str) -> dict[str, str]:
    """Agents with a token each; the secrets by name."""
    secrets = dict[str, str]()
    for name in names:
        await house.do(SUE, EnrolPrincipal(kind="agent", operator=f"{name}-co", roles=("reviewer",)), stream_of(name))
        made = new_token()
        await house.do(SUE, IssueToken(token=made.id, hash=made.hash), stream_of(name))
        secrets[name] = made.secret
    return secrets


async def home_with(home: Path, *names: str) -> dict[str, str]:
    """A data folder in which these agents are enrolled."""
    folder.make(str(home))
    (home / "foureyes.yaml").write_text(POLICY, encoding="utf-8")
    store = SqliteStore.open(home / "foureyes.db")
    try:
        return await enrolled(House(store=store), *names)
    finally:
        await store.close()


def environment(home: Path, token: str = "") -> dict[str, str]:
    """The environment a client gives the process it starts."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "PYTHONPATH") if name in os.environ}
    return kept | {"FOUREYES_HOME": str(home)} | ({"FOUREYES_TOKEN": token} if token else {})


@asynccontextmanager
async def started(home: Path, token: str, era: str, *arguments: str) -> AsyncIterator[Client]:
    """A client of a process of its own."""
    how = StdioServerParameters(
        command=PROGRAM[0], args=[*PROGRAM[1:], "mcp", *arguments], env=environment(home, token)
    )
    async with Client(how, mode=era) as client:
        yield client


Around = Callable[[ASGIApp, Endpoint], ASGIApp]


def _as_it_is(app: ASGIApp, _: Endpoint) -> ASGIApp:
    return app


@asynccontextmanager
async def server_at(home: Path, house: House, before: Around = _as_it_is) -> AsyncIterator[str]:
    """A server at work in a data folder, on loopback; its address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()  # clients that connect before the start wait for it
        host = f"127.0.0.1:{listening.getsockname()[1]}"
        site = Site(hosts=frozenset({host}), origins=frozenset({f"http://{host}"}))
        office = Office(gate=house.gate, store=house.store, clock=lambda: house.now)
        tools = endpoint(office, site.hosts, site.origins)
        app = build(office, site, [Route(PATH, tools), Route(REVIEW_SERVER_PATH, tools)])
        # Uvicorn's own settings would reconfigure the loggers of this process.
        server = uvicorn.Server(uvicorn.Config(before(app, tools), lifespan="off", log_config=None))
        folder.make(str(home))
        with ServerLock.acquire(str(home), f"http://{host}", now="now"):
            async with tools.serving():
                serving = asyncio.create_task(server.serve([listening]))
                try:
                    yield f"http://{host}"
                finally:
                    server.should_exit = True
                    await serving
