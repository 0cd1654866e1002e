"""The parent's view of one child process: starts it, calls it and kills it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from foureyes.app.children.child import ANSWER, ANSWER_BYTES_MAX, CLOCK_FACTOR, DONE, ORDER
from foureyes.app.children.errors import ChildError, CutOff, Died, Raised

#: Signals of the timers that a child sets for itself.
_TIMERS = frozenset({signal.SIGPROF, signal.SIGALRM, signal.SIGXCPU})
#: A child is killed this long after it should have ended itself; a new one imports its modules in this time.
GRACE_SECONDS = 10.0
#: A killed process is gone in milliseconds; after this the caller continues without waiting.
REAP_SECONDS_MAX = 5.0
#: Environment variables that a child inherits: where programs and the home are. No key, token or address.
_KEPT = (
    *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "TZ"),
    # One critic asks git for files of the base, and git reads its configuration from there.
    *("HOME", "XDG_CONFIG_HOME", "USER", "LOGNAME", "DEVELOPER_DIR"),
)


class Child:
    """One process; it runs one call at a time."""

    def __init__(self, process: subprocess.Popen[bytes], line: socket.socket, folder: str) -> None:
        """Take over a process, the parent's end of its socket and the folder of its temporary files."""
        self._process, self._line, self._folder = process, line, folder
        self.calls = 0
        #: True if it announced its end with its last answer.
        self.is_ending = False

    @classmethod
    def start(cls, memory_bytes: int) -> Child:
        """Start a process that has no file, socket or secret of this one; raises ChildError."""
        ours, theirs = socket.socketpair()
        # Files that a killed child leaves there are removed after it.
        folder = tempfile.mkdtemp(prefix="foureyes-child-")
        try:
            with theirs:
                process = subprocess.Popen(  # noqa: S603 - our own interpreter and file, no shell
                    (sys.executable, "-I", str(Path(__file__).with_name("child.py"))),
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    cwd="/",
                    env={**{name: os.environ[name] for name in _KEPT if name in os.environ}, "TMPDIR": folder},
                    # Ctrl-C at the terminal is for the parent, which ends its children itself.
                    start_new_session=True,
                )
            # The first message is small: a socket takes it before anybody reads.
            path = [str(Path(one).absolute()) for one in sys.path]
            first = pickle.dumps((path, memory_bytes), pickle.HIGHEST_PROTOCOL)
            ours.sendall(ORDER.pack(len(first), 0, 0) + first)
        except OSError as error:
            ours.close()
            shutil.rmtree(folder, ignore_errors=True)
            raise Died(f"a child process cannot be started: {error.strerror}") from error
        ours.settimeout(0)
        return cls(process, ours, folder)

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def is_alive(self) -> bool:
        """True if an idle child can still be called."""
        try:
            self._line.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    async def answer(self, order: bytes, seconds: float) -> object:
        """Return the result of one order; raises ChildError. After any exception the child is no longer usable."""
        self.calls += 1
        clock_seconds = seconds * CLOCK_FACTOR
        try:
            async with asyncio.timeout(clock_seconds + GRACE_SECONDS):
                answer = await self._exchange(order, seconds, clock_seconds)
        except TimeoutError:
            raise CutOff(seconds) from None
        except (OSError, EOFError):
            raise self._ended(seconds) from None
        match pickle.loads(answer):  # noqa: S301 - written by our own child
            case (str(word), value) if word == DONE:
                return value
            case (_, str(kind), str(text)):
                raise Raised(kind, text)
            case _:
                raise Died("a child process gave an unreadable answer")

    async def _exchange(self, order: bytes, seconds: float, clock_seconds: float) -> bytes:
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self._line, ORDER.pack(len(order), seconds, clock_seconds))
        await loop.sock_sendall(self._line, order)
        length, self.is_ending = ANSWER.unpack(await self._exactly(ANSWER.size))
        if length > ANSWER_BYTES_MAX:
            raise EOFError
        return await self._exactly(length)

    async def _exactly(self, count: int) -> bytes:
        loop = asyncio.get_running_loop()
        data = bytearray(count)
        view, at = memoryview(data), 0
        while at < count:
            got = await loop.sock_recv_into(self._line, view[at:])
            if not got:
                raise EOFError
            at += got
        return bytes(data)

    def _ended(self, seconds: float) -> ChildError:
        """Return why the child closed the socket: one of its timers, or anything else."""
        # Its exit code was fixed before its socket closed; this ends the programs it started, too.
        self.kill()
        code = self._process.returncode
        if code is None:
            return Died("a child process does not end")
        if code < 0 and -code in _TIMERS:
            return CutOff(seconds)
        return Died(f"a child process ended by {_name(-code)}" if code < 0 else f"a child process ended with {code}")

    def kill(self) -> None:
        """End the process and every program it started; a running call sees the end of the socket."""
        if self._process.returncode is not None:
            return
        # Before it is waited for: until then the system does not reuse its process group id.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._wait()

    def discard(self) -> None:
        """Kill it, close the socket and remove its files; it must not be called any more."""
        self.kill()
        self._line.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _wait(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(REAP_SECONDS_MAX)


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
