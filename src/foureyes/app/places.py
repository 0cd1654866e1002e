"""Resume points of the live feed: where in the log a viewer stopped, under an id that tells nothing about the log."""

from __future__ import annotations

import hashlib
from collections import OrderedDict

from foureyes.app.rows import Cursor

PLACES_MAX = 20_000


class Places:
    """How far the log was read when a viewer was told something; of this process, and the latest only."""

    def __init__(self) -> None:
        """Nobody was told anything."""
        self._kept: OrderedDict[tuple[str, str], Cursor] = OrderedDict()

    def find(self, viewer: str, place: str) -> Cursor | None:
        """Where this viewer stopped; nothing where that is not known, or the place is another's."""
        return self._kept.get((viewer, place))

    def keep(self, viewer: str, place: str, cursor: Cursor) -> None:
        """Remember it; two who were told the same go on from where the slower one was."""
        known = self._kept.get((viewer, place), cursor)
        self._kept[viewer, place] = min(known, cursor)
        self._kept.move_to_end((viewer, place))
        while len(self._kept) > PLACES_MAX:
            self._kept.popitem(last=False)


def place_after(place: str, *told: str) -> str:
    """The next id: made of what this viewer was told and of nothing else, so that it tells them nothing."""
    return hashlib.sha256("\n".join((place, *told)).encode()).hexdigest()[:24]
