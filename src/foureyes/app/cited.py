"""Facts about the places a report names: line counts, removed files and section names found in the stored bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from foureyes.app.ports import Reading
from foureyes.app.work import GONE_MODE
from foureyes.core.citations import cited_places
from foureyes.core.commands import ReportInconclusive, SubmitReport
from foureyes.core.values import WorkPart

#: Names of sections are looked for in works of at most so many bytes, and so many names of a report.
SEARCHED_BYTES_MAX = 256 * 1024
SEARCHED_MAX = 20
SECTION_CHARS_MIN = 3


class Cited(TypedDict):
    """Facts about the places a report names, as the core takes them."""

    lines: Mapping[str, int]
    deleted: frozenset[str]
    quoted: frozenset[str]


def cited(
    reading: Reading, parts: tuple[WorkPart, ...], command: SubmitReport | ReportInconclusive, *, is_run: bool
) -> Cited:
    """How long the files are that lines are named of, what is removed, and which names of sections stand in the work.

    A run of this installation was held to its own bytes before, so nothing is read again for it.
    """
    deleted = frozenset(one.name for one in parts if one.mode == GONE_MODE)
    if is_run:
        return Cited(lines={}, deleted=deleted, quoted=frozenset())
    evidence = command.evidence if isinstance(command, SubmitReport) else ()
    names = [one.name for one in parts]
    told = (place for one in evidence for place in cited_places(one.what, names))
    named = [*(one.place for one in command.findings), *(one.place for one in evidence), *told]
    places = [one for one in named if one is not None]
    paths = {one.path for one in places if one.start > 0 or one.end > 0}
    lines = {one.name: _lines(reading, one) for one in parts if one.name in paths}
    sections = [one.what for one in evidence if one.place is None and len(one.what.strip()) >= SECTION_CHARS_MIN]
    small = sum(one.size for one in parts) <= SEARCHED_BYTES_MAX
    return Cited(lines=lines, deleted=deleted, quoted=_quoted(reading, parts, sections) if small else frozenset())


def _lines(reading: Reading, part: WorkPart) -> int:
    """Lines as everywhere here: a last one without an end counts, an empty one does not."""
    content = _content(reading, part)
    return content.count(b"\n") + bool(content and not content.endswith(b"\n"))


def _quoted(reading: Reading, parts: tuple[WorkPart, ...], names: list[str]) -> frozenset[str]:
    if not names:
        return frozenset()
    texts = [_content(reading, one).decode("utf-8", "replace").casefold() for one in parts]
    wanted = names[:SEARCHED_MAX]
    return frozenset(one for one in wanted if any(one.strip().casefold() in text for text in texts))


def _content(reading: Reading, part: WorkPart) -> bytes:
    blob = reading.blob(part.digest)
    return blob.content if blob is not None and blob.content is not None else b""
