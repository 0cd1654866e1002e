"""How do the shared statements run on one PostgreSQL connection, in few round trips?

A round trip is the dear part: BEGIN travels with the first statement, and what is written travels together. So do the
words that keep the commands of one transaction apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, suppress
from weakref import WeakKeyDictionary

import psycopg
from psycopg import errors
from psycopg.pq import ExecStatus, TransactionStatus

from foureyes.store.pg_errors import told
from foureyes.store.pg_wire import Answer, Connection, Wire
from foureyes.store.rows import Row

#: So long a command waits for a lock while others wait for it with what they have done. Far below the second after
#: which PostgreSQL looks for a deadlock: two groups that hold what the other one wants part before.
SHARED_LOCK_SECONDS = 0.02
_SHORT_WAITS = f"SET LOCAL lock_timeout = {SHARED_LOCK_SECONDS * 1000:.0f}"

#: What each connection has prepared lasts as long as the connection.
_WIRES: WeakKeyDictionary[Connection, Wire] = WeakKeyDictionary()


class PostgresDriver:
    """One transaction on one connection. Begun by its first statement; what fails inside it fails all of it.

    Unless there is a mark: then all behind it can be taken back by itself. Each mark has a name of its own. Should one
    be missing, nothing is taken back to an older one, but everything is lost.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._wire = _wire_of(connection)
        self._begun = False
        #: What is said before the next statement.
        self._words = ["BEGIN"]
        self._marks = 0
        self._telling = _Telling(self)
        self._together = _Together(self)
        self._failure: Exception | None = None

    def rows(self, sql: str, values: Row = ()) -> list[Row]:
        """Run a statement and give all it returns."""
        with self._telling:
            answer = self._sent(sql, values)
            self._wire.fetch()
        return answer.rows()

    def run(self, sql: str, values: Row = ()) -> int:
        """Run a statement and say how many rows it touched; 0 while statements travel together."""
        with self._telling:
            answer = self._sent(sql, values)
            if self._together.depth:
                return 0
            self._wire.fetch()
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

    def check(self) -> None:
        """Raise again whatever failed, even if somebody caught it on its way."""
        if self._failure:
            raise self._failure

    def mark(self) -> None:
        """From here on it can be taken back by itself, and waits for no lock for long."""
        if not self._marks:
            self._words.append(_SHORT_WAITS)
        self._marks += 1
        self._words.append(f"SAVEPOINT {self._mark}")

    def keep(self) -> None:
        """Let what was done since the mark be a part of the rest."""
        if self._words:
            self._words.pop()
        else:
            self._words.append(f"RELEASE {self._mark}")

    def take_back(self) -> bool:
        """Forget what was done since the mark; True when it came to nothing because somebody else held a lock.

        Raises a psycopg error where that is not possible: then all is lost.
        """
        failure, self._failure = self._failure, None
        if self._words:
            self._words.pop()
        else:
            self._wire.say(f"ROLLBACK TO {self._mark}")
            self._wire.fetch()
            self._words.append(f"RELEASE {self._mark}")
        return failure is not None and isinstance(failure.__cause__, errors.LockNotAvailable)

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
        return self._wire.send(sql, values)

    @property
    def _mark(self) -> str:
        return f"command_{self._marks}"

    def tell(self, error: BaseException | None) -> None:
        """Raise in place of an error of the server's what it means for the caller; now nothing can be committed."""
        if isinstance(error, psycopg.Error):
            failure = self.failed(told(error, broken=self._connection.closed))
            if failure is not error:
                raise failure from error

    def fetch(self) -> None:
        """Wait for all that is on its way."""
        with self._telling:
            self._wire.fetch()

    def fetch_quietly(self) -> None:
        """Wait for all that is on its way; it will be undone."""
        with suppress(psycopg.Error):
            self._wire.fetch()


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

    __slots__ = ("_driver", "depth")

    def __init__(self, driver: PostgresDriver) -> None:
        self._driver = driver
        self.depth = 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self.depth -= 1
        if self.depth:
            return
        if error is None:
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
