"""Facts about the places a report names: line counts, removed files and section names found in the stored bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from foureyes.app.ports import Reading
from foureyes.app.work import GONE_MODE
from foureyes.core.citations import cited_places
from foureyes.core.commands import ReportInconclusive, SubmitReport
from foureyes.core.values import WorkPart

#: Largest work in which section names are searched, and most section names of one report.
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
    """Return the line counts of named files, the removed files, and which section names stand in the work.

    A run of this installation was checked against its own bytes before, so nothing is read again for it.
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
    """Count the lines: a last line without an end counts, an empty one does not."""
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
