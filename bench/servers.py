"""Start, call and observe a server from outside; processor time and memory are those of its process."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from bench.story import FILE, POLICY
from foureyes.app.accounts import Enrolled, new_token, stream_of
from foureyes.app.asks import Ask
from foureyes.app.gate import Gate, new_key
from foureyes.app.ports import Store
from foureyes.core.principals import EnrolPrincipal, IssueToken
from foureyes.core.values import Who, WhoKind
from foureyes.store.sqlite_store import SqliteStore

HOST = "127.0.0.1"
END_SECONDS_MAX = 15
OWNER = Who(name="owner", kind=WhoKind.PERSON)
SUE = Who(name="sue", kind=WhoKind.HUMAN, operator="sue")
_NANO = 1e9
_KILO = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A server in its own process."""

    process: subprocess.Popen[str]
    port: int

    def cpu_seconds(self) -> float:
        """Processor seconds of the threads of its process, in nanoseconds because clock ticks are coarse."""
        threads = Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(one.read_text(encoding="utf-8").split()[0]) for one in threads) / _NANO

    def megabytes(self) -> float:
        """Its memory, with its share of shared pages."""
        lines = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
        return next(int(one.split()[1]) for one in lines if one.startswith("Pss:")) / _KILO

    def has(self, library: str) -> bool:
        """Whether it has loaded a library of this name."""
        return library in Path(f"/proc/{self.process.pid}/maps").read_text(encoding="utf-8")


@contextmanager
def started(words: Sequence[str], log: Path, more: dict[str, str] | None = None) -> Iterator[subprocess.Popen[str]]:
    """Run a process and end it with a signal, as an operating system does."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("FOUREYES_", "COV"))}
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(  # noqa: S603 - our own
            words, stdout=subprocess.PIPE, stderr=errors, text=True, env={**plain, **(more or {})}
        )
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(END_SECONDS_MAX)
            finally:
                process.kill()
                process.communicate()


@contextmanager
def floor(kind: str, folder: Path) -> Iterator[Server]:
    """Run one of the floor servers."""
    words = [sys.executable, "-m", "bench.floor_servers", kind, str(folder / f"{kind}.db")]
    with started(words, folder / f"{kind}.log") as process:
        assert process.stdout
        yield Server(process=process, port=int(process.stdout.readline()))


@contextmanager
def ours(folder: Path, *more: str) -> Iterator[Server]:
    """Run `foureyes up` on a data folder."""
    words = [str(Path(sys.executable).with_name("foureyes")), "up", "--port", "0", "--json", *more]
    with started(words, folder / "up.log", {"FOUREYES_HOME": str(folder), "HOME": str(folder)}) as process:
        yield Server(process=process, port=_port(process))


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stdout
    lines = list[str]()
    for line in process.stdout:
        lines.append(line)
        if line == "}\n":
            break
    return int(json.loads("".join(lines))["address"].rpartition(":")[2])


async def enrolled(home: Path, names: Sequence[str]) -> dict[str, str]:
    """Create a data folder with the policy of `story` and these agents; return the token of each."""
    store = _folder(home)
    tokens = await people(store, names)
    await store.close()
    return tokens


async def people(store: Store, names: Sequence[str]) -> dict[str, str]:
    """Enrol these agents in a store and return the token of each."""
    tokens = dict[str, str]()
    gate = Gate(store, Enrolled(), policy=POLICY)

    async def do(actor: Who, command: EnrolPrincipal | IssueToken, name: str) -> None:
        await gate.handle(Ask(actor=actor, key=new_key(), command=command, stream=stream_of(name)))

    await do(OWNER, EnrolPrincipal(kind="human", operator="sue"), "sue")
    for name in names:
        roles = ("agent",) if name.startswith("codex") else ()
        family = "gpt" if roles else "claude"
        await do(SUE, EnrolPrincipal(kind="agent", operator=f"{name}-co", model_family=family, roles=roles), name)
        made = new_token()
        await do(SUE, IssueToken(token=made.id, hash=made.hash), name)
        tokens[name] = made.secret
    return tokens


def folder_of(home: Path) -> None:
    """Create a data folder with the policy of `story`."""
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "foureyes.yaml").write_bytes(FILE)


def _folder(home: Path) -> SqliteStore:
    folder_of(home)
    return SqliteStore.open(home / "foureyes.db")


class Failed(Exception):  # noqa: N818 - counted as such
    """The server gave a wrong answer."""


@dataclass(slots=True)
class Line:
    """One persistent connection, so cheap that the server is measured and not the client."""

    port: int
    #: Number of requests sent.
    sent: int = 0
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = field(default=None, init=False)

    async def ask(self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None) -> Any:
        """Send a request and return its answer as JSON; any status but success raises `Failed`."""
        if self._streams is None or self._streams[0].at_eof():  # a server closes idle connections
            self._streams = await asyncio.open_connection(HOST, self.port)
        reader, writer = self._streams
        named = {"Host": f"{HOST}:{self.port}", "Content-Length": str(len(body)), **(headers or {})}
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        writer.write(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body)
        self.sent += 1
        start = (await reader.readuntil(b"\r\n\r\n")).lower()
        answer = await (_pieces(reader) if b"transfer-encoding: chunked" in start else _whole(reader, start))
        if not start.startswith(b"http/1.1 2"):
            raise Failed(f"{method} {path}: {start[9:12].decode()} {answer[:300]!r}")
        if b"text/event-stream" in start:
            answer = next(line[5:] for line in answer.splitlines() if line.startswith(b"data:"))
        return json.loads(answer)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._streams:
            self._streams[1].close()
            with suppress(OSError):
                await self._streams[1].wait_closed()


async def _whole(reader: asyncio.StreamReader, start: bytes) -> bytes:
    size = next(line for line in start.split(b"\r\n") if line.startswith(b"content-length:"))
    return await reader.readexactly(int(size[15:]))


async def _pieces(reader: asyncio.StreamReader) -> bytes:
    pieces = list[bytes]()
    while size := int(await reader.readline(), 16):
        pieces.append(await reader.readexactly(size))
        await reader.readline()
    await reader.readline()
    return b"".join(pieces)
