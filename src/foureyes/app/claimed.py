"""Caps the independence level of old clearances that rest on model families claimed by a service for its own agents."""

from __future__ import annotations

from foureyes.app.accounts import account, changed_word
from foureyes.app.ports import Reading
from foureyes.app.shelf import Held
from foureyes.core.model import Review

#: The level that remains if a model family is only claimed: another session.
CLAIMED_LEVEL_MAX = 1


def known_level(reading: Reading, held: Held, level: int) -> int:
    """Return the level of a clearance without the model families that a service claimed for its agents.

    Earlier releases believed them and wrote them into the log; such a clearance counts as level 1 at most. The result
    is cached until an account changes.
    """
    if level <= CLAIMED_LEVEL_MAX:
        return level
    word = changed_word(reading)
    is_claimed = held.claimed.get(word) if word else None
    if is_claimed is None:
        is_claimed = _is_claimed(reading, held.review)
        held.claimed.clear()
        held.claimed[word] = is_claimed
    return min(level, CLAIMED_LEVEL_MAX) if is_claimed else level


def _is_claimed(reading: Reading, review: Review) -> bool:
    reports = (one for (_, revision), one in review.reports.items() if revision == review.revision)
    involved = (review.author, *review.contributors, *(one.reviewer for one in reports))
    names = {one.name for one in involved if one.model_family or one.provider}
    return any(found.vouched_by for name in sorted(names) if (found := account(reading, name)) is not None)
