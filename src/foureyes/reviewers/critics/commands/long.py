"""What of a script that is too long to be read can be read? This work's lines, in parts, without endless ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.app.reviewers import File
from foureyes.reviewers.critics.commands.embedded.piece import Piece
from foureyes.reviewers.critics.commands.sql import SQL_CHARS_MAX
from foureyes.reviewers.critics.commands.syntax import SCRIPT_BYTES_MAX
from foureyes.reviewers.critics.texts import without_long_lines

LINE_CHARS_MAX = 16 * 1024
#: Together half of what a script may have otherwise: it is unknown anyhow, and must not take longer.
PART_CHARS_MAX = 32 * 1024
PARTS_MAX = 4


def is_long(piece: Piece) -> bool:
    """Whether it is longer than is read at once."""
    if piece.language == "sql":
        return len(piece.text) > SQL_CHARS_MAX
    return len(piece.text) > SCRIPT_BYTES_MAX


def parts_of(piece: Piece, file: File) -> Iterator[Piece]:
    """The parts of a long piece that hold lines of this work; what one part sets, the next does not know."""
    if piece.language != "shell" or piece.argv:
        yield piece
        return
    made = 0
    for first, text in _parts(without_long_lines(piece.text, LINE_CHARS_MAX)):
        part = piece if piece.pinned else replace(piece, line=piece.line + first)
        last = part.line + text.count("\n")
        if made < PARTS_MAX and (piece.pinned or file.is_changed(part.line, last)):
            made += 1
            yield replace(part, text=text)


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Cut between lines, with the number of the lines before each part."""
    at = first = 0
    while at < len(text):
        end = len(text)
        if end - at > PART_CHARS_MAX:
            end = text.rfind("\n", at, at + PART_CHARS_MAX) + 1
        yield first, text[at:end]
        first += text.count("\n", at, end)
        at = end
