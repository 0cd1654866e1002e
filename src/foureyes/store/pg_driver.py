"""How do the shared statements run on one PostgreSQL connection, in few round trips?

A round trip is the dear part: BEGIN travels with the first statement, and what is written travels together. So do the
words that keep the commands of one transaction apart.
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

#: So long a command waits for a lock while others wait for it with what they have done. Far below the second after
#: which PostgreSQL looks for a deadlock: two groups that hold what the other one wants part before.
SHARED_LOCK_SECONDS = 0.02
_SHORT_WAITS = f"SET LOCAL lock_timeout = {SHARED_LOCK_SECONDS * 1000:.0f}"

Check = Callable[[], None]

#: What each connection has prepared lasts as long as the connection.
_WIRES: WeakKeyDictionary[Connection, Wire] = WeakKeyDictionary()


class PostgresDriver:
    """One transaction on one connection. Begun by its first statement; what fails inside it fails all of it.

    Unless there is a mark: then all behind it can be taken back by itself. Each mark has a name of its own. Should one
    be missing, nothing is taken back to an older one, but everything is lost.

    Where `is_lazy`, nobody waits for what is written: the answers come with those to the next question. That may be one
    of the next command, and tell that the one before it has failed (`earlier`); then both are over.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._wire = _wire_of(connection)
        self._begun = False
        #: What is said before the next statement.
        self._words = ["BEGIN"]
        self._marks = 0
        self.is_lazy = False
        #: What must hold of the answers on their way: for this command, and for the one before it.
        self._checks: list[Check] = []
        self._doubts: list[Check] = []
        self._last: Answer | None = None
        self._last_doubted: Answer | None = None
        self._doubted = 0
        #: Why the command before this one came to nothing.
        self.earlier: Exception | None = None
        self._telling = _Telling(self)
        self._together = _Together(self)
        self._failure: Exception | None = None

    def rows(self, sql: str, values: Row = ()) -> list[Row]:
        """Run a statement and give all it returns."""
        with self._telling:
            answer = self._sent(sql, values)
            self._fetch()
        return answer.rows()

    def run(self, sql: str, values: Row = ()) -> int:
        """Run a statement and say how many rows it touched; 0 while statements travel together."""
        with self._telling:
            answer = self._sent(sql, values)
            if self._together.depth:
                return 0
            self._fetch()
        return answer.count

    def later(self, sql: str, values: Row = ()) -> Answer:
        """Run a statement among those that travel together; its answer is looked at when all have arrived."""
        return self._sent(sql, values)

    def many(self, sql: str, values: Iterable[Row]) -> None:
        """Run a statement once for each of these, in one round trip."""
        with self._together:
            for one in values:
                self.later(sql, one)

    def together(self) -> AbstractContextManager[None]:
        """Let the statements in here travel together; an error of any of them is raised at the end."""
        return self._together

    def failed(self, failure: Exception) -> Exception:
        """Remember why it cannot be committed."""
        self._failure = self._failure or failure
        return failure

    def expect(self, check: Check) -> None:
        """Have the answers to what travels together checked once they are there; it raises what is wrong with them."""
        self._checks.append(check)
        self._together.is_lazy = self.is_lazy

    def check(self) -> None:
        """Raise again whatever failed, even if somebody caught it on its way."""
        if self._failure:
            raise self._failure

    def mark(self) -> None:
        """From here on it can be taken back by itself, and waits for no lock for long."""
        if not self._marks:
            self._words.append(_SHORT_WAITS)
        self._marks += 1
        self._words.append(_savepoint(self._marks))

    def keep(self) -> None:
        """A command has ended well, as far as is known."""
        if self._doubts:
            # Of one command at most it is not known.
            self.fetch()
        self._doubts, self._checks = self._checks, []
        self._doubted, self._last_doubted = self._marks, self._last

    def take_back(self) -> bool:
        """Forget what was done since the mark; True when it came to nothing because somebody else held a lock.

        Raises where that is not possible: the command before has failed too (`earlier`), or all is lost.
        """
        failure, self._failure, self._checks = self._failure, None, []
        if _savepoint(self._marks) in self._words:
            # It has sent nothing.
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
        """Forget the command before too: which one it was, and whether somebody else held a lock it wanted."""
        failure, self.earlier, self._failure, self._checks = self.earlier, None, None, []
        if self._doubted:
            self._take_back_to(self._doubted)
        return self._doubted, _was_kept_waiting(failure)

    def commit(self) -> None:
        """Make it last. Whatever failed before is raised again."""
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
        """Forget it. A connection that cannot even do that is thrown away by its line."""
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
        # After a failure nothing more is sent: where BEGIN failed, it would be committed by itself.
        self.check()
        self._begun = True
        words, self._words = self._words, []
        for word in words:
            self._wire.say(word)
        self._last = self._wire.send(sql, values)
        return self._last

    def tell(self, error: BaseException | None) -> None:
        """Raise in place of an error of the server's what it means for the caller; now nothing can be committed."""
        if isinstance(error, psycopg.Error):
            failure = self.failed(told(error, broken=self._connection.closed))
            if failure is not error:
                raise failure from error

    def fetch(self) -> None:
        """Wait for all that is on its way, and check it."""
        with self._telling:
            self._fetch()

    def push(self) -> None:
        """Let the server begin with what is on its way."""
        with self._telling:
            self._wire.push()

    def fetch_quietly(self) -> None:
        """Wait for all that is on its way; it will be undone."""
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
        """Why the command before this one has failed, if it has. Behind an error nothing was answered."""
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
    """Raises in place of an error of the server's what it means for the caller."""

    # These two are classes, not generators: a command passes through them some ten times.
    __slots__ = ("_driver",)

    def __init__(self, driver: PostgresDriver) -> None:
        self._driver = driver

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._driver.tell(error)


class _Together(AbstractContextManager[None]):
    """Statements travel together until the outermost one ends."""

    __slots__ = ("_driver", "depth", "is_lazy")

    def __init__(self, driver: PostgresDriver) -> None:
        self._driver = driver
        self.depth = 0
        #: Nobody waits for the answers at the end.
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
            # What was put together must be over before anything else is said.
            self._driver.fetch_quietly()
            self._driver.tell(error)


def _wire_of(connection: Connection) -> Wire:
    found = _WIRES.get(connection)
    if found is None:
        found = _WIRES[connection] = Wire(connection)
    return found
