"""Recent decisions of humans: the newest for each kind of work, and of all."""

from __future__ import annotations

import json

from foureyes.app.ports import Reading
from foureyes.app.projections.projection import Changed, Happened, Projection, Read, clip, key, slot_of, types
from foureyes.codec.shapes import shape
from foureyes.core.events import RulingGiven
from foureyes.core.facts import PastRuling
from foureyes.core.model import RulingRequest

RULINGS_MAX = 20
ALL = "all"

_put, _take = shape(PastRuling)


def changes(one: Happened, read: Read) -> Changed:
    """Record a final decision of a human; decisions of the clock are left out."""
    event = one.event
    if not isinstance(event, RulingGiven) or not event.final or event.by_clock:
        return
    request = one.before.requests.get(event.request) if one.before else None
    reason = request.reason if isinstance(request, RulingRequest) else ""
    kind = one.review.kind
    ruling = _put(PastRuling(kind=kind, reason=clip(reason), effect=event.effect, by=event.by.name, at=one.at))
    for name in (ALL, key("kind", kind)):
        yield name, [*(read(name) or ()), ruling][-RULINGS_MAX:]


RULINGS = Projection(name="rulings", version=1, takes=types(RulingGiven), changes=changes)


def past_rulings(reading: Reading, kind: str = "") -> tuple[PastRuling, ...]:
    """Return recent human decisions about any work and, if one is named, about a kind; the oldest first."""
    slot = slot_of(reading, RULINGS.name)
    bodies = (reading.row(slot, name) for name in (ALL, *([key("kind", kind)] if kind else [])))
    found = {_take(ruling) for body in bodies if body for ruling in json.loads(body)}
    return tuple(sorted(found, key=lambda past: (past.at, past.by, past.kind, past.reason, past.effect)))
