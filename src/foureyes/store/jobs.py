"""Jobs: commands that wait for the writer, and the release of all callers whose commands shared one commit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

#: The most commands that may wait; more are refused.
WAITING_MAX = 4096

CLOSED = ("The store is closed.", "Start it again.")
OVERFULL = ("Too many commands are waiting.", "Ask again in a moment.")


class Job:
    """One command on its way: the work, the caller that waits for it, and the result or error."""

    __slots__ = ("error", "future", "is_here", "is_put_off", "loop", "result", "work")

    def __init__(self, work: Callable[..., Any], loop: asyncio.AbstractEventLoop) -> None:
        self.work = work
        self.loop = loop
        #: True if the caller's own thread runs it.
        self.is_here = False
        #: True if another transaction held a lock that it wanted, so it has to run again.
        self.is_put_off = False
        self.future: asyncio.Future[Any] = loop.create_future()
        self.result: Any = None
        self.error: BaseException | None = None

    def settle(self) -> None:
        """Set the future in the caller's own event loop; a caller that has gone away is not told."""
        if self.future.done():
            return
        if self.error is None:
            self.future.set_result(self.result)
        elif isinstance(self.error, StopIteration):
            # A future cannot carry StopIteration: it would end the caller's own loop.
            self.future.set_exception(RuntimeError(f"the work raised {self.error!r}"))
        else:
            self.future.set_exception(self.error)


def release(jobs: Iterable[Job]) -> None:
    """Settle these jobs with one call for each event loop, however many it has. Loops that have ended are skipped."""
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
