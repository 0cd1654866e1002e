"""A started server for the stories: on SQLite or PostgreSQL, with reviewers hosted by itself or by workers.

Its clock is moved by the tests. Without a policy file it has the policy that ships for servers.
"""

from __future__ import annotations

import asyncio
import json
import pwd
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from os import getuid
from pathlib import Path
from typing import Any

from foureyes.app.signing_in import COOKIE, new_link, redeemed
from foureyes.bootstrap.serving import human_name
from foureyes.store.postgres import PostgresStore
from foureyes.store.sqlite_store import SqliteStore
from tests.agents.model import ScriptedModel
from tests.cli.running import Running
from tests.cli.test_up import signed_in
from tests.conftest import EFFORT
from tests.engine.cluster import Worker, tables
from tests.postgres.server import Server
from tests.shape import ROOT
from tests.stories.process import DIES, HELD, by
from tests.use.clocked import HELD_SECONDS, Clock
from tests.use.judging import wait_for
from tests.use.served import Caller, Reply, Served

SQLITE, POSTGRES, WORKERS = "sqlite", "postgres", "workers"
PLACES = (SQLITE, POSTGRES, WORKERS)


def places(first: str) -> tuple[str, ...]:
    """The places where a story is played: one, and all of them in the long run."""
    return PLACES if EFFORT == "all" else (first,)


@dataclass
class Stage:
    """The server, its accounts and its clock."""

    up: Served
    clock: Clock
    #: The PostgreSQL database, or nothing: then the store is a file.
    url: str = ""
    #: The separate process that hosts the reviewers, if there is one.
    worker: Worker | None = None

    def agent(self, name: str, *roles: str, **fields: Any) -> Caller:
        """The account of this name, over HTTP; enrolled by the human where it is not yet there."""
        if name not in self.up.callers:
            self.human()
            self.up.account(name, *roles, **fields)
        return self.up.callers[name]

    def human(self) -> Caller:
        """The human who started the server, signed in this moment."""
        self.up.browser.cookies[COOKIE] = asyncio.run(self._session())
        return self.up.human

    def wait(self, **span: float) -> None:
        """Let this time pass on the server's clock."""
        self.clock.wait(**span)

    def hosted(self, review: str) -> set[str]:
        """The hosted reviewers that ran for this review; the other process must have started none.

        Both processes record each run that they start.
        """
        server, worker = begun(self.up.server.logged()), begun(self.worker.logged() if self.worker else "")
        assert not (server if self.worker else worker), (server, worker)
        return {reviewer for where, reviewer in (worker if self.worker else server) if where == review}

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """End the server, for a command that must be alone, and start it again."""
        server = self.up.server
        assert server.end() == 0
        server.__exit__()
        yield
        server.__enter__()

    async def _session(self) -> str:
        name = human_name(pwd.getpwuid(getuid()).pw_name)
        now = by(self.clock.file)
        opened: Any = PostgresStore.open(self.url) if self.url else SqliteStore.open(str(self.up.home / "foureyes.db"))
        async with opened as store:
            secret = await store.write(lambda tx: new_link(tx, name, now))
            return str(await store.write(lambda tx: redeemed(tx, secret or "", now)))


@contextmanager
def stage(
    folder: Path,
    place: str,
    postgres: Callable[[], Server],
    *,
    policy: Path | None = None,
    arguments: tuple[str, ...] = (),
    environment: Mapping[str, str] | None = None,
) -> Iterator[Stage]:
    """Run `foureyes up`, and on request a worker, until the block ends."""
    clock = Clock(folder / "clock")
    clock.file.write_text("0", encoding="utf-8")
    program = ("tests.stories.process", str(clock.file))
    environ = {"PYTHONPATH": f"{ROOT}:{ROOT / 'src'}", HELD: str(HELD_SECONDS), DIES: "", **(environment or {})}
    environ |= {"FOUREYES_POLICY": str(policy)} if policy else {}
    with ExitStack() as stack:
        url = "" if place == SQLITE else stack.enter_context(tables(postgres()))
        at = ("--database", url) if url else ()
        server = Running(folder / "home", arguments=(*at, *arguments), program=(sys.executable, "-m", *program))
        server.environment |= environ
        stack.enter_context(server)
        worker: Worker | None = None
        if place == WORKERS:
            model = ScriptedModel(url="http://127.0.0.1:9", record=folder / "requests.jsonl")
            named = {"FOUREYES_POLICY": str(policy or folder / "none.yaml")}
            worker = Worker(folder / "worker", url, model, program=(*program, "worker"), environ=environ | named)
            stack.enter_context(worker).name()
        yield Stage(Served(server=server, browser=asyncio.run(signed_in(server))), clock, url, worker)


def begun(log: str) -> set[tuple[str, str]]:
    """The review and the reviewer of each run that a process has begun, by its log."""
    lines = [json.loads(line) for line in log.splitlines() if '"message": "begun"' in line]
    return {(line["review"], line["reviewer"]) for line in lines}


def done(caller: Caller, path: str, /, **body: Any) -> Any:
    """Send a POST that must succeed and return its answer."""
    reply = posted(caller, path, **body)
    assert reply.is_ok, (path, reply.text)
    return reply.data


def posted(caller: Caller, path: str, /, **body: Any) -> Reply:
    """Send a POST and return its answer."""
    return caller.sent("POST", path, body)


def found(caller: Caller, path: str, /, **query: Any) -> Any:
    """The answer to a GET."""
    reply = caller.sent("GET", path, query)
    assert reply.is_ok, (path, reply.text)
    return reply.data


def until(look: Callable[[], Any], is_so: Callable[[Any], bool]) -> Any:
    """Poll until the condition holds; the server's own work takes a moment."""
    seen: list[Any] = []

    def looks() -> bool:
        seen.append(look())
        return is_so(seen[-1])

    wait_for(looks)
    return seen[-1]


def shows(caller: Caller, path: str, /, **wanted: Any) -> Any:
    """Poll a path until its answer has all these values."""
    return until(lambda: found(caller, path), lambda seen: wanted.items() <= seen.items())
