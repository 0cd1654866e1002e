"""What does a command say, to people and to scripts? Every word goes out here, so none goes out unclean."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from foureyes.cli.codes import OK
from foureyes.cli.plain import plain

#: Colours by what a line means.
_TONES = {"good": "\x1b[32m", "bad": "\x1b[31m", "care": "\x1b[33m", "dim": "\x1b[2m"}
_RESET = "\x1b[0m"

Json = None | bool | int | str | Sequence["Json"] | Mapping[str, "Json"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line for people; the tone colours it where colours are seen."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The end of a command: its exit code, lines for people, the same for scripts."""

    code: int = OK
    lines: tuple[Line, ...] = ()
    data: Mapping[str, Json] = field(default_factory=dict)


def show(answer: Answer, *, as_json: bool) -> int:
    """Print an answer and give its exit code."""
    if as_json:
        print_json({"exit": answer.code, **answer.data})
    else:
        for line in answer.lines:
            print_line(line, sys.stdout)
    sys.stdout.flush()
    return answer.code


def print_json(data: Mapping[str, Json]) -> None:
    """One object in ASCII: what a terminal might act on is spelt out."""
    sys.stdout.write(f"{json.dumps(data, indent=2, ensure_ascii=True)}\n")


def print_line(line: Line, stream: TextIO) -> None:
    """One line, cleaned, coloured where that is seen."""
    text = plain(line.text)
    if line.tone and _colours(stream):
        text = f"{_TONES[line.tone]}{text}{_RESET}"
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")


def complain(
    sentence: str,
    next_step: str = "",
    *,
    code: int,
    kind: str,
    details: tuple[str, ...] = (),
    as_json: bool = False,
) -> int:
    """Say what is wrong and what to do: on stderr for people, as an object for scripts."""
    if as_json:
        said = {"sentence": plain(sentence), "details": [plain(one) for one in details], "next_step": plain(next_step)}
        print_json({"exit": code, "error": kind, **said})
        sys.stdout.flush()
    else:
        print_line(Line(sentence, "bad"), sys.stderr)
        for one in details:
            print_line(Line(f"  {one}"), sys.stderr)
        if next_step:
            print_line(Line(next_step), sys.stderr)
    return code


def _colours(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
