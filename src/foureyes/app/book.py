"""The checkpoint journal: an append-only file outside the store in which each line is one signed checkpoint.

A line is `{"envelope": …, "heads": [[stream, version, link], …]}`. The envelope is small and signed; the heads are the
streams that grew since the line before, bound to the envelope by their hash.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Self, cast

from foureyes.app.book_end import NAME, backwards, whole_bytes
from foureyes.app.envelopes import BadEnvelope, read_json, sealed, unsealed
from foureyes.app.keys import Signer
from foureyes.app.rows import START, Cursor, Head
from foureyes.codec import CodecError, Json, canonical
from foureyes.codec.shapes import register, shape, tagged

KIND = "application/vnd.foureyes.checkpoint+json"
SCHEMA = 1
FILE_MODE, FOLDER_MODE = 0o600, 0o700
#: Longest line; `checkpoints.EVENTS_MAX` bounds what one checkpoint covers.
LINE_BYTES_MAX = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """How far the log had come: its last event, how much there was, and one hash over all links in their order.

    The cursor is where the next checkpoint goes on; a restored log is numbered anew, so it says nothing else.
    """

    cursor: Cursor = START
    stream: str = ""
    version: int = 0
    link: str = ""
    streams: int = 0
    events: int = 0
    order: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """These streams have grown; the hash is over how they end now."""

    heads: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotated:
    """From the next line on the new key signs; both keys have signed this one."""

    old: str
    new: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A human went back to a backup: what the lines between that checkpoint and this one say holds no more.

    The log may be numbered anew, so the next lines cover all of it again, from the beginning.
    """

    to: int
    by: str
    reason: str


Said = Covered | Rotated | Restored
register(Said, tagged((Covered, Rotated, Restored)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """One signed statement about the log. The number counts them; `previous` is the hash of the one before."""

    store: str
    number: int
    previous: str
    at: datetime
    reached: Reached
    said: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A checkpoint as it stands in the book: with its envelope, its hash, and the heads beside it."""

    checkpoint: Checkpoint
    envelope: Json
    digest: str
    heads: tuple[Head, ...] = ()

    @property
    def next_key(self) -> str:
        """The public key that signs the following lines, if this line rotates the key; else empty."""
        return self.checkpoint.said.new if isinstance(self.checkpoint.said, Rotated) else ""


class BadLine(ValueError):  # noqa: N818 - what is wrong with it is told in words
    """Something in the book is not a checkpoint."""


def heads_hash(heads: Iterable[Head]) -> str:
    """Return one hash over heads in the order of their streams."""
    return hashlib.sha256(canonical(_rows(heads))).hexdigest()


def line_of(checkpoint: Checkpoint, heads: tuple[Head, ...], *signers: Signer) -> Line:
    """Sign a checkpoint and return its line."""
    payload = canonical({"schema": SCHEMA, "checkpoint": shape(Checkpoint)[0](checkpoint)})
    digest = hashlib.sha256(payload).hexdigest()
    return Line(checkpoint=checkpoint, envelope=sealed(KIND, payload, *signers), digest=digest, heads=heads)


def parsed(text: bytes) -> Line:
    """Parse a line; does not check who signed it."""
    try:
        data = read_json(text)
        if type(data) is not dict or data.keys() != {"envelope", "heads"}:
            raise BadLine("a line has exactly the fields envelope and heads")
        payload = unsealed(KIND, data["envelope"])
        body = read_json(payload)
        if type(body) is not dict or body.keys() != {"schema", "checkpoint"} or body["schema"] != SCHEMA:
            raise BadLine(f"it is no checkpoint of schema {SCHEMA}")
        checkpoint = cast("Checkpoint", shape(Checkpoint)[1](body["checkpoint"]))
        heads = tuple(_head(one) for one in data["heads"])
    except (BadEnvelope, CodecError, TypeError, UnicodeError) as error:
        raise BadLine(str(error) or "it is no checkpoint") from None
    if heads_hash(heads) != (checkpoint.said.heads if isinstance(checkpoint.said, Covered) else heads_hash(())):
        raise BadLine("its list of heads is not the one that was signed")
    digest = hashlib.sha256(payload).hexdigest()
    return Line(checkpoint=checkpoint, envelope=data["envelope"], digest=digest, heads=heads)


def lines_in(folder: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of the journal with their numbers; a last line without a line end was cut off by a crash."""
    try:
        file = (folder / NAME).open("rb")
    except FileNotFoundError:
        return
    with file:
        number = 1
        while line := file.readline(LINE_BYTES_MAX):
            yield number, line
            number += 1


def newest_first(folder: Path) -> Iterator[Line]:
    """Yield the checkpoints from the last one back; raises BadLine if one cannot be read."""
    try:
        file = (folder / NAME).open("rb")
    except FileNotFoundError:
        return
    with file:
        for line in backwards(file, whole_bytes(file)):
            yield parsed(line)


class Pen:
    """The one who may write into the book; the lock goes with the process, however it ends."""

    def __init__(self, descriptor: int, folder: Path) -> None:
        """Take over the open, locked file."""
        self._descriptor = descriptor
        self.last: Line | None = next(newest_first(folder), None)

    def write(self, line: Line) -> None:
        """Append a line; on return it is on the disk. On an error the journal is left as it was."""
        text = canonical({"envelope": line.envelope, "heads": _rows(line.heads)}) + b"\n"
        if len(text) > LINE_BYTES_MAX:
            raise BadLine(f"a checkpoint of {len(text)} bytes is too long")
        size = os.fstat(self._descriptor).st_size
        try:
            left = memoryview(text)
            while left:
                left = left[os.write(self._descriptor, left) :]
            os.fsync(self._descriptor)
        except OSError:
            os.ftruncate(self._descriptor, size)
            raise
        self.last = line

    def close(self) -> None:
        """Release the lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def take_pen(folder: Path) -> Pen | None:
    """Open the journal for writing; None while another process has it open. A half line left by a crash is cut off."""
    _make(folder)
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(folder / NAME, flags, FILE_MODE)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            whole = whole_bytes(file)
        if whole < os.fstat(descriptor).st_size:
            os.ftruncate(descriptor, whole)
            os.fsync(descriptor)
        _sync(folder)
        return Pen(descriptor, folder)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except BaseException:
        os.close(descriptor)
        raise


def _rows(heads: Iterable[Head]) -> list[Any]:
    return [[one.stream, one.version, one.chain.hex()] for one in heads]


def _head(row: Any) -> Head:
    if type(row) is not list or [type(one) for one in row] != [str, int, str]:
        raise BadLine("a head has a stream, a version and a link")
    try:
        return Head(stream=row[0], version=row[1], chain=bytes.fromhex(row[2]))
    except ValueError:
        raise BadLine("a link is not written in hexadecimal digits") from None


def _make(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        _sync(folder.parent)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
