"""Objections: what any review holds against exact bytes. Used by the go-live check, new reviews and receipts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from foureyes.app.policies import Policies
from foureyes.app.ports import Damaged, Reading
from foureyes.app.rows import OBJECTIONS, DigestRow
from foureyes.app.shelf import Held, Shelf
from foureyes.core.model import Review
from foureyes.core.objections import Objection, objection
from foureyes.core.rules import Rules
from foureyes.core.stack import stages_of
from foureyes.policy.policy import Policy

#: Most reviews of the same bytes without a clearance that are evaluated from the log, newest first. Older objections
#: are known by their rows.
REVIEWS_MAX = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Objections:
    """Finds what stands against bytes, on one look at the store."""

    reading: Reading
    policies: Policies
    load: Callable[[Reading, str], Held | None]

    def among(self, rows: Iterable[DigestRow]) -> list[tuple[Held, Objection]]:
        """Return every objection to the bytes of these rows, the newest review first.

        A review that cleared the bytes can only object by a veto, so only the others are read. Raises Damaged if a log
        is gone.
        """
        wanted = [row for row in rows if not row.cleared or row.vetoed]
        if len(wanted) > REVIEWS_MAX:
            wanted = list(self._gravest(wanted))
        judged = ((held, self._against(held, row)) for row in wanted for held in (self._held(row),))
        found = [(held, against) for held, against in judged if against is not None]
        return sorted(found, key=lambda one: (one[0].opened, one[0].review.id), reverse=True)

    def _gravest(self, rows: list[DigestRow]) -> Iterator[DigestRow]:
        """Yield the rows with a recorded objection, newest first and up to the limit, then the newest of the others."""
        digests = {row.digest for row in rows}
        noted = {
            key.rpartition("/")[2]
            for digest in digests
            for key, _ in self.reading.rows(OBJECTIONS, f"{digest}/", limit=REVIEWS_MAX)
        }
        by_time = sorted(rows, key=self._opened, reverse=True)
        yield from [row for row in by_time if row.vetoed or row.review in noted][:REVIEWS_MAX]
        yield from [row for row in by_time if not row.vetoed and row.review not in noted][:REVIEWS_MAX]

    def _opened(self, row: DigestRow) -> tuple[str, str]:
        listed = self.reading.review(row.review)
        return (listed.opened if listed else "", row.review)

    def newest(self, rows: Iterable[DigestRow]) -> DigestRow:
        """Return the row of the newest review, preferring an open one on these bytes, for when nothing else decides."""

        def rank(row: DigestRow) -> tuple[bool, str, str]:
            listed = self.reading.review(row.review)
            is_current = listed is not None and listed.state == "open" and listed.digest == row.digest
            return is_current, listed.opened if listed else "", row.review

        return max(rows, key=rank)

    def _held(self, row: DigestRow) -> Held:
        held = self.load(self.reading, f"review/{row.review}")
        if held is None:
            raise Damaged(f"Review {row.review} is listed, but its log is gone.")
        return held

    def _against(self, held: Held, row: DigestRow) -> Objection | None:
        if row.vetoed and not any(digest == row.digest for _, digest in held.review.vetoes):
            return Objection(review=row.review, veto="?")
        return of_review(self.reading, self.policies, held.review, row.digest)


def from_log(reading: Reading) -> Objections:
    """Return Objections that need no gate: every review's own rules are read from the store."""
    none = Policy(name="none", rules=Rules(digest="", protocols=()))
    return Objections(reading=reading, policies=Policies(none), load=load_once)


def load_once(reading: Reading, stream: str) -> Held | None:
    """Read a review from its log without caching it."""
    return Shelf(0).get(reading, stream, reading.known(stream, "", ""))


def of_review(reading: Reading, policies: Policies, review: Review, digest: str) -> Objection | None:
    """Return what one review has against these bytes, by its own rules; if these are gone, everything blocks."""
    try:
        rules, stricter = policies.rules(reading, review.rules), policies.stricter(reading, review.stricter)
    except Damaged:
        return objection(review, (), digest)
    return objection(review, stages_of(rules, review, stricter), digest)


def rows_of(reading: Reading, policies: Policies, review: Review) -> dict[str, str]:
    """Return the rows of what a review has against its versions, by key."""
    if not (review.findings or review.reports or review.rejected):
        return {}
    digests = dict.fromkeys(one.digest for one in review.revisions)
    found = {digest: of_review(reading, policies, review, digest) for digest in digests}
    return {f"{digest}/{review.id}": text_of(against) for digest, against in found.items() if against}


def noted_by(reading: Reading, stream: str) -> dict[str, str]:
    """Return the rows that the log of a review makes; empty if there is no such review."""
    found, held = from_log(reading), load_once(reading, stream)
    return rows_of(reading, found.policies, held.review) if held else {}


def text_of(against: Objection) -> str:
    """Return the objection and its way out as one text, as stored and shown."""
    return f"{against.sentence} {against.way_out}"


def changed_rows(before: Mapping[str, str], after: Mapping[str, str]) -> dict[tuple[str, str], str | None]:
    """Return the writes that turn the old rows of a review into the new ones."""
    changed: dict[tuple[str, str], str | None] = {
        (OBJECTIONS, key): text for key, text in after.items() if before.get(key) != text
    }
    return changed | {(OBJECTIONS, key): None for key in before if key not in after}
