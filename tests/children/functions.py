"""Functions that tests run in child processes; children import them by name."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def double(number: int) -> int:
    return number * 2


def length(data: bytes) -> int:
    return len(data)


def repeated(count: int) -> bytes:
    return b"x" * count


def pid(_: None) -> int:
    return os.getpid()


def grow(count: int) -> int:
    """Allocate so many bytes for a moment; return the process id."""
    return os.getpid() if b"x" * count else 0


def spin(_: object) -> None:
    while True:
        pass


def spin_in_native_code(_: object) -> None:
    """Hold the interpreter's lock inside one call of native code, as a parser does."""
    sum(range(10**15))


def spin_noting(place: str) -> None:
    """Write down the number of this process, then use a processor for ever."""
    Path(place).write_text(str(os.getpid()), encoding="utf-8")
    spin(None)


def sleep_noting(place: str) -> None:
    """Write down the number of this process, then wait for ever."""
    Path(place).write_text(str(os.getpid()), encoding="utf-8")
    while True:
        time.sleep(3600)


def sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def fail(text: str) -> None:
    raise LookupError(text)


def leave(code: int) -> None:
    sys.exit(code)


def vanish(_: None) -> None:
    os._exit(7)


def crash(_: None) -> None:
    """Read what may not be read: a segmentation fault."""
    ctypes.string_at(0)


def fill_memory(_: None) -> int:
    """Ask for more memory than any limit allows, in pieces."""
    kept = []
    while True:
        kept.append(bytearray(64 * 1024 * 1024))


def unpicklable(_: None) -> object:
    return lambda: None


def environment(_: None) -> dict[str, str]:
    return dict(os.environ)


def open_files(_: None) -> list[str]:
    """The target of every open descriptor of this process."""
    places = []
    for one in Path("/proc/self/fd").iterdir():
        try:
            places.append(str(one.readlink()))
        except OSError:
            continue
    return sorted(places)


def is_interrupt_ignored(_: None) -> bool:
    return signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def start_program(place: str) -> None:
    """Start a program of one's own, write down its number, and wait for it."""
    with subprocess.Popen(("sleep", "3600")) as program:
        Path(place).write_text(str(program.pid), encoding="utf-8")
        program.wait()


def leave_temporary_files(place: str) -> None:
    """Make a temporary folder, write down where it is, and never end."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "copy").write_text("hostile", encoding="utf-8")
        Path(place).write_text(folder, encoding="utf-8")
        spin(None)
