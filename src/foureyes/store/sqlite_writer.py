"""How do many waiting commands share one commit, so that a sync of the disk serves them all?"""

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

#: Commands that share one commit at most.
GROUP_MAX = 256
#: A group is closed after this long, so that the first in it need not wait for ever.
GROUP_SECONDS_MAX = 0.05
#: After writing this long without a rest, other processes get a chance.
BUSY_SECONDS_MAX = 0.05
REST_SECONDS = 0.001
#: A commit that takes longer is not waited for in a caller's thread.
COMMIT_SECONDS_MAX = 0.01
SCRUB_TRIES_MAX = 200
SCRUB_WAIT_SECONDS = 0.005

#: SQLite undid the transaction and nothing is in doubt.
_HARMLESS = file.BUSY | {sqlite3.SQLITE_FULL}

LOST = ("The transaction was lost.", "Ask again.")

_LAST = "SELECT seq, chain FROM log ORDER BY seq DESC LIMIT 1"
_AGAIN = "SELECT chain FROM log WHERE seq = ?"


class _Lost(Exception):  # noqa: N818 - never seen outside
    """A command lost the transaction for all that share it; the cause says how."""


class Writer:
    """The one thread that writes. It takes what waits, a savepoint for each, commits once, and lets go of all.

    While nobody else wants anything, a quick command is run in its caller's own thread by the same steps: handing it
    over and back would cost more than to wait for the disk. One writes at a time, whoever it is.
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
        #: Somebody writes at this moment.
        self._is_taken = False
        #: Quick commands about to come.
        self._coming = 0
        self._commit_seconds = 0.0
        #: Purged bytes are in the journal, perhaps since an earlier program; and whether that is new.
        self._scrub = connection.execute(say.SCRUB).fetchone() is not None
        self._purged = False
        self._busy_since = 0.0
        self._thread = threading.Thread(target=self._serve, name="foureyes-writer", daemon=True)
        self._thread.start()

    def put(self, job: Job) -> None:
        """Let a command wait for its turn."""
        with self._lock:
            if self._closing:
                raise Unavailable(*CLOSED)
            if len(self._waiting) >= WAITING_MAX:
                raise Unavailable(*OVERFULL)
            self._waiting.append(job)
            self._changed.notify()

    def announce(self, count: int) -> None:
        """Say that a quick command is about to come (1), or that it has come (-1)."""
        with self._lock:
            self._coming += count

    def run_here(self, job: Job) -> bool:
        """Run a command in this thread, if nobody else writes or is about to; else it must wait like any other."""
        connection = self._borrowed()
        if connection is None:
            return False
        try:
            writing = file.begin(connection, 0)
        except sqlite3.Error:
            self.give_back()
            return False  # another program writes: that is worth a thread's patience, not ours
        try:
            job.is_here = True
            self._group(job, writing)
        finally:
            self.give_back()
        return True

    def close(self) -> None:
        """Take no more, finish what waits, and let go of the file."""
        with self._lock:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def lend(self) -> sqlite3.Connection | None:
        """The connection, for a moment and to look only, if nobody needs it to write; it must be given back."""
        with self._lock:
            if self._is_taken or self._waiting or self._closing:
                return None
            self._is_taken = self._connection is not None
            return self._connection

    def give_back(self) -> None:
        """Let whoever waits have the connection."""
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
        """Run commands from the first one on and commit them; where `writing` is given, it was begun already."""
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
                raise  # somebody wants this program to end
        finally:
            release(jobs)

    def _commit(self, connection: sqlite3.Connection) -> None:
        begun = time.monotonic()
        connection.execute("COMMIT")
        # As it was lately; one slow commit among many quick ones tells little.
        self._commit_seconds += (time.monotonic() - begun - self._commit_seconds) / 8

    def _rest(self) -> None:
        """Without a pause now and then another process would look in vain for a moment when nobody writes."""
        now = time.monotonic()
        if not self._busy_since:
            self._busy_since = now
        elif now - self._busy_since > BUSY_SECONDS_MAX:
            time.sleep(REST_SECONDS)
            self._busy_since = time.monotonic()

    def _ready(self) -> sqlite3.Connection:
        """The connection; after trouble a new one, and only if all that was acknowledged is still there."""
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
        # Whoever runs its own command is the first of its transaction: there is nothing else to save.
        if not job.is_here:
            connection.execute("SAVEPOINT command")
        try:
            job.result = job.work(writing)
        except BaseException as error:
            if file.code_of(error) in file.LOST or not connection.in_transaction:
                raise _Lost from error
            connection.execute("ROLLBACK" if job.is_here else "ROLLBACK TO command")
            # Now it is known what became of it, whatever happens to the rest of the group.
            job.error = file.said(error) if isinstance(error, sqlite3.Error) else error
            if job.is_here:
                connection.execute("BEGIN IMMEDIATE")
        else:
            self._purged = self._purged or writing.purged
        if not job.is_here:
            connection.execute("RELEASE command")

    def _fail(self, jobs: Iterable[Job], error: BaseException | None, *, unknown: bool) -> None:
        """Nothing of this group is acknowledged. Unless SQLite only had to wait or found no room, begin anew."""
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
        """After a purge the journal still has the bytes; it is emptied as soon as no reader needs it.

        Right after the purge readers are waited for; later every commit tries once, and so does whoever comes next.
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
        """Try to empty the journal; somebody who reads or writes beside us is no trouble, only no success."""
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
