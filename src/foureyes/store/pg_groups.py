"""Group commit on PostgreSQL: waiting commands share one transaction, each behind its own savepoint.

The first command needs no savepoint. Each one behind it has a savepoint before it, to which it alone is rolled back. A
command that would have to wait for another transaction's lock is rolled back too, and begins the next group: the
commands before it hold locks, and their commit should not be delayed.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import psycopg

from foureyes.app.ports import Conflict, Quick, Unavailable
from foureyes.store.jobs import Job
from foureyes.store.pg_driver import PostgresDriver
from foureyes.store.pg_errors import told
from foureyes.store.pg_transaction import PostgresReading, PostgresWriting
from foureyes.store.pg_wire import Connection

#: The most commands in one transaction. Behind 64 savepoints PostgreSQL has to look on the disk which of them were
#: kept.
GROUP_MAX = 32
#: A group is closed after this long: others may want what it has locked.
GROUP_SECONDS_MAX = 0.02

Another = Callable[[], Job | None]


def read(connection: Connection, job: Job, _: Another) -> list[Job]:
    """Run one read command on a snapshot of its own."""
    driver = PostgresDriver(connection)
    try:
        job.result = job.work(PostgresReading(driver))
    except BaseException as error:  # noqa: BLE001 - raised where somebody waits for it
        job.error = error
    finally:
        driver.undo()
    return []


def write(connection: Connection, first: Job, another: Another) -> list[Job]:
    """Run a command, and others as long as there are any; commit. Return the jobs that have to begin the next group."""
    group = _Group(connection, first)
    group.run(another)
    return group.put_off


class _Lost(Exception):  # noqa: N818 - never seen outside
    """The transaction is lost for all commands that share it; the cause says why."""


class _Group:
    """A transaction and the commands in it; the number of a command is that of its savepoint."""

    def __init__(self, connection: Connection, first: Job) -> None:
        self._driver = PostgresDriver(connection)
        self._writing = PostgresWriting(self._driver)
        self._jobs = [first]
        self._is_over = False
        self.put_off: list[Job] = []

    def run(self, another: Another) -> None:
        try:
            self._work(self._jobs[0])
            self._fill(another)
            self._settle()
            self._driver.commit()
        except _Lost as lost:
            _fail(self._jobs, lost.__cause__)
        except BaseException as error:  # noqa: BLE001 - raised where somebody waits for it
            _fail(self._jobs, error)
        finally:
            self._driver.undo()

    def _fill(self, another: Another) -> None:
        until = time.monotonic() + GROUP_SECONDS_MAX
        while len(self._jobs) < GROUP_MAX and not self._is_over and time.monotonic() < until:
            job = another()
            if job is None:
                return
            self._jobs.append(job)
            self._add(job)

    def _add(self, job: Job) -> None:
        self._driver.mark()
        try:
            self._work(job)
        except BaseException as error:  # noqa: BLE001 - raised where somebody waits for it
            if self._driver.earlier or not self._taken_back(job, error):
                # The state it was decided on is gone: it has to be decided again.
                self._put_off(job)
                self._take_back_earlier()

    def _work(self, job: Job) -> None:
        # A command that was put off may have to wait for its lock again: no other command joins before that is known.
        self._driver.is_lazy = isinstance(job.work, Quick) and not job.is_put_off
        job.result = job.work(self._writing)
        self._driver.check()
        self._driver.keep()

    def _settle(self) -> None:
        """Fetch the answers of the last command too, before all is committed."""
        try:
            self._driver.fetch()
        except (Conflict, Unavailable, psycopg.Error) as error:
            if not self._driver.earlier:
                raise _Lost from error
            self._take_back_earlier()

    def _taken_back(self, job: Job, error: BaseException) -> bool:
        """Roll one command back; False if the one before it must be rolled back, too."""
        try:
            waited = self._driver.take_back()
        except (Conflict, psycopg.Error) as lost:
            if self._driver.earlier:
                return False
            # The error that broke the connection says more than that it is broken.
            raise _Lost from error if isinstance(error, Unavailable) else _told(lost)
        if waited:
            job.is_put_off = True
            self._put_off(job)
        else:
            job.error = error
        return True

    def _take_back_earlier(self) -> None:
        failure = self._driver.earlier
        try:
            number, waited = self._driver.take_back_earlier()
        except psycopg.Error as lost:
            raise _Lost from failure if isinstance(failure, Unavailable) else _told(lost)
        job = self._jobs[number]
        if not number:
            # The first command has no savepoint of its own: with it, all is undone.
            raise _Lost from failure
        if waited:
            job.is_put_off = True
            self.put_off.insert(0, job)
            self._jobs.remove(job)
        else:
            job.error = failure

    def _put_off(self, job: Job) -> None:
        self._is_over = True
        self._jobs.remove(job)
        self.put_off.append(job)


def _told(error: Exception) -> Exception:
    return told(error, broken=True) if isinstance(error, psycopg.Error) else error


def _fail(jobs: list[Job], error: BaseException | None) -> None:
    """Fail every command of this group; those that had failed before keep their own error."""
    for job in jobs:
        job.error = job.error or (error if len(jobs) == 1 else _another_like(error))


def _another_like(error: BaseException | None) -> BaseException:
    """Return a copy of the error: an error belongs to one caller, who may change it."""
    if not isinstance(error, Unavailable):
        return error or AssertionError("a group was lost without a reason")
    like = Unavailable(error.sentence, error.next_step, full=error.full, unknown=error.unknown, down=error.down)
    like.__cause__ = error.__cause__
    return like
