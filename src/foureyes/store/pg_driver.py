"""Runs the shared SQL statements on one PostgreSQL connection in few round trips.

Round trips are what costs time: BEGIN travels with the first statement, and all writes travel together. So do the
savepoints that separate the commands of one transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from weakref import WeakKeyDictionary

import psycopg
from psycopg import errors
from psycopg.pq import ExecStatus, TransactionStatus

from foureyes.app.ports import Conflict
from foureyes.store.pg_errors import told
from foureyes.store.pg_wire import Answer, Connection, Wire
from foureyes.store.rows import Row

#: How long a command waits for a lock while the commands before it in the group wait for their commit. Far below the
#: second after which PostgreSQL looks for a deadlock: two groups that want each other's locks give up before that.
SHARED_LOCK_SECONDS = 0.02
_SHORT_WAITS = f"SET LOCAL lock_timeout = {SHARED_LOCK_SECONDS * 1000:.0f}"

Check = Callable[[], None]

#: The prepared statements of each connection; they last as long as the connection.
_WIRES: WeakKeyDictionary[Connection, Wire] = WeakKeyDictionary()


class PostgresDriver:
    """One transaction on one connection, begun by its first statement; an error inside it fails all of it.

    Unless there is a savepoint (`mark`): then all behind it can be taken back by itself. Each savepoint has a name of
    its own. Should one be missing, nothing is taken back to an older one; the whole transaction is lost.
    Where `is_lazy`, nobody waits for the answers to what is written: they arrive with those to the next query. That may
    be one of the next command, and show that the command before it has failed (`earlier`); then both are over.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._wire = _wire_of(connection)
        self._begun = False
        #: Transaction statements that are sent before the next statement.
        self._words = ["BEGIN"]
        self._marks = 0
        self.is_lazy = False
        #: Checks of the answers that are on their way: for this command, and for the one before it.
        self._checks: list[Check] = []
        self._doubts: list[Check] = []
        self._last: Answer | None = None
        self._last_doubted: Answer | None = None
        self._doubted = 0
        #: Why the command before this one failed.
        self.earlier: Exception | None = None
        self._telling = _Telling(self)
        self._together = _Together(self)
        self._failure: Exception | None = None

    def rows(self, sql: str, values: Row = ()) -> list[Row]:
        """Run a statement and return all its rows."""
        with self._telling:
            answer = self._sent(sql, values)
            self._fetch()
        return answer.rows()

    def run(self, sql: str, values: Row = ()) -> int:
        """Run a statement and return how many rows it touched; 0 while statements travel together."""
        with self._telling:
            answer = self._sent(sql, values)
            if self._together.depth:
                return 0
            self._fetch()
        return answer.count

    def later(self, sql: str, values: Row = ()) -> Answer:
        """Run a statement among those that travel together; its answer is read when all have arrived."""
        return self._sent(sql, values)

    def many(self, sql: str, values: Iterable[Row]) -> None:
        """Run a statement once for each of these rows, in one round trip."""
        with self._together:
            for one in values:
                self.later(sql, one)

    def together(self) -> AbstractContextManager[None]:
        """Let the statements inside this context travel together; an error of any of them is raised at its end."""
        return self._together

    def failed(self, failure: Exception) -> Exception:
        """Remember why the transaction cannot be committed, and return the error."""
        self._failure = self._failure or failure
        return failure

    def expect(self, check: Check) -> None:
        """Run `check` on the answers to what travels together once they have arrived; it raises if they are wrong."""
        self._checks.append(check)
        self._together.is_lazy = self.is_lazy

    def check(self) -> None:
        """Raise again whatever failed, even if the caller's code caught it on its way."""
        if self._failure:
            raise self._failure

    def mark(self) -> None:
        """Set a savepoint, so that a command can be undone by itself; from here on locks are waited for briefly."""
        if not self._marks:
            self._words.append(_SHORT_WAITS)
        self._marks += 1
        self._words.append(_savepoint(self._marks))

    def keep(self) -> None:
        """Keep what the command did since its savepoint: it has ended well, as far as is known."""
        if self._doubts:
            # The outcome may be unknown for one command at most.
            self.fetch()
        self._doubts, self._checks = self._checks, []
        self._doubted, self._last_doubted = self._marks, self._last

    def take_back(self) -> bool:
        """Undo what was done since the savepoint; True if it failed because another transaction held a lock.

        Raises where that is not possible: the command before has failed too (`earlier`), or the transaction is lost.
        """
        failure, self._failure, self._checks = self._failure, None, []
        if _savepoint(self._marks) in self._words:
            # The command has sent nothing.
            self._words.remove(_savepoint(self._marks))
            return False
        try:
            self._fetch()
        except (psycopg.Error, Conflict):
            if self.earlier:
                raise
        self._take_back_to(self._marks)
        return _was_kept_waiting(failure)

    def take_back_earlier(self) -> tuple[int, bool]:
        """Undo the command before, too; return its number and whether another transaction held a lock it wanted."""
        failure, self.earlier, self._failure, self._checks = self.earlier, None, None, []
        if self._doubted:
            self._take_back_to(self._doubted)
        return self._doubted, _was_kept_waiting(failure)

    def commit(self) -> None:
        """Commit. Whatever failed before is raised again."""
        self.check()
        if not self._begun:
            return
        try:
            answer = self._wire.say("COMMIT")
            self._wire.fetch()
        except psycopg.Error as error:
            raise told(error, committing=True, broken=self._connection.closed) from error
        # PostgreSQL answers COMMIT with ROLLBACK when the transaction had failed: that is no acknowledgement.
        if answer.status != "COMMIT":
            raise AssertionError(f"PostgreSQL said {answer.status} to COMMIT")

    def undo(self) -> None:
        """Roll back. A connection that cannot even do that is closed."""
        connection = self._connection
        self.fetch_quietly()
        if connection.closed or connection.info.transaction_status == TransactionStatus.IDLE:
            return
        try:
            undone = connection.pgconn.exec_(b"ROLLBACK").status == ExecStatus.COMMAND_OK
        except psycopg.Error:
            undone = False
        if not undone:
            connection.close()

    def _sent(self, sql: str, values: Row) -> Answer:
        # After a failure nothing more is sent: where BEGIN failed, each statement would be committed by itself.
        self.check()
        self._begun = True
        words, self._words = self._words, []
        for word in words:
            self._wire.say(word)
        self._last = self._wire.send(sql, values)
        return self._last

    def tell(self, error: BaseException | None) -> None:
        """Raise what an error of the server means for the caller; from now on nothing can be committed."""
        if isinstance(error, psycopg.Error):
            failure = self.failed(told(error, broken=self._connection.closed))
            if failure is not error:
                raise failure from error

    def fetch(self) -> None:
        """Wait for all answers that are on their way, and check them."""
        with self._telling:
            self._fetch()

    def push(self) -> None:
        """Send what is buffered, so that the server can begin."""
        with self._telling:
            self._wire.push()

    def fetch_quietly(self) -> None:
        """Wait for all answers that are on their way and ignore errors: the transaction will be undone."""
        with suppress(psycopg.Error):
            self._wire.fetch()

    def _fetch(self) -> None:
        doubts, self._doubts = self._doubts, []
        checks, self._checks = self._checks, []
        try:
            self._wire.fetch()
        except psycopg.Error as error:
            self.earlier = self._doubted_failure(doubts, error)
            raise
        self.earlier = self._doubted_failure(doubts)
        if self.earlier:
            raise self.earlier
        for check in checks:
            check()

    def _doubted_failure(self, doubts: Iterable[Check], error: psycopg.Error | None = None) -> Exception | None:
        """Return why the command before this one failed, or None. Behind an error nothing was answered."""
        if doubts and error and self._last_doubted and not self._last_doubted.is_there:
            failure = told(error, broken=self._connection.closed)
            failure.__cause__ = error if failure is not error else error.__cause__
            return failure
        try:
            for check in doubts:
                check()
        except Conflict as conflict:
            return conflict
        return None

    def _take_back_to(self, mark: int) -> None:
        self._wire.say(f"ROLLBACK TO {_name(mark)}")
        self._wire.fetch()


def _was_kept_waiting(failure: Exception | None) -> bool:
    return failure is not None and isinstance(failure.__cause__, errors.LockNotAvailable)


def _name(mark: int) -> str:
    return f"command_{mark}"


def _savepoint(mark: int) -> str:
    return f"SAVEPOINT {_name(mark)}"


class _Telling(AbstractContextManager[None]):
    """Context that replaces an error of the server with what it means for the caller."""

    # Two classes, not generators: each command passes through them about ten times.
    __slots__ = ("_driver",)

    def __init__(self, driver: PostgresDriver) -> None:
        self._driver = driver

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._driver.tell(error)


class _Together(AbstractContextManager[None]):
    """Context in which statements travel together until the outermost one ends."""

    __slots__ = ("_driver", "depth", "is_lazy")

    def __init__(self, driver: PostgresDriver) -> None:
        self._driver = driver
        self.depth = 0
        #: True if nobody waits for the answers at the end.
        self.is_lazy = False

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self.depth -= 1
        if self.depth:
            return
        is_lazy, self.is_lazy = self.is_lazy, False
        if error is None and is_lazy:
            self._driver.push()
        elif error is None:
            self._driver.fetch()
        else:
            # What was sent together must be over before anything else is sent.
            self._driver.fetch_quietly()
            self._driver.tell(error)


def _wire_of(connection: Connection) -> Wire:
    found = _WIRES.get(connection)
    if found is None:
        found = _WIRES[connection] = Wire(connection)
    return found
