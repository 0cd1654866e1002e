"""Extract the commands from crontabs, systemd units, Procfiles, Jenkinsfiles, Terraform and TOML files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.embedded.piece import Piece
from foureyes.reviewers.critics.commands.model import HOLE

TOML_CHARS_MAX = 512 * 1024
_CRON = re.compile(r"^\s*(?:@\w+|(?:[\d*/,a-zA-Z-]+\s+){4}[\d*/,a-zA-Z-]+)\s+(.+)$")
_USER = re.compile(r"^(?:root|www-data|nobody|postgres|[a-z_][a-z0-9_-]{0,30})\s+(?=[/\w.@\"'$(\[])")
_EXEC = re.compile(r"^\s*Exec(?:Start|StartPre|StartPost|Stop|StopPost|Reload|Condition)\s*=\s*[@:+!|-]*(.+)$")
_PROCFILE = re.compile(r"^([\w-]+):\s*(.+)$")
_JENKINS = re.compile(
    r"\b(?:sh|bat)\b\s*\(?\s*(?:script\s*:\s*)?(?:(\"\"\"|''')(.*?)\1|\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)')",
    re.DOTALL,
)
_PROVISIONER = re.compile(r"\bcommand\s*=\s*(?:\"((?:[^\"\\\n]|\\.)*)\"|<<-?\s*(\w+)\n(.*?)\n\s*\2)", re.DOTALL)
_INTERPOLATED = re.compile(r"\$\{[^}\n]{0,300}\}")


def crontab(path: str, text: str) -> Iterator[Piece]:
    """Yield the commands after the five time fields; system tables name a user first."""
    system = "cron.d/" in path or path.endswith("etc/crontab")
    for number, line in enumerate(text.split("\n"), 1):
        met = _CRON.match(line)
        if met and not line.lstrip().startswith("#"):
            command = met.group(1)
            yield Piece(text=_USER.sub("", command) if system else command, line=number, pinned=True)


def systemd(_path: str, text: str) -> Iterator[Piece]:
    for number, line in enumerate(text.split("\n"), 1):
        met = _EXEC.match(line)
        if met:
            yield Piece(text=re.sub(r"%[a-zA-Z]", HOLE, met.group(1)), line=number, pinned=True)


def procfile(_path: str, text: str) -> Iterator[Piece]:
    for number, line in enumerate(text.split("\n"), 1):
        met = _PROCFILE.match(line)
        if met:
            yield Piece(text=met.group(2), line=number, pinned=True)


def jenkinsfile(_path: str, text: str) -> Iterator[Piece]:
    """Yield `sh '…'` steps; a triple-quoted step keeps its lines."""
    for met in _JENKINS.finditer(text):
        body = met.group(2) if met.group(1) else re.sub(r"\\(.)", r"\1", met.group(3) or met.group(4) or "")
        at = met.start(2) if met.group(1) else met.start()
        yield Piece(text=body, line=text.count("\n", 0, at) + 1, pinned=not met.group(1))


def terraform(_path: str, text: str) -> Iterator[Piece]:
    """Yield the commands of local-exec and remote-exec provisioners."""
    if "provisioner" not in text and "local-exec" not in text:
        return
    for met in _PROVISIONER.finditer(text):
        body = met.group(3) if met.group(2) else re.sub(r"\\(.)", r"\1", met.group(1) or "")
        at = met.start(3) if met.group(2) else met.start()
        line = text.count("\n", 0, at) + 1
        yield Piece(text=_INTERPOLATED.sub(HOLE, body), line=line, pinned=not met.group(2))


def toml_scripts(path: str, text: str) -> Iterator[Piece]:
    """Yield the tasks of poe, pdm, taskipy and hatch in pyproject.toml, and of mise and netlify."""
    name = path.rpartition("/")[2]
    if (
        name not in ("pyproject.toml", "mise.toml", ".mise.toml", "netlify.toml", "Makefile.toml")
        or len(text) > TOML_CHARS_MAX
    ):
        return
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return
    for key, value in _strings(found, 0):
        if key in ("cmd", "shell", "run", "script", "command", "composite"):
            yield Piece(text=value, line=_line_of(text, value), pinned=True)


def _strings(value: object, depth: int, key: str = "") -> Iterator[tuple[str, str]]:
    if depth > 8:  # noqa: PLR2004 - deeper than any task is written
        return
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            tasks = key in ("tasks", "scripts") and isinstance(inner, str)
            yield from _strings(inner, depth + 1, "cmd" if tasks else str(name))
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner, depth + 1, key)


def _line_of(text: str, value: str) -> int:
    at = text.find(value.split("\n", maxsplit=1)[0])
    return text.count("\n", 0, at) + 1 if at >= 0 else 1
