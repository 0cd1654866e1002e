"""Who waits for a command, and how are all told at once whose commands shared a commit?"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

#: Commands that wait at most; more are sent away.
WAITING_MAX = 4096

CLOSED = ("The store is closed.", "Start it again.")
OVERFULL = ("Too many commands are waiting.", "Ask again in a moment.")


class Job:
    """One command on its way: what to do, who waits for it, and how it ended."""

    __slots__ = ("error", "future", "is_here", "is_put_off", "loop", "result", "work")

    def __init__(self, work: Callable[..., Any], loop: asyncio.AbstractEventLoop) -> None:
        self.work = work
        self.loop = loop
        #: Whoever waits for it runs it.
        self.is_here = False
        #: Somebody else held a lock it wanted, so it has to run again.
        self.is_put_off = False
        self.future: asyncio.Future[Any] = loop.create_future()
        self.result: Any = None
        self.error: BaseException | None = None

    def settle(self) -> None:
        """Tell who waits, in their own loop; whoever went away misses it."""
        if self.future.done():
            return
        if self.error is None:
            self.future.set_result(self.result)
        elif isinstance(self.error, StopIteration):
            # A future cannot carry it, as it would end the caller's own loop.
            self.future.set_exception(RuntimeError(f"the work raised {self.error!r}"))
        else:
            self.future.set_exception(self.error)


def release(jobs: Iterable[Job]) -> None:
    """Tell all who wait: one call for each loop, however many they are. A loop that has ended is nobody's loss."""
    loops: dict[asyncio.AbstractEventLoop, list[Job]] = {}
    for job in jobs:
        if job.is_here:
            job.settle()
        else:
            loops.setdefault(job.loop, []).append(job)
    for loop, theirs in loops.items():
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(_settle, theirs)


def _settle(jobs: list[Job]) -> None:
    for job in jobs:
        job.settle()
