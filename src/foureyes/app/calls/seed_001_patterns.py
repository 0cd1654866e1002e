"""Shows an author's track record as a row of seed 001's table of patterns that may be skipped.

Its one field `avg_confidence` was a mean and was also moved by successes and failures. foureyes keeps both apart; a
reader of the old field wants to know when the skip shuts, so it shows the value that is moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from foureyes.core.rules import Learning
from foureyes.core.trust import TRUST_MAX, TrustRecord, eligible


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternShown:
    """One type of work of one author."""

    id: str
    action_type: str
    creator_agent: str
    total_attempts: int
    successful_reviews: int
    #: Our trust, from 0 to 1: each review changes it, and the skip ends if it falls too low.
    avg_confidence: float
    eligible_for_skip: bool
    skip_enabled: bool
    skip_enabled_at: datetime | None
    last_review_at: datetime | None


def pattern_of(one: TrustRecord, now: datetime, learning: Learning) -> PatternShown:
    """The row of a record."""
    is_on = bool(one.enabled_by) and (one.expires is None or now < one.expires)
    return PatternShown(
        id=one.pattern,
        action_type=one.kind,
        creator_agent=one.author,
        total_attempts=one.attempts,
        successful_reviews=one.successes,
        avg_confidence=one.trust / TRUST_MAX,
        eligible_for_skip=eligible(one, now, learning),
        skip_enabled=is_on,
        skip_enabled_at=one.enabled_at if is_on else None,
        last_review_at=one.last_review_at,
    )
