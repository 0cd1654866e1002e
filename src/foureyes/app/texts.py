"""The text of a file as it is compared: lines without what a reader does not see, whatever bytes stand among them.

White space, invisible characters, empty lines, the kind of line ends, the encoding and zeros among the bytes make no
other text. Whether a line is a comment is decided by the line alone, so that nothing put elsewhere changes it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from foureyes.app.encodings import written
from foureyes.app.reviewers import LINK_MODE, SUBMODULE_MODE, File
from foureyes.app.work import blob_digest

#: The line ends beside the line feed that editors and interpreters know.
_LINE_ENDS = re.compile("[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f\xad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]+")
_COMMENT = re.compile(r"#|//|/\*|\*/|\*(?:\s|$)|<!--|--(?:\s|$)|;|%")
_CONTROLS = bytes({*range(32), 127} - set(b"\t\n\v\f\r\x1c\x1d\x1e"))
#: The text of so many files is kept, as each is compared with several findings.
FILES_CACHED_MAX = 16


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not empty, without white space, and the number of the line it stands in."""

    text: str
    number: int
    is_comment: bool


def readings(file: File) -> tuple[tuple[Line, ...], ...]:
    """The lines of a file in each encoding it can be read in, first as a reviewer is shown it."""
    if file.content is None or file.mode in (LINK_MODE, SUBMODULE_MODE):
        return ()
    return _readings(file.content)


def normal_digest(file: File) -> str:
    """The hash of all of a file's text without its comments; of a file of comments, or without text, of what it has."""
    lines = next(iter(readings(file)), ())
    if not lines:
        return blob_digest(file.content or b"")
    told = [one.text for one in lines if not one.is_comment] or [one.text for one in lines]
    return hashlib.sha256("\n".join(told).encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=FILES_CACHED_MAX)
def _readings(content: bytes) -> tuple[tuple[Line, ...], ...]:
    return tuple(tuple(_lines(text)) for text in dict.fromkeys(_texts(content)))


def _texts(content: bytes) -> Iterator[str]:
    shown = written(content)
    if shown is not None and "\0" not in shown.text:
        yield shown.text
    clean = content.translate(None, _CONTROLS)
    if clean != content and (found := written(clean)) is not None:
        yield found.text
    yield clean.decode(errors="replace")


def _lines(text: str) -> Iterator[Line]:
    for number, line in enumerate(text.split("\n"), start=1):
        for part in _LINE_ENDS.split(line):
            seen = _INVISIBLE.sub("", part).strip()
            if seen:
                yield Line("".join(seen.split()), number, _COMMENT.match(seen) is not None)
