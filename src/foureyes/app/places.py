"""Resume points of the live feed: where in the log a viewer stopped, under an id that tells nothing about the log."""

from __future__ import annotations

import hashlib
from collections import OrderedDict

from foureyes.app.rows import Cursor

PLACES_MAX = 20_000


class Places:
    """How far the log was read when a viewer was told something; of this process, and the latest only."""

    def __init__(self) -> None:
        """Start with no resume points."""
        self._kept: OrderedDict[tuple[str, str], Cursor] = OrderedDict()

    def find(self, viewer: str, place: str) -> Cursor | None:
        """Return where this viewer stopped; None if that is unknown, or the id belongs to another viewer."""
        return self._kept.get((viewer, place))

    def keep(self, viewer: str, place: str, cursor: Cursor) -> None:
        """Store a resume point; if the id exists, the earlier cursor is kept."""
        known = self._kept.get((viewer, place), cursor)
        self._kept[viewer, place] = min(known, cursor)
        self._kept.move_to_end((viewer, place))
        while len(self._kept) > PLACES_MAX:
            self._kept.popitem(last=False)


def place_after(place: str, *told: str) -> str:
    """Return the next id, made only of what this viewer was told, so that it reveals nothing else."""
    return hashlib.sha256("\n".join((place, *told)).encode()).hexdigest()[:24]
