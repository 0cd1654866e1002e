"""What does the gate know outside the review when it decides? Gathered inside the transaction that decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from foureyes.app.differences import changed_places, file_changes
from foureyes.app.lazily import LazyMapping, LazySequence
from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import Counts
from foureyes.app.work import check_blob
from foureyes.core.facts import Load, PastRuling, Principal, Suppression
from foureyes.core.model import Review
from foureyes.core.refusals import Code, refuse
from foureyes.core.risk import risk_of
from foureyes.core.sessions import SessionFacts
from foureyes.core.values import Changed, Risk, WorkPart


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    """How the gate looks up what following projections know; each takes the store's look and gives a fact."""

    pairings: Callable[[Reading, str], Mapping[str, int]]
    rulings: Callable[[Reading], tuple[PastRuling, ...]]
    suppressions: Callable[[Reading], tuple[Suppression, ...]]
    day_usd_micro: Callable[[Reading, str], int]
    session: Callable[[Reading, str, timedelta], SessionFacts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bytes:
    """What the bytes of a revision say of themselves."""

    risk: Risk = Risk()
    changed: tuple[Changed, ...] = ()
    #: The bytes of every part, for the names git gives them.
    blobs: Mapping[str, bytes]


def vetoes(tx: Writing, own: str, digests: tuple[str, ...]) -> Mapping[str, str]:
    """The vetoes that stand on these bytes in other reviews; nobody can add one until this transaction ends."""

    def look() -> Mapping[str, str]:
        tx.lock(*(digest_lock(one) for one in sorted(set(digests))))
        rows = [row for digest in digests for row in tx.digests(digest)]
        return {row.digest: row.review for row in rows if row.vetoed and row.review != own}

    return LazyMapping(look)


def digest_lock(digest: str) -> str:
    """The name under which everything about the same bytes is put in an order."""
    return f"digest/{digest}"


def load(tx: Writing, pool: tuple[Principal, ...]) -> Mapping[str, Load]:
    """How much each of the pool has on the table."""

    def look() -> Mapping[str, Load]:
        found = tx.counts([one.who.name for one in pool])
        return {name: _load(one) for name, one in found.items()}

    return LazyMapping(look)


def pairings(tx: Writing, books: Books, author: str) -> Mapping[str, int]:
    """How often each reviewer reviewed this author's work lately."""
    return LazyMapping(lambda: books.pairings(tx, author))


def rulings(tx: Writing, books: Books) -> LazySequence[PastRuling]:
    """What humans decided lately."""
    return LazySequence(lambda: books.rulings(tx))


def suppressions(tx: Writing, books: Books) -> LazySequence[Suppression]:
    """Which findings humans said are not real."""
    return LazySequence(lambda: books.suppressions(tx))


def bytes_of(
    tx: Writing,
    review: Review | None,
    parts: tuple[WorkPart, ...],
    given: Mapping[str, bytes],
    before: tuple[WorkPart, ...],
) -> Bytes:
    """What the bytes say: their risk against the base of the work, and what changed since the last revision."""
    blobs = dict(given)
    for part in parts:
        if part.digest in given:
            check_blob(part, given[part.digest])
        else:
            blobs[part.digest] = _stored(tx, part)
    last = review.current.parts if review else ()
    _fetch(tx, blobs, (*before, *last), {one.digest for one in parts})
    return Bytes(
        risk=risk_of(file_changes(before, parts, blobs)),
        changed=tuple(changed_places(last, parts, blobs)) if review else (),
        blobs=blobs,
    )


def _load(counts: Counts) -> Load:
    return Load(active=counts.active, queued=counts.queued)


def _stored(tx: Writing, part: WorkPart) -> bytes:
    blob = tx.blob(part.digest)
    if blob is None or blob.content is None:
        raise refuse(Code.UNKNOWN_DIGEST, what=part.name, digest=part.digest)
    check_blob(part, blob.content)
    return blob.content


def _fetch(tx: Writing, blobs: dict[str, bytes], parts: tuple[WorkPart, ...], new: set[str]) -> None:
    """Get what the new bytes are compared with; what is gone is not compared, so everything there counts as new."""
    for part in parts:
        if part.digest not in new and part.digest not in blobs:
            blob = tx.blob(part.digest)
            if blob is not None and blob.content is not None:
                blobs[part.digest] = blob.content
