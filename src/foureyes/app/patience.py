"""Back-off for clients that keep failing authentication or limits, so that others notice nothing of it.

A client that was refused a few times is answered at once like everybody else. One that does not stop is answered at a
fixed rate, however many connections it has; its other requests wait, which costs nothing. Unknown clients share one
record per address; a request with a credential that was good lately does not wait with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

#: Key under which a door notes the account of a request once it is authenticated.
KNOWN = "foureyes.known"
#: Refusals that are free, and how many are forgotten per second.
FREE = 20.0
FORGOTTEN_A_SECOND = 2.0
#: Most refusals remembered, so that a client that stops is forgiven after a while.
REMEMBERED_MAX = 80.0
#: Requests per second processed for a client that did not stop.
LOOKS_A_SECOND = 20.0
#: Longest wait of a request. With a longer queue it is refused unprocessed.
WAIT_SECONDS_MAX = 5.0
#: Most requests that wait at a time, of all clients together.
WAITING_MAX = 2_000
PARTIES_MAX = 4_096


@dataclass(slots=True)
class _Record:
    """Back-off state of one client: how often it was refused, as of when, and when its next request is processed."""

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

    #: Number of waiting requests.
    waiting: int = 0
    _records: dict[str, _Record] = field(default_factory=dict)

    def told_no(self, party: str, now: float) -> None:
        """Count one more refusal of a client."""
        record = self._records.get(party)
        if record is None:
            if len(self._records) >= PARTIES_MAX:
                self._forget(now)
            self._records[party] = _Record(level=1.0, at=now)
            return
        record.level, record.at = min(_level(record, now) + 1, REMEMBERED_MAX), now

    def wait(self, party: str, now: float) -> Wait:
        """Return how long a request of this client waits, and whether it is then processed."""
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
        """Drop clients without refusals left, and the half with the fewest."""
        kept = sorted(self._records.items(), key=lambda one: _level(one[1], now))[PARTIES_MAX // 2 :]
        self._records = {party: one for party, one in kept if _level(one, now) > 0}


def _level(record: _Record, now: float) -> float:
    return max(0.0, record.level - FORGOTTEN_A_SECOND * (now - record.at))
