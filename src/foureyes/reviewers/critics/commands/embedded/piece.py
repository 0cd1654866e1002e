"""What is one stretch of commands inside a file?"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A script, a statement or the words of one command, and the line of the file it begins on."""

    text: str = ""
    argv: tuple[str, ...] = ()
    line: int = 1
    #: `shell`, `sql` or a language of `code`.
    language: str = "shell"
    #: Every finding on the first line, because the text's lines are not the file's.
    pinned: bool = False
    #: It builds an image: what it deletes there is nobody's.
    image: bool = False
    #: An example or the way back of a migration: said, but not held against the work.
    note: bool = False
    #: Only what is certain is said.
    certain: bool = False
