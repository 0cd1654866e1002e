"""The outage spool: keeps commands in synced files while the database is down, and detects damage.

A record is written and synced, then its mark is written and synced, and only then is the caller told. A record without
a mark was never promised and is skipped; a record with a mark that cannot be read is damage, and the spool refuses to
start over it. A file is written by one process once: after a start, or after a write or sync that failed, a new file
begins.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from foureyes.app.asks import Ask
from foureyes.app.ports import Damaged, Unavailable
from foureyes.app.spooling import Waiting
from foureyes.store.spool_records import MARK_BYTES, RECORD_BYTES_MAX, mark_of, promised, record_of, waiting_of
from foureyes.store.spool_tail import read_tail, write_tail

SPOOL_BYTES_MAX = 256 * 1024 * 1024
SEGMENT_BYTES_MAX = 16 * 1024 * 1024
RECORDS_MAX = 100_000

_CURSOR, _LOCK, _SUFFIX = "cursor", "lock", ".spool"
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@dataclass(slots=True, kw_only=True)
class _Segment:
    """One file, how far its records are promised, and the number of its last promised record."""

    path: Path
    end: int = 0
    last: int = 0


class FileSpool:
    """The spool of one server process, in a folder of its own; a second process is refused."""

    def __init__(
        self, folder: Path, *, bytes_max: int = SPOOL_BYTES_MAX, segment_bytes_max: int = SEGMENT_BYTES_MAX
    ) -> None:
        """Lock the folder and read through what waits; raises Damaged where a promised record cannot be read."""
        self._folder = folder
        self._bytes_max, self._segment_bytes_max = bytes_max, segment_bytes_max
        self._guard = threading.Lock()
        with _speaking():
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            sync_folder(folder.parent)
            self._lock = _locked(folder / _LOCK)
        try:
            with _speaking():
                cursor = _read_cursor(folder / _CURSOR)
                tail = read_tail(folder)
                self._segments = _segments_of(folder, cursor)
        except BaseException:
            os.close(self._lock)
            raise
        self._done = cursor or 0
        self._behind = max((self._done, *(segment.last for segment in self._segments)))
        _check_whole(self._behind, tail, folder, self._lock)
        # File names count too: a file without a promised record has used its number.
        self._last = max((self._behind, *(int(segment.path.stem) for segment in self._segments)))
        self._open: int | None = None

    def append(self, ask: Ask, at: str) -> int:
        """Keep a command until the database is back; on the disk when this returns its position in the queue."""
        with self._guard:
            if self._last - self._done >= RECORDS_MAX:
                raise _full(f"{RECORDS_MAX} commands wait for it already")
            record = record_of(self._last + 1, self._behind, ask, at)
            if len(record) > RECORD_BYTES_MAX:
                raise _full(f"this one is too large to wait for it, with {len(record)} bytes")
            if sum(segment.end for segment in self._segments) + len(record) + MARK_BYTES > self._bytes_max:
                raise _full(f"the commands that wait for it fill the spool of {self._bytes_max} bytes")
            self._write(record)
            return self._last

    def waiting(self) -> Iterator[Waiting]:
        """Yield the promised commands that are not done, in order; those that arrive meanwhile appear the next time."""
        with self._guard:
            done = self._done
            files = [(segment.path, segment.end) for segment in self._segments if segment.last > done]
        with _speaking():
            for path, end in files:
                for sequence, _, _, payload in promised(path, end):
                    if sequence > done:
                        yield waiting_of(sequence, payload)

    def done(self, position: int) -> None:
        """Record that every command up to here was done; the cursor is synced before the commands are removed."""
        with self._guard:
            if position <= self._done:
                return
            with _speaking():
                _write_cursor(self._folder, position)
            self._done = position
            finished = [segment for segment in self._segments if segment.last <= position]
            self._segments = [segment for segment in self._segments if segment.last > position]
            if not self._segments:
                self._leave()
            for segment in finished:
                with suppress(OSError):  # the cursor says that it is done; the next start removes it
                    segment.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Release the folder."""
        with self._guard:
            self._leave()
            os.close(self._lock)

    def _write(self, record: bytes) -> None:
        self._last += 1  # a number is used once, even if this fails: the failed record may be on the disk nevertheless
        unknown = False
        try:
            segment = self._segment()
            descriptor = self._open if self._open is not None else -1
            _write_all(descriptor, record, segment.end)
            os.fsync(descriptor)
            unknown = True
            _write_all(descriptor, mark_of(self._last), segment.end + len(record))
            os.fsync(descriptor)
            # The record is promised now, whether or not its number can be kept: it waits like every other one.
            segment.end += len(record) + MARK_BYTES
            segment.last = self._behind = self._last
            write_tail(self._folder, self._last)
        except OSError as error:
            # Never the same file again: a second sync may succeed although the first one lost the bytes.
            self._leave()
            raise _failed(error, unknown=unknown) from error

    def _segment(self) -> _Segment:
        """Return the file to write to: a new one when there is none, or the last is full."""
        if self._open is not None and self._segments[-1].end >= self._segment_bytes_max:
            self._leave()
        if self._open is None:
            path = self._folder / f"{self._last:015d}{_SUFFIX}"
            self._open = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            self._segments.append(_Segment(path=path))
            sync_folder(self._folder)
        return self._segments[-1]

    def _leave(self) -> None:
        if self._open is not None:
            descriptor, self._open = self._open, None
            os.close(descriptor)


@contextmanager
def _speaking() -> Iterator[None]:
    """Turn errors of the disk into our own inside this context."""
    try:
        yield
    except OSError as error:
        raise _failed(error, unknown=False) from error


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that the names in it are durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _locked(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        raise Unavailable(
            f"Another process uses the spool in {path.parent}.", "Stop it, or give this one a folder of its own."
        ) from error
    return descriptor


def _segments_of(folder: Path, cursor: int | None) -> list[_Segment]:
    """Return every file with its promised records, checked: none may be missing between what is done and what waits."""
    segments: list[_Segment] = []
    last = cursor
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        segment = _Segment(path=path)
        for sequence, behind, end, payload in promised(path):
            if last is not None and behind > last:
                raise Damaged(f"Records {last + 1} to {behind} of the spool are missing before those in {path}.")
            if cursor is None or sequence > cursor:
                waiting_of(sequence, payload)
            segment.end, segment.last, last = end, sequence, max(last or 0, sequence)
        segments.append(segment)
    return segments


def _check_whole(behind: int, tail: int, folder: Path, lock: int) -> None:
    """Refuse a spool that lacks its last promised records: a file was cut off, or is gone."""
    if behind < tail:
        os.close(lock)
        raise Damaged(f"Records {behind + 1} to {tail} of the spool in {folder} were promised and are missing.")


def _read_cursor(path: Path) -> int | None:
    """Return how far everything is done; None if there is no cursor."""
    if not path.exists():
        return None
    word, _, checksum = path.read_text(encoding="ascii", errors="replace").strip().partition(" ")
    if not word.isdecimal() or checksum != _checksum(word):
        raise Damaged(f"{path} does not say how far the spool is done. Removing it is safe: no command acts twice.")
    return int(word)


def _write_cursor(folder: Path, position: int) -> None:
    new = folder / f"{_CURSOR}.new"
    word = str(position)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        _write_all(descriptor, f"{word} {_checksum(word)}\n".encode(), 0)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    new.rename(folder / _CURSOR)
    sync_folder(folder)


def _checksum(word: str) -> str:
    return f"{zlib.crc32(word.encode()):08x}"


def _write_all(descriptor: int, data: bytes, place: int) -> None:
    written = 0
    while written < len(data):
        count = os.pwrite(descriptor, data[written:], place + written)
        if count == 0:
            raise OSError(errno.EIO, "nothing was written")
        written += count


def _full(why: str) -> Unavailable:
    return Unavailable(
        f"The database is down, and {why}.", "Nothing of this command was kept: send it when it is back.", full=True
    )


def _failed(error: OSError, *, unknown: bool) -> Unavailable:
    return Unavailable(
        f"The spool cannot be used: {error.strerror or error}.",
        "Look at the disk; send the same command with the same key when the database is back.",
        full=error.errno in _NO_ROOM,
        unknown=unknown,
    )
