"""Which reviews belong to the place on this machine that some work comes from."""

from __future__ import annotations

from foureyes.app.ports import Reading
from foureyes.app.reviewers import Change
from foureyes.core.lessons import LOCAL


def alias_of(change: Change) -> str:
    """The name under which the next round finds the review of this one; empty where it comes from nowhere."""
    return f"{LOCAL}{change.place}" if change.place else ""


def reviews_here(reading: Reading, alias: str) -> list[str]:
    """The reviews that may be of this place, open or ended, the newest first.

    They are found by their bytes, and the same bytes may lie in other repositories: whose a review is, it says itself.
    """
    if not alias:
        return []
    found = {row.review for row in reading.digests(alias)}
    rows = [row for name in found if (row := reading.review(name)) is not None]
    return [one.review for one in sorted(rows, key=lambda row: (row.opened, row.review), reverse=True)]
