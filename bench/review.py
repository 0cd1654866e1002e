"""Time and memory of `foureyes review` with the programs alone.

    python -m bench.review [--rounds N] [--install] [--secrets PYTHON] [--only-secrets]

Every run is a new process in a new repository with a new data folder. `--install` also installs the wheel into a new
environment and measures that. `--secrets` names a Python that has `foureyes[secrets]`, for the figures with the extra;
`--install` makes one if none is named. The findings of each run are checked.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from bench.lines import Figure, keep, middle
from tools.wheel_test import build

COMMAND = "python -m bench.review"
PROGRAM = Path(sys.executable).with_name("foureyes")
MEGABYTE = 1_000_000
BLOCKED, UNCLEAR = 2, 4
CLEAN = "".join(f"def add_{number}(a: int, b: int) -> int:\n    return a + b + {number}\n\n\n" for number in range(5))
BAD = "rm -rf / --no-preserve-root\n"
#: Harmless lines with a word or a value that only the extra can tell from a secret.
LIKE_SECRETS = tuple(
    f'TOKEN_{number} = read_token("service-{number}", password_file="/run/secrets/service-{number}")\n'
    for number in range(5)
)
SWEPT = "CredSweeper looked at"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One run: its time, its memory and its output."""

    seconds: float
    cpu_seconds: float
    megabytes: float
    code: int
    outcome: dict[str, object]


def repository(folder: Path, files: dict[str, str]) -> Path:
    """A repository with one commit, and these files not committed yet."""
    folder.mkdir(parents=True)
    for words in (
        ("init", "-q"),
        ("-c", "user.name=b", "-c", "user.email=b@example.org", "commit", "-q", "-m", "one", "--allow-empty"),
    ):
        subprocess.run(("git", "-C", str(folder), *words), check=True)  # noqa: S603, S607 - our own
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def run(folder: Path, *words: str, cores: set[int] | None = None, program: Path = PROGRAM) -> Ran:
    """Review what is not committed, or what `words` name, with programs only and a new data folder."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-home-") as home:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV"))}
        environment["FOUREYES_HOME"] = f"{home}/data"
        begun = time.perf_counter()
        process = subprocess.Popen(  # noqa: S603 - our own
            (str(program), "review", *words, "--no-agents", "--json"),
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            preexec_fn=_pinned(cores),  # noqa: PLW1509 - one thread runs here
        )
        assert process.stdout
        with process.stdout as pipe:
            said = pipe.read()
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
    return Ran(
        seconds=seconds,
        cpu_seconds=used.ru_utime + used.ru_stime,
        megabytes=used.ru_maxrss * 1024 / MEGABYTE,
        code=process.returncode,
        outcome=json.loads(said),
    )


def _pinned(cores: set[int] | None) -> Callable[[], None] | None:
    if cores is None or not hasattr(os, "sched_setaffinity"):
        return None
    return lambda: os.sched_setaffinity(0, cores)


def small(rounds: int, place: Path) -> None:
    """Measure a 20-line clean change, cold."""
    folder = repository(place / "small", {"adding.py": CLEAN})
    runs = [run(folder) for _ in range(rounds)]
    keep(
        Figure(
            figure="review.small",
            what="review of a clean change of 20 lines, cold, programs only",
            measured=middle(one.seconds for one in runs),
            unit="s",
            command=COMMAND,
            correct=all(one.code == 0 for one in runs),
            demand=1.5,
            more={"cpu_s": middle(one.cpu_seconds for one in runs), "megabytes": middle(one.megabytes for one in runs)},
        )
    )


def many_files(count: int) -> dict[str, str]:
    """Ordinary files of several kinds, 50 lines each; the last one holds something bad."""
    python = "".join(f"    total_{line} = value * {line}\n" for line in range(48))
    script = "set -eu\n" + "".join(f"cp source/{line}.txt build/{line}.txt\n" for line in range(49))
    prose = "".join(f"Line {line} of a page that says how the thing is built.\n" for line in range(50))
    config = "services:\n" + "".join(
        f"  part{line}:\n    image: registry.example.org/part:{line}\n" for line in range(24)
    )
    files: dict[str, str] = {}
    for number in range(count - 1):
        folder = f"part{number % 20}"
        kinds = (
            (f"{folder}/m{number}.py", f"def work_{number}(value: int) -> None:\n{python}    print(total_1)\n"),
            (f"{folder}/s{number}.sh", script),
            (f"{folder}/d{number}.md", prose),
            (f"{folder}/c{number}.yaml", config),
        )
        name, text = kinds[number % 4]
        files[name] = text
    return {**files, "bad.sh": BAD}


def large(place: Path) -> None:
    """Measure 1,000 files with 50,000 lines on one core, and half of that for the growth."""
    whole = run(repository(place / "large", many_files(1000)), cores={0})
    half = run(repository(place / "half", many_files(500)), cores={0})
    right = whole.code == half.code == BLOCKED
    growth = whole.cpu_seconds / half.cpu_seconds
    keep(
        _figure("review.large", "1,000 files, 50,000 lines, on one core", whole.seconds, "s", demand=10, right=right),
        _figure("review.large.memory", "its memory", whole.megabytes, "MB", demand=300, right=right),
        _figure("review.large.growth", "twice the files, times the time", growth, "×", demand=2.6, right=right),
    )


def _figure(name: str, what: str, measured: float, unit: str, *, demand: float, right: bool) -> Figure:
    return Figure(
        figure=name, what=what, measured=round(measured, 2), unit=unit, command=COMMAND, correct=right, demand=demand
    )


def one_line(place: Path) -> None:
    """Measure a line of 10 MB, which is handled or refused."""
    for name in ("line.sh", "line.py", "line.md", "line.yaml", "line.sql", "line.json"):
        text = "echo " + "a" * 10_000_000 + "\n"
        ran = run(repository(place / f"line-{name}", {name: text}))
        sort, said = name.partition(".")[2], ran.code in (0, BLOCKED, UNCLEAR)
        keep(_figure(f"review.line.{sort}", f"a line of 10 MB in {name}", ran.seconds, "s", demand=2, right=said))


def findings(place: Path) -> None:
    """Measure many findings: twice as many may take twice as long."""
    both = [run(repository(place / f"bad{count}", {"bad.sh": BAD * count})) for count in (2_000, 4_000)]
    right = all(one.code == BLOCKED for one in both)
    ratio = both[1].cpu_seconds / both[0].cpu_seconds
    keep(_figure("review.findings.growth", "twice the findings, times the time", ratio, "×", demand=2.6, right=right))


def installed(place: Path) -> None:
    """Measure the wheel in a new environment, as a user installs it."""
    clean = place / "clean"
    begun = time.perf_counter()
    venv.create(clean, with_pip=True)
    python = str(clean / "bin" / "python")
    empty = _bytes(clean)
    words = ("-m", "pip", "install", "--quiet", "--no-cache-dir", "--only-binary", ":all:", str(build(place)))
    subprocess.run((python, *words), check=True, cwd=place)  # noqa: S603 - our own
    seconds = time.perf_counter() - begun
    said = subprocess.run((str(clean / "bin" / "foureyes"), "--version"), check=True, capture_output=True)  # noqa: S603
    right = said.stdout.startswith(b"foureyes")
    size = (_bytes(clean) - empty) / MEGABYTE
    keep(
        _figure("review.install", "base install into a new environment", seconds, "s", demand=60, right=right),
        _figure("review.install.size", "what it adds to the disk", size, "MB", demand=210, right=right),
    )


def with_secrets(place: Path) -> Path:
    """Install a Python with the extra; CredSweeper is built there, so it may take minutes."""
    venv.create(place / "secrets", with_pip=True)
    python = place / "secrets" / "bin" / "python"
    words = ("-m", "pip", "install", "--quiet", f"{build(place)}[secrets]")
    subprocess.run((str(python), *words), check=True, cwd=place)  # noqa: S603 - our own
    return python


def thorough(rounds: int, place: Path, python: Path) -> None:
    """Measure a small change with the extra, with lines that it has to look at."""
    program = python.with_name("foureyes")
    head = "def read_token(name: str, password_file: str) -> str:\n    return name + password_file\n\n\n"
    code = head + "".join(LIKE_SECRETS) + "\n\n" + CLEAN[: CLEAN.index("def add_2")] + "END = 1\n"
    folder = repository(place / "thorough", {"reading.py": code})
    runs = [run(folder, program=program) for _ in range(rounds)]
    right = all(one.code == 0 and swept(one) for one in runs)
    seconds = middle(one.seconds for one in runs)
    files = {
        name: text + LIKE_SECRETS[number % len(LIKE_SECRETS)] if name.endswith(".py") else text
        for number, (name, text) in enumerate(many_files(1000).items())
    }
    whole = run(repository(place / "large-thorough", files), cores={0}, program=program)
    found = whole.code == BLOCKED and swept(whole)
    little = "20 clean lines, cold, with the extra for secrets"
    much = "1,000 files, 50,000 lines, on one core, with the extra for secrets"
    keep(
        replace(
            _figure("review.secrets.small", little, seconds, "s", demand=4, right=right),
            more={"cpu_s": middle(one.cpu_seconds for one in runs)},
        ),
        replace(
            _figure("review.secrets.large", much, whole.seconds, "s", demand=20, right=found),
            more={"cpu_s": round(whole.cpu_seconds, 2)},
        ),
        _figure("review.secrets.large.memory", "its memory", whole.megabytes, "MB", demand=300, right=found),
    )


def swept(ran: Ran) -> bool:
    """Whether the extra really ran."""
    return SWEPT in json.dumps(ran.outcome["looked"])


def _bytes(folder: Path) -> int:
    return sum(one.stat().st_size for one in folder.rglob("*") if one.is_file() and not one.is_symlink())


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--rounds", type=int, default=7)
    reader.add_argument("--install", action="store_true")
    reader.add_argument("--secrets", type=Path, metavar="PYTHON")
    reader.add_argument("--only-secrets", action="store_true")
    given = reader.parse_args()
    place = Path(tempfile.mkdtemp(prefix="foureyes-bench-"))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        if not given.only_secrets:
            without_secrets(place, given.rounds, install=given.install)
        python = given.secrets or (with_secrets(place) if given.install else None)
        if python:
            thorough(given.rounds, place, python)
        else:
            print("not measured: the figures with the extra (--secrets PYTHON or --install)", file=sys.stderr)
    finally:
        shutil.rmtree(place)


def without_secrets(place: Path, rounds: int, *, install: bool) -> None:
    """Measure everything that the base install does."""
    if install:
        installed(place)
    small(rounds, place)
    large(place)
    findings(place)
    one_line(place)


if __name__ == "__main__":
    main()
