"""Collects the files of a change with their bytes before and after, within the limits of a work.

Files beyond the limits are named with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from foureyes.app.reviewers import GONE_MODE, SUBMODULE_MODE, File, Span, Unread
from foureyes.app.work import BLOB_BYTES_MAX, MODES, PARTS_MAX, WORK_BYTES_MAX
from foureyes.git.hunks import within
from foureyes.git.names import shown, why_not
from foureyes.git.scratch import Entry, Scratch
from foureyes.home.trouble import Trouble

UNREAD_MAX = 1_000
MEBIBYTE = 1024 * 1024
NOT_HERE = "git left its bytes on the server (a partial clone): run git fetch --refetch, then review again"
TOO_LARGE = f"it is larger than {BLOB_BYTES_MAX // MEBIBYTE} MiB"
NO_ROOM = f"the files before it already fill the {WORK_BYTES_MAX // MEBIBYTE} MiB one review can hold"
TOO_MANY = f"one review holds at most {PARTS_MAX} files"
IN_CONFLICT = "it is in conflict: resolve it first"
ODD_SORT = "it is a sort of file that git does not know"
OLD_TOO_LARGE = "its earlier version is too large to compare with"


@dataclass(slots=True, kw_only=True)
class Room:
    """How much room is left in a work."""

    files: int = PARTS_MAX
    bytes: int = WORK_BYTES_MAX

    def why_not(self, size: int, files: int = 1) -> str:
        """Take the room, or return why there is none."""
        if size > BLOB_BYTES_MAX:
            return TOO_LARGE
        if files > self.files:
            return TOO_MANY
        if size > self.bytes:
            return NO_ROOM
        self.files -= files
        self.bytes -= size
        return ""


@dataclass(slots=True, kw_only=True)
class Left:
    """The files that are not read, and why; a list short enough for people to read."""

    found: list[Unread] = field(default_factory=list)
    more: int = 0
    #: The same files by their raw names, for internal use.
    paths: set[bytes] = field(default_factory=set)

    def out(self, path: bytes, why: str) -> None:
        self.paths.add(path)
        self.note(path, why)

    def note(self, path: bytes, why: str) -> None:
        """Name a reservation about a file that is read all the same."""
        if len(self.found) < UNREAD_MAX:
            self.found.append(Unread(path=shown(path), why=why))
        else:
            self.more += 1

    @property
    def all(self) -> tuple[Unread, ...]:
        rest = (Unread(path="…", why=f"{self.more} more files for reasons like these"),) if self.more else ()
        return (*self.found, *rest)


def gathered(scratch: Scratch, sides: Sequence[str], left: Left, index: Path | None = None) -> tuple[File, ...]:
    """Return the files that differ between two sides; files that cannot be read go to `left`."""
    try:
        entries = scratch.entries(sides, index=index)
    except Trouble:
        # Finding renames needs bytes that a partial clone does not have; which files differ is known without them.
        entries = scratch.entries(sides, index=index, renames=False)
    sizes = scratch.sizes(name for one in entries for name in _blobs(one))
    chosen = _chosen(entries, sizes, left)
    wanted = _wanted(chosen, sizes, left)
    contents = scratch.contents(wanted, at_most=sum(sizes[name] for name in wanted))
    spans = _spans(scratch, sides, index, entries)
    return tuple(_file(one, contents, spans.get(one.path)) for one in chosen)


def all_lines(content: bytes) -> tuple[Span, ...]:
    """Return the span of every line, for a file whose lines are all new."""
    count = line_count(content)
    return ((1, count),) if count else ()


def line_count(content: bytes) -> int:
    return content.count(b"\n") + (not content.endswith(b"\n") and bool(content))


def _blobs(entry: Entry) -> Iterator[str]:
    """Yield the objects whose bytes are the file's own: the commit of a submodule is not one of them."""
    sides = ((entry.object, entry.mode), (entry.object_before, entry.mode_before))
    return (name for name, mode in sides if mode not in (GONE_MODE, SUBMODULE_MODE))


def _chosen(entries: Sequence[Entry], sizes: Mapping[str, int], left: Left) -> list[Entry]:
    """Return the entries that can be part of the work; the others go to `left`."""
    chosen, room = list[Entry](), Room()
    for one in sorted(entries, key=_path):
        why = why_not(one.path) or (one.was and why_not(one.was)) or _odd(one)
        there = one.mode not in (GONE_MODE, SUBMODULE_MODE)
        if not why and there and one.object not in sizes:
            why = NOT_HERE
        size = sizes[one.object] if there and not why else len(one.object)
        why = why or room.why_not(size, files=2 if one.was else 1)
        if why:
            left.out(one.path, why)
        else:
            chosen.append(one)
    return chosen


def _path(entry: Entry) -> bytes:
    return entry.path


def _odd(entry: Entry) -> str:
    if entry.status in "UX":
        return IN_CONFLICT
    return "" if entry.mode in MODES else ODD_SORT


def _wanted(chosen: Sequence[Entry], sizes: Mapping[str, int], left: Left) -> list[str]:
    """Return the objects to read; earlier versions have room of their own."""
    wanted, room = list[str](), Room(files=len(chosen))
    for one in chosen:
        if one.mode not in (GONE_MODE, SUBMODULE_MODE):
            wanted.append(one.object)
        if one.mode_before in (GONE_MODE, SUBMODULE_MODE) or one.object_before == one.object:
            continue
        size = sizes.get(one.object_before)
        if size is None or room.why_not(size):
            left.note(one.was or one.path, NOT_HERE if size is None else OLD_TOO_LARGE)
        else:
            wanted.append(one.object_before)
    return list(dict.fromkeys(wanted))


def _spans(
    scratch: Scratch, sides: Sequence[str], index: Path | None, entries: Sequence[Entry]
) -> dict[bytes, list[Span]]:
    """Return the spans of new lines by path; none if git cannot compare, so that every line counts as new."""
    try:
        found = scratch.spans(sides, index=index)
    except Trouble:
        return {}
    # Git writes one patch for each entry, two where a file became a link, and none for a conflict.
    counts = [{"T": 2, "U": 0}.get(one.status, 1) for one in entries]
    if sum(counts) != len(found):
        return {}
    each = iter(found)
    return {
        one.path: [span for _ in range(count) for span in next(each)]
        for one, count in zip(entries, counts, strict=True)
    }


def _file(entry: Entry, contents: Mapping[str, bytes], spans: list[Span] | None) -> File:
    content = _content(entry.object, entry.mode, contents)
    before = _content(entry.object_before, entry.mode_before, contents)
    changed: tuple[Span, ...] = ()
    if content is not None and entry.object != entry.object_before:
        whole = not spans or entry.status == "T" or entry.mode_before == GONE_MODE
        changed = all_lines(content) if whole else within(spans or [], line_count(content))
    return File(
        path=entry.path.decode(),
        mode=entry.mode,
        content=content,
        before=before,
        was=entry.was.decode(),
        mode_before=entry.mode_before if entry.mode_before not in (entry.mode, GONE_MODE) else "",
        changed=changed,
    )


def _content(name: str, mode: str, contents: Mapping[str, bytes]) -> bytes | None:
    if mode == SUBMODULE_MODE:
        return name.encode() if name.strip("0") else None
    return None if mode == GONE_MODE else contents.get(name)
