"""The answer of a command, for people and for scripts. All output is printed here, cleaned of control characters."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TextIO

from foureyes.app.plain import plain
from foureyes.cli.codes import OK

#: Colours by tone.
_TONES = {
    "good": "\x1b[32m",
    "bad": "\x1b[31m",
    "care": "\x1b[33m",
    "dim": "\x1b[2m",
    "strong": "\x1b[1m",
    "good head": "\x1b[1;32m",
    "bad head": "\x1b[1;31m",
    "care head": "\x1b[1;33m",
    "command": "\x1b[36m",
}
_RESET = "\x1b[0m"
#: ASCII replacements of our own signs, for terminals without Unicode.
_SIGNS = str.maketrans({"✗": "x", "✓": "+", "│": "|", "·": "-", "…": "..", "→": ">", "•": "*", "–": "-"})

Json = None | bool | int | str | Sequence["Json"] | Mapping[str, "Json"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line for people; its tone becomes a colour if colours are shown."""

    text: str
    tone: str = ""
    #: Further pieces of the same line, each with its tone.
    more: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """The line without its tones."""
        return self.text + "".join(text for text, _ in self.more)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of a command: its exit code, lines for people, and the same as data for scripts."""

    code: int = OK
    lines: tuple[Line, ...] = ()
    data: Mapping[str, Json] = field(default_factory=dict)
    #: A document to print as it is, instead of lines: SARIF, Markdown, a prompt. Its maker has cleaned it.
    document: str | None = None
    colours: bool = True


def show(answer: Answer, *, as_json: bool) -> int:
    """Print an answer and return its exit code."""
    try:
        if as_json:
            print_json({"exit": answer.code, **answer.data})
        elif answer.document is not None:
            _write(answer.document, sys.stdout)
        else:
            for line in answer.lines:
                print_line(line, sys.stdout, colours=answer.colours)
        sys.stdout.flush()
    except BrokenPipeError:
        leave_unread()
    return answer.code


def leave_unread() -> None:
    """Point stdout to /dev/null after its reader has gone, so that Python's final flush does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(data: Mapping[str, Json]) -> None:
    """Print one object in ASCII, so that characters a terminal might act on are escaped."""
    sys.stdout.write(f"{json.dumps(data, indent=2, ensure_ascii=True)}\n")


def print_line(line: Line, stream: TextIO, *, colours: bool = True) -> None:
    """Print one line, cleaned, and coloured if the stream shows colours."""
    paint = colours and _colours(stream)
    pieces = [_piece(text, tone, paint=paint) for text, tone in ((line.text, line.tone), *line.more)]
    _write(f"{''.join(pieces)}\n", stream)


def _piece(text: str, tone: str, *, paint: bool) -> str:
    clean = plain(text)
    return f"{_TONES[tone]}{clean}{_RESET}" if tone and clean and paint else clean


def _write(text: str, stream: TextIO) -> None:
    encoding = stream.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(_SIGNS).encode(encoding, "replace").decode(encoding)
    stream.write(text)


def complain(
    sentence: str,
    next_step: str = "",
    *,
    code: int,
    kind: str,
    details: tuple[str, ...] = (),
    as_json: bool = False,
) -> int:
    """Report a failure and what to do: on stderr for people, as an object for scripts."""
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
