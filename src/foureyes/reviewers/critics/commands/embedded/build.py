"""Which commands stand in a Makefile, a Dockerfile or a justfile?"""

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
    """Each recipe line is a shell of its own, continued lines together."""
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
    """Lines joined where a backslash ends them, with the number of the first."""
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
    """Make's own variables filled in; what is not known becomes a hole."""

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
    """RUN, CMD and ENTRYPOINT, in both their forms; comments between continued lines are not theirs."""
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
    """Indented lines are recipes."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(("    ", "\t", "  ")) and line.strip():
            yield Piece(text=re.sub(r"\{\{.*?\}\}", HOLE, line.strip().lstrip("@-")), line=number, pinned=True)
