"""Change signal: one reader of the log per process wakes every task that waits for a change.

A write in this process rings, and the reader looks at once; writes of other processes are seen at the next poll.
Listeners learn which streams have grown, not what happened there; they read that with their own permissions.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial

from foureyes.app.ports import Conflict, Damaged, Reading, Store, Unavailable
from foureyes.app.rows import START, Cursor, Stored

#: Interval between reads of the log without a ring: other processes may have written to it.
POLL_SECONDS = 1.0
#: Rings within this time are answered by one read.
GAP_SECONDS = 0.02
PAGE = 1_000
#: Most streams kept for a slow listener; with more it is told to start over.
STREAMS_MAX = 1_000
_HIGHEST = 2**62


@dataclass(slots=True, eq=False)
class Listener:
    """Somebody who waits: the streams that grew, each with its length before."""

    #: The only stream to listen to; empty for all of them.
    stream: str
    grown: dict[str, int] = field(default_factory=dict)
    #: How far the log was read when this listener was last notified.
    cursor: Cursor = START
    #: True if more streams grew than are kept.
    overrun: bool = False
    woken: asyncio.Event = field(default_factory=asyncio.Event)

    def take(self) -> tuple[dict[str, int], Cursor, bool]:
        """Return and reset what grew since the last call: the streams, the cursor, and whether there was an overrun."""
        taken = self.grown, self.cursor, self.overrun
        self.grown, self.overrun = {}, False
        self.woken.clear()
        return taken


class Bell:
    """Tells those who listen that the log has grown."""

    def __init__(self, poll_seconds: float = POLL_SECONDS) -> None:
        """Start without listeners; nothing is read until there is one."""
        self._poll_seconds = poll_seconds
        self._listeners: set[Listener] = set()
        self._rung = asyncio.Event()
        self._reader: asyncio.Task[None] | None = None
        self._cursor: Cursor | None = None
        self._starting = asyncio.Lock()
        self._closed = False
        self._hearers: list[Callable[[], None]] = []

    def heard_by(self, hearer: Callable[[], None]) -> None:
        """Call `hearer` with every ring; it must not read and must return at once."""
        self._hearers.append(hearer)

    def closed(self) -> bool:
        """True once the server is shutting down and all listeners were released."""
        return self._closed

    def ring(self) -> None:
        """Signal that this process has written to the log; the reader finds out where."""
        for one in self._hearers:
            one()
        if self._listeners:
            self._rung.set()

    def close(self) -> None:
        """Release all waiting listeners, because the server ends."""
        self._closed = True
        for one in self._listeners:
            one.woken.set()

    @asynccontextmanager
    async def listening(self, store: Store, stream: str = "", since: Cursor | None = None) -> AsyncIterator[Listener]:
        """Listen to one stream or to all: to what is written from now on, or since a cursor."""
        async with self._starting:
            if self._reader is None or self._reader.done():
                self._cursor = await store.read(end_of)
                self._reader = asyncio.create_task(self._read(store))
        listener = Listener(stream=stream, cursor=self._cursor or START)
        self._listeners.add(listener)
        try:
            if since is not None:
                await self._look_back(store, listener, since)
            if self._closed:
                listener.woken.set()
            yield listener
        finally:
            self._listeners.discard(listener)
            if not self._listeners:
                self._stop()

    async def _look_back(self, store: Store, listener: Listener, since: Cursor) -> None:
        """Add what was written after an earlier cursor; streams that grow meanwhile may be told twice, harmlessly."""
        grown, cursor = dict[str, int](), since
        for _ in range(STREAMS_MAX):
            page = await store.read(partial(_page, cursor))
            _gather(grown, page)
            if len(page) < PAGE or len(grown) > STREAMS_MAX:
                break
            cursor = page[-1].cursor
        listener.grown = {**listener.grown, **grown}
        listener.overrun = len(listener.grown) > STREAMS_MAX
        if listener.grown:
            listener.woken.set()

    async def _read(self, store: Store) -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._rung.wait(), self._poll_seconds)
            self._rung.clear()
            with suppress(Unavailable, Damaged, Conflict):  # an unavailable store is asked again
                while await self._look(store):
                    pass
            await asyncio.sleep(GAP_SECONDS)

    async def _look(self, store: Store) -> bool:
        """Read one page and notify the listeners; returns True if there may be more."""
        page = await store.read(partial(_page, self._cursor or START))
        if not page:
            return False
        self._cursor = page[-1].cursor
        grown = dict[str, int]()
        _gather(grown, page)
        for one in tuple(self._listeners):
            _tell(one, grown, self._cursor)
        return len(page) == PAGE

    def _stop(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
            self._reader = None


def end_of(reading: Reading) -> Cursor:
    """Return the current end of the log, found by binary search because the log may be large."""

    def goes_on(cursor: Cursor) -> bool:
        # A store without numbered transactions compares the event number alone, so `tail` may return earlier cursors.
        return any(one.cursor > cursor for one in reading.tail(cursor, 1))

    transaction = _last(lambda one: goes_on((one, 0)))
    return START if transaction < 0 else (transaction, _last(lambda one: goes_on((transaction, one))) + 1)


def _last(is_before: Callable[[int], bool]) -> int:
    """Return the greatest number for which this holds, or -1."""
    low, high = -1, 1
    while high < _HIGHEST and is_before(high):
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_before(middle) else (low, middle)
    return low


def _page(cursor: Cursor, reading: Reading) -> tuple[Stored, ...]:
    return reading.tail(cursor, PAGE)


def _gather(grown: dict[str, int], page: tuple[Stored, ...]) -> None:
    for one in page:
        grown.setdefault(one.stream, one.version - 1)


def _tell(listener: Listener, grown: dict[str, int], cursor: Cursor) -> None:
    ours = grown if not listener.stream else {name: at for name, at in grown.items() if name == listener.stream}
    listener.cursor = cursor
    if not ours:
        return
    for name, at in ours.items():
        listener.grown.setdefault(name, at)
    if len(listener.grown) > STREAMS_MAX:
        listener.grown, listener.overrun = {}, True
    listener.woken.set()
