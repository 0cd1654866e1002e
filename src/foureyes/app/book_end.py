"""The end of the checkpoint journal: how far the log reached when it was last signed, and whether it still holds that.

Kept light on purpose: `check` compares every yes with it, so it reads the last lines without the codec and verifies no
signature. `log verify` does both.
"""

from __future__ import annotations

import json
import os
from binascii import Error as BadBase64
from binascii import a2b_base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from foureyes.app.rows import Cursor, Head

if TYPE_CHECKING:
    from foureyes.app.ports import Reading

NAME = "checkpoints.jsonl"
RECORD = "If a backup was put in its place, restore it with `foureyes restore`, which records that."
_BLOCK_BYTES = 64 * 1024


class BadEnd(ValueError):  # noqa: N818 - what is wrong with it is told in words
    """The journal's last lines cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedEnd:
    """The newest checkpoint that still binds the log."""

    number: int
    #: The last event it saw, and its cursor; no cursor if a restore has renumbered the log since.
    last: Head
    cursor: Cursor | None
    #: Ends of the streams that grew under this checkpoint, by name.
    heads: Mapping[str, Head] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class BookMark:
    """A journal as long as it was at one moment. Any look at the log that begins later holds what it says by then."""

    path: Path
    size: int


def bookmark(folder: str) -> BookMark:
    """Return the journal with its current length; 0 if there is none."""
    path = Path(folder, NAME)
    try:
        return BookMark(path=path, size=path.stat().st_size)
    except (FileNotFoundError, NotADirectoryError):
        return BookMark(path=path, size=0)


def signed_end(mark: BookMark) -> SignedEnd | None:
    """Return the newest checkpoint up to this mark that no restore has voided; None if nothing was signed."""
    if not mark.size:
        return None
    with mark.path.open("rb") as file:
        void_behind: int | None = None
        for line in backwards(file, whole_bytes(file, mark.size)):
            try:
                found, to = _parsed(line, renumbered=void_behind is not None)
            except (ValueError, KeyError, TypeError, RecursionError, BadBase64):
                raise BadEnd("The last checkpoint cannot be read. Run `foureyes log verify`.") from None
            if void_behind is not None and found.number > void_behind:
                continue
            if to is not None:
                void_behind = to
            elif found.last.version:
                return found
    return None


def why_not_held(reading: Reading, end: SignedEnd, stream: str = "") -> str:
    """Return why the log does not hold what was signed, by its end and one stream; empty if it does."""
    gone = f"The log no longer ends behind checkpoint {end.number}: events that were signed are gone. {RECORD}"
    listed = end.heads.get(stream)
    if not holds(reading, end.last) or (listed is not None and not holds(reading, listed)):
        return gone
    if end.cursor is not None and not in_place(reading, end.cursor, end.last.chain):
        return f"The log is numbered otherwise than when checkpoint {end.number} was signed. {RECORD}"
    return ""


def holds(reading: Reading, head: Head) -> bool:
    """True if a stream still has this event with this link."""
    found = next(iter(reading.events(head.stream, head.version - 1)), None)
    return found is not None and (found.version, found.chain) == (head.version, head.chain)


def in_place(reading: Reading, cursor: Cursor, chain: bytes) -> bool:
    """True if the event at this cursor still has this link."""
    tx, seq = cursor
    found = reading.tail((tx, seq - 1), 1)
    return bool(found) and (found[0].cursor, found[0].chain) == (cursor, chain)


def whole_bytes(file: BinaryIO, size: int | None = None) -> int:
    """Return the length of the file's whole lines; a last line without its end was left by a crash."""
    end = file.seek(0, os.SEEK_END) if size is None else size
    while end > 0:
        begin = max(0, end - _BLOCK_BYTES)
        file.seek(begin)
        found = file.read(end - begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        end = begin
    return 0


def backwards(file: BinaryIO, end: int) -> Iterator[bytes]:
    """Yield the whole lines from the end back."""
    held, begin = b"", end
    while begin > 0:
        size = min(begin, max(_BLOCK_BYTES, len(held)))
        begin -= size
        file.seek(begin)
        first, *rest = (file.read(size) + held).split(b"\n")
        yield from (one for one in reversed(rest) if one)
        held = first
    if held:
        yield held


def _parsed(line: bytes, *, renumbered: bool) -> tuple[SignedEnd, int | None]:
    """Return what a line says of the log's end and, if it records a restore, the checkpoint number it went back to."""
    data = json.loads(line)
    checkpoint: Any = json.loads(a2b_base64(data["envelope"]["payload"]))["checkpoint"]
    reached, said = checkpoint["reached"], checkpoint["said"]
    heads = {name: _head(name, version, link) for name, version, link in data["heads"]}
    tx, seq = (int(one) for one in reached["cursor"])
    end = SignedEnd(
        number=int(checkpoint["number"]),
        last=_head(reached["stream"], reached["version"], reached["link"]),
        cursor=None if renumbered else (tx, seq),
        heads=heads,
    )
    return end, int(said["to"]) if said["is"] == "Restored" else None


def _head(stream: Any, version: Any, link: Any) -> Head:
    return Head(stream=str(stream), version=int(version), chain=bytes.fromhex(link))
