"""The stage of the whole stories: a running server, workers, scripted reviewers, and a clock that is moved."""

from __future__ import annotations

import asyncio
import json
import pwd
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from os import getuid
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from foureyes.app.ports import Store
from foureyes.app.signing_in import COOKIE, form_mark, new_link, redeemed
from foureyes.bootstrap.serving import human_name
from foureyes.http.calling import FORM_HEADER
from foureyes.store.postgres import PostgresStore
from foureyes.store.sqlite_store import SqliteStore
from tests.agents.fakes import KEYS, NAMES, Place
from tests.agents.model import ScriptedModel
from tests.cli.running import Running
from tests.conftest import EFFORT
from tests.engine.cluster import Worker, tables
from tests.http.web import Answer
from tests.postgres.server import Server
from tests.shape import ROOT
from tests.stories import minds
from tests.stories.process import DIES, HELD, by

POLICY = """
version: 1
mode: enforce
reviewers:
  agent: [{command: codex}, {command: gemini}]
  tester: {command: codex}
  architect: {command: claude}
  reviewer: {command: gemini}
  seldon: {program: format}
  hardin: {command: claude}
  haiku: HAIKU
  sonnet: SONNET
kinds:
  story: resolve
  create_core: peer
  security_change: {chain: security}
  content: {chain: content}
  task: panel
  milestone: session
  default: {chain: default}
chains: {file: critic-chains.json}
panel: {auto_approve: true, auto_reject: true}
"""
#: The reviewers of a panel. Model clients take seconds to load in each process, so they are for the long run.
PANEL = {
    "test": {"HAIKU": "{command: claude}", "SONNET": "{command: gemini}"},
    "all": {"HAIKU": "{model: anthropic:claude-haiku-4-5}", "SONNET": "{model: anthropic:claude-sonnet-4-5}"},
}
CHAINS = ROOT / "src/foureyes/policy/shipped/config/critic-chains.json"
#: So long that no worker counts as dead when the clock jumps by hours.
HELD_SECONDS = 10 * 365 * 86_400
#: A loaded machine is slow, not wrong.
SECONDS_MAX = 60
LINES_MAX = 50
LOOK_SECONDS = 0.15
API = "/api/v1"
Headers = dict[str, str]


@dataclass
class Theatre:
    """All running processes, and the calls of the players."""

    folder: Path
    #: A PostgreSQL database, or empty for a file in the server's home.
    url: str
    agents: Place
    model: ScriptedModel
    stack: ExitStack
    #: Seconds without a heartbeat after which a worker counts as dead.
    held_seconds: int = HELD_SECONDS
    workers: list[Worker] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.clock = self.folder / "clock"
        self.environ = {
            **KEYS,
            "ANTHROPIC_BASE_URL": self.model.url,
            "FOUREYES_POLICY": str(self.folder / "foureyes.yaml"),
            "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}",
            "PATH": f"{self.agents.path}:/usr/local/bin:/usr/bin:/bin",
            HELD: str(self.held_seconds),
        }
        self.program = ("tests.stories.process", str(self.clock))

    def serve(self, name: str = "up", *, dies: str = "") -> Running:
        """Start a server and use it from now on; with a file store, each uses the same home."""
        home = self.folder / (f"home-{name}" if self.url else "home")
        more = ("--database", self.url) if self.url else ("--yes-send", "all")
        program = (sys.executable, "-m", *self.program)
        server = Running(self.folder / name, arguments=("--home", str(home), *more), program=program)
        server.environment |= {**self.environ, DIES: dies}
        self.server = self.stack.enter_context(server)
        return server

    def hire(self, *names: str, dies: str = "") -> list[Worker]:
        """Start workers, and wait until they read their queues."""
        environ, program = {**self.environ, DIES: dies}, (*self.program, "worker")
        hired = [Worker(self.folder / one, self.url, self.model, program=program, environ=environ) for one in names]
        for one in hired:
            self.stack.enter_context(one)
        for one in hired:
            one.name()
        self.workers += hired
        return hired

    def now(self) -> datetime:
        """The time on the theatre's clock."""
        return by(self.clock)

    def wait(self, **span: float) -> None:
        """Move the clock."""
        ahead = float(self.clock.read_text(encoding="utf-8")) + timedelta(**span).total_seconds()
        new = self.clock.with_suffix(".new")
        new.write_text(str(ahead), encoding="utf-8")
        new.replace(self.clock)

    @asynccontextmanager
    async def store(self) -> AsyncIterator[Store]:
        """The server's store, for reading."""
        file = str(self.folder / "home" / "foureyes.db")
        opened: Any = PostgresStore.open(self.url) if self.url else SqliteStore.open(file)
        async with opened as store:
            yield store

    async def human(self) -> Headers:
        """The human who started the server, freshly signed in."""
        name = human_name(pwd.getpwuid(getuid()).pw_name)
        async with self.store() as store:
            secret = await store.write(lambda tx: new_link(tx, name, self.now()))
            session = await store.write(lambda tx: redeemed(tx, secret or "", self.now()))
        return {"cookie": f"{COOKIE}={session}", FORM_HEADER: form_mark(session or "")}

    async def agent(self, name: str, *roles: str, family: str = "") -> Headers:
        """An outside agent with a token from a human."""
        sue = await self.human()
        body = {"name": name, "operator": f"{name}-co", "roles": roles, "model_family": family or name}
        await self.done(sue, f"{API}/accounts", **body)
        issued = await self.done(sue, f"{API}/accounts/{name}/tokens")
        return {"authorization": f"Bearer {issued['secret']}"}

    async def post(self, who: Headers, path: str, **body: Any) -> Answer:
        """Make a call; a reviewer reads the work before a report."""
        if path.endswith("/reports"):
            await self.server.send("GET", f"{path.removesuffix('reports')}work", who)
        headers = {**who, "content-type": "application/json", "origin": self.server.begun["address"]}
        return await self.server.send("POST", path, headers, json.dumps(body).encode())

    async def done(self, who: Headers, path: str, **body: Any) -> Any:
        """Make a call that must succeed and return its answer."""
        answer = await self.post(who, path, **body)
        assert answer.status < 300, (path, answer.body, self.said())
        return answer.data

    async def found(self, who: Headers, path: str, **query: Any) -> Any:
        """Read a path and return its answer."""
        answer = await self.server.send("GET", f"{path}?{urlencode(query)}" if query else path, who)
        assert answer.status == 200, (path, answer.body, self.said())
        return answer.data

    async def until(self, looks: Callable[[], Awaitable[Any]], is_so: Callable[[Any], bool]) -> Any:
        """Poll until the condition holds and return the last value."""
        seen = None
        try:
            async with asyncio.timeout(SECONDS_MAX):
                while not is_so(seen := await looks()):  # noqa: ASYNC110 - other processes do it
                    await asyncio.sleep(LOOK_SECONDS)
        except TimeoutError:
            raise AssertionError((seen, self.said())) from None
        return seen

    async def shows(self, who: Headers, path: str, **wanted: Any) -> Any:
        """Poll a path until its answer has all these values."""
        return await self.until(lambda: self.found(who, path), lambda seen: wanted.items() <= seen.items())

    async def review(self, who: Headers, review: str, **wanted: Any) -> Any:
        """The review as this caller sees it, once it has these values."""
        looks = lambda: self.found(who, f"{API}/reviews/{review}")  # noqa: E731 - it is looked at again and again
        return (await self.until(looks, lambda seen: wanted.items() <= seen["review"].items()))["review"]

    async def logs(self, stream: str) -> list[dict[str, Any]]:
        """The events of a stream, each with its type and body."""
        async with self.store() as store:
            events = await store.read(lambda reading: list(reading.events(stream)))
        return [{"type": one.type, **json.loads(one.body)} for one in events]

    async def types(self, stream: str) -> list[str]:
        """The event types of a stream."""
        return [str(one["type"]) for one in await self.logs(stream)]

    async def happens(self, stream: str, **wanted: Any) -> dict[str, Any]:
        """Wait until there is an event with all these values."""

        def meant(seen: list[dict[str, Any]]) -> list[dict[str, Any]]:
            return [one for one in seen if wanted.items() <= one.items()]

        return meant(await self.until(lambda: self.logs(stream), lambda seen: bool(meant(seen))))[-1]

    async def one_report_each(self, review: str) -> None:
        """Check that no seat has two reports on one version."""
        told = [one for one in await self.logs(f"review/{review}") if one["type"] == "ReportSubmitted"]
        seats = [(one["seat"], one["revision"]) for one in told]
        assert len(seats) == len(set(seats)), seats

    def said(self) -> str:
        """The stderr of all processes, without the request lines."""
        lines = "\n".join([self.server.logged(), *(one.logged() for one in self.workers)]).splitlines()
        return "\n".join([line for line in lines if '"message": "request"' not in line][-LINES_MAX:])


@contextmanager
def theatre(folder: Path, postgres: Server | None = None, held_seconds: int = HELD_SECONDS) -> Iterator[Theatre]:
    """A theatre for servers on SQLite, or on PostgreSQL with workers; nothing runs yet."""
    folder.mkdir(exist_ok=True)
    policy = POLICY
    for name, holder in PANEL[EFFORT].items():
        policy = policy.replace(name, holder)
    (folder / "foureyes.yaml").write_text(policy, encoding="utf-8")
    (folder / "critic-chains.json").write_bytes(CHAINS.read_bytes())
    (folder / "clock").write_text("0", encoding="utf-8")
    agents = _agents(folder / "agents")
    with ExitStack() as stack:
        url = stack.enter_context(tables(postgres)) if postgres else ""
        model = stack.enter_context(_model(folder))
        yield Theatre(folder, url, agents, model, stack, held_seconds)


#: Records its name and input, and answers once the file `holds` does not exist.
_AGENT = """
(FOLDER / "asked-{name}").write_text(asked)
with (FOLDER / "starts").open("a") as notes:
    notes.write(str(os.getpid()) + "\\n")
while (FOLDER / "holds").exists():
    time.sleep(0.02)
says(answer_to(asked))
"""


def _agents(folder: Path) -> Place:
    """Three command-line agents with the same scripted answers."""
    folder.mkdir()
    place = Place(folder=folder)
    mind = Path(minds.__file__).read_text(encoding="utf-8")
    for name in NAMES:
        place.install(name, mind + _AGENT.format(name=name))
    return place


@contextmanager
def _model(folder: Path) -> Iterator[ScriptedModel]:
    record = folder / "requests.jsonl"
    command = [sys.executable, "-m", "tests.stories.model", str(record)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield ScriptedModel(url=process.stdout.readline().strip(), record=record)
        finally:
            process.kill()
