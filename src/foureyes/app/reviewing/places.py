"""Finds the reviews that belong to the place on this machine that some work comes from."""

from __future__ import annotations

from foureyes.app.ports import Reading
from foureyes.app.reviewers import Change
from foureyes.core.lessons import LOCAL


def alias_of(change: Change) -> str:
    """Return the alias under which the next round finds this review; empty if the work has no place."""
    return f"{LOCAL}{change.place}" if change.place else ""


def reviews_here(reading: Reading, alias: str) -> list[str]:
    """Return the reviews that may be of this place, open or ended, the newest first.

    They are found by their bytes, and the same bytes may be in other repositories: each review says itself where it
    belongs.
    """
    if not alias:
        return []
    found = {row.review for row in reading.digests(alias)}
    rows = [row for name in found if (row := reading.review(name)) is not None]
    return [one.review for one in sorted(rows, key=lambda row: (row.opened, row.review), reverse=True)]
