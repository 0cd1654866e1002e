"""Receipts: signed statements of who cleared exactly these bytes and why, verifiable without foureyes.

A receipt is an in-toto statement in a DSSE envelope. Its subject is the digest of the work: SHA-256 over the canonical
manifest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from foureyes.app.book import Line
from foureyes.app.envelopes import BadEnvelope, read_json, sealed, signer_of, unsealed
from foureyes.app.keys import PublicKey, Signer
from foureyes.app.objections import from_log
from foureyes.app.ports import Damaged, Reading
from foureyes.app.rows import Stored
from foureyes.app.shelf import Held, read_review
from foureyes.app.work import blob_digest
from foureyes.codec import CodecError, Json, canonical
from foureyes.codec.shapes import shape
from foureyes.core.model import Review
from foureyes.core.objections import objected
from foureyes.core.operations import is_digest
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Outcome, Requirement, Who, WorkPart

KIND = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "urn:foureyes:receipt:1"
RECEIPT_BYTES_MAX = 1024 * 1024
AGAIN = "Submit the work for review again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """What one reviewer said of exactly these bytes."""

    stage: str
    seat: str
    reviewer: Who
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a receipt says: the clearance, who said what, by which rules, and where in the record it stands."""

    digest: str
    review: str
    kind: str
    title: str
    author: Who
    rules: str
    revision: int
    cleared_at: datetime
    cleared_by: str
    #: The level of independence reached.
    level: int
    flags: tuple[str, ...]
    expires: datetime | None
    single_use: bool
    reports: tuple[Reported, ...]
    requirements: tuple[Requirement, ...]
    #: Version and link of the clearing event in its stream.
    version: int
    link: str
    #: Number and hash of the last checkpoint at that time, which the journal must always contain. 0: none yet.
    checkpoint: int
    checkpoint_hash: str


def receipt(reading: Reading, digest: str, signer: Signer, last: Line | None = None, *, now: datetime) -> Json:
    """Return the signed receipt of bytes that are cleared now; refuses all others, also expired or purged ones."""
    if not is_digest(digest):
        raise Refusal(Code.DIGEST_MISMATCH, "This is no digest.", "Name the 64 hexadecimal digits of the work.")
    rows = reading.digests(digest)
    against = from_log(reading).among(row for row in rows if row.digest == digest)
    if against:
        found = against[0][1]
        raise Refusal(Code.VETOED, found.sentence, found.way_out) if found.veto else objected(found)
    for row in rows:
        if row.cleared and row.digest == digest:
            return _sealed(_receipt(reading, row.review, digest, last, now), signer)
    raise Refusal(Code.NOT_ENDED, f"No review has cleared {digest}.", "Wait for its clearance.")


def check_receipt(envelope: Any, keys: Iterable[PublicKey]) -> Receipt:
    """Return what a receipt says, if one of these keys signed it; needs neither the store nor the network."""
    try:
        payload = unsealed(KIND, envelope)
        signer_of(envelope, keys)
        statement = read_json(payload)
        if type(statement) is not dict or statement.keys() != {"_type", "subject", "predicateType", "predicate"}:
            raise BadEnvelope("it is no in-toto statement")
        if (statement["_type"], statement["predicateType"]) != (STATEMENT, PREDICATE):
            raise BadEnvelope("it is no receipt of foureyes")
        found: Receipt = shape(Receipt)[1](statement["predicate"])
    except CodecError as error:
        raise BadEnvelope(f"it is no receipt of this version{error}") from None
    if statement["subject"] != _subject(found):
        raise BadEnvelope("it speaks of other bytes than its subject")
    return found


def read_receipt(text: bytes) -> Any:
    """Parse a receipt's file; `check_receipt` verifies it."""
    if len(text) > RECEIPT_BYTES_MAX:
        raise BadEnvelope("it is too long for a receipt")
    return read_json(text)


def _receipt(reading: Reading, review: str, digest: str, last: Line | None, now: datetime) -> Receipt:
    stream = f"review/{review}"
    held = read_review(reading, stream, reading.known(stream, "", ""))
    clearing = _clearing(reading, stream, held)
    found = held.review
    if held.cleared is None or found.outcome is not Outcome.CLEARED or held.cleared[1].digest != digest:
        raise Damaged(f"Review {review} is listed as having cleared {digest}; its log does not say so.")
    _, cleared = held.cleared
    if cleared.expires is not None and cleared.expires <= now:
        raise Refusal(Code.NOT_ENDED, f"The clearance expired at {cleared.expires.isoformat()}.", AGAIN)
    _check_parts(reading, found.current.parts)
    return Receipt(
        digest=digest,
        review=review,
        kind=found.kind,
        title=found.title,
        author=found.author,
        rules=found.rules,
        revision=cleared.revision,
        cleared_at=shape(datetime)[1](clearing.at),
        cleared_by=cleared.by.value,
        level=cleared.level,
        flags=cleared.flags,
        expires=cleared.expires,
        single_use=cleared.single_use,
        reports=tuple(_reports(found, cleared.revision)),
        requirements=cleared.requirements,
        version=clearing.version,
        link=clearing.chain.hex(),
        checkpoint=last.checkpoint.number if last else 0,
        checkpoint_hash=last.digest if last else "",
    )


def _check_parts(reading: Reading, parts: Iterable[WorkPart]) -> None:
    """Refuse unless all bytes are stored as they were reviewed: a receipt vouches for bytes that can be shown."""
    for part in parts:
        blob = reading.blob(part.digest)
        if blob is None or blob.content is None:
            raise Refusal(Code.PARTS_MISSING, f"The bytes of {part.name} are not here any more.", AGAIN)
        if blob_digest(blob.content) != part.digest:
            raise Damaged(f"The stored bytes of {part.name} were altered.")


def _clearing(reading: Reading, stream: str, held: Held) -> Stored:
    version = held.cleared[0] if held.cleared else 0
    found = next(iter(reading.events(stream, version - 1)), None) if version else None
    if found is None or found.version != version:
        raise Damaged(f"The clearance of {stream} is not in its log.")
    return found


def _reports(review: Review, revision: int) -> Iterable[Reported]:
    for (seat, number), report in sorted(review.reports.items()):
        if number == revision:
            verdict = report.verdict.value if report.verdict else ""
            yield Reported(stage=review.seats[seat].stage, seat=seat, reviewer=report.reviewer, verdict=verdict)


def _sealed(found: Receipt, signer: Signer) -> Json:
    statement = {
        "_type": STATEMENT,
        "subject": _subject(found),
        "predicateType": PREDICATE,
        "predicate": shape(Receipt)[0](found),
    }
    return sealed(KIND, canonical(statement), signer)


def _subject(found: Receipt) -> list[Json]:
    return [{"name": f"review/{found.review}", "digest": {"sha256": found.digest}}]
