"""Recent pairings of authors and reviewers, so that the same two do not always approve each other's work."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping

from foureyes.app.ports import Reading
from foureyes.app.projections.projection import Changed, Happened, Projection, Read, key, slot_of, types
from foureyes.core.events import ReportSubmitted

#: Newest reports kept for each author.
PAIRINGS_MAX = 30


def changes(one: Happened, read: Read) -> Changed:
    """Record who reported on whose work."""
    if isinstance(one.event, ReportSubmitted):
        name = key(one.review.author.name)
        yield name, [*(read(name) or ()), one.event.reviewer.name][-PAIRINGS_MAX:]


PAIRINGS = Projection(name="pairings", version=1, takes=types(ReportSubmitted), changes=changes)


def recent_pairings(reading: Reading, author: str) -> Mapping[str, int]:
    """Return how often each reviewer reviewed this author's work lately."""
    body = reading.row(slot_of(reading, PAIRINGS.name), key(author))
    return Counter(json.loads(body)) if body else {}
