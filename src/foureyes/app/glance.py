"""What do the rows alone say of these bytes? Only ever a no: a yes is judged anew from the log.

This is for a caller who asks before every step of an agent's work and mostly hears no: it needs none of the core.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from foureyes.app.rows import DigestRow, ReviewRow

OPEN = "open"


class Rows(Protocol):
    """The two questions a glance asks."""

    def digests(self, name: str) -> tuple[DigestRow, ...]:
        """What the reviews say of these bytes."""

    def review(self, review: str) -> ReviewRow | None:
        """One review's row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shut:
    """These bytes may not go live, and why."""

    #: unknown, blocked or pending, as in `live.Live`.
    state: str
    digest: str
    reason: str
    review: str = ""


def glance(rows: Rows, name: str) -> Shut | None:
    """The no that stands in the rows; None where only the log can tell."""
    found = rows.digests(name)
    if not found:
        return Shut(state="unknown", digest=name, reason="No review has seen these bytes. Submit them for review.")
    if len({row.digest for row in found}) > 1:
        return None
    vetoed = next((row for row in found if row.vetoed), None)
    if vetoed:
        why = f"A veto stands on this version in review {vetoed.review}."
        step = "A human must override it there, or the author revises."
        return Shut(state="blocked", digest=vetoed.digest, review=vetoed.review, reason=f"{why} {step}")
    return None if any(row.cleared for row in found) else _waiting(rows, found[-1])


def _waiting(rows: Rows, row: DigestRow) -> Shut | None:
    review = rows.review(row.review)
    if review is None:
        return None
    if review.state == OPEN and review.digest == row.digest:
        reason = f"Review {row.review} is not cleared. Wait for its clearance."
        return Shut(state="pending", digest=row.digest, review=row.review, reason=reason)
    ended = "has other bytes now" if review.state == OPEN else f"ended as {review.state}"
    reason = f"Review {row.review} {ended}. Submit these bytes for review."
    return Shut(state="blocked", digest=row.digest, review=row.review, reason=reason)
