"""How does much work come in? Bytes ahead of it, by their digest; and many pieces of work at once."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from foureyes.app.calls.about_reviews import OpenForm, open_review
from foureyes.app.calls.call import Call, Caller, Need
from foureyes.app.calls.office import Office
from foureyes.app.live import why_purged
from foureyes.app.ports import Writing
from foureyes.app.rows import Changes
from foureyes.app.work import BLOB_BYTES_MAX, blob_digest
from foureyes.core.refusals import Code, Refusal, refuse

BATCH_MAX = 50
_DIGEST = re.compile(r"[0-9a-f]{64}").fullmatch


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobForm:
    """Bytes and the SHA-256 they have, in hexadecimal."""

    digest: str
    base64: str


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


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedMany:
    """What became of each, in the same order."""

    results: tuple[Opened, ...]


async def put_blob(office: Office, caller: Caller, form: BlobForm) -> BlobKept:
    """Send bytes ahead of the work they belong to. Repeating it is harmless."""
    try:
        content = base64.b64decode(form.base64, validate=True)
    except (binascii.Error, ValueError):
        raise Refusal(Code.BAD_VALUE, "The bytes are no valid base64.", "Encode them anew.") from None
    return await keep_blob(office, caller, form.digest, content)


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
        return Opened(code=no.code.value, sentence=no.sentence, next_step=no.next_step)
    return Opened(review=done.review, state=done.state)


def calls() -> Iterator[Call[Any]]:
    """Every call by which work comes in, beside opening a review."""
    says = (put_blob.__doc__ or "").strip()
    yield Call(name="put_blob", says=says, needs=Need.AUTHOR, form=BlobForm, answer=put_blob, keyed=False)
    says = (open_reviews.__doc__ or "").strip()
    yield Call(name="open_reviews", says=says, needs=Need.AUTHOR, form=OpenManyForm, answer=open_reviews)
