"""Fast negative go-live check on projection rows, without the core. A yes is always re-evaluated from the log.

It serves callers who ask before every step of an agent's work and mostly get a no.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from foureyes.app.rows import OBJECTIONS, DigestRow, ReviewRow, plain_digest

OPEN = "open"
LIFT = "A human must override it there, or the author revises."
#: With more reviews of the same bytes the log is asked.
REVIEWS_MAX = 20
Listed = tuple[ReviewRow, DigestRow]


class Rows(Protocol):
    """The questions a glance asks."""

    def digests(self, name: str) -> tuple[DigestRow, ...]:
        """Return what the reviews say of these bytes."""

    def review(self, review: str) -> ReviewRow | None:
        """Return one review's row."""

    def rows(self, projection: str, prefix: str = "", after: str = "", limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Return rows of a projection whose keys begin with this prefix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shut:
    """These bytes may not go live, and why."""

    #: unknown, blocked or pending, as in `live.Live`.
    state: str
    digest: str
    reason: str
    review: str = ""


def glance(rows: Rows, name: str) -> Shut | None:
    """Return the no that the rows tell; None if only the log can tell."""
    name = plain_digest(name)
    found = rows.digests(name)
    if not found:
        return Shut(state="unknown", digest=name, reason="No review has seen these bytes. Submit them for review.")
    if len({row.digest for row in found}) > 1 or len(found) > REVIEWS_MAX:
        return None
    listed = [(review, row) for row in found if (review := rows.review(row.review)) is not None]
    if len(listed) < len(found):
        return None
    newest = sorted(listed, key=lambda one: (one[0].opened, one[0].review), reverse=True)
    return _objected(rows, newest) or (None if any(row.cleared for row in found) else _waiting(newest))


def _objected(rows: Rows, newest: list[Listed]) -> Shut | None:
    """Return what the newest review with an objection to these bytes says."""
    cleared = any(row.cleared for _, row in newest)
    digest = newest[0][1].digest
    noted = {key.partition("/")[2]: text for key, text in rows.rows(OBJECTIONS, f"{digest}/", limit=REVIEWS_MAX)}
    for review, row in newest:
        if not row.vetoed and (row.cleared or row.review not in noted):
            continue
        waits = review.state == OPEN and review.digest == digest and not (row.vetoed or cleared)
        reason = noted.get(row.review, f"A veto stands on this version in review {row.review}. {LIFT}")
        return Shut(state="pending" if waits else "blocked", digest=digest, review=row.review, reason=reason)
    return None


def _waiting(newest: list[Listed]) -> Shut:
    """Return the no for bytes that nobody cleared: pending in an open review, else to be submitted again."""
    review, row = next((one for one in newest if _is_current(*one)), newest[0])
    if _is_current(review, row):
        reason = f"Review {row.review} is not cleared. Wait for its clearance."
        return Shut(state="pending", digest=row.digest, review=row.review, reason=reason)
    ended = "has other bytes now" if review.state == OPEN else f"ended as {review.state}"
    reason = f"Review {row.review} {ended}. Submit these bytes for review."
    return Shut(state="blocked", digest=row.digest, review=row.review, reason=reason)


def _is_current(review: ReviewRow, row: DigestRow) -> bool:
    return review.state == OPEN and review.digest == row.digest
