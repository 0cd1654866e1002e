"""Group commit on SQLite: one writer at a time runs waiting commands and commits them together, with one sync."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from foureyes.app.ports import Unavailable
from foureyes.store import sqlite as file
from foureyes.store import statements as say
from foureyes.store.jobs import CLOSED, OVERFULL, WAITING_MAX, Job, release
from foureyes.store.versions import check_schema

#: The most commands that share one commit.
GROUP_MAX = 256
#: A group is closed after this long, so that the first command in it does not wait for ever.
GROUP_SECONDS_MAX = 0.05
#: After writing for this long without a pause, other processes get a chance.
BUSY_SECONDS_MAX = 0.05
REST_SECONDS = 0.001
#: If a commit takes longer, commands no longer run in their callers' threads.
COMMIT_SECONDS_MAX = 0.01
SCRUB_TRIES_MAX = 200
SCRUB_WAIT_SECONDS = 0.005

#: After these errors SQLite has undone the transaction and nothing is in doubt.
_HARMLESS = file.BUSY | {sqlite3.SQLITE_FULL}

LOST = ("The transaction was lost.", "Ask again.")

_LAST = "SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1"
_AGAIN = "SELECT chain FROM log WHERE seq = ?"


class _Lost(Exception):  # noqa: N818 - never seen outside
    """A command lost the transaction for all that share it; the cause says why."""


class Writer:
    """The one thread that writes: runs waiting commands, each in a savepoint, commits once and tells all callers.

    While nothing else waits, a quick command is run in its caller's own thread by the same steps: handing it over and
    back would cost more than waiting for the disk. There is never more than one writer at a time.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, lock_seconds_max: float) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = connection
        self._lock_seconds_max = lock_seconds_max
        self._last: tuple[int, bytes] | None = connection.execute(_LAST).fetchone()
        self._waiting: deque[Job] = deque()
        #: Held for a few steps at a time and never twice by the same thread, so a plain lock is enough.
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._closing = False
        #: True while a thread uses the connection.
        self._is_taken = False
        #: The number of quick commands about to come.
        self._coming = 0
        self._commit_seconds = 0.0
        #: Whether the journal holds purged bytes, perhaps since an earlier program; and whether this group purged some.
        self._scrub = connection.execute(say.SCRUB).fetchone() is not None
        self._purged = False
        self._busy_since = 0.0
        self._thread = threading.Thread(target=self._serve, name="foureyes-writer", daemon=True)
        self._thread.start()

    def put(self, job: Job) -> None:
        """Queue a command."""
        with self._lock:
            if self._closing:
                raise Unavailable(*CLOSED)
            if len(self._waiting) >= WAITING_MAX:
                raise Unavailable(*OVERFULL)
            self._waiting.append(job)
            self._changed.notify()

    def announce(self, count: int) -> None:
        """Announce that a quick command is about to come (1), or that it has come (-1)."""
        with self._lock:
            self._coming += count

    def run_here(self, job: Job) -> bool:
        """Run a command in this thread, if nobody else writes or is about to.

        Returns False if that is not possible; the command must then be queued.
        """
        connection = self._borrowed()
        if connection is None:
            return False
        try:
            writing = file.begin(connection, 0)
        except sqlite3.Error:
            self.give_back()
            return False  # another program writes: the writer's thread waits for that, not the caller's
        try:
            job.is_here = True
            self._group(job, writing)
        finally:
            self.give_back()
        return True

    def close(self) -> None:
        """Accept no more, finish what waits, and close the file."""
        with self._lock:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def lend(self) -> sqlite3.Connection | None:
        """Lend the connection for a short read if nobody needs it to write; it must be given back."""
        with self._lock:
            if self._is_taken or self._waiting or self._closing:
                return None
            self._is_taken = self._connection is not None
            return self._connection

    def give_back(self) -> None:
        """Give the connection back to the next thread that waits for it."""
        with self._lock:
            self._is_taken = False
            if self._waiting or self._closing:
                self._changed.notify()

    def _borrowed(self) -> sqlite3.Connection | None:
        with self._lock:
            busy = self._is_taken or self._waiting or self._coming
            if busy or self._closing or self._scrub or self._commit_seconds > COMMIT_SECONDS_MAX:
                return None
            self._is_taken = self._connection is not None
            return self._connection

    def _serve(self) -> None:
        while (job := self._first()) is not None:
            self._group(job)
            self.give_back()
        self._leave()

    def _first(self) -> Job | None:
        with self._lock:
            while self._is_taken or not (self._waiting or self._closing):
                self._busy_since = 0.0
                self._changed.wait()
            self._is_taken = bool(self._waiting)
            return self._waiting.popleft() if self._waiting else None

    def _another(self) -> Job | None:
        with self._lock:
            return self._waiting.popleft() if self._waiting else None

    def _group(self, first: Job, writing: file.SqliteWriting | None = None) -> None:
        """Run commands from the first one on and commit them; if `writing` is given, the transaction has begun."""
        jobs = [first]
        committing = False
        try:
            if writing is None:
                self._rest()
            connection = self._ready()
            self._fill(connection, writing or file.begin(connection, self._lock_seconds_max), jobs)
            last = connection.execute(_LAST).fetchone()
            committing = True
            self._commit(connection)
            self._last = last
            self._clean(connection)
        except BaseException as error:
            self._fail(jobs, error.__cause__ if isinstance(error, _Lost) else error, unknown=committing)
            if not isinstance(error, Exception):
                raise  # such as KeyboardInterrupt: the program is to end
        finally:
            release(jobs)

    def _commit(self, connection: sqlite3.Connection) -> None:
        begun = time.monotonic()
        connection.execute("COMMIT")
        # A moving average; one slow commit among many quick ones tells little.
        self._commit_seconds += (time.monotonic() - begun - self._commit_seconds) / 8

    def _rest(self) -> None:
        """Pause now and then: otherwise another process might never find a moment when nobody writes."""
        now = time.monotonic()
        if not self._busy_since:
            self._busy_since = now
        elif now - self._busy_since > BUSY_SECONDS_MAX:
            time.sleep(REST_SECONDS)
            self._busy_since = time.monotonic()

    def _ready(self) -> sqlite3.Connection:
        """Return the connection; after an error a new one, and only if all acknowledged events are still there."""
        if self._connection is not None:
            return self._connection
        connection = file.connect_writer(self._path, self._lock_seconds_max)
        try:
            check_schema(connection)
            file.check_file(connection)
            self._check_last(connection)
        except BaseException:
            connection.close()
            raise
        self._connection = connection
        return connection

    def _check_last(self, connection: sqlite3.Connection) -> None:
        if self._last and connection.execute(_AGAIN, self._last[:1]).fetchone() != self._last[1:]:
            raise Unavailable("Acknowledged events are missing.", "Stop, and restore the last backup.")

    def _fill(self, connection: sqlite3.Connection, writing: file.SqliteWriting, jobs: list[Job]) -> None:
        until = time.monotonic() + GROUP_SECONDS_MAX
        job: Job | None = jobs[0]
        while job is not None:
            if not job.future.cancelled():
                self._run(connection, writing, job)
            full = len(jobs) >= GROUP_MAX or time.monotonic() > until
            job = None if full else self._another()
            if job is not None:
                jobs.append(job)

    def _run(self, connection: sqlite3.Connection, writing: file.SqliteWriting, job: Job) -> None:
        # A caller that runs its own command is the first of its transaction: there is nothing else to save.
        if not job.is_here:
            connection.execute("SAVEPOINT command")
        try:
            job.result = job.work(writing)
        except BaseException as error:
            if file.code_of(error) in file.LOST or not connection.in_transaction:
                raise _Lost from error
            connection.execute("ROLLBACK" if job.is_here else "ROLLBACK TO command")
            # Now its outcome is known, whatever happens to the rest of the group.
            job.error = file.said(error) if isinstance(error, sqlite3.Error) else error
            if job.is_here:
                connection.execute("BEGIN IMMEDIATE")
        else:
            self._purged = self._purged or writing.purged
        if not job.is_here:
            connection.execute("RELEASE command")

    def _fail(self, jobs: Iterable[Job], error: BaseException | None, *, unknown: bool) -> None:
        """Fail every command of this group, and reopen the file unless SQLite only was busy or found no room."""
        for job in jobs:
            job.error = job.error or file.said(error or Unavailable(*LOST), unknown=unknown)
        connection, self._connection = self._connection, None
        if connection is None:
            return
        with suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if file.code_of(error) in _HARMLESS:
                self._connection = connection
                return
        with suppress(sqlite3.Error):
            connection.close()

    def _clean(self, connection: sqlite3.Connection) -> None:
        """Empty the journal after a purge, as soon as no reader needs it: it still has the purged bytes.

        Right after the purge readers are waited for; later every commit tries once, and so does the next process that
        opens the store.
        """
        tries = SCRUB_TRIES_MAX if self._purged else int(self._scrub)
        self._scrub, self._purged = self._scrub or self._purged, False
        for number in range(tries):
            if number:
                time.sleep(SCRUB_WAIT_SECONDS)
            if self._scrubbed(connection):
                self._scrub = False
                return

    def _scrubbed(self, connection: sqlite3.Connection) -> bool:
        """Try to empty the journal; False while another process reads or writes."""
        noted = connection.execute(say.SCRUB).fetchone()
        try:
            if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                return False
            connection.execute(say.DROP_SCRUB, noted or ("",))
        except sqlite3.OperationalError as error:
            if file.code_of(error) in file.BUSY:
                return False
            raise
        return True

    def _leave(self) -> None:
        with suppress(sqlite3.Error):
            if self._connection is not None:
                self._clean(self._connection)
        with suppress(sqlite3.Error):
            if self._connection is not None:
                self._connection.close()
        self._connection = None
