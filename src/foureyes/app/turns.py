"""Fair queue of requests: each account and each operator waits in a line of its own.

A flood therefore waits behind itself. An account or operator that takes a large part of the server's time while others
ask too (a crowd) gets one request at a time, and after it a pause that grows with that part: the others get the rest.
While nobody else has to wait, nobody is slowed down, and no pause is longer than the others need.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Self

#: Another caller seen within this time is expected to come again.
OTHERS_SECONDS = 1.0
#: How long it is remembered that a caller had to wait: a crowd that pauses would stop being one at once.
WAITED_SECONDS = 10.0
#: Pause of a crowd after a request, as a multiple of its duration: this much at twice the allowed share.
PAUSE_TIMES = 16.0
PAUSE_SECONDS_MAX = 1.0
#: A pause ends when no other caller was there for this long; a sequential client is back sooner than that.
QUIET_SECONDS = 0.006
#: Server time of a request besides its answer: it is read before its turn and sent after it.
BESIDE_SECONDS = 0.0005
#: Key under which a server notes the arrival time of a request, by the clock of the queue.
CAME = "foureyes.came"


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """How time goes by here: a clock that only goes forward, and something done later by it."""

    now: Callable[[], float] = time.perf_counter
    later: Callable[[float, Callable[[], None]], object] = field(
        default=lambda seconds, work: asyncio.get_running_loop().call_later(seconds, work)
    )


@dataclass(slots=True, eq=False)
class Line:
    """Those of one name whose requests are under way, and those behind them."""

    slots: asyncio.Semaphore
    #: A larger share of the last second makes it a crowd.
    crowd: float
    #: Held by the only request that a crowd may have at a time.
    narrow: asyncio.Lock = field(default_factory=asyncio.Lock)
    #: Number of requests being answered or in line.
    there: int = 0
    #: Server time used in about the last second, in seconds, and as of when.
    had: float = 0.0
    at: float = -math.inf

    def share(self, now: float) -> float:
        """Return the server time used in about the last second."""
        return self.had * math.exp(self.at - now) if self.at < now else self.had

    def is_crowd(self, now: float) -> bool:
        """True if that is too much. The share decays, so mostly the stored value decides without computing it."""
        return self.had > self.crowd and self.share(now) > self.crowd

    def add(self, took: float, now: float) -> None:
        """Add the time of a finished request."""
        self.had, self.at = self.share(now) + took, now


#: The lines of an account and of its operator.
Lines = tuple[Line, Line]


@dataclass(slots=True)
class _Calm:
    """The line that asked last among those that are no crowd, when it asked, and when another such line did."""

    last: Line | None = None
    last_at: float = -math.inf
    before_at: float = -math.inf

    def asks(self, line: Line, now: float) -> None:
        if line is not self.last:
            self.last, self.before_at = line, self.last_at
        self.last_at = now

    def without(self, line: Line) -> float:
        """Return when another line than this one asked last."""
        return self.before_at if line is self.last else self.last_at


@dataclass(slots=True)
class Room:
    """Everybody who asks."""

    time: Time = field(default_factory=Time)
    #: One for accounts, one for operators.
    _calm: tuple[_Calm, _Calm] = field(default_factory=lambda: (_Calm(), _Calm()))
    #: Requests being answered, and how long each would have taken alone so far: elapsed time shared among them.
    _answered: int = 0
    _shared: float = 0.0
    _at: float = 0.0
    #: The line whose turn ended last, and when.
    _left: Line | None = None
    _left_at: float = -math.inf
    #: When a caller that is no crowd last had to wait.
    _waited: float = -math.inf

    def shared(self, more: int) -> float:
        """Return the time that each request has had so far, after this many more begin or end now.

        A request that waits while others are answered uses no server time, however long that takes.
        """
        now = self.time.now()
        if self._answered:
            self._shared += (now - self._at) / self._answered
        self._at, self._answered = now, self._answered + more
        return self._shared

    def enter(self, lines: Lines, came: float | None) -> Turn:
        """Add a request to the lines of its account and its operator, until its turn is left.

        A caller who comes while nobody else is answered does not wait, so nobody pauses for it. What is answered in one
        go is over when the next request is looked at: a request that `came` before that has waited for it.
        """
        now = self.time.now()
        if self._calmly(lines, now) and (self._answered or (came is not None and self._has_waited(lines[0], came))):
            self._waited = now
        return Turn(self, lines)

    def leaves(self, lines: Lines, now: float) -> None:
        """Record that a caller was answered, and may ask again at once."""
        self._left, self._left_at = lines[0], now
        self._calmly(lines, now)

    def _has_waited(self, line: Line, came: float) -> bool:
        return self._left is not line and came < self._left_at

    def _calmly(self, lines: Lines, now: float) -> bool:
        """Record the caller if it is no crowd; returns whether it is none."""
        account, operator = lines
        if account.is_crowd(now) or operator.is_crowd(now):
            return False
        self._calm[0].asks(account, now)
        self._calm[1].asks(operator, now)
        return True

    def pause(self, lines: Lines, line: Line, until: float) -> None:
        """Admit the next request of a crowd at that time, or as soon as nobody else wants anything."""

        def look() -> None:
            now = self.time.now()
            last = self._calm[lines.index(line)].without(line)
            if now >= until or (not self._answered and now - last >= QUIET_SECONDS):
                line.narrow.release()
            else:
                self.pause(lines, line, until)

        # A caller that came while the last request was answered in one go is only seen after that.
        self.time.later(min(max(until - self.time.now(), 0.0), QUIET_SECONDS), look)

    def crowds(self, lines: Lines) -> list[Line]:
        """Return which of these lines are crowds that keep others waiting."""
        now = self.time.now()
        if now - self._waited > WAITED_SECONDS:
            return []
        return [
            line
            for calm, line in zip(self._calm, lines, strict=True)
            if line.is_crowd(now) and now - calm.without(line) <= OTHERS_SECONDS
        ]


class Turn:
    """A request on its way through the lines of its account and its operator."""

    __slots__ = ("_began", "_held", "_is_there", "_lines", "_narrow", "_room")

    def __init__(self, room: Room, lines: Lines) -> None:
        """Join these lines."""
        self._room, self._lines = room, lines
        self._held: list[Line] = []
        self._narrow: list[Line] = []
        self._began: float | None = None
        self._is_there = True
        for one in lines:
            one.there += 1

    def stands_in(self, line: Line) -> bool:
        """True if it is still in this line."""
        return self._is_there and line in self._lines

    async def __aenter__(self) -> Self:
        """Wait for the turn."""
        try:
            for line in self._lines:
                await line.slots.acquire()
                self._held.append(line)
            for line in self._room.crowds(self._lines):
                await line.narrow.acquire()
                self._narrow.append(line)
        except BaseException:
            self.leave()
            raise
        self._began = self._room.shared(1)
        _turn.set(self)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Admit the next request."""
        _turn.set(None)
        self.leave()

    def leave(self) -> None:
        """Give up the place, once; for a crowd the next request is admitted after a pause."""
        if not self._is_there:
            return
        self._is_there = False
        for line in self._held:
            line.slots.release()
        for line in self._lines:
            line.there -= 1
        if self._began is not None:
            self._count(self._began)
        for line in self._narrow:
            line.narrow.release()

    def _count(self, began: float) -> None:
        """Add the time it took; if it belonged to a crowd, admit the next request after a pause."""
        took, now = self._room.shared(-1) - began + BESIDE_SECONDS, self._room.time.now()
        for line in self._lines:
            line.add(took, now)
        self._room.leaves(self._lines, now)
        if not self._narrow:
            return
        for line in [one for one in self._room.crowds(self._lines) if one in self._narrow]:
            over = min(line.share(now) / line.crowd - 1, 1.0)
            self._room.pause(self._lines, line, now + min(PAUSE_TIMES * over * took, PAUSE_SECONDS_MAX))
            self._narrow.remove(line)


class Within:
    """Something that is asked in the course of a request whose turn it is already."""

    __slots__ = ()

    async def __aenter__(self) -> None:
        """Do nothing."""

    async def __aexit__(self, *_: object) -> None:
        """Do nothing."""

    def leave(self) -> None:
        """Do nothing: the outer request keeps its turn."""


WITHIN = Within()
_turn: ContextVar[Turn | None] = ContextVar("foureyes_turn", default=None)


def now_in(line: Line) -> bool:
    """True if the running code belongs to a request of that line whose turn it is."""
    turn = _turn.get()
    return turn is not None and turn.stands_in(line)


def step_aside() -> None:
    """Give up the turn of the current request while it only waits for something to happen."""
    turn = _turn.get()
    if turn is not None:
        turn.leave()
