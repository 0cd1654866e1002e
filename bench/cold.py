"""Time of a cold `foureyes check`, compared with a bare Python program that opens SQLite.

Usage: python -m bench.cold [--rounds N]. A yes, a no for unknown bytes and a no for bytes under review take turns with
the bare program, which reads one row of the same file. The modules that the check imported are checked as well.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.lifecycle import NAMES
from bench.lines import Figure, keep, middle
from bench.story import gate_on, lifecycle, opened, opening, work

REVIEWS = 200
COMMAND = "python -m bench.cold"
#: What a check must never import.
HEAVY = ("sqlalchemy", "pydantic", "click", "asyncio", "yaml", "psycopg", "starlette", "uvicorn", "cryptography")
_BARE = """import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT version FROM streams WHERE name = ?", (sys.argv[2],)).fetchone())
"""
_MODULES = """import atexit, json, sys
sys.argv = ["foureyes", *sys.argv[1:]]
from foureyes.bootstrap import main
code = main()
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
raise SystemExit(code)
"""


async def prepared(home: Path) -> dict[str, tuple[str, int]]:
    """A store with reviews in it; digests by the answer they get, with its exit code."""
    async with opened(str(home / "foureyes.db")) as store:
        gate = gate_on(store)
        for number in range(REVIEWS):
            await lifecycle(gate, number)
        await gate.handle(opening(REVIEWS))
    return {
        "yes": (work(REVIEWS // 2, 2).digest, 0),
        "pending": (work(REVIEWS, 1).digest, 3),
        "unknown": ("0" * 64, 2),
    }


def run(words: Sequence[str], code: int, home: Path) -> tuple[float, float, str]:
    """Return wall-clock and processor milliseconds and stderr; the exit code must be right."""
    before, begun = os.times(), time.perf_counter()
    surroundings = {**_plain(), "FOUREYES_HOME": str(home)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=surroundings)  # noqa: S603 - our own
    wall, after = time.perf_counter() - begun, os.times()
    assert done.returncode == code, f"{words} ended with {done.returncode}: {done.stdout}{done.stderr}"
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return wall * 1000, cpu * 1000, done.stderr


def _plain() -> dict[str, str]:
    """The environment without tracing and user settings."""
    ours = ("PYTHON", "COV_", "COVERAGE", "FOUREYES_")
    return {name: value for name, value in os.environ.items() if not name.startswith(ours)}


def measure(rounds: int) -> None:
    """Run all of them in turns."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder:
        home = Path(folder)
        home.chmod(0o700)
        digests = asyncio.run(prepared(home))
        program = str(Path(sys.executable).with_name("foureyes"))
        runs = {name: ([program, "check", digest], code) for name, (digest, code) in digests.items()}
        runs["bare"] = ([sys.executable, "-c", _BARE, str(home / "foureyes.db"), "policy"], 0)
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
        for turn in range(rounds + 1):
            for name, (words, code) in runs.items():
                wall, cpu, _ = run(words, code, home)
                if turn:
                    times[name].append((wall, cpu))
        for name, (digest, code) in digests.items():
            _, _, said = run([sys.executable, "-c", _MODULES, "check", digest], code, home)
            imported = json.loads(said.splitlines()[-1])
            heavy = [one for one in HEAVY if one in imported]
            _keep(name, times, heavy, len(imported))


def _keep(name: str, times: dict[str, list[tuple[float, float]]], heavy: list[str], modules: int) -> None:
    pairs = list(zip(times[name], times["bare"], strict=True))
    figure = Figure(
        figure=f"cold.{name}",
        what=f"`foureyes check` from nothing to “{name}”, against bare Python with sqlite3",
        measured=middle(ours[0] / bare[0] for ours, bare in pairs),
        unit="×",
        demand=10.0,
        aim=4.0,
        correct=not heavy,
        command=COMMAND,
        more={
            "wall_ms": middle(ours[0] for ours, _ in pairs),
            "bare_wall_ms": middle(bare[0] for _, bare in pairs),
            "cpu_ratio": middle(ours[1] / bare[1] for ours, bare in pairs),
            "modules": modules,
            "heavy": heavy,
            "store": NAMES["sqlite"],
        },
    )
    keep(figure)


def main() -> None:
    """Measure and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    measure(parser.parse_args().rounds)


if __name__ == "__main__":
    main()
