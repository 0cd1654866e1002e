"""Run bandit and ruff on Python files, as copies under generated names.

The files are hostile: they are parsed, never run; their configuration is not read, no comment in them silences a
check, and none of their names reaches a command line.
"""

from __future__ import annotations

import ast
import json
import logging
import os
import subprocess
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from foureyes.reviewers.critics.python.known import SYNTAX

RUFF_SECONDS_MAX = 60
#: Each thread reserves address space, which is limited in a child process.
THREADS_MAX = "2"
OUTPUT_BYTES_MAX = 16 * 1024 * 1024
FAMILIES = "S,F,E9,B,PLE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One report of a tool about one line."""

    tool: str
    code: str
    name: str
    line: int
    #: First and last line of the whole statement.
    lines: tuple[int, int] = (0, 0)
    text: str
    severity: str = ""
    confidence: str = ""


class ToolError(Exception):
    """A tool is missing, crashed or took too long; the message says why."""


def laid_out(files: Mapping[str, bytes], folder: Path, minors: Mapping[str, int]) -> dict[str, Path]:
    """Write each file's text under a generated name into a folder, with one group for each version of Python 3."""
    places: dict[str, Path] = {}
    for number, (path, content) in enumerate(files.items()):
        group = folder / f"py3{minors[path]}"
        group.mkdir(exist_ok=True)
        place = group / f"f{number:05d}{'.pyi' if path.endswith('.pyi') else '.py'}"
        place.write_bytes(content)
        places[path] = place
    return places


def parses(text: str) -> bool:
    """True if the running Python can parse the text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd escapes in the text, which is not ours
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def ruff_says(folder: Path) -> list[Said]:
    """Return what ruff finds in all files written to this folder; it runs once for each version of Python."""
    groups = sorted(one for one in folder.iterdir() if one.is_dir() and one.name.startswith("py3"))
    return [said for group in groups for said in _ruff_says(group)]


def _ruff_says(folder: Path) -> list[Said]:
    with tempfile.TemporaryFile() as output:
        code = _run(_ruff_command(folder), folder, output.fileno())
        if code != 0:
            raise ToolError(f"ruff ended with exit code {code}")
        if output.seek(0, os.SEEK_END) > OUTPUT_BYTES_MAX:
            raise ToolError(f"ruff has more to say than {OUTPUT_BYTES_MAX // (1024 * 1024)} MiB")
        output.seek(0)
        text = output.read(OUTPUT_BYTES_MAX)
    try:
        listed = json.loads(text)
        return [_from_ruff(item) for item in listed]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ToolError("ruff's answer cannot be read") from error


def bandit_says(places: Sequence[Path]) -> tuple[list[Said], list[str]]:
    """Return what bandit finds in these files, and the names of the files it could not read."""
    # bandit prints complaints about files, and its plugin loader about output formats that are not installed.
    for name in ("bandit", "stevedore"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            # Warnings about the library's own deprecated calls and about escapes in the parsed files help nobody here.
            warnings.simplefilter("ignore")
            return _bandit_run(places)
    except ImportError as error:
        raise ToolError("bandit is not installed") from error
    except (RecursionError, MemoryError, ValueError, SystemExit) as error:
        raise ToolError(f"bandit failed: {type(error).__name__}") from error


def _bandit_run(places: Sequence[Path]) -> tuple[list[Said], list[str]]:
    # Imported here so that works without Python do not load it.
    from bandit.core import config, manager  # type: ignore[import-untyped]  # noqa: PLC0415 - it has no types

    run = manager.BanditManager(config.BanditConfig(), "file", quiet=True, ignore_nosec=True)
    run.files_list = [str(place) for place in places]
    run.run_tests()
    said = [
        Said(
            tool="bandit",
            code=issue.test_id,
            name=Path(issue.fname).name,
            line=issue.lineno,
            lines=(min(issue.linerange, default=issue.lineno), max(issue.linerange, default=issue.lineno)),
            text=issue.text,
            severity=issue.severity,
            confidence=issue.confidence,
        )
        for issue in run.results
    ]
    return said, [Path(name).name for name, _ in run.skipped]


def _ruff_command(folder: Path) -> list[str]:
    try:
        from ruff import find_ruff_bin  # type: ignore[import-untyped]  # noqa: PLC0415 - only where there is Python to look at

        program = find_ruff_bin()
    except (ImportError, FileNotFoundError) as error:
        raise ToolError("ruff is not installed") from error
    options = ("--isolated", "--no-cache", "--ignore-noqa", "--no-respect-gitignore", "--exit-zero", "--quiet")
    choice = ("--output-format", "json", "--select", FAMILIES, "--target-version", folder.name)
    return [os.fspath(program), "check", *options, *choice, "--", os.fspath(folder)]


def _run(command: list[str], folder: Path, output: int) -> int:
    """Run a tool with a minimal environment; it ends at the time limit, or with the process group of this process."""
    environment = {"PATH": os.defpath, "HOME": os.fspath(folder), "LANG": "C.UTF-8", "RAYON_NUM_THREADS": THREADS_MAX}
    try:
        child = subprocess.Popen(  # noqa: S603 - a program of our own environment, names of our own
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise ToolError("ruff cannot be started") from error
    try:
        return child.wait(RUFF_SECONDS_MAX)
    except subprocess.TimeoutExpired as error:
        child.kill()
        child.wait()
        raise ToolError(f"ruff took longer than {RUFF_SECONDS_MAX} seconds") from error


def _from_ruff(item: dict[str, object]) -> Said:
    location = item["location"]
    row = location["row"] if isinstance(location, dict) else 0
    code = item["code"]
    known = isinstance(code, str) and code != "invalid-syntax"
    return Said(
        tool="ruff",
        code=str(code) if known else SYNTAX,
        name=Path(str(item["filename"])).name,
        line=int(row),
        text=str(item["message"]),
    )
