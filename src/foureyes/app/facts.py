"""Collects the facts from outside the review that a decision needs, inside the transaction that decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from foureyes.app.asks import Ask
from foureyes.app.bases import Prepared, is_still_known, stated
from foureyes.app.differences import changed_places
from foureyes.app.heads import OPEN
from foureyes.app.lazily import LazyMapping, LazySequence
from foureyes.app.objections import Objections, load_once
from foureyes.app.policies import Policies
from foureyes.app.ports import Damaged, Reading, Writing
from foureyes.app.rebases import change_of
from foureyes.app.rows import Counts, DigestRow
from foureyes.app.work import BLOB_BYTES_MAX, blob_digest, check_blob
from foureyes.core.facts import Load, PastRuling, Principal, Suppression
from foureyes.core.model import Review
from foureyes.core.objections import Objection
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.sessions import SessionFacts
from foureyes.core.values import Changed, ChangeKind, KnownBase, Proof, Risk, WorkPart


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

    #: Against `base`; if that is unknown, against nothing.
    risk: Risk = Risk()
    base: KnownBase = KnownBase()
    #: The files before: of the known base, else as the author states them.
    before: tuple[WorkPart, ...] = ()
    proof: Proof = Proof()
    changed: tuple[Changed, ...] = ()
    change: ChangeKind = ChangeKind.CONTENT
    #: The bytes of every part, to compute their git names.
    blobs: Mapping[str, bytes]


Others = Sequence[DigestRow]


@dataclass(slots=True, kw_only=True)
class Elsewhere:
    """What other reviews say of bytes, each looked up once; nobody can add to it until this transaction ends."""

    tx: Writing
    own: str
    _found: dict[str, Others] = field(default_factory=dict)

    def says_of(self, names: Iterable[str]) -> Others:
        """Return what other reviews say of the bytes with these names."""
        digests = tuple(names)
        return LazySequence(lambda: self._look(digests))

    def _look(self, digests: tuple[str, ...]) -> Others:
        new = sorted({one for one in digests if one not in self._found})
        self.tx.lock(*map(digest_lock, new))
        for digest in new:
            self._found[digest] = [row for row in self.tx.digests(digest) if row.review != self.own]
        return [row for digest in digests for row in self._found[digest]]


def vetoes(others: Others) -> Mapping[str, str]:
    """Return the vetoes that stand on these bytes in other reviews."""
    return LazyMapping(lambda: {row.digest: row.review for row in others if row.vetoed})


def objections(tx: Writing, policies: Policies, others: Others, digest: str) -> Mapping[str, Objection]:
    """Return what other reviews have against new bytes; of several, the newest review's."""

    def found() -> Mapping[str, Objection]:
        against = Objections(reading=tx, policies=policies, load=load_once).among(others)
        return {digest: against[0][1]} if against else {}

    return LazyMapping(found)


def unseen(tx: Writing, others: Others, hides: Callable[[str], bool], digest: str) -> Mapping[str, str]:
    """Return another open review of these new bytes that hides something from the actor, if any."""

    def found() -> Mapping[str, str]:
        open_ones = (row.review for row in others if not row.cleared and _is_open(tx, row.review))
        hidden = next((review for review in open_ones if hides(review)), "")
        return {digest: hidden} if hidden else {}

    return LazyMapping(found)


def _is_open(reading: Reading, review: str) -> bool:
    row = reading.review(review)
    return row is not None and row.state == OPEN


def digest_lock(digest: str) -> str:
    """Return the lock name that serialises everything about the same bytes."""
    return f"digest/{digest}"


def load(tx: Writing, pool: tuple[Principal, ...]) -> Mapping[str, Load]:
    """Return how many reviews each member of the pool has active and queued."""

    def look() -> Mapping[str, Load]:
        found = tx.counts([one.who.name for one in pool if not one.removed])
        return {name: _load(one) for name, one in found.items()}

    return LazyMapping(look)


def pairings(tx: Writing, books: Books, author: str) -> Mapping[str, int]:
    """Return how often each reviewer reviewed this author's work lately."""
    return LazyMapping(lambda: books.pairings(tx, author))


def rulings(tx: Writing, books: Books) -> LazySequence[PastRuling]:
    """Return recent human rulings."""
    return LazySequence(lambda: books.rulings(tx))


def suppressions(tx: Writing, books: Books) -> LazySequence[Suppression]:
    """Return the findings that humans marked as not real."""
    return LazySequence(lambda: books.suppressions(tx))


def spent(tx: Writing, books: Books, day: str) -> LazySequence[int]:
    """Return what all reviews cost on this day."""
    return LazySequence(lambda: (books.day_usd_micro(tx, day),))


def bytes_of(tx: Writing, review: Review | None, parts: tuple[WorkPart, ...], ask: Ask, prepared: Prepared) -> Bytes:
    """Return the facts about new bytes: their risk against the known base, and what changed since the last revision.

    The risk was computed before the transaction: scanning bytes must not delay other decisions. Without a known base
    everything counts as new, whatever the author states.
    """
    known = prepared.files if prepared.files and is_still_known(tx, ask, prepared.files) else None
    given = {**known.blobs, **ask.blobs} if known else ask.blobs
    blobs = dict(given)
    for digest, content in given.items():
        # Compared bytes must match their digest, or an old line could pass as new.
        if len(content) > BLOB_BYTES_MAX or blob_digest(content) != digest:
            raise Refusal(Code.DIGEST_MISMATCH, f"The bytes sent as {digest[:80]} are others.", "Send the right bytes.")
    for part in parts:
        blobs[part.digest] = _content(tx, part, given)
    last = review.current.parts if review else ()
    before = known.parts if known else stated(parts, ask.before)
    old = review.current.before if review and known else ()
    _fetch(tx, blobs, (*before, *last, *old), {one.digest for one in parts})
    proof = prepared.proof if known else Proof()
    return Bytes(
        risk=prepared.risk_against(known),
        base=known.base if known else KnownBase(),
        before=tuple(one for one in before if one.digest in blobs),
        proof=proof,
        changed=tuple(changed_places(last, parts, blobs)) if review else (),
        change=change_of(review.current, known.base, before, parts, blobs) if review and known else ChangeKind.CONTENT,
        blobs=blobs,
    )


def _load(counts: Counts) -> Load:
    return Load(active=counts.active, queued=counts.queued)


def stored_bytes(tx: Reading, part: WorkPart) -> bytes:
    """Return the stored bytes of a part; raises if they are gone or altered."""
    blob = tx.blob(part.digest)
    if blob is None or blob.content is None:
        raise refuse(Code.UNKNOWN_DIGEST, what=part.name, digest=part.digest)
    if blob_digest(blob.content) != part.digest:
        raise Damaged(f"The stored bytes of {part.name} were altered.")
    return blob.content


def bytes_at_hand(tx: Reading, parts: tuple[WorkPart, ...]) -> dict[str, bytes]:
    """Return the bytes of these parts by digest; missing or altered ones are left out."""
    found: dict[str, bytes] = {}
    for digest in dict.fromkeys([one.digest for one in parts]):
        blob = tx.blob(digest)
        if blob is not None and blob.content is not None and blob_digest(blob.content) == digest:
            found[digest] = blob.content
    return found


def _content(tx: Writing, part: WorkPart, given: Mapping[str, bytes]) -> bytes:
    """Return the bytes of a part, as sent or stored; purged bytes stay purged."""
    blob = tx.blob(part.digest)
    content = given.get(part.digest) if blob is None else blob.content
    if content is None:
        raise refuse(Code.UNKNOWN_DIGEST, what=part.name, digest=part.digest)
    check_blob(part, content)
    return content


def _fetch(tx: Writing, blobs: dict[str, bytes], parts: tuple[WorkPart, ...], new: set[str]) -> None:
    """Add the bytes that new ones are compared with; what is missing or altered is skipped, so it counts as new."""
    for part in parts:
        if part.digest not in new and part.digest not in blobs:
            blob = tx.blob(part.digest)
            if blob is not None and blob.content is not None and blob_digest(blob.content) == part.digest:
                blobs[part.digest] = blob.content
