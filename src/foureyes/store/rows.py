"""Conversion between values and table rows, the same for every database."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from foureyes.app.rows import (
    NEVER,
    Answered,
    Append,
    Blob,
    DigestRow,
    Head,
    InboxRow,
    OutboxRow,
    Parcel,
    Pending,
    Queued,
    ReviewRow,
    Stored,
    TrustRow,
)

Row = Sequence[Any]

#: The limit that the tables check, too.
BLOB_BYTES_MAX = 20 * 1024 * 1024
#: Compressing larger blobs would hold up the only writer.
SQUEEZED_BYTES_MAX = 1024 * 1024

_HEX_CHARS = (40, 64)
_PACKED_BYTES = (20, 32)
_SMALL_BYTES_MAX = 4096
#: One command names the same few digests again and again.
_PACKED_KEPT_MAX = 256


@lru_cache(_PACKED_KEPT_MAX)
def packed(name: str) -> bytes:
    """Pack a digest into half the bytes; any other name is kept and marked so that both can be told apart."""
    if len(name) in _HEX_CHARS and not name.strip("0123456789abcdef"):
        return bytes.fromhex(name)
    marked = b"\0" + name.encode()
    return b"\0" + marked if len(marked) in _PACKED_BYTES else marked


def unpacked(data: bytes) -> str:
    """Return the name that was packed."""
    return data.hex() if len(data) in _PACKED_BYTES else data.lstrip(b"\0").decode()


def log_rows(stream: int | str, append: Append) -> Iterable[Row]:
    """Return the rows for `INSERT_LOG`."""
    for version, entry in enumerate(append.entries, start=append.after + 1):
        yield (
            stream,
            version,
            entry.type,
            entry.schema,
            append.at,
            append.actor,
            append.cause,
            entry.body,
            entry.chain,
        )


def stored(row: Row) -> Stored:
    seq, stream, version, kind, schema, at, actor, cause, body, chain, tx = row
    return Stored(
        seq=seq,
        stream=stream,
        version=version,
        type=kind,
        schema=schema,
        at=at,
        actor=actor,
        cause=cause,
        body=body,
        chain=chain,
        tx=tx,
    )


def head(row: Row) -> Head:
    return Head(stream=row[0], version=row[1], chain=row[2])


def answered_row(one: Answered) -> Row:
    return (one.asker, one.key, packed(one.body_hash), one.reply, one.at)


def review_row(one: ReviewRow) -> Row:
    return (
        one.review,
        one.kind,
        one.title,
        one.author,
        one.state,
        one.waits,
        one.revision,
        packed(one.digest),
        one.opened,
        one.updated,
    )


def touched_review(one: ReviewRow) -> Row:
    """Return the values for `TOUCH_REVIEW`."""
    changed = (one.title, one.waits, one.revision, packed(one.digest), one.updated)
    return (*changed, one.review, one.kind, one.author, one.state, one.opened)


def moved_review(one: ReviewRow) -> Row:
    """Return the values for `MOVE_REVIEW`."""
    changed = (one.title, one.waits, one.revision, packed(one.digest), one.updated)
    return (*changed, one.state, one.review, one.kind, one.author, one.opened)


def review(row: Row) -> ReviewRow:
    name, kind, title, author, state, waits, revision, digest, opened, updated = row
    return ReviewRow(
        review=name,
        kind=kind,
        title=title,
        author=author,
        state=state,
        waits=waits,
        revision=revision,
        digest=unpacked(digest),
        opened=opened,
        updated=updated,
    )


def digest_row(one: DigestRow) -> Row:
    return (packed(one.digest), one.review, int(one.cleared), int(one.vetoed))


def digest(row: Row) -> DigestRow:
    return DigestRow(digest=unpacked(row[0]), review=row[1], cleared=bool(row[2]), vetoed=bool(row[3]))


def inbox_row(one: InboxRow) -> Row:
    return (
        one.review,
        one.request,
        one.who,
        one.kind,
        int(one.held),
        int(one.queued),
        one.revision,
        one.due or NEVER,
        one.lease,
    )


def inbox(row: Row) -> InboxRow:
    name, request, who, kind, held, queued, revision, due, lease = row
    return InboxRow(
        review=name,
        request=request,
        who=who,
        kind=kind,
        held=bool(held),
        queued=bool(queued),
        revision=revision,
        due="" if due == NEVER else due,
        lease=lease,
    )


def outbox_row(one: OutboxRow) -> Row:
    return (one.stream, one.version, one.type, one.at)


def queued(row: Row) -> Queued:
    kind, count, oldest = row
    return Queued(type=kind, count=count, oldest=oldest)


def pending(row: Row) -> Pending:
    kind, requests, held, queued, overdue, leased, lapsed = row
    return Pending(
        kind=kind,
        requests=int(requests),
        held=int(held),
        queued=int(queued),
        overdue=int(overdue),
        leased=int(leased),
        lapsed=int(lapsed),
    )


def parcel(row: Row) -> Parcel:
    number, stream, version, kind, at, attempts = row
    return Parcel(id=number, row=OutboxRow(stream=stream, version=version, type=kind, at=at), attempts=attempts)


def trust_row(one: TrustRow) -> Row:
    return (one.kind, one.author, one.body, one.checksum)


def trust(row: Row) -> TrustRow:
    return TrustRow(kind=row[0], author=row[1], body=row[2], checksum=row[3])


def check_size(content: bytes) -> None:
    """Refuse content that is too large for one blob."""
    if len(content) > BLOB_BYTES_MAX:
        raise ValueError(f"A blob has at most {BLOB_BYTES_MAX} bytes, this one has {len(content)}.")


def blob_row(digest: str, content: bytes) -> Row:
    check_size(content)
    return (packed(digest), len(content), squeezed(content))


def blob(digest: str, row: Row) -> Blob:
    size, content, purged = row
    return Blob(digest=digest, size=size, content=None if content is None else unsqueezed(content, size), purged=purged)


def squeezed(content: bytes) -> bytes:
    """Compress bytes where that helps: half of what a review keeps would otherwise be the work's text."""
    if len(content) > SQUEEZED_BYTES_MAX:
        return content
    # A small window is set up in half the time.
    squeezer = zlib.compressobj(level=1, wbits=12 if len(content) <= _SMALL_BYTES_MAX else 15, memLevel=6)
    short = squeezer.compress(content) + squeezer.flush()
    return short if len(short) < len(content) else content


def unsqueezed(content: bytes, size: int) -> bytes:
    """Decompress bytes shorter than `size`. Damaged bytes come back as they are: their hash shows the damage."""
    if len(content) >= size:
        return content
    try:
        return zlib.decompressobj().decompress(content, size)
    except zlib.error:
        return content


def prefix_end(prefix: str) -> str:
    """Return the first text behind every text that has this prefix; empty if there is none."""
    while prefix:
        last = ord(prefix[-1])
        if last < _LAST_CHARACTER:
            # Between the two lie surrogates, which are no characters; no database takes them.
            return prefix[:-1] + chr(_BEHIND_HALVES if last == _BEFORE_HALVES else last + 1)
        prefix = prefix[:-1]
    return ""


_LAST_CHARACTER = 0x10FFFF
_BEFORE_HALVES = 0xD7FF
_BEHIND_HALVES = 0xE000
