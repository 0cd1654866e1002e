"""What do bandit and ruff say of some Python files, read as copies under names of ours?

The files are hostile: they are parsed, never run; no configuration of theirs is read, no comment in them silences a
check, and no name of theirs reaches a command line.
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
#: Each thread reserves address space, which is bounded in a child process.
THREADS_MAX = "2"
OUTPUT_BYTES_MAX = 16 * 1024 * 1024
FAMILIES = "S,F,E9,B,PLE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One thing a tool says about one line."""

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
    """A tool is missing, crashed or took too long; with the reason in words."""


def laid_out(files: Mapping[str, bytes], folder: Path, minors: Mapping[str, int]) -> dict[str, Path]:
    """Each file's text under a name of ours in a folder of ours, one for each version of Python 3."""
    places: dict[str, Path] = {}
    for number, (path, content) in enumerate(files.items()):
        group = folder / f"py3{minors[path]}"
        group.mkdir(exist_ok=True)
        place = group / f"f{number:05d}{'.pyi' if path.endswith('.pyi') else '.py'}"
        place.write_bytes(content)
        places[path] = place
    return places


def parses(text: str) -> bool:
    """Whether the Python that runs us can parse it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about odd escapes in the text, which is not ours
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def ruff_says(folder: Path) -> list[Said]:
    """What ruff finds in all files that were laid out here, in one process for each version of Python."""
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
    """What bandit finds in these files, and the names of those it could not read."""
    # It complains on the terminal about files, and its loader about output formats that are not installed.
    for name in ("bandit", "stevedore"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        with warnings.catch_warnings():
            # Of the library's own old calls, and of odd escapes in the files it parses: nobody here can act on either.
            warnings.simplefilter("ignore")
            return _bandit_run(places)
    except ImportError as error:
        raise ToolError("bandit is not installed") from error
    except (RecursionError, MemoryError, ValueError, SystemExit) as error:
        raise ToolError(f"bandit failed: {type(error).__name__}") from error


def _bandit_run(places: Sequence[Path]) -> tuple[list[Said], list[str]]:
    # Imported here: works without Python must not pay for it.
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
    """Run a tool with nothing of ours around it; it ends with the time limit, or with the group of this process."""
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
