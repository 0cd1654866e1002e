"""How do the shared statements run on one PostgreSQL connection, in few round trips?

A round trip is the dear part: BEGIN travels with the first statement, and what is written travels together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.pq import ExecStatus, TransactionStatus

from foureyes.app.ports import Conflict, Unavailable
from foureyes.store.pg_errors import told
from foureyes.store.rows import Row
from foureyes.store.sql import percents

Connection = psycopg.Connection[tuple[Any, ...]]
Answer = psycopg.Cursor[tuple[Any, ...]]


class PostgresDriver:
    """One transaction on one connection. Begun by its first statement; what fails inside it fails all of it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._begun = False
        self._together = False
        self._failure: Exception | None = None

    def rows(self, sql: str, values: Row = ()) -> list[Row]:
        """Run a statement and give all it returns."""
        with self._telling():
            return list(self._sent(sql, values).fetchall())

    def run(self, sql: str, values: Row = ()) -> int:
        """Run a statement and say how many rows it touched; 0 while statements travel together."""
        with self._telling():
            cursor = self._sent(sql, values)
            return 0 if self._together else cursor.rowcount

    def later(self, sql: str, values: Row = ()) -> Answer:
        """Run a statement among those that travel together; its answer is looked at when all have arrived."""
        return self._sent(sql, values)

    def many(self, sql: str, values: Iterable[Row]) -> None:
        """Run a statement once for each of these, in one round trip."""
        with self.together():
            for one in values:
                self.later(sql, one)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let the statements in here travel together; an error of any of them is raised at the end."""
        if self._together:
            yield
            return
        with self._telling():
            try:
                with self._travelling():
                    self._together = True
                    yield
            finally:
                self._together = False

    def failed(self, failure: Exception) -> Exception:
        """Remember why it cannot be committed."""
        self._failure = self._failure or failure
        return failure

    def commit(self) -> None:
        """Make it last. Whatever failed before is raised again, even if somebody caught it on its way."""
        if self._failure:
            raise self._failure
        if not self._begun:
            return
        try:
            status = self._connection.execute("COMMIT").statusmessage
        except psycopg.Error as error:
            raise told(error, committing=True, broken=self._connection.closed) from error
        # PostgreSQL answers COMMIT with ROLLBACK when the transaction had failed: that is no acknowledgement.
        if status != "COMMIT":
            raise AssertionError(f"PostgreSQL said {status} to COMMIT")

    def undo(self) -> None:
        """Forget it. A connection that cannot even do that is thrown away by its line."""
        connection = self._connection
        if connection.closed or connection.info.transaction_status == TransactionStatus.IDLE:
            return
        # Asked past psycopg, which would forget every prepared statement at a ROLLBACK; the server does not.
        try:
            undone = connection.pgconn.exec_(b"ROLLBACK").status == ExecStatus.COMMAND_OK
        except psycopg.Error:
            undone = False
        if not undone:
            connection.close()

    def _sent(self, sql: str, values: Row) -> Answer:
        if self._begun:
            return self._executed(sql, values)
        self._begun = True
        if self._together:
            self._connection.execute("BEGIN")
            return self._executed(sql, values)
        with self._travelling():
            self._connection.execute("BEGIN")
            return self._executed(sql, values)

    def _executed(self, sql: str, values: Row) -> Answer:
        return self._connection.cursor(binary=True).execute(percents(sql), values)

    @contextmanager
    def _travelling(self) -> Iterator[None]:
        """Raise the first error only: the driver logs a warning when one is on its way out while it hears of others."""
        first: Exception | None = None
        try:
            with self._connection.pipeline():
                try:
                    yield
                except (psycopg.Error, Conflict, Unavailable) as error:
                    first = error
        except psycopg.Error as error:
            first = first or error
        if first:
            raise first

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            failure = self.failed(told(error, broken=self._connection.closed))
            if failure is error:
                raise
            raise failure from error
