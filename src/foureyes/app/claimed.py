"""Levels of independence in old clearances that rest on what a service claims of its own agents."""

from __future__ import annotations

from collections.abc import Callable

from foureyes.app.accounts import account
from foureyes.app.ports import Reading
from foureyes.core.model import Review
from foureyes.core.principals import Account

#: What is left where the model family of somebody involved is only claimed: another session.
CLAIMED_LEVEL_MAX = 1


AccountReader = Callable[[Reading, str], Account | None]


def known_level(reading: Reading, review: Review, level: int, read: AccountReader = account) -> int:
    """The level of a clearance without the model families that a service claimed for its agents.

    Earlier releases believed them and wrote them into the log; a clearance from then counts as level 1 at most.
    """
    if level <= CLAIMED_LEVEL_MAX:
        return level
    reports = (one for (_, revision), one in review.reports.items() if revision == review.revision)
    involved = (review.author, *review.contributors, *(one.reviewer for one in reports))
    names = {one.name for one in involved if one.model_family or one.provider}
    vouched = (found.vouched_by for name in sorted(names) if (found := read(reading, name)) is not None)
    return min(level, CLAIMED_LEVEL_MAX) if any(vouched) else level
