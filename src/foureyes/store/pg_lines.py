"""The connection pool for PostgreSQL: worker threads, each with one connection, and the queue they serve.

A `_Line` is a thread with a connection of its own. It takes the job that has waited longest, and the quick jobs that
may share its transaction. Waiting for a line and running on it are both limited in time.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from foureyes.app.ports import Quick, Unavailable
from foureyes.store.jobs import CLOSED, OVERFULL, WAITING_MAX, Job, release
from foureyes.store.pg_connecting import Connecting, Limits, cut, hang_up, is_usable
from foureyes.store.pg_wire import Connection

#: The most lines that take quick work. One decides while the server works for the others; more would make the groups
#: smaller.
SHARING_MAX = 3
#: If quick work waits and none was taken for this long, those lines are blocked, and another one helps.
PATIENCE_SECONDS = 0.05
BUSY = ("The database is busy: no connection became free.", "Ask again in a moment.")

Play = Callable[[Connection, Job, Callable[[], Job | None]], list[Job]]


class Asked(Job):
    """A job for a line."""

    __slots__ = ("is_quick", "is_urgent", "line", "since", "timer")

    def __init__(self, work: Callable[..., Any], loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(work, loop)
        self.is_quick = isinstance(work, Quick)
        self.is_urgent = False
        self.since = loop.time()
        #: The line that has taken it.
        self.line: _Line | None = None
        self.timer: asyncio.TimerHandle | None = None


class Lines:
    """A pool of threads, each with its connection. `play` runs a job together with the jobs that may join it."""

    def __init__(self, connecting: Connecting, play: Play, limits: Limits, *, read_only: bool) -> None:
        """Start nothing yet: a line is started when it is first needed, and connects then."""
        self._connecting = connecting
        self._play = play
        self._count = limits.readers if read_only else limits.writers
        self._wait_seconds = limits.wait_seconds
        self._work_seconds = limits.read_seconds if read_only else limits.write_seconds
        self._changed = threading.Condition()
        self._waiting: deque[Asked] = deque()
        self._lines: list[_Line] = []
        #: Connections that no line has yet.
        self._spare: list[Connection] = []
        #: Lines that wait for work, those about to look for some, and those that take quick work.
        self._idle = self._called = self._sharing = 0
        self._quick_taken = 0.0
        self._closing = False

    async def run(self, work: Callable[..., Any]) -> Any:
        """Run a job on a line; the wait for a line is bounded, and so is the work."""
        job = Asked(work, asyncio.get_running_loop())
        self._put(job)
        self._watch_again(job, PATIENCE_SECONDS)
        try:
            # If the caller stops waiting, this is cancelled, and work that has not begun does not begin.
            return await job.future
        finally:
            if job.timer:
                job.timer.cancel()

    def reach(self) -> None:
        """Connect now, in this thread, for the first line; raises if that is not possible."""
        connection = self._connecting.connect()
        with self._changed:
            self._spare.append(connection)

    def close(self) -> None:
        """Let jobs that run or wait finish, then close the connections."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            lines = tuple(self._lines)
        for line in lines:
            line.join()
        while self._spare:
            hang_up(self._spare.pop())

    def first(self, line: _Line) -> Asked | None:
        """Wait for work; None when there will be no more."""
        with self._changed:
            while not (self._next() and self._is_open()):
                if self._closing:
                    return None
                self._idle += 1
                self._changed.wait()
                self._idle -= 1
                self._called = max(self._called - 1, 0)
            line.is_sharing = self._waiting[0].is_quick
            self._sharing += line.is_sharing
            return self._taken(line)

    def another(self, line: _Line) -> Asked | None:
        """Return another job for the same group, if there is one and it is quick."""
        with self._changed:
            head = self._next()
            return self._taken(line) if head and head.is_quick and line.is_sharing else None

    def play(self, line: _Line, job: Job) -> Asked | None:
        """Run a job on a line with the jobs that join it, and tell all callers; return the job to begin with next."""
        put_off: list[Job] = []
        try:
            connection = self._connected(line)
            put_off = self._play(connection, job, lambda: self.another(line))
        except BaseException as error:  # noqa: BLE001 - raised where somebody waits for it
            for one in line.jobs:
                one.error = one.error or error
        with self._changed:
            done = [one for one in line.jobs if one not in put_off]
            later = [one for one in line.jobs if one in put_off]
            line.jobs = later[:1]
            if line.is_cut:
                _not_down(done)
            if line.is_cut or (line.connection and not is_usable(line.connection)):
                line.drop()
            if not later:
                self._sharing -= line.is_sharing
                line.is_sharing = False
            self._put_back(later[1:])
        release(done)
        return later[0] if later else None

    def called(self) -> None:
        """Record that a new line is about to look for work."""
        with self._changed:
            self._called = max(self._called - 1, 0)

    def _connected(self, line: _Line) -> Connection:
        if line.connection and not line.connection.closed:
            return line.connection
        with self._changed:
            spare = self._spare.pop() if self._spare else None
        connection = spare or self._connecting.connect()
        with self._changed:
            line.connection = connection
        return connection

    def _put(self, job: Asked) -> None:
        with self._changed:
            if self._closing:
                raise Unavailable(*CLOSED)
            if len(self._waiting) >= WAITING_MAX:
                raise Unavailable(*OVERFULL)
            self._waiting.append(job)
            self._call()

    def _put_back(self, jobs: list[Asked]) -> None:
        """Put these jobs back at the head of the queue; another line may take them at once."""
        for one in reversed(jobs):
            one.line = None
            self._waiting.appendleft(one)
        for one in jobs:
            # Its timer is set for a job that a line has taken. A loop that has ended needs no timer.
            with suppress(RuntimeError):
                one.loop.call_soon_threadsafe(self._watch, one)
        self._call()

    def _next(self) -> Asked | None:
        while self._waiting and self._waiting[0].future.cancelled():
            self._waiting.popleft()
        return self._waiting[0] if self._waiting else None

    def _is_open(self, called: int = 0) -> bool:
        """True if an idle line may take the next job."""
        head = self._waiting[0]
        return not head.is_quick or head.is_urgent or self._closing or self._sharing + called < SHARING_MAX

    def _taken(self, line: _Line) -> Asked:
        job = self._waiting.popleft()
        job.line = line
        line.jobs.append(job)
        if job.is_quick:
            self._quick_taken = job.loop.time()
        # The job behind it may be for another line.
        self._call()
        return job

    def _call(self) -> None:
        """Wake a line, or start one, if the next job is for an idle line."""
        if not self._next() or not self._is_open(self._called):
            return
        if self._idle > self._called:
            self._called += 1
            self._changed.notify()
        elif len(self._lines) < self._count and not self._closing:
            self._called += 1
            self._lines.append(_Line(self))

    def _watch_again(self, job: Asked, seconds: float) -> None:
        if job.timer:
            job.timer.cancel()
        job.timer = job.loop.call_later(max(seconds, 0.0), self._watch, job)

    def _watch(self, job: Asked) -> None:
        """Check on a job that is not done yet, in its caller's event loop."""
        now = job.loop.time()
        refuse_at = job.since + self._wait_seconds
        with self._changed:
            if job.future.done():
                return
            if job.line:
                self._watch_work(job, refuse_at + self._work_seconds - now)
            elif now < refuse_at:
                self._watch_wait(now)
                self._watch_again(job, min(PATIENCE_SECONDS, refuse_at - now))
            else:
                self._waiting.remove(job)
                job.future.set_exception(Unavailable(*BUSY))

    def _watch_wait(self, now: float) -> None:
        head = self._next()
        if head and now - self._quick_taken > PATIENCE_SECONDS:
            head.is_urgent = True
            self._call()

    def _watch_work(self, job: Asked, seconds: float) -> None:
        """Cut the connection of a job that takes too long; its line knows whether the commit was on its way."""
        line = job.line
        if seconds > 0 or line is None:
            self._watch_again(job, seconds)
        elif line.connection and job in line.jobs:
            line.is_cut = True
            cut(line.connection)
        else:
            self._watch_again(job, PATIENCE_SECONDS)


class _Line(threading.Thread):
    """One thread with its connection, and the jobs it has taken."""

    def __init__(self, lines: Lines) -> None:
        super().__init__(name="foureyes-line", daemon=True)
        self._all = lines
        self.connection: Connection | None = None
        self.jobs: list[Asked] = []
        self.is_sharing = False
        #: True if its connection was cut because the work took too long.
        self.is_cut = False
        self.start()

    def run(self) -> None:
        """Run jobs until there are no more."""
        self._all.called()
        job = self._all.first(self)
        while job:
            job = self._all.play(self, job) or self._all.first(self)
        self.drop()

    def drop(self) -> None:
        """Throw the connection away."""
        connection, self.connection, self.is_cut = self.connection, None, False
        if connection:
            hang_up(connection)


def _not_down(jobs: list[Asked]) -> None:
    """Clear `down` on these errors: slow work is no sign that the server is gone; the next attempt finds out."""
    for job in jobs:
        if isinstance(job.error, Unavailable):
            job.error.down = False
