"""Rate and concurrency limits of the doors, per account and per operator; high enough that only floods meet them.

All counts are kept in this process and lost with it: they bound load and are no rules about work. A caller over a
limit is told when to try again. Requests of one account wait in its own line, so one caller's flood delays no others.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from foureyes.app.turns import WITHIN, Line, Room, Time, Turn, Within, now_in
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who

MINUTE, DAY = 60.0, 86_400.0
#: Most names remembered; the least recent are forgotten first.
NAMES_MAX = 10_000
#: Sums of fractions are not exact.
SLACK_SECONDS = 1e-6
#: Seconds after which a caller with too many requests under way, or too many open reviews, may try again.
SOON_SECONDS = 1
LATER_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What one account may have, or one operator."""

    requests_a_minute: int
    bytes_a_day: int
    open_reviews: int
    #: Requests answered at the same time, and how many more wait in line. Few at a time: a single request waits behind
    #: these of a flood, and the flood itself is no slower for it.
    at_once: int
    in_line: int
    #: Requests that wait for a change, and connections of the live feed.
    waits: int
    feeds: int
    uploads: int
    #: A larger share of the server's time is too much while others wait; normal use takes a few hundredths.
    crowd: float = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """All limits of the doors, in one place."""

    account: Share = Share(
        requests_a_minute=12_000,
        bytes_a_day=2 * 1024**3,
        open_reviews=1_000,
        at_once=4,
        in_line=256,
        waits=64,
        feeds=4,
        uploads=4,
    )
    operator: Share = Share(
        requests_a_minute=60_000,
        bytes_a_day=10 * 1024**3,
        open_reviews=5_000,
        at_once=16,
        in_line=1_024,
        waits=256,
        feeds=32,
        uploads=16,
        crowd=0.5,
    )


class TooFast(Refusal):
    """Not now: so many seconds later it is taken."""

    def __init__(self, sentence: str, seconds: float) -> None:
        """Keep what there was too much of, and after how many seconds to try again."""
        self.seconds = max(SOON_SECONDS, math.ceil(seconds))
        super().__init__(Code.LIMIT_REACHED, sentence, f"Try again in {self.seconds} seconds.")


@dataclass(slots=True)
class _Rates:
    """A rate limit per period, spent evenly: by name, until when what was taken counts."""

    period: float
    what: str
    taken: dict[str, float] = field(default_factory=dict)

    def after(self, name: str, now: float, share: float) -> float:
        """Return until when usage would count if this share of a period's allowance were taken too."""
        begin = self.taken.get(name, now)
        # Usage never reaches more than a period ahead, so a clock that was set back locks nobody out.
        return (begin if now < begin <= now + self.period + 1 else now) + share * self.period

    def spend(self, now: float, wanted: list[tuple[str, int, int]]) -> None:
        """Take these costs of these allowances for all names, or nothing at all; raises TooFast."""
        ends = []
        for name, cost, most in wanted:
            end = self.after(name, now, cost / most)
            if end > now + self.period + SLACK_SECONDS:
                raise TooFast(f"{_plain(name)} has sent {self.what}: at most {most}.", end - now - self.period)
            ends.append((name, end))
        if len(self.taken) >= NAMES_MAX:
            self.taken = dict(sorted(self.taken.items(), key=lambda one: one[1])[NAMES_MAX // 2 :])
        self.taken.update(ends)


class Quotas:
    """What was asked for lately, by account and by operator."""

    def __init__(self, limits: Limits | None = None, time: Time | None = None) -> None:
        """Enforce these limits."""
        self.limits = limits or Limits()
        self._requests = _Rates(MINUTE, "too many requests in a minute")
        self._bytes = _Rates(DAY, "too many bytes in a day")
        self._room = Room(time or Time())
        self._lines: dict[str, Line] = {}
        self._held: dict[tuple[str, str], int] = {}
        #: Upper bounds of open reviews, by author and by operator.
        self._open: dict[str, int] = {}

    def asked(self, who: Who, now: datetime, came: float | None = None) -> Turn | Within:
        """Count one request and return its turn in the queue; raises TooFast if there are too many.

        Further requests of the same account within this one are not counted again. `came` is when it arrived, if known,
        by the clock of the queue.
        """
        account, operator = self._shares(who)
        line = self._line(*account)
        if now_in(line):
            return WITHIN
        other = self._line(*operator)
        _check_line(line, *account)
        _check_line(other, *operator)
        self._requests.spend(now.timestamp(), [(name, 1, one.requests_a_minute) for name, one in (account, operator)])
        return self._room.enter((line, other), came)

    def check_rate(self, who: Who, now: datetime) -> None:
        """Raise TooFast if this account exceeds its rate already; nothing is looked up."""
        if self.is_over(who, now):
            self._requests.spend(now.timestamp(), [(name, 1, one.requests_a_minute) for name, one in self._shares(who)])

    def is_over(self, who: Who, now: datetime) -> bool:
        """True if this account exceeds its rate already; nothing is looked up."""
        moment, rates = now.timestamp(), self._requests
        for name, share in self._shares(who):
            if rates.after(name, moment, 1 / share.requests_a_minute) > moment + MINUTE + SLACK_SECONDS:
                return True
        return False

    def sent(self, who: Who, now: datetime, size: int) -> None:
        """Count bytes that were received to be stored."""
        if size:
            wanted = [(name, size, share.bytes_a_day) for name, share in self._shares(who)]
            self._bytes.spend(now.timestamp(), wanted)

    @contextmanager
    def holding(self, who: Who, what: str) -> Iterator[None]:
        """Hold one of the concurrent waits, feeds or uploads; raises TooFast if there are too many."""
        self.check_room(who, what)
        keys = [(what, name) for name, _ in self._shares(who)]
        for key in keys:
            self._held[key] = self._held.get(key, 0) + 1
        try:
            yield
        finally:
            for key in keys:
                self._held[key] -= 1
                if not self._held[key]:
                    del self._held[key]

    def check_room(self, who: Who, what: str) -> None:
        """Raise TooFast if this account has too many of them at the same time."""
        for name, share in self._shares(who):
            most: int = getattr(share, what)
            if self._held.get((what, name), 0) >= most:
                raise TooFast(f"{_plain(name)} has {most} {what} at the same time already.", SOON_SECONDS)

    def has_room(self, who: Who, what: str) -> bool:
        """True if this account may have one more of them."""
        return all(self._held.get((what, name), 0) < getattr(share, what) for name, share in self._shares(who))

    def held(self, what: str) -> int:
        """Count the waits, feeds or uploads held now by all accounts together."""
        return sum(count for (one, name), count in self._held.items() if one == what and name.startswith("account/"))

    def may_open(self, who: Who) -> bool:
        """True if one more open review is certainly within the limit; else they must be counted."""
        return all(name in self._open and self._open[name] < share.open_reviews for name, share in self._shares(who))

    def counted(self, who: Who, count: int) -> None:
        """Store the number of open reviews of this author, counted just now; raises TooFast if it is too many."""
        if len(self._open) >= NAMES_MAX:
            self._open.clear()
        account, operator = (name for name, _ in self._shares(who))
        before = self._open.get(account, 0)
        self._open[account] = count
        self._open[operator] = max(count, self._open.get(operator, 0) + count - before)
        for name, share in self._shares(who):
            if self._open[name] >= share.open_reviews:
                most = share.open_reviews
                raise TooFast(f"{_plain(name)} has {most} open reviews already; let some end.", LATER_SECONDS)

    def opened(self, who: Who) -> None:
        """Add one open review; ended ones are subtracted when the limit is reached and they are counted again."""
        for name, _ in self._shares(who):
            self._open[name] = self._open.get(name, 0) + 1

    def uncounted(self, who: Who) -> None:
        """Forget the count, because a review may be opened later; they are counted again before the next one."""
        for name, _ in self._shares(who):
            self._open.pop(name, None)

    def _shares(self, who: Who) -> tuple[tuple[str, Share], tuple[str, Share]]:
        return (f"account/{who.name}", self.limits.account), (f"operator/{who.operator}", self.limits.operator)

    def _line(self, name: str, share: Share) -> Line:
        line = self._lines.get(name)
        if line is None:
            if len(self._lines) >= NAMES_MAX:
                self._lines = {name: one for name, one in self._lines.items() if one.there}
            line = self._lines[name] = Line(slots=asyncio.Semaphore(share.at_once), crowd=share.crowd)
        return line


def _check_line(line: Line, name: str, share: Share) -> None:
    if line.there >= share.at_once + share.in_line:
        raise TooFast(f"{_plain(name)} has {line.there} requests under way.", SOON_SECONDS)


def _plain(name: str) -> str:
    return name.partition("/")[2]
