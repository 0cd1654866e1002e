"""The record format of the spool: writes a waiting command, and reads records that may be torn or damaged."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from foureyes.app.asks import Ask
from foureyes.app.ports import Damaged
from foureyes.app.spooling import Waiting
from foureyes.codec import CodecError, canonical
from foureyes.codec.commands import decode_command, decode_who, encode_command, encode_who
from foureyes.codec.shapes import shape
from foureyes.core.values import WorkPart

#: The largest record, with the bytes of its work; a reader holds as much in memory.
RECORD_BYTES_MAX = 32 * 1024 * 1024

#: Magic, length of the payload, sequence, the sequence promised before this one, checksum of the payload; a checksum of
#: these follows.
_HEAD = struct.Struct(">4sIQQI")
_MARK = struct.Struct(">4sQ")
_SUM = struct.Struct(">I")
HEAD_BYTES, MARK_BYTES = _HEAD.size + _SUM.size, _MARK.size + _SUM.size
_RECORD_MAGIC, _MARK_MAGIC = b"4eyR", b"4eyM"
#: A disk writes this much at once or not at all.
_SECTOR = 512
_PUT_PARTS, _TAKE_PARTS = shape(tuple[WorkPart, ...])
_PUT_NAMES, _TAKE_NAMES = shape(tuple[str, ...])


def record_of(sequence: int, behind: int, ask: Ask, at: str) -> bytes:
    """Return a command with its head, as it is written first."""
    blobs = sorted(ask.blobs.items())
    said = {
        "actor": encode_who(ask.actor),
        "aliases": _PUT_NAMES(ask.aliases),
        "at": at,
        "before": _PUT_PARTS(ask.before),
        "blobs": [[digest, len(content)] for digest, content in blobs],
        "command": encode_command(ask.command),
        "credential": ask.credential,
        "key": ask.key,
        "loaded": ask.loaded,
        "stream": ask.stream,
        "target": ask.target,
    }
    text = canonical(said)
    payload = b"".join((_SUM.pack(len(text)), text, *(content for _, content in blobs)))
    return _summed(_HEAD.pack(_RECORD_MAGIC, len(payload), sequence, behind, zlib.crc32(payload))) + payload


def mark_of(sequence: int) -> bytes:
    """Return the mark that is written behind a record once the record is safe; from then on it is promised."""
    return _summed(_MARK.pack(_MARK_MAGIC, sequence))


def promised(path: Path, end: int | None = None) -> Iterator[tuple[int, int, int, bytes]]:
    """Yield the records of a file that have their mark: sequence, the one before, where they end, payload.

    Stops at a record that was never promised. Raises Damaged at a record that was promised and cannot be read.
    """
    with path.open("rb") as file:
        size = path.stat().st_size if end is None else end
        place = 0
        while place < size:
            found = _record_at(file, place, size)
            if found is None:
                _check_never_promised(file, place, path)
                return
            sequence, behind, payload = found
            place += HEAD_BYTES + len(payload) + MARK_BYTES
            yield sequence, behind, place, payload


def waiting_of(sequence: int, payload: bytes) -> Waiting:
    """Return the command in a record."""
    try:
        return _read(sequence, payload)
    except (CodecError, ValueError, KeyError, TypeError, struct.error) as error:
        raise Damaged(f"Record {sequence} of the spool holds no command: {error}.") from error


def _read(sequence: int, payload: bytes) -> Waiting:
    (length,) = _SUM.unpack_from(payload)
    place = _SUM.size + length
    said = json.loads(payload[_SUM.size : place])
    blobs = {}
    for digest, size in said["blobs"]:
        blobs[digest] = payload[place : place + size]
        place += size
    ask = Ask(
        actor=decode_who(said["actor"]),
        key=said["key"],
        command=decode_command(said["command"]),
        stream=said["stream"],
        blobs=blobs,
        before=cast("tuple[WorkPart, ...]", _TAKE_PARTS(said["before"])),
        # Records of earlier versions had none.
        aliases=cast("tuple[str, ...]", _TAKE_NAMES(said.get("aliases", []))),
        credential=str(said.get("credential", "")),
        target=str(said.get("target", "")),
        loaded=str(said.get("loaded", "")),
    )
    return Waiting(position=sequence, at=said["at"], ask=ask)


def _summed(data: bytes) -> bytes:
    return data + _SUM.pack(zlib.crc32(data))


def _is_summed(data: bytes, size: int) -> bool:
    return len(data) == size and zlib.crc32(data[: -_SUM.size]) == _SUM.unpack(data[-_SUM.size :])[0]


def _record_at(file: BinaryIO, place: int, size: int) -> tuple[int, int, bytes] | None:
    """Return the whole, marked record at this place; None when there is none."""
    file.seek(place)
    head = file.read(HEAD_BYTES)
    if not _is_summed(head, HEAD_BYTES):
        return None
    magic, length, sequence, behind, checksum = _HEAD.unpack(head[: _HEAD.size])
    if magic != _RECORD_MAGIC or length > min(RECORD_BYTES_MAX, size):
        return None
    payload, mark = file.read(length), file.read(MARK_BYTES)
    if len(payload) < length or zlib.crc32(payload) != checksum:
        return None
    if mark != mark_of(sequence):
        _check_torn(mark, sequence, place + HEAD_BYTES + length, file.name)
        return None
    return sequence, behind, payload


def _check_torn(mark: bytes, sequence: int, place: int, name: str) -> None:
    """Check a mark that is not whole. Cut at a sector's end, it was being written; anything else was promised once."""
    cut = min(-place % _SECTOR, MARK_BYTES)
    whole = mark_of(sequence)
    for start, stop in ((0, cut), (cut, MARK_BYTES)):
        part = mark[start:stop]
        if part.strip(b"\0") and part != whole[start:stop]:
            raise Damaged(f"The mark of record {sequence} in {name} is damaged, {place} bytes from its start.")


def _check_never_promised(file: BinaryIO, place: int, path: Path) -> None:
    """Raise if a mark comes behind a record that cannot be read: that record was promised to a caller."""
    file.seek(place)
    rest = file.read(2 * RECORD_BYTES_MAX)
    found = rest.find(_MARK_MAGIC)
    while found >= 0:
        if _is_summed(rest[found : found + MARK_BYTES], MARK_BYTES):
            raise Damaged(f"A record in {path} was promised and cannot be read, {place} bytes from its start.")
        found = rest.find(_MARK_MAGIC, found + 1)
