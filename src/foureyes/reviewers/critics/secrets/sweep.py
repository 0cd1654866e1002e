"""Run CredSweeper, the optional scanner, in a process of its own. If it fails, the review goes on without it."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

#: The time limit; a line takes about a millisecond.
SECONDS_MAX = 60.0
LINES_MAX = 40_000
LINE_MAX = 2_000
OUTPUT_MAX = 8 * 1024 * 1024

#: The exit code of the child if a package is missing.
INCOMPLETE = 3
MISSING = "CredSweeper is not installed (foureyes[secrets])"

#: A line to scan: its path and its text.
Line = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """One place that CredSweeper reported: the index of the line, start and end in it, its rule and the probability."""

    index: int
    start: int
    end: int
    rule: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The result of a run; `trouble` says why there is none, and is empty on success."""

    swept: tuple[Swept, ...] = ()
    trouble: str = ""


def installed() -> bool:
    """True if CredSweeper is installed in this Python."""
    return importlib.util.find_spec("credsweeper") is not None


def sweep(lines: Sequence[Line], *, seconds: float = SECONDS_MAX, command: Sequence[str] = ()) -> Sweep:
    """Scan these lines; failures of the scanner are returned as `trouble`, never raised."""
    if not command and not installed():
        return Sweep(trouble=MISSING)
    given = [(index, path[-200:], text[:LINE_MAX]) for index, (path, text) in enumerate(lines[:LINES_MAX])]
    words = list(command) or [sys.executable, "-I", str(Path(__file__).with_name("sweep_child.py"))]
    try:
        out = _run(words, json.dumps(given).encode(), seconds)
    except TimeoutError:
        return Sweep(trouble=f"CredSweeper was stopped after {seconds:g} seconds")
    except OSError:
        return Sweep(trouble="CredSweeper could not be started")
    except ValueError as problem:
        return Sweep(trouble=str(problem))
    swept = _read(out, given)
    return Sweep(trouble="CredSweeper answered something unreadable") if swept is None else Sweep(swept=swept)


def _run(words: list[str], given: bytes, seconds: float) -> bytes:
    """Return the output of the process; its process group is killed before this returns."""
    with tempfile.TemporaryDirectory(prefix="foureyes-") as folder:  # made 0700; it finds no configuration there
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and file, no shell
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
            env=_environment(folder),
            start_new_session=True,
        )
        try:
            out, _ = process.communicate(given, timeout=seconds)
        except subprocess.TimeoutExpired:
            raise TimeoutError from None
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
    if process.returncode == INCOMPLETE:
        raise ValueError("CredSweeper lacks a package it needs; install foureyes[secrets] again")
    if process.returncode != 0:
        raise ValueError("CredSweeper crashed")
    if len(out) > OUTPUT_MAX:
        raise ValueError("CredSweeper answered too much")
    return out


def _environment(folder: str) -> dict[str, str]:
    """Return only the variables that Python needs, without the user's settings, and limit it to one core."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH") if name in os.environ}
    return {**kept, "HOME": folder, "TMPDIR": folder, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}


def _read(out: bytes, given: Sequence[tuple[int, str, str]]) -> tuple[Swept, ...] | None:
    """Return the answer, checked against the input; None if it is not valid."""
    try:
        rows = json.loads(out)
    except (ValueError, RecursionError):
        return None
    if not isinstance(rows, list):
        return None
    swept: list[Swept] = []
    for row in rows:
        match row:
            case [int(index), int(start), int(end), str(rule), int() | float() as score] if 0 <= index < len(given):
                size = len(given[index][2])
                # CredSweeper returns -2 if it knows the line but not the position in it.
                first, last = (start, min(end, size)) if 0 <= start < end and start < size else (0, size)
                swept.append(Swept(index=index, start=first, end=last, rule=rule[:80], score=max(0.0, min(1.0, score))))
            case _:
                return None
    return tuple(swept)
