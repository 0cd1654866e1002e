"""Runs an agent's process with limits on time and output, and ends everything it started.

It gets a session of its own, so that one signal reaches its whole group. A process that left the group is found by a
mark in its environment, where the system shows it (Linux). Nothing here waits for a pipe that another process holds
open. If we are killed ourselves, a guard process sees our end of a pipe close, and ends the group for us.
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

#: A variable whose value only this run has; child processes inherit it.
MARK = "FOUREYES_RUN"
POLL_SECONDS = 0.03
#: How long to wait for the last output in a pipe after everything was ended.
DRAIN_SECONDS = 2.0
#: Of stderr only the end is kept.
ERR_BYTES_MAX = 1 << 16
LINE_BYTES_MAX = 1 << 20
#: A process may start another one during the search; then the search is repeated.
SWEEPS_MAX = 20
_PROCESSES = Path("/proc")
#: Waits until its standard input is closed, then kills a group and the processes that left it.
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
    #: Its standard input; empty if None.
    stdin: Path | None = None
    seconds: float
    output_bytes: int
    #: The value of MARK in its environment.
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The result of a run: the exit code and the output."""

    code: int
    out: bytes
    #: The end of stderr.
    err: bytes
    seconds: float


async def run(order: Run, watch: Watch | None = None) -> Ended:
    """Run a command to its end; raises Inconclusive at its limits.

    Cancelled, it ends everything it started.
    """
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
            # If this task is cancelled, some pipes may have no reader yet.
            for reader in readers:
                reader.close()
            for pipe in filter(None, pipes):
                pipe.close()
    except TimeoutError:
        text = f"{order.called} did not answer within {order.seconds:g} seconds."
        raise Inconclusive(Failure.TIMED_OUT, text) from None
    finally:
        end_all(process.pid, order.mark)
        # Until the leader is reaped, no other process can get the number that the guard knows.
        _dismiss(guard)
        code = process.wait()
    for sink in sinks:
        sink.check()
    out, err = (bytes(sink.kept) for sink in sinks)
    return Ended(code=code, out=out, err=err, seconds=time.monotonic() - began)


def end_all(leader: int, mark: str) -> None:
    """Kill the group, whose id the unreaped leader reserves, and every process that left it but carries the mark."""
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
    """Return the living processes with the mark in their environment, if this system shows it."""
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
    """Start the guard that kills the group after our death; without a shell there is none."""
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
    """Collects the output of one pipe, up to the limit."""

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
    """Wait until the leader has ended; it is not reaped yet, so that no other process gets its number."""
    while not _has_ended(process.pid):
        for sink in sinks:
            sink.check()
        await asyncio.sleep(POLL_SECONDS)


def _has_ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


async def _drained(sinks: tuple[_Sink, ...]) -> None:
    """Wait until the pipes are empty; a pipe that an unreachable process holds open is left."""
    await asyncio.wait([sink.closed for sink in sinks], timeout=DRAIN_SECONDS)
