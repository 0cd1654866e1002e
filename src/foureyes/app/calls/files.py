"""Files as callers send them: each as text, as base64 or by the digest of bytes that were sent before."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Protocol

from foureyes.app.rows import Blob, plain_digest
from foureyes.app.work import PARTS_MAX, PLAIN_MODE, Work, blob_digest, manifest_digest
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import WorkPart


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSent:
    """One file of the work: exactly one of text, base64 and digest."""

    path: str
    text: str | None = None
    base64: str | None = None
    #: SHA-256 of bytes that are stored already, in hexadecimal.
    digest: str | None = None
    mode: str = PLAIN_MODE
    media_type: str = "text/plain"


class Shelf(Protocol):
    """Where bytes are that were sent before: the store, or nothing while it is down."""

    def blob(self, digest: str) -> Blob | None:
        """The bytes with this digest."""


def work_sent(reading: Shelf, files: tuple[FileSent, ...]) -> Work:
    """The work that these files are; bytes named by digest are looked up."""
    if len(files) > PARTS_MAX:
        raise refuse(Code.TOO_MANY, what="Files", size=len(files), most=PARTS_MAX)
    blobs = dict[str, bytes]()
    parts = tuple(_part(reading, one, blobs) for one in files)
    return Work(digest=manifest_digest(parts), parts=parts, blobs=blobs)


def _part(reading: Shelf, file: FileSent, blobs: dict[str, bytes]) -> WorkPart:
    said = [one for one in (file.text, file.base64, file.digest) if one is not None]
    if len(said) != 1:
        raise Refusal(
            Code.PARTS_MISSING,
            f"{file.path[:200]!r} comes with {len(said)} of text, base64 and digest.",
            "Send each file with exactly one of them.",
        )
    if file.digest is not None:
        digest = plain_digest(file.digest)
        blob = reading.blob(digest)
        if blob is None:
            raise refuse(Code.UNKNOWN_DIGEST, what=file.path[:200], digest=file.digest[:80])
        size = blob.size
    else:
        content = _content(file)
        digest, size = blob_digest(content), len(content)
        blobs[digest] = content
    return WorkPart(name=file.path, media_type=file.media_type, digest=digest, size=size, mode=file.mode)


def _content(file: FileSent) -> bytes:
    try:
        if file.text is not None:
            return file.text.encode()
        return base64.b64decode(file.base64 or "", validate=True)
    except (binascii.Error, ValueError):
        raise Refusal(
            Code.BAD_VALUE, f"The bytes of {file.path[:200]!r} cannot be read.", "Send plain text, or valid base64."
        ) from None
