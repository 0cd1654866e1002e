"""How is an agent run so that it ends when we say, with everything it started, and never floods us?

It gets a session of its own, so that one signal reaches all of its group. What left the group is found by a mark in
its environment, where the system shows it (Linux). Nothing here waits for a pipe that somebody else holds open. Where
we are killed ourselves, a guard beside it sees our end of a pipe close, and ends it for us.
"""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from foureyes.app.reviewers import Inconclusive
from foureyes.core.values import Failure

#: A variable whose value only this run has; its children inherit it.
MARK = "FOUREYES_RUN"
POLL_SECONDS = 0.03
#: How long is waited for the last words in a pipe after everything was ended.
DRAIN_SECONDS = 2.0
#: Of what it says beside its answer only the end is kept.
ERR_BYTES_MAX = 1 << 16
LINE_BYTES_MAX = 1 << 20
#: A process may start another while we look; then we look again.
SWEEPS_MAX = 20
_PROCESSES = Path("/proc")
#: Waits until nobody holds the other end of its standard input, then ends a group and whoever left it.
_GUARD = f"""
read -r _
kill -KILL -- "-$1"
grep -alsxzF "{MARK}=$2" /proc/[0-9]*/environ | while IFS=/ read -r _ _ pid _; do kill -KILL "$pid"; done
"""

Watch = Callable[[bytes], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A command to run, with everything it may have."""

    called: str
    argv: tuple[str, ...]
    environ: Mapping[str, str] = field(repr=False)
    folder: Path
    #: What it reads from its standard input; nothing else ever comes.
    stdin: Path | None = None
    seconds: float
    output_bytes: int
    #: The value of MARK in its environment.
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a run left: how it ended and what it printed."""

    code: int
    out: bytes
    #: The end of what it said beside its answer.
    err: bytes
    seconds: float


async def run(order: Run, watch: Watch | None = None) -> Ended:
    """Run it to its end; raises Inconclusive when time or room runs out. Cancelled, it ends everything it started."""
    began = time.monotonic()
    process = _start(order)
    guard = _guard(process.pid, order.mark)
    sinks = (_Sink(order, watch), _Sink(order, watch, only_end=True))
    pipes, readers = [process.stdout, process.stderr], list[asyncio.ReadTransport]()
    try:
        try:
            for sink in sinks:
                readers.append(await _listen(pipes.pop(0), sink))
            async with asyncio.timeout(order.seconds):
                await _until_exit(process, sinks)
            end_all(process.pid, order.mark)
            await _drained(sinks)
        finally:
            # Whoever is cancelled meanwhile has not heard of all of them yet.
            for reader in readers:
                reader.close()
            for pipe in filter(None, pipes):
                pipe.close()
    except TimeoutError:
        text = f"{order.called} did not answer within {order.seconds:g} seconds."
        raise Inconclusive(Failure.TIMED_OUT, text) from None
    finally:
        end_all(process.pid, order.mark)
        # While the leader is not reaped yet nobody else can have the number that the guard knows.
        _dismiss(guard)
        code = process.wait()
    for sink in sinks:
        sink.check()
    out, err = (bytes(sink.kept) for sink in sinks)
    return Ended(code=code, out=out, err=err, seconds=time.monotonic() - began)


def end_all(leader: int, mark: str) -> None:
    """Kill the group, which the unreaped leader keeps ours, and whoever left it but still carries the mark."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    for _ in range(SWEEPS_MAX):
        strays = _marked(mark)
        if not strays:
            return
        for pid in strays:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _marked(mark: str) -> list[int]:
    """Every living process with the mark in its environment, as far as this system shows it; the dead show none."""
    wanted = f"{MARK}={mark}".encode()
    try:
        names = [one.name for one in _PROCESSES.iterdir() if one.name.isdigit()]
    except OSError:
        return []
    return [int(name) for name in names if wanted in _environment(name).split(b"\0")]


def _environment(pid: str) -> bytes:
    try:
        return (_PROCESSES / pid / "environ").read_bytes()
    except OSError:
        return b""


def _start(order: Run) -> subprocess.Popen[bytes]:
    with open(order.stdin or os.devnull, "rb") as stdin:  # noqa: PTH123 - the null device has no Path of its own
        try:
            return subprocess.Popen(  # noqa: S603 - a program found on the user's PATH, run with our own arguments
                order.argv,
                env={**order.environ, MARK: order.mark},
                cwd=order.folder,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            text = f"{order.called} could not be started: {error.strerror}."
            raise Inconclusive(Failure.CRASHED, text) from None


def _guard(leader: int, mark: str) -> subprocess.Popen[bytes] | None:
    """Who ends it where we cannot any more; where there is no shell, nobody does."""
    with suppress(OSError):
        return subprocess.Popen(  # noqa: S603 - words of our own, a number and a name of our making
            ["/bin/sh", "-c", _GUARD, "foureyes-guard", str(leader), mark],
            env={"PATH": "/usr/local/bin:/usr/bin:/bin"},
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    return None


def _dismiss(guard: subprocess.Popen[bytes] | None) -> None:
    if guard is not None:
        guard.kill()
        guard.communicate()


class _Sink(asyncio.Protocol):
    """Takes what comes out of one pipe, as far as there is room."""

    def __init__(self, order: Run, watch: Watch | None, *, only_end: bool = False) -> None:
        self.kept = bytearray()
        self.closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._order = order
        self._only_end = only_end
        self._taken = 0
        self._watch = watch
        self._line = bytearray()
        self._wrong: Inconclusive | None = None

    def data_received(self, data: bytes) -> None:
        if self._wrong is not None:
            return
        self._taken += len(data)
        if self._taken > self._order.output_bytes:
            text = f"{self._order.called} printed more than {self._order.output_bytes:,} bytes."
            self._wrong = Inconclusive(Failure.MALFORMED, text)
            return
        self.kept += data
        if self._only_end and len(self.kept) > ERR_BYTES_MAX:
            del self.kept[:-ERR_BYTES_MAX]
        self._look(data)

    def connection_lost(self, _: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)

    def check(self) -> None:
        if self._wrong is not None:
            raise self._wrong

    def _look(self, data: bytes) -> None:
        if self._watch is None:
            return
        *lines, rest = data.split(b"\n")
        for line in lines:
            whole = bytes(self._line) + line
            self._line.clear()
            try:
                self._watch(whole)
            except Inconclusive as wrong:
                self._wrong = wrong
                return
        if len(self._line) + len(rest) <= LINE_BYTES_MAX:
            self._line += rest


async def _listen(pipe: object, sink: _Sink) -> asyncio.ReadTransport:
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: sink, pipe)
    return transport


async def _until_exit(process: subprocess.Popen[bytes], sinks: tuple[_Sink, ...]) -> None:
    """Until the leader has ended; it is not reaped yet, so that nobody else gets its number."""
    while not _has_ended(process.pid):
        for sink in sinks:
            sink.check()
        await asyncio.sleep(POLL_SECONDS)


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


async def _drained(sinks: tuple[_Sink, ...]) -> None:
    """Until the pipes are empty; one that somebody out of our reach holds open is left."""
    await asyncio.wait([sink.closed for sink in sinks], timeout=DRAIN_SECONDS)
