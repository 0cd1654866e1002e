"""One stretch of commands inside a file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A script, a statement or the words of one command, and the line of the file where it begins."""

    text: str = ""
    argv: tuple[str, ...] = ()
    line: int = 1
    #: `shell`, `sql` or a language of `code`.
    language: str = "shell"
    #: True if every finding is placed on the first line, because lines of the text are not lines of the file.
    pinned: bool = False
    #: True if it builds an image, where deletions affect only the image.
    image: bool = False
    #: True for an example or the down part of a migration: it is reported, but does not block.
    note: bool = False
    #: True if only certain findings (blocks) are reported.
    certain: bool = False
