"""A pool of child processes: starts them when they are needed, replaces those that were killed, and ends them.

Waiting calls take turns by party, usually the author of the work: a child that becomes free goes to the party that has
the fewest. While all of them compute for others, a party that has none gets one more, so that slow works of one author
do not hold up those of another.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import pickle
import threading
from collections import Counter, deque
from collections.abc import Callable
from functools import cache
from typing import TypeVar, cast

from foureyes.app.children.errors import Died, Overloaded
from foureyes.app.children.process import Child

A = TypeVar("A")
R = TypeVar("R")

CHILDREN_MAX = max(2, min(4, os.cpu_count() or 2))
REQUEST_CHILDREN_MAX = 2
#: How long a call waits for a busy child before another one is started: starting costs more than most calls.
GROW_SECONDS = 1.0
#: Extra children that may run while parties without a child wait.
SPARE_CHILDREN_MAX = 1
#: Further idle children are ended.
IDLE_MAX = 2
#: A child is replaced after this many calls, whatever its libraries may have leaked.
CALLS_MAX = 1_000
WAITING_MAX = 10_000
#: Address space of a child, with the programs it starts. Native allocators reserve far more than they use.
MEMORY_BYTES_MAX = 2 * 1024 * 1024 * 1024


class _Waiter:
    """A waiting call of a party."""

    def __init__(self, party: str) -> None:
        self.party = party
        self._loop = asyncio.get_running_loop()
        self.woken: asyncio.Future[None] = self._loop.create_future()
        self.child: Child | None = None
        #: Why there will be no child.
        self.error: Exception | None = None

    def wake(self) -> None:
        # May be called from the loop of another thread; a closed loop waits for nothing any more.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        if not self.woken.done():
            self.woken.set_result(None)


#: The two pools of a process: reviews may fill the first, and requests still get an answer.
REVIEWS, REQUESTS = "reviews", "requests"


def shared(pool: str = REVIEWS) -> Children:
    """Return this process's pool for reviews, or the one for work inside a request."""
    return _shared(pool)


@cache
def _shared(pool: str) -> Children:
    return Children(most=CHILDREN_MAX if pool == REVIEWS else REQUEST_CHILDREN_MAX)


class Children:
    """Runs importable functions in child processes that are killed at their limit."""

    def __init__(
        self, *, most: int = CHILDREN_MAX, memory_bytes: int = MEMORY_BYTES_MAX, grow_seconds: float = GROW_SECONDS
    ) -> None:
        """Configure the pool; processes are started on demand, at most this many and a spare one."""
        self._most, self._memory_bytes, self._grow_seconds = most, memory_bytes, grow_seconds
        self._idle: list[Child] = []
        #: The party that each child computes for.
        self._busy: dict[Child, str] = {}
        #: Waiting calls by party; the party served last is last, and parties without calls are removed.
        self._waiting: dict[str, deque[_Waiter]] = {}
        self._is_closed = False
        self._lock = threading.Lock()

    async def call(
        self,
        function: Callable[[A], R],
        argument: A,
        *,
        seconds: float,
        party: str = "",
        wait_seconds: float | None = None,
    ) -> R:
        """Return the function's result, computed in a child within this processor time; raises ChildError.

        The function is at the top level of an importable module; argument and result can be pickled. Waiting for a free
        child does not count; after `wait_seconds` without one the call is given up. Being cancelled kills the child.
        """
        order = pickle.dumps((function, argument), pickle.HIGHEST_PROTOCOL)
        child = await self._take(party, wait_seconds)
        keep = False
        try:
            answer = await child.answer(order, seconds)
            keep = True
        finally:
            self._give_back(child, keep=keep)
        return cast("R", answer)

    def pids(self) -> tuple[int, ...]:
        """Return the process ids of the current children."""
        with self._lock:
            return tuple(sorted(one.pid for one in (*self._idle, *self._busy)))

    def close(self) -> None:
        """Kill every child; waiting and running calls end with ChildError, and later calls are refused."""
        with self._lock:
            self._is_closed = True
            idle, busy = list(self._idle), list(self._busy)
            waiting = [waiter for line in self._waiting.values() for waiter in line]
            self._idle.clear()
            self._waiting.clear()
        for waiter in waiting:
            waiter.error = Died("the child processes were ended")
            waiter.wake()
        for child in idle:
            child.discard()
        for child in busy:
            child.kill()
        atexit.unregister(self.close)

    async def _take(self, party: str, wait_seconds: float | None) -> Child:
        """Return a child for this call alone: an idle one, the first one, or one that others give back."""
        with self._lock:
            if child := self._free_child(party):
                return child
            if sum(map(len, self._waiting.values())) >= WAITING_MAX:
                raise Overloaded(f"more than {WAITING_MAX} calls wait for a child process")
            waiter = _Waiter(party)
            self._waiting.setdefault(party, deque()).append(waiter)
        try:
            async with asyncio.timeout(wait_seconds):
                return await self._awaited(waiter)
        except TimeoutError:
            self._leave(waiter)
            raise Overloaded(f"no child process was free within {wait_seconds:g} seconds") from None
        except BaseException:
            self._leave(waiter)
            raise

    async def _awaited(self, waiter: _Waiter) -> Child:
        patience: float | None = self._grow_seconds
        while True:
            await asyncio.wait((waiter.woken,), timeout=patience)
            with self._lock:
                if waiter.error is not None:
                    raise waiter.error
                if waiter.child is not None:
                    return waiter.child
                if self._has_room(waiter.party):
                    child = self._started(waiter.party)
                    self._drop(waiter)
                    return child
            patience = None

    def _free_child(self, party: str) -> Child | None:
        """Return an idle child that is alive, else the first one; None if the call must wait for another's."""
        if self._is_closed:
            raise Died("the child processes were ended")
        while self._idle:
            child = self._idle.pop()
            if child.is_alive():
                self._busy[child] = party
                return child
            child.discard()
        return None if self._busy or self._waiting else self._started(party)

    def _started(self, party: str) -> Child:
        if self._is_closed:
            raise Died("the child processes were ended")
        if not self._busy and not self._idle:
            # An owner that forgets to close leaves nothing behind either.
            atexit.unregister(self.close)
            atexit.register(self.close)
        child = Child.start(self._memory_bytes)
        self._busy[child] = party
        return child

    def _give_back(self, child: Child, *, keep: bool) -> None:
        """Pass the child on, or a new one in its place if it is no longer usable."""
        keep = keep and child.calls < CALLS_MAX and not child.is_ending
        with self._lock:
            self._busy.pop(child, None)
            keep = keep and not self._is_closed
            waiter = self._next()
            is_spare = len(self._busy) >= self._most
            if waiter is None and keep and not is_spare and len(self._idle) < IDLE_MAX:
                self._idle.append(child)
                return
            if waiter is not None and keep and child.is_alive():
                self._busy[child] = waiter.party
                waiter.child = child
            elif waiter is not None:
                try:
                    waiter.child = self._started(waiter.party)
                except Died as error:
                    waiter.error = error
        if waiter is not None:
            waiter.wake()
        if waiter is None or waiter.child is not child:
            child.discard()

    def _next(self) -> _Waiter | None:
        """Take out the first call of the party with the fewest children; of several, of the one served longest ago."""
        busy = Counter(self._busy.values())
        party = min(self._waiting, key=lambda one: busy[one], default=None)
        if party is None or not self._has_room(party):
            return None
        line = self._waiting.pop(party)
        waiter = line.popleft()
        if line:
            self._waiting[party] = line
        return waiter

    def _has_room(self, party: str) -> bool:
        """True if another child may compute for this party."""
        most = self._most if party in self._busy.values() else self._most + SPARE_CHILDREN_MAX
        return len(self._busy) + len(self._idle) < most

    def _drop(self, waiter: _Waiter) -> None:
        """Remove a waiting call from its line, if it is still there."""
        line = self._waiting.get(waiter.party, deque())
        if waiter in line:
            line.remove(waiter)
            if not line:
                del self._waiting[waiter.party]

    def _leave(self, waiter: _Waiter) -> None:
        """Give up a waiting call; a child it was given meanwhile goes to the next."""
        with self._lock:
            self._drop(waiter)
            child, waiter.child = waiter.child, None
        if child is not None:
            self._give_back(child, keep=True)
