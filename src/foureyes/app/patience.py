"""Back-off for clients that keep failing authentication or limits, so that others notice nothing of it.

A client that was refused a few times is answered at once like everybody else. One that does not stop is answered at a
fixed rate, however many connections it has; its other requests wait, which costs nothing. Unknown clients share one
record per address; a request with a credential that was good lately does not wait with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

#: Where a door writes down whose credential came with a request, once it is known.
KNOWN = "foureyes.known"
#: So often somebody may be told no in one go, and so many of these are forgotten in a second.
FREE = 20.0
FORGOTTEN_A_SECOND = 2.0
#: More are not remembered, so that somebody who stops is let off after a while.
REMEMBERED_MAX = 80.0
#: So many requests a second are looked at of somebody who did not stop.
LOOKS_A_SECOND = 20.0
#: So long a request waits at most. Who has more of them waiting hears no then, and nobody looks at it.
WAIT_SECONDS_MAX = 5.0
#: So many requests wait at a time, of everybody together.
WAITING_MAX = 2_000
PARTIES_MAX = 4_096


@dataclass(slots=True)
class _Record:
    """What is remembered of one party: how often it was told no, as of when, and when its next request is looked at."""

    level: float
    at: float
    next: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """What is done with a request: it waits so long, and is then looked at or not."""

    seconds: float
    is_looked_at: bool


AT_ONCE = Wait(seconds=0.0, is_looked_at=True)
AFTER_ALL = Wait(seconds=WAIT_SECONDS_MAX, is_looked_at=False)
AWAY = Wait(seconds=0.0, is_looked_at=False)


@dataclass(slots=True)
class Patience:
    """Who was told no lately, by party; times are seconds of any clock that only goes forward."""

    #: Requests that wait now.
    waiting: int = 0
    _records: dict[str, _Record] = field(default_factory=dict)

    def told_no(self, party: str, now: float) -> None:
        """Somebody was told no once more."""
        record = self._records.get(party)
        if record is None:
            if len(self._records) >= PARTIES_MAX:
                self._forget(now)
            self._records[party] = _Record(level=1.0, at=now)
            return
        record.level, record.at = min(_level(record, now) + 1, REMEMBERED_MAX), now

    def wait(self, party: str, now: float) -> Wait:
        """How long a request of theirs waits."""
        record = self._records.get(party)
        if record is None or _level(record, now) <= FREE:
            return AT_ONCE
        if self.waiting >= WAITING_MAX:
            return AWAY
        turn = max(record.next, now) + 1 / LOOKS_A_SECOND
        if turn - now > WAIT_SECONDS_MAX:
            return AFTER_ALL
        record.next = turn
        return Wait(seconds=turn - now, is_looked_at=True)

    def _forget(self, now: float) -> None:
        """Those with nothing against them any more; else those with the least."""
        kept = sorted(self._records.items(), key=lambda one: _level(one[1], now))[PARTIES_MAX // 2 :]
        self._records = {party: one for party, one in kept if _level(one, now) > 0}


def _level(record: _Record, now: float) -> float:
    return max(0.0, record.level - FORGOTTEN_A_SECOND * (now - record.at))
