"""The text of a file as it is compared: its lines without anything that a reader does not see.

Differences in white space, invisible characters, empty lines, line ends, encoding or NUL bytes make no different text.
Whether a line is a comment is decided from the line alone, so that nothing placed elsewhere changes it.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from threading import Lock
from typing import NamedTuple

from foureyes.app.encodings import written
from foureyes.app.reviewers import LINK_MODE, SUBMODULE_MODE, File
from foureyes.app.work import blob_digest

#: The line ends besides the line feed that editors and interpreters know.
_LINE_ENDS = re.compile("[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]+")
_COMMENT = re.compile(r"#|//|/\*|\*/|\*(?:\s|$)|<!--|--(?:\s|$)|;|%")
_COMMENT_STARTS = frozenset("#/*<-;%")
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1c\x1d\x1e"))
#: Most lines read of a file; what follows is compared with nothing, and counts as unchanged.
LINES_MAX = 200_000
#: Cache size in lines, as each file is compared with several findings.
LINES_CACHED_MAX = 400_000
#: Texts up to this size are split into lines at once.
SPLIT_CHARS_MAX = 64 * 1024
#: Cache size in files; their bytes are cached with them.
FILES_CACHED_MAX = 16


class Line(NamedTuple):
    """A line that is not empty, without white space, and the number of the line it stands in."""

    text: str
    number: int
    is_comment: bool


@dataclass(frozen=True, slots=True)
class Text:
    """The lines of a file in one encoding, and those of them that are no comments."""

    lines: tuple[Line, ...]
    code: tuple[Line, ...]

    @property
    def is_cut(self) -> bool:
        """True if the file may have more lines than were read."""
        return len(self.lines) >= LINES_MAX


@dataclass(frozen=True)
class _Read:
    """The texts of some bytes."""

    content: bytes
    texts: tuple[Text, ...]

    @cached_property
    def digest(self) -> str:
        """The hash of the whole text without its comments."""
        text = self.texts[0] if self.texts else None
        if text is None or not text.lines or text.is_cut:
            return blob_digest(self.content)
        told = [one.text for one in text.code or text.lines]
        return hashlib.sha256("\n".join(told).encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def size(self) -> int:
        """Number of lines it keeps."""
        return sum(1 + len(one.lines) for one in self.texts)


class _Cache:
    """The texts of the files read last, bounded by their lines; used by several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._read: OrderedDict[bytes, _Read] = OrderedDict()
        self._lines = 0

    def get(self, content: bytes) -> _Read:
        """Return the texts of these bytes, from the cache if possible."""
        with self._lock:
            known = self._read.get(content)
            if known is not None:
                self._read.move_to_end(content)
                return known
        found = _Read(content=content, texts=tuple(_text(one) for one in dict.fromkeys(_texts(content))))
        with self._lock:
            if content not in self._read:
                self._read[content] = found
                self._lines += found.size
            while len(self._read) > 1 and (self._lines > LINES_CACHED_MAX or len(self._read) > FILES_CACHED_MAX):
                self._lines -= self._read.popitem(last=False)[1].size
        return found


_CACHE = _Cache()


def readings(file: File) -> tuple[Text, ...]:
    """Return the text of a file in each encoding it can be read in, first as a reviewer is shown it."""
    if file.content is None or file.mode in (LINK_MODE, SUBMODULE_MODE):
        return ()
    return _CACHE.get(file.content).texts


def normal_digest(file: File) -> str:
    """Return the hash of a file's text without comments; if only comments or no text are left, of all it has.

    For a file that is not read to its end it is the hash of the bytes.
    """
    if file.content is None or file.mode in (LINK_MODE, SUBMODULE_MODE):
        return blob_digest(file.content or b"")
    return _CACHE.get(file.content).digest


def _text(text: str) -> Text:
    has_hidden = _LINE_ENDS.search(text) or _INVISIBLE.search(text)
    lines = tuple(islice(_shown_lines(text) if has_hidden else _plain_lines(text), LINES_MAX))
    code = tuple([one for one in lines if not one.is_comment])
    return Text(lines=lines, code=lines if len(code) == len(lines) else code)


def _texts(content: bytes) -> Iterator[str]:
    shown = written(content)
    if shown is not None and "\0" not in shown.text:
        yield shown.text
    clean = content.translate(None, _CONTROLS)
    if clean != content and (found := written(clean)) is not None:
        yield found.text
    yield clean.decode(errors="replace")


def _plain_lines(text: str) -> Iterator[Line]:
    """Yield the lines of a text without other line ends and invisible characters."""
    for number, line in enumerate(_raw_lines(text), start=1):
        if words := line.split():
            yield Line("".join(words), number, words[0][0] in _COMMENT_STARTS and _is_comment(line.lstrip()))


def _shown_lines(text: str) -> Iterator[Line]:
    """Yield the lines of a text as a reader sees them."""
    for number, line in enumerate(_raw_lines(text), start=1):
        for part in _LINE_ENDS.split(line):
            if seen := _INVISIBLE.sub("", part).strip():
                yield Line("".join(seen.split()), number, _is_comment(seen))


def _is_comment(line: str) -> bool:
    return _COMMENT.match(line) is not None


def _raw_lines(text: str) -> Iterable[str]:
    """Return the lines; for a large text lazily, because a list of them takes many times the bytes of the text."""
    return text.split("\n") if len(text) <= SPLIT_CHARS_MAX else _one_by_one(text)


def _one_by_one(text: str) -> Iterator[str]:
    begin = 0
    while (end := text.find("\n", begin)) >= 0:
        yield text[begin:end]
        begin = end + 1
    yield text[begin:]
