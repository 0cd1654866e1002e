"""How does a critic read a file that may be hostile: as text, by line, and shown to people without its tricks?"""

from __future__ import annotations

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import PurePosixPath

from foureyes.app.reviewers import GONE_MODE, LINK_MODE, SUBMODULE_MODE, File, Unread

#: What people read: here foreign words, typographic spaces and soft hyphens are at home.
PROSE = frozenset({".md", ".markdown", ".mdx", ".rst", ".txt", ".text", ".adoc", ".asciidoc", ".org", ".tex", ".html"})
PROSE_NAMES = frozenset({"readme", "license", "licence", "changelog", "authors", "notice", "contributing", "copying"})
#: Words of an application in many languages; read like prose.
WORDS = frozenset({".po", ".pot", ".arb", ".ftl", ".strings", ".xlf", ".xliff", ".resx", ".properties", ".srt", ".vtt"})
#: Kinds of work that are prose whatever the file is called.
PROSE_KINDS = frozenset({"plan", "text"})

SHOWN_MAX = 160


def suffix(path: str) -> str:
    """The last ending of a path, in small letters."""
    return PurePosixPath(path).suffix.lower()


def is_prose(path: str, kind: str = "") -> bool:
    """Whether a file is written for people rather than for a machine."""
    end = suffix(path)
    if end in PROSE or PurePosixPath(path).stem.lower() in PROSE_NAMES:
        return True
    return not end and kind in PROSE_KINDS


def is_words(path: str) -> bool:
    """Whether a file holds an application's sentences in some language."""
    return suffix(path) in WORDS


def readable(file: File) -> str | None:
    """The text of a file, or where a link leads; None where it is gone, a submodule or binary."""
    if file.content is None or file.mode in (GONE_MODE, SUBMODULE_MODE):
        return None
    if file.mode == LINK_MODE:
        return file.content.decode(errors="replace")
    return file.written.text if file.written else None


def parsable(file: File) -> str | None:
    """The text where each of its letters is known; a parser would stumble over one that is not."""
    return None if file.written and file.written.ascii_only else file.text


def texts_in(text: str) -> Iterator[str]:
    """Every text that stands as a value in a JSON document; none where it is no such document."""
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
    """What to say of a file that has no text, or one of which not all letters are read; nothing where all was read."""
    if file.content is None or file.mode in (GONE_MODE, SUBMODULE_MODE, LINK_MODE):
        return ()
    if file.written is None:
        return (Unread(path=file.path, why="binary: it holds no text to judge"),)
    if file.written.ascii_only:
        return (Unread(path=file.path, why=f"{file.written.encoding}: only its ASCII characters were judged"),)
    return ()


def without_long_lines(text: str, most: int) -> str:
    """The text with every line that is longer emptied; the others keep their numbers."""
    return "\n".join(line if len(line) <= most else "" for line in text.split("\n"))


class Lines:
    """Which line does a position of a text lie on?"""

    __slots__ = ("_ends", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: list[int] | None = None

    def at(self, position: int) -> int:
        """The line, counted from 1."""
        if self._ends is None:
            self._ends = [-1]
            found = self.text.find("\n")
            while found >= 0:
                self._ends.append(found)
                found = self.text.find("\n", found + 1)
        return bisect_right(self._ends, position - 1)


def shown(text: str, most: int = SHOWN_MAX) -> str:
    """A text as evidence: cut short, and whatever cannot be seen or moves other text written as an escape."""
    cut = text[:most]
    safe = "".join(one if _is_plain(one) else f"\\u{{{ord(one):X}}}" for one in cut)
    return safe + ("\u2026" if len(text) > most else "")


def named(char: str) -> str:
    """A character as people look it up, like `U+202E RIGHT-TO-LEFT OVERRIDE`."""
    name = unicodedata.name(char, "") or ("control character" if unicodedata.category(char) == "Cc" else "no name")
    return f"U+{ord(char):04X} {name}"


def _is_plain(char: str) -> bool:
    if char.isascii():
        return char.isprintable()
    # Marks are kept out as well: alone, or in stacks, they change what stands beside them.
    return unicodedata.category(char)[0] in "LNPS" and char not in "\u115f\u1160\u3164\uffa0\u2800"


def has_conflict(file: File) -> bool:
    """Whether a change leaves a merge conflict in code: what parsers say of such a file follows from that alone."""
    text = file.text or ""
    if "<<<<<<<" not in text or ">>>>>>>" not in text:
        return False
    changed = [line for number, line in enumerate(file.lines, start=1) if file.is_changed(number)]
    return any(map(_OPENS, changed)) and any(map(_ENDS, changed))


_OPENS, _ENDS = re.compile(r"<{7} \S").match, re.compile(r">{7} \S").match
