"""A failing disk under a running server: its system calls return an error for a while."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ATTACH_SECONDS_MAX = 20
_LOOK_SECONDS = 0.02


@contextmanager
def failing(process: int, calls: str, error: str) -> Iterator[None]:
    """Answer these system calls of a process with this error until the end of the block."""
    rule = f"inject={calls}:error={error}"
    words = ["strace", "-f", "-qq", "-p", str(process), "-e", f"trace={calls}", "-e", rule, "-o", "/dev/null"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as tracer:
        try:
            _wait_until_attached(process, tracer)
            yield
        finally:
            tracer.terminate()


def _wait_until_attached(process: int, tracer: subprocess.Popen[str]) -> None:
    since = time.monotonic()
    while not _is_traced(process):
        assert tracer.poll() is None, tracer.stderr and tracer.stderr.read()
        assert time.monotonic() - since < ATTACH_SECONDS_MAX
        time.sleep(_LOOK_SECONDS)


def _is_traced(process: int) -> bool:
    """Whether all threads of a process are traced."""
    states = [one.read_text(encoding="ascii") for one in Path(f"/proc/{process}/task").glob("*/status")]
    return all("TracerPid:\t0\n" not in one for one in states)
