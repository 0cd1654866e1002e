"""Lists every place where hooks are switched off now, by looking at all places where they ever were."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime

from foureyes.app.ports import Reading
from foureyes.app.rows import Head
from foureyes.app.silences import PREFIX, Silence, last_silence

#: Places read per query, and in all; each costs one question to the store.
PAGE, PLACES_MAX = 200, 10_000
log = logging.getLogger("foureyes.silences")


def silences(reading: Reading, now: datetime) -> tuple[Silence, ...]:
    """Return every place where hooks are off now, those that end first first."""
    found = [one for head in _heads(reading) if (one := last_silence(reading, head.stream, head.version, now))]
    return tuple(sorted(found, key=lambda one: (one.until, one.machine, one.place)))


def _heads(reading: Reading) -> Iterator[Head]:
    after, left = PREFIX, PLACES_MAX
    while page := [one for one in reading.heads(after=after, limit=PAGE) if one.stream.startswith(PREFIX)]:
        if not left:
            log.warning("hooks were off in more than %s places: those behind them are not looked at", PLACES_MAX)
            return
        yield from page[:left]
        after, left = page[-1].stream, max(0, left - len(page))
