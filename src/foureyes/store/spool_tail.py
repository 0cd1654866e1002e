"""The number of the last promised record of a spool, kept beside its files, to detect a file that was cut off.

Two slots take turns, each within one sector, so that a write that is cut off leaves the other. The number is written
behind the mark of a record and before the caller is told: it never names a promised record that is not on the disk.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

NAME = "tail"
_SECTOR = 512
_NUMBER, _SUM = struct.Struct(">Q"), struct.Struct(">I")
_BYTES = _NUMBER.size + _SUM.size


def read_tail(folder: Path) -> int:
    """Return the last promised record that is known; 0 if there is no such file, as in spools of an earlier version."""
    try:
        content = (folder / NAME).read_bytes()
    except FileNotFoundError:
        return 0
    return max(_number(content[place : place + _BYTES]) for place in (0, _SECTOR))


def write_tail(folder: Path, sequence: int) -> None:
    """Write the number of the last promised record; on the disk when this returns."""
    path = folder / NAME
    is_new = not path.exists()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        number = _NUMBER.pack(sequence)
        os.pwrite(descriptor, number + _SUM.pack(zlib.crc32(number)), _SECTOR * (sequence % 2))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if is_new:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _number(slot: bytes) -> int:
    if len(slot) < _BYTES or _SUM.unpack(slot[_NUMBER.size :])[0] != zlib.crc32(slot[: _NUMBER.size]):
        return 0
    return int(_NUMBER.unpack(slot[: _NUMBER.size])[0])
