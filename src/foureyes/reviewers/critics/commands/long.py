"""Cut a script that is too long to be read at once into parts that contain lines of this work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.app.reviewers import File
from foureyes.reviewers.critics.commands.embedded.piece import Piece
from foureyes.reviewers.critics.commands.sql import SQL_CHARS_MAX
from foureyes.reviewers.critics.commands.syntax import SCRIPT_BYTES_MAX
from foureyes.reviewers.critics.texts import without_long_lines

LINE_CHARS_MAX = 16 * 1024
#: All parts together have half the length of a normal script: the result is unknown anyway, and must not take longer.
PART_CHARS_MAX = 32 * 1024
PARTS_MAX = 4


def is_long(piece: Piece) -> bool:
    """True if the piece is longer than is read at once."""
    if piece.language == "sql":
        return len(piece.text) > SQL_CHARS_MAX
    return len(piece.text) > SCRIPT_BYTES_MAX


def parts_of(piece: Piece, file: File) -> Iterator[Piece]:
    """Yield the parts of a long piece that contain lines of this work; no state is carried between parts."""
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
    """Cut between lines; yield the number of lines before each part, and the part."""
    at = first = 0
    while at < len(text):
        end = len(text)
        if end - at > PART_CHARS_MAX:
            end = text.rfind("\n", at, at + PART_CHARS_MAX) + 1
        yield first, text[at:end]
        first += text.count("\n", at, end)
        at = end
