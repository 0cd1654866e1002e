"""Extract the commands from Makefiles, Dockerfiles and justfiles."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from foureyes.reviewers.critics.commands.embedded.piece import Piece
from foureyes.reviewers.critics.commands.model import GUARDED, HOLE

VARIABLE_DEPTH_MAX = 6
VALUE_CHARS_MAX = 4_000
_ASSIGN = re.compile(r"^\s*(?:export\s+|override\s+)?([A-Za-z_][\w.-]*)\s*(?::{1,3}|\?|\+|!)?=\s*(.*)$")
_USE = re.compile(r"\$(?:\$|\(([^()$]*)\)|\{([^{}$]*)\}|([A-Za-z0-9_@<^?*%+|]))")
_INSTRUCTION = re.compile(r"\s*(RUN|CMD|ENTRYPOINT|HEALTHCHECK|ONBUILD)\s+(.*)$", re.IGNORECASE | re.DOTALL)
_FLAG = re.compile(r"\s*--[a-z-]+=\S+\s*")
_HEREDOC = re.compile(r"<<-?\s*[\"']?(\w+)[\"']?")


def makefile(_path: str, text: str) -> Iterator[Piece]:
    """Yield recipe lines and `$(shell …)` calls. Each recipe line, with its continuations, is a shell of its own."""
    variables: dict[str, str] = {}
    for first, lines in _logical(text):
        if lines[0].startswith("\t"):
            body = "\n".join(line.removeprefix("\t") for line in lines)
            yield Piece(text=_filled(body.lstrip("@-+ "), variables), line=first)
            continue
        joined = " ".join(line.rstrip("\\").strip() for line in lines)
        assigned = _ASSIGN.match(joined)
        if assigned:
            value = assigned.group(2).partition(" #")[0].strip()
            variables.setdefault(assigned.group(1), value[:VALUE_CHARS_MAX])
            if "$(shell " in value:
                yield Piece(text=value.partition("$(shell ")[2].rpartition(")")[0], line=first, pinned=True)
        elif ";" in joined and ":" in joined.partition(";")[0] and not joined.startswith("#"):
            yield Piece(
                text=_filled(joined.partition(";")[2].strip().lstrip("@-+ "), variables), line=first, pinned=True
            )


def _logical(text: str) -> Iterator[tuple[int, list[str]]]:
    """Join lines that end in a backslash, and yield each group with the number of its first line."""
    held: list[str] = []
    first = 1
    for number, line in enumerate(text.split("\n"), 1):
        if not held:
            first = number
        held.append(line)
        if not line.endswith("\\"):
            yield first, held
            held = []
    if held:
        yield first, held


def _filled(text: str, variables: dict[str, str], depth: int = 0) -> str:
    """Replace the variables of make by their values; an unknown variable becomes a HOLE."""

    def fill(met: re.Match[str]) -> str:
        if met.group(0) == "$$":
            return "$"
        name = met.group(1) or met.group(2) or met.group(3) or ""
        if name in variables and depth < VARIABLE_DEPTH_MAX:
            return _filled(variables[name], variables, depth + 1)[:VALUE_CHARS_MAX]
        return {"HOME": "$HOME", "TMPDIR": "$TMPDIR", "CURDIR": ".", "RM": "rm -f", "MAKE": "make", "SHELL": "sh"}.get(
            name, HOLE + GUARDED if name in "@<^?*%+|" else HOLE
        )

    return _USE.sub(fill, text)


def dockerfile(_path: str, text: str) -> Iterator[Piece]:
    """Yield RUN, CMD and ENTRYPOINT in shell and exec form; comments between continued lines are skipped."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        start = at
        held = [lines[at]]
        while lines[at].rstrip().endswith("\\") and at + 1 < len(lines):
            at += 1
            while lines[at].lstrip().startswith("#") and at + 1 < len(lines):
                held.append("\\")
                at += 1
            held.append(lines[at])
        at += 1
        end = _HEREDOC.search(held[0]) if _INSTRUCTION.match(held[0]) else None
        while end is not None and at < len(lines):
            held.append(lines[at])
            at += 1
            if held[-1].strip() == end.group(1):
                break
        yield from _instruction("\n".join(held), start + 1)


def _instruction(text: str, line: int) -> Iterator[Piece]:
    met = _INSTRUCTION.match(text)
    if met is None:
        return
    name, body = met.group(1).upper(), met.group(2)
    if name in ("ONBUILD", "HEALTHCHECK"):
        inner = re.search(r"\b(?:RUN|CMD)\s+(.*)$", body, re.DOTALL)
        if inner is None:
            return
        body = inner.group(1)
    while _FLAG.match(body):
        body = _FLAG.sub("", body, count=1)
    heredoc = re.match(r"<<-?\s*[\"']?(\w+)[\"']?\s*\n(.*?)\n?\1\s*$", body, re.DOTALL)
    if heredoc:
        yield Piece(text=heredoc.group(2), line=line + 1, image=True)
        return
    argv = _exec_form(body)
    yield Piece(argv=argv, line=line, image=True) if argv else Piece(text=body, line=line, image=True)


def _exec_form(body: str) -> tuple[str, ...]:
    if not body.lstrip().startswith("["):
        return ()
    try:
        found = json.loads(body.replace("\\\n", " "))
    except ValueError:
        return ()
    return tuple(str(one).replace(HOLE, "") for one in found) if isinstance(found, list) else ()


def justfile(_path: str, text: str) -> Iterator[Piece]:
    """Yield indented lines, which are recipes."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(("    ", "\t", "  ")) and line.strip():
            yield Piece(text=re.sub(r"\{\{.*?\}\}", HOLE, line.strip().lstrip("@-")), line=number, pinned=True)
