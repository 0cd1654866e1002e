"""Receives bytes in pieces: hashes them on arrival and refuses them as soon as they exceed the size limit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from foureyes.app.work import BLOB_BYTES_MAX
from foureyes.core.refusals import Code, Refusal


class Intake:
    """Bytes on their way in. A door that waits between the pieces gives them one by one."""

    def __init__(self, limit: int = BLOB_BYTES_MAX) -> None:
        self._limit = limit
        self._size = 0
        self._pieces: list[bytes] = []
        self._hash = hashlib.sha256()

    def add(self, piece: bytes) -> None:
        """Take one more piece; refuses as soon as the total exceeds the limit, so that memory stays bounded."""
        self._size += len(piece)
        if self._size > self._limit:
            self._pieces.clear()
            raise Refusal(Code.TOO_LONG, f"More than {self._limit} bytes came.", "Split the work, or send less.")
        self._pieces.append(bytes(piece))
        self._hash.update(piece)

    def done(self) -> tuple[str, bytes]:
        """Return the digest of all bytes received, and the bytes."""
        return self._hash.hexdigest(), b"".join(self._pieces)


def hash_stream(chunks: Iterable[bytes], limit: int = BLOB_BYTES_MAX) -> tuple[str, bytes]:
    """Return the digest and the bytes of a stream; refused after the piece that exceeds the limit."""
    intake = Intake(limit)
    for chunk in chunks:
        intake.add(chunk)
    return intake.done()
