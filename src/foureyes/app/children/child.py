"""The child's side: reads orders from the socket that is its standard input, runs them and writes the answers.

Started as `python -I child.py`, so nothing of foureyes is imported before the parent has sent its `sys.path`. Time
limits are timers of the kernel whose signals end the process: they hold inside native code that never returns.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import pickle
import resource
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import NoReturn

#: Length of an order, then its seconds of processor time and its seconds by the clock.
ORDER = struct.Struct("!Qdd")
#: Length of an answer, and whether the child ends after it.
ANSWER = struct.Struct("!Q?")
#: Limit by the clock as a multiple of the processor time: a loaded machine gives a child only part of a processor.
CLOCK_FACTOR = 3.0
ANSWER_BYTES_MAX = 64 * 1024 * 1024
TEXT_CHARS_MAX = 500
#: A child whose memory grew beyond this ends after its answer, because Python seldom returns memory.
KEPT_BYTES_MAX = 512 * 1024 * 1024
#: Less important than the process that answers requests.
NICE = 5
#: New objects between two garbage collections: imports and parsers create many and drop few.
GARBAGE_OBJECTS = 50_000
DONE, RAISED = "done", "raised"


def main() -> NoReturn:
    """Serve orders until the parent closes the socket."""
    line = socket.socket(fileno=os.dup(0))
    # Programs that it starts must not keep the socket open after its end.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    _take_signals()
    os.nice(NICE)
    gc.set_threshold(GARBAGE_OBJECTS)
    first, _, _ = _receive(line)
    path, memory_bytes = pickle.loads(first)  # noqa: S301 - written by the parent
    sys.path[:] = path
    _limit_memory(memory_bytes)
    while True:
        order, seconds, clock_seconds = _receive(line)
        _start_timers(seconds, clock_seconds)
        _end_with(line)
        answer = _answer(order)
        _stay(line)
        _stop_timers()
        is_ending = _peak_bytes() > KEPT_BYTES_MAX
        line.sendall(ANSWER.pack(len(answer), is_ending))
        line.sendall(answer)
        del order, answer
        if is_ending:
            _end()


def _take_signals() -> None:
    """Let the signals of the limits end this process, whatever it inherited; Ctrl-C is left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # SIGIO is ignored by default on some systems; there the timers end a child whose parent is gone.
    ends = (signal.SIGPROF, signal.SIGALRM, signal.SIGXCPU, signal.SIGIO)
    for number in ends:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ends)


def _answer(order: bytes) -> bytes:
    """Run the order; an exception is returned as a value."""
    try:
        function, argument = pickle.loads(order)  # noqa: S301 - written by the parent
        answer = pickle.dumps((DONE, function(argument)), pickle.HIGHEST_PROTOCOL)
        if len(answer) <= ANSWER_BYTES_MAX:
            return answer
        told = (RAISED, "ValueError", f"the answer has more than {ANSWER_BYTES_MAX} bytes")
    except BaseException as error:  # noqa: BLE001 - the outermost boundary: the parent decides what it means
        told = (RAISED, type(error).__name__, str(error)[:TEXT_CHARS_MAX])
    return pickle.dumps(told, pickle.HIGHEST_PROTOCOL)


def _receive(line: socket.socket) -> tuple[bytes, float, float]:
    length, seconds, clock_seconds = ORDER.unpack(_exactly(line, ORDER.size))
    return _exactly(line, length), seconds, clock_seconds


def _exactly(line: socket.socket, count: int) -> bytes:
    """Read this many bytes; the end of the socket ends the process."""
    data = bytearray(count)
    view, at = memoryview(data), 0
    while at < count:
        got = line.recv_into(view[at:])
        if not got:
            _end()
        at += got
    return bytes(data)


def _end() -> NoReturn:
    # A dead parent removes nothing: this process removes its folder for temporary files if it is empty.
    with contextlib.suppress(OSError):
        os.rmdir(os.environ["TMPDIR"])  # noqa: PTH106 - a Path says no more here
    # Nothing to flush, and no destructor of a library may delay the end.
    os._exit(0)


def _limit_memory(most: int) -> None:
    """Limit the address space; systems without the limit continue without it."""
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError, ValueError):
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _start_timers(seconds: float, clock_seconds: float) -> None:
    """Start the timers whose signals end this process; programs it starts inherit the coarser limit."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, clock_seconds)
    used = resource.getrusage(resource.RUSAGE_SELF)
    whole = int(used.ru_utime + used.ru_stime + seconds) + 2
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (whole, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _stop_timers() -> None:
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)


def _end_with(line: socket.socket) -> None:
    """Let SIGIO end this process while it computes if the parent closes its end of the socket.

    It does not read the socket then, so it would not notice otherwise.
    """
    fcntl.fcntl(line, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(line, fcntl.F_SETFL, fcntl.fcntl(line, fcntl.F_GETFL) | os.O_ASYNC)
    with contextlib.suppress(BlockingIOError):
        if not line.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT):
            _end()


def _stay(line: socket.socket) -> None:
    fcntl.fcntl(line, fcntl.F_SETFL, fcntl.fcntl(line, fcntl.F_GETFL) & ~os.O_ASYNC)


def _peak_bytes() -> int:
    """Return the peak memory of this process."""
    # On Linux the value of getrusage survives exec: it would be the memory of the parent that started this process.
    with contextlib.suppress(OSError), Path("/proc/self/status").open("rb") as status:
        for one in status:
            if one.startswith(b"VmHWM:"):
                return int(one.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


if __name__ == "__main__":
    try:
        main()
    except OSError:
        # The parent went away in the middle of a message.
        _end()
