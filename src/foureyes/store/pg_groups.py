"""How do commands that wait share one transaction on PostgreSQL, and none pays for what another one does?

The first has the transaction for itself. Whoever comes behind it has a mark before it, to which it alone is taken back.
One that would have to wait for somebody's lock is taken back too, and begins the next group: those before it hold
locks, and should not be kept from their commit.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import psycopg

from foureyes.app.ports import Unavailable
from foureyes.store.jobs import Job
from foureyes.store.pg_driver import PostgresDriver
from foureyes.store.pg_errors import told
from foureyes.store.pg_transaction import PostgresReading, PostgresWriting
from foureyes.store.pg_wire import Connection

#: Commands in one transaction at most. Behind 64 marks PostgreSQL has to look on the disk which of them were kept.
GROUP_MAX = 32
#: A group is closed after this long: what it has locked, others may want.
GROUP_SECONDS_MAX = 0.02

Another = Callable[[], Job | None]


def read(connection: Connection, job: Job, _: Another) -> None:
    """Let one command look at a snapshot of its own."""
    driver = PostgresDriver(connection)
    try:
        job.result = job.work(PostgresReading(driver))
    except BaseException as error:  # noqa: BLE001 - raised where somebody waits for it
        job.error = error
    finally:
        driver.undo()


def write(connection: Connection, first: Job, another: Another) -> Job | None:
    """Run a command, and others as long as there are any; commit. Gives one that has to begin the next group."""
    group = _Group(connection, first)
    group.run(another)
    return group.put_off


class _Lost(Exception):  # noqa: N818 - never seen outside
    """The transaction is gone, for all that share it; the cause says how."""


class _Group:
    """A transaction and the commands in it."""

    def __init__(self, connection: Connection, first: Job) -> None:
        self._driver = PostgresDriver(connection)
        self._writing = PostgresWriting(self._driver)
        self._jobs = [first]
        self.put_off: Job | None = None

    def run(self, another: Another) -> None:
        try:
            self._work(self._jobs[0])
            self._fill(another)
            self._driver.commit()
        except _Lost as lost:
            _fail(self._jobs, lost.__cause__)
        except BaseException as error:  # noqa: BLE001 - raised where somebody waits for it
            _fail(self._jobs, error)
        finally:
            self._driver.undo()

    def _fill(self, another: Another) -> None:
        until = time.monotonic() + GROUP_SECONDS_MAX
        while len(self._jobs) < GROUP_MAX and not self.put_off and time.monotonic() < until:
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
            if self._taken_back(error):
                self._jobs.remove(job)
                self.put_off = job
            else:
                job.error = error
        else:
            self._driver.keep()

    def _work(self, job: Job) -> None:
        job.result = job.work(self._writing)
        self._driver.check()

    def _taken_back(self, error: BaseException) -> bool:
        try:
            return self._driver.take_back()
        except psycopg.Error as lost:
            # What broke the connection says more than that it is broken.
            raise _Lost from error if isinstance(error, Unavailable) else told(lost, broken=True)


def _fail(jobs: list[Job], error: BaseException | None) -> None:
    """Nothing of this group is acknowledged. Those who had failed before know better why."""
    for job in jobs:
        job.error = job.error or (error if len(jobs) == 1 else _another_like(error))


def _another_like(error: BaseException | None) -> BaseException:
    """An error belongs to one caller, who may change it."""
    if not isinstance(error, Unavailable):
        return error or AssertionError("a group was lost without a reason")
    like = Unavailable(error.sentence, error.next_step, full=error.full, unknown=error.unknown, down=error.down)
    like.__cause__ = error.__cause__
    return like
