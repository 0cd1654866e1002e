"""A pool of child processes: it starts them when they are needed, replaces those that were killed, and ends them."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import pickle
import threading
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import TypeVar, cast

from foureyes.app.children.errors import Died, Overloaded
from foureyes.app.children.process import Child

A = TypeVar("A")
R = TypeVar("R")

CHILDREN_MAX = max(2, min(4, os.cpu_count() or 2))
REQUEST_CHILDREN_MAX = 2
#: A call waits so long for a child that is busy before another one is started: starting costs more than most calls.
GROW_SECONDS = 1.0
#: Idle children beyond these are ended.
IDLE_MAX = 2
#: A child that has answered so many calls is replaced, whatever its libraries may have leaked.
CALLS_MAX = 1_000
WAITING_MAX = 10_000
#: Address space of a child, with the programs it starts. Native allocators reserve far more than they use.
MEMORY_BYTES_MAX = 2 * 1024 * 1024 * 1024


class _Waiter:
    """A call that waits for a child."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.woken: asyncio.Future[None] = self._loop.create_future()
        self.child: Child | None = None
        #: Why there will be no child.
        self.error: Exception | None = None

    def wake(self) -> None:
        # The giver may run in the loop of another thread; a loop that is closed waits for nothing any more.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        if not self.woken.done():
            self.woken.set_result(None)


#: The two pools of a process: works that are reviewed may fill the first, and requests still get an answer.
REVIEWS, REQUESTS = "reviews", "requests"


def shared(pool: str = REVIEWS) -> Children:
    """The pool of this process for reviews, or the one for what somebody waits for inside a request."""
    return _shared(pool)


@cache
def _shared(pool: str) -> Children:
    return Children(most=CHILDREN_MAX if pool == REVIEWS else REQUEST_CHILDREN_MAX)


class Children:
    """Runs importable functions in child processes that are killed at their limit."""

    def __init__(
        self, *, most: int = CHILDREN_MAX, memory_bytes: int = MEMORY_BYTES_MAX, grow_seconds: float = GROW_SECONDS
    ) -> None:
        """Start nothing yet; run at most so many processes at once."""
        self._most, self._memory_bytes, self._grow_seconds = most, memory_bytes, grow_seconds
        self._idle: list[Child] = []
        self._busy: set[Child] = set()
        self._waiting: deque[_Waiter] = deque()
        self._is_closed = False
        self._lock = threading.Lock()

    async def call(self, function: Callable[[A], R], argument: A, *, seconds: float) -> R:
        """The function's result, computed in a child within so many seconds of processor time; raises ChildError.

        The function stands at the top of an importable module; argument and result can be pickled. Waiting for a free
        child does not count. Being cancelled kills the child.
        """
        order = pickle.dumps((function, argument), pickle.HIGHEST_PROTOCOL)
        child = await self._take()
        keep = False
        try:
            answer = await child.answer(order, seconds)
            keep = True
        finally:
            self._give_back(child, keep=keep)
        return cast("R", answer)

    def pids(self) -> tuple[int, ...]:
        """The numbers of the processes that are there now."""
        with self._lock:
            return tuple(sorted(one.pid for one in (*self._idle, *self._busy)))

    def close(self) -> None:
        """Kill every child; calls that wait or run end with ChildError. There are none afterwards."""
        with self._lock:
            self._is_closed = True
            idle, busy, waiting = list(self._idle), list(self._busy), list(self._waiting)
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

    async def _take(self) -> Child:
        """A child for this call alone: an idle one, the first one, or one that others give back."""
        with self._lock:
            if child := self._free_child():
                return child
            if len(self._waiting) >= WAITING_MAX:
                raise Overloaded(f"more than {WAITING_MAX} calls wait for a child process")
            waiter = _Waiter()
            self._waiting.append(waiter)
        try:
            return await self._awaited(waiter)
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
                if len(self._busy) + len(self._idle) < self._most:
                    child = self._started()
                    self._waiting.remove(waiter)
                    return child
            patience = None

    def _free_child(self) -> Child | None:
        """An idle child that still lives, else the first one; none where others must give one back first."""
        if self._is_closed:
            raise Died("the child processes were ended")
        while self._idle:
            child = self._idle.pop()
            if child.is_alive():
                self._busy.add(child)
                return child
            child.discard()
        return None if self._busy or self._waiting else self._started()

    def _started(self) -> Child:
        if self._is_closed:
            raise Died("the child processes were ended")
        if not self._busy and not self._idle:
            # Whoever forgets to close leaves nothing behind either.
            atexit.unregister(self.close)
            atexit.register(self.close)
        child = Child.start(self._memory_bytes)
        self._busy.add(child)
        return child

    def _give_back(self, child: Child, *, keep: bool) -> None:
        """Pass the child on, or a new one in its place where it is of no use any more."""
        keep = keep and child.calls < CALLS_MAX and not child.is_ending
        with self._lock:
            self._busy.discard(child)
            keep = keep and not self._is_closed
            waiter = self._waiting.popleft() if self._waiting else None
            if waiter is None and keep and len(self._idle) < IDLE_MAX:
                self._idle.append(child)
                return
            if waiter is not None and keep and child.is_alive():
                self._busy.add(child)
                waiter.child = child
            elif waiter is not None:
                try:
                    waiter.child = self._started()
                except Died as error:
                    waiter.error = error
        if waiter is not None:
            waiter.wake()
        if waiter is None or waiter.child is not child:
            child.discard()

    def _leave(self, waiter: _Waiter) -> None:
        """A call that was cancelled while it waited: what it was given meanwhile goes to the next."""
        with self._lock:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
            child, waiter.child = waiter.child, None
        if child is not None:
            self._give_back(child, keep=True)
