"""Read hostile files as text and by line, and show excerpts to people without control characters."""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import PurePosixPath

from foureyes.app.reviewers import GONE_MODE, LINK_MODE, SUBMODULE_MODE, File, Unread

#: File types for people, in which foreign words, typographic spaces and soft hyphens are normal.
PROSE = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".text", ".adoc", ".asciidoc", ".org", ".tex", ".html"})
PROSE_NAMES = frozenset({"readme", "license", "licence", "changelog", "authors", "notice", "contributing", "copying"})
#: File types with the words of an application in many languages; read like prose.
WORDS = frozenset({".po", ".pot", ".arb", ".ftl", ".strings", ".xlf", ".xliff", ".resx", ".properties", ".srt", ".vtt"})
#: Kinds of work that are prose whatever the file is called.
PROSE_KINDS = frozenset({"plan", "text"})

SHOWN_MAX = 160


def suffix(path: str) -> str:
    """Return the file extension of a path, in lower case."""
    return PurePosixPath(path).suffix.lower()


def is_prose(path: str, kind: str = "") -> bool:
    """True if a file is written for people rather than for a machine."""
    end = suffix(path)
    if end in PROSE or PurePosixPath(path).stem.lower() in PROSE_NAMES:
        return True
    return not end and kind in PROSE_KINDS


def is_words(path: str) -> bool:
    """True if a file contains an application's sentences in some language."""
    return suffix(path) in WORDS


def readable(file: File) -> str | None:
    """Return the text of a file, or the target of a link; None if it is deleted, a submodule or binary."""
    if file.content is None or file.mode in (GONE_MODE, SUBMODULE_MODE):
        return None
    if file.mode == LINK_MODE:
        return file.content.decode(errors="replace")
    return file.written.text if file.written else None


def parsable(file: File) -> str | None:
    """Return the text if all of its characters are known, because a parser would fail at unknown ones; else None."""
    return None if file.written and file.written.ascii_only else file.text


def texts_in(text: str) -> Iterator[str]:
    """Yield every text value in a JSON document; nothing if the text is no such document."""
    try:
        left = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while left:
        value = left.pop()
        if isinstance(value, dict | list):
            left.extend(reversed([*(value.values() if isinstance(value, dict) else value)]))
        elif isinstance(value, str):
            yield value


def unread_of(file: File) -> tuple[Unread, ...]:
    """Return why a file, or some of its characters, could not be read; empty if all of it was read."""
    if file.content is None or file.mode in (GONE_MODE, SUBMODULE_MODE, LINK_MODE):
        return ()
    if file.written is None:
        return (Unread(path=file.path, why="binary: it holds no text to judge"),)
    if file.written.ascii_only:
        return (Unread(path=file.path, why=f"{file.written.encoding}: only its ASCII characters were judged"),)
    return ()


def without_long_lines(text: str, most: int) -> str:
    """Return the text with every longer line emptied, so that the others keep their numbers."""
    return "\n".join(line if len(line) <= most else "" for line in text.split("\n"))


class Lines:
    """Maps positions in a text to lines."""

    __slots__ = ("_ends", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: list[int] | None = None

    def at(self, position: int) -> int:
        """Return the line of a position, counted from 1."""
        if self._ends is None:
            self._ends = [-1]
            found = self.text.find("\n")
            while found >= 0:
                self._ends.append(found)
                found = self.text.find("\n", found + 1)
        return bisect_right(self._ends, position - 1)


def shown(text: str, most: int = SHOWN_MAX) -> str:
    """Return a text as evidence: shortened, with invisible characters and those that move other text escaped."""
    cut = text[:most]
    safe = "".join(one if _is_plain(one) else f"\\u{{{ord(one):X}}}" for one in cut)
    return safe + ("\u2026" if len(text) > most else "")


def named(char: str) -> str:
    """Return a character's code and name, such as `U+202E RIGHT-TO-LEFT OVERRIDE`."""
    name = unicodedata.name(char, "") or ("control character" if unicodedata.category(char) == "Cc" else "no name")
    return f"U+{ord(char):04X} {name}"


def _is_plain(char: str) -> bool:
    if char.isascii():
        return char.isprintable()
    # Marks are escaped as well: alone, or in stacks, they change the characters next to them.
    return unicodedata.category(char)[0] in "LNPS" and char not in "\u115f\u1160\u3164\uffa0\u2800"


def has_conflict(file: File) -> bool:
    """True if a change leaves a merge conflict in code; errors of parsers in such a file follow from it."""
    text = file.text or ""
    if "<<<<<<<" not in text or ">>>>>>>" not in text:
        return False
    changed = [line for number, line in enumerate(file.lines, start=1) if file.is_changed(number)]
    return any(map(_OPENS, changed)) and any(map(_ENDS, changed))


_OPENS, _ENDS = re.compile(r"<{7} \S").match, re.compile(r">{7} \S").match
