"""Calls for large uploads: bytes sent ahead of the work by their digest, and many pieces of work at once."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from foureyes.app.calls.about_reviews import OpenForm, open_review
from foureyes.app.calls.bodies import given
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.office import Office
from foureyes.app.calls.repair_places import place_of
from foureyes.app.live import why_purged
from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import Changes
from foureyes.app.work import BLOB_BYTES_MAX, blob_digest
from foureyes.codec.shapes import CodecError
from foureyes.core.refusals import Code, Refusal, refuse

BATCH_MAX = 50
#: Most pieces of one file.
PIECES_MAX = 100
_DIGEST = re.compile(r"[0-9a-f]{64}").fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobForm:
    """Bytes and the SHA-256 they have, in hexadecimal."""

    digest: str
    base64: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileForm:
    """One file: its text, its bytes in base64, or the digests of its pieces in order."""

    text: str | None = None
    base64: str | None = None
    #: Digests of bytes that were sent before and that together make up the file.
    pieces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobKept:
    """The bytes are here: a file of a work may name them by this digest."""

    digest: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenManyForm:
    """Several pieces of work. With a key each of them is opened once, however often all of it is sent."""

    reviews: tuple[OpenForm, ...]
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """What became of one of them: the review, or why there is none."""

    review: str = ""
    state: str = ""
    code: str = ""
    sentence: str = ""
    next_step: str = ""
    #: The details of a refusal as data, as with every refused call.
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedMany:
    """What became of each, in the same order."""

    results: tuple[Opened, ...]


async def put_blob(office: Office, caller: Caller, form: BlobForm) -> BlobKept:
    """Send bytes ahead of the work they belong to. Repeating it is harmless."""
    return await keep_blob(office, caller, form.digest, _decoded(form.base64))


async def send_file(office: Office, caller: Caller, form: FileForm) -> BlobKept:
    """Send one file ahead of the work it belongs to, and learn its digest. Repeating it is harmless."""
    given = [one for one in (form.text, form.base64, form.pieces or None) if one is not None]
    if len(given) != 1:
        raise Refusal(
            Code.PARTS_MISSING,
            f"A file is sent as exactly one of text, base64 and pieces; this has {len(given)}.",
            "Send its text; or its bytes in base64; or the digests of pieces that were sent before.",
            fields={"add": {"text": "<the text of the file>"}},
        )
    content = await _content(office, form)
    return await keep_blob(office, caller, blob_digest(content), content)


async def _content(office: Office, form: FileForm) -> bytes:
    if form.text is not None:
        return form.text.encode()
    if form.base64 is not None:
        return _decoded(form.base64)
    return await office.store.read(partial(_joined, form.pieces))


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Refusal(Code.BAD_VALUE, "The bytes are no valid base64.", "Encode them anew.") from None


def _joined(pieces: tuple[str, ...], reading: Reading) -> bytes:
    """The pieces of a file, one after the other; no more of them than a file may be long."""
    if len(pieces) > PIECES_MAX:
        raise refuse(Code.TOO_MANY, what="Pieces", size=len(pieces), most=PIECES_MAX, field="pieces")
    content = bytearray()
    for digest in pieces:
        check_digest(digest)
        found = reading.blob(digest)
        if found is None or found.content is None:
            raise refuse(Code.UNKNOWN_DIGEST, what="a piece", digest=digest, field="pieces")
        content += found.content
        if len(content) > BLOB_BYTES_MAX:
            raise refuse(Code.TOO_LONG, what="The file", size=len(content), most=BLOB_BYTES_MAX)
    return bytes(content)


async def keep_blob(office: Office, caller: Caller, digest: str, content: bytes) -> BlobKept:
    """Keep bytes that are what they are called; of all others nothing stays."""
    check_digest(digest)
    if len(content) > BLOB_BYTES_MAX:
        raise refuse(Code.TOO_LONG, what="The file", size=len(content), most=BLOB_BYTES_MAX)
    found = blob_digest(content)
    if found != digest:
        raise Refusal(
            Code.DIGEST_MISMATCH,
            f"These bytes are {found}, not {digest}.",
            "Send all its bytes, or name it so.",
        )
    office.quotas.sent(caller.who, office.clock(), len(content))
    await office.store.write(partial(_keep, digest, content))
    return BlobKept(digest=digest, size=len(content))


def check_digest(digest: str) -> None:
    """Refuse what is no digest before anything is read under that name."""
    if not _DIGEST(digest):
        raise refuse(Code.UNKNOWN_WORD, what="The digest", word=digest[:80], allowed="SHA-256 in 64 small hex digits")


async def open_reviews(office: Office, caller: Caller, form: OpenManyForm) -> OpenedMany:
    """Open several reviews. Each is taken or refused by itself."""
    if not 1 <= len(form.reviews) <= BATCH_MAX:
        raise refuse(Code.BAD_NUMBER, what="The number of reviews", value=len(form.reviews), low=1, high=BATCH_MAX)
    results = [await _opened(office, caller, _keyed(one, form.key, at)) for at, one in enumerate(form.reviews)]
    return OpenedMany(results=tuple(results))


def _keep(digest: str, content: bytes, tx: Writing) -> None:
    known = tx.blob(digest)
    if known is not None and known.content is None:
        raise Refusal(
            Code.UNKNOWN_DIGEST, f"These bytes were purged: {why_purged(known.purged)}", "They do not come back."
        )
    if known is None:
        tx.apply(Changes(blobs={digest: content}))


def _keyed(one: OpenForm, key: str, at: int) -> OpenForm:
    """Each has a key of its own, made from that of all where it brings none."""
    return replace(one, key=one.key or (f"{key}.{at}" if key else ""))


async def _opened(office: Office, caller: Caller, form: OpenForm) -> Opened:
    try:
        done = await open_review(office, caller, form)
    except Refusal as no:
        return _refused(form, no)
    return Opened(review=done.review, state=done.state)


def _refused(form: OpenForm, no: Refusal) -> Opened:
    told = Opened(code=no.code.value, sentence=no.sentence, next_step=no.next_step)
    field = place_of(asdict(form), no.fields)
    full = replace(told, fields={**no.fields, **({"field": field} if field else {})})
    try:
        given(full)
    except CodecError:
        return told  # it repeats what was sent, which cannot be encoded
    return full


def calls() -> Iterator[Call[Any]]:
    """Every call by which work comes in, beside opening a review."""
    says = (put_blob.__doc__ or "").strip()
    yield Call(name="put_blob", says=says, needs=Need.AUTHOR, form=BlobForm, answer=put_blob, keyed=False)
    says = (send_file.__doc__ or "").strip()
    yield Call(name="send_file", says=says, needs=Need.AUTHOR, form=FileForm, answer=send_file, keyed=False)
    says = (open_reviews.__doc__ or "").strip()
    yield Call(name="open_reviews", says=says, needs=Need.AUTHOR, form=OpenManyForm, answer=open_reviews)
