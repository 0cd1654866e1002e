"""Sends prepared statements over a PostgreSQL connection through libpq's pipeline mode, many in one piece.

psycopg's cursors send each statement of a pipeline by itself and work out every value's type anew. A command sends
about twenty statements of few kinds, so they bypass the cursors: libpq, through psycopg's low-level interface, sends
them in one piece. Each statement is prepared once for each connection; values come back in binary form.
"""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Any

import psycopg
from psycopg import errors
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult

from foureyes.store.rows import Row

Connection = psycopg.Connection[tuple[Any, ...]]
Written = tuple[bytes | None, int]

_TEXT, _BINARY = 0, 1
_BYTES_TYPE = 17
_NUMBER_TYPES = frozenset({20, 21, 23})
_TEXT_TYPES = frozenset({19, 25, 1043})
_GOOD = frozenset({ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK})
#: Severities that end the session.
_LAST_WORDS = frozenset({"FATAL", "PANIC"})


class Answer:
    """The answer to a statement, once it has arrived."""

    __slots__ = ("_result",)

    def __init__(self) -> None:
        self._result: PGresult | None = None

    def arrived(self, result: PGresult) -> None:
        """Keep the result."""
        self._result = result

    @property
    def is_there(self) -> bool:
        """True if the statement was answered without an error."""
        return self._result is not None

    @property
    def status(self) -> str:
        """The command status that the server returned."""
        return (self._there().command_status or b"").decode()

    @property
    def count(self) -> int:
        """How many rows were touched."""
        return self._there().command_tuples or 0

    def rows(self) -> list[Row]:
        """Return all rows."""
        result = self._there()
        readers = [_reader(result.ftype(column)) for column in range(result.nfields)]
        get = result.get_value
        return [
            tuple([None if (data := get(row, column)) is None else read(data) for column, read in enumerate(readers)])
            for row in range(result.ntuples)
        ]

    def _there(self) -> PGresult:
        if self._result is None:
            raise LookupError("This answer has not arrived.")
        return self._result


class Wire:
    """The statements that one connection has prepared, and those on their way."""

    def __init__(self, connection: Connection) -> None:
        """Take a connection on which nothing is prepared yet."""
        self._line = connection.pgconn
        self._names: dict[str, bytes] = {}
        self._made = 0
        #: What is awaited, in order: the answer to a statement, or (by its text) that a statement was prepared.
        self._awaited: deque[Answer | str] = deque()

    def send(self, sql: str, values: Row = ()) -> Answer:
        """Queue a statement to be sent; `?` stands for a value."""
        given: list[bytes | None] = []
        formats: list[int] = []
        # Written out for the common types: there are thousands of values a second.
        for value in values:
            if type(value) is str and "\0" not in value:
                given.append(value.encode())
                formats.append(_TEXT)
            else:
                data, kind = _written(value)
                given.append(data)
                formats.append(kind)
        self._enter()
        name = self._names.get(sql) or self._prepare(sql)
        self._line.send_query_prepared(name, given, formats, _BINARY)
        return self._await()

    def say(self, sql: str) -> Answer:
        """Queue a transaction statement; preparing it is not worth it."""
        self._enter()
        self._line.send_query_params(sql.encode(), None)
        return self._await()

    def push(self) -> None:
        """Send what the socket takes at once, so that the server begins; nothing is waited for."""
        if self._awaited:
            self._line.flush()

    def fetch(self) -> None:
        """Send everything and wait until every answer has arrived; raises the first error once all is over."""
        if not self._awaited:
            return
        first: psycopg.Error | None = None
        try:
            self._line.pipeline_sync()
            self._flush()
            while self._awaited:
                error = self._take(self._awaited.popleft())
                first = first or error
            self._end()
        except psycopg.Error as error:
            # The connection is lost, and with it whatever else was awaited. It is closed, so that every user sees it:
            # what was on its way may have happened.
            self._awaited.clear()
            self._line.finish()
            first = first or error
        if first:
            raise first

    def _enter(self) -> None:
        if not self._awaited:
            self._line.enter_pipeline_mode()

    def _await(self) -> Answer:
        answer = Answer()
        self._awaited.append(answer)
        return answer

    def _prepare(self, sql: str) -> bytes:
        self._made += 1
        name = self._names[sql] = f"foureyes_{self._made}".encode()
        self._line.send_prepare(name, dollars(sql).encode())
        self._awaited.append(sql)
        return name

    def _end(self) -> None:
        """Wait until the server has done all of it; a session that the server ends says so here at the latest."""
        last = self._next()
        if last is None:
            raise psycopg.OperationalError("the connection is lost")
        if last.status != ExecStatus.PIPELINE_SYNC:
            raise errors.error_from_result(last)
        self._line.exit_pipeline_mode()

    def _flush(self) -> None:
        """Send everything and read what the server sends meanwhile; else both sides might wait for each other."""
        while self._line.flush():
            if self._ready(select.POLLIN | select.POLLOUT) & select.POLLIN:
                self._line.consume_input()

    def _take(self, awaited: Answer | str) -> psycopg.Error | None:
        result = self._next()
        # Behind each answer libpq reports once that there is no more of it.
        if result is not None:
            self._next()
            if result.status in _GOOD:
                if isinstance(awaited, Answer):
                    awaited.arrived(result)
                return None
        if isinstance(awaited, str):
            del self._names[awaited]
        if result is None:
            return psycopg.OperationalError("the connection is lost")
        if result.status == ExecStatus.PIPELINE_ABORTED:
            return None
        error = errors.error_from_result(result)
        if error.diag.severity_nonlocalized in _LAST_WORDS:
            # Nothing comes behind it, whether or not the end of the connection is visible already.
            raise error
        return error

    def _next(self) -> PGresult | None:
        line = self._line
        while line.is_busy():
            self._ready(select.POLLIN)
            line.consume_input()
        return line.get_result()

    def _ready(self, events: int) -> int:
        """Wait for the socket, and let other threads work meanwhile."""
        waiting = select.poll()
        waiting.register(self._line.socket, events)
        return waiting.poll()[0][1]


@cache
def dollars(sql: str) -> str:
    """Translate `?` placeholders into PostgreSQL's `$1`, `$2` and so on."""
    first, *rest = sql.split("?")
    return first + "".join(f"${number}{part}" for number, part in enumerate(rest, start=1))


def _written(value: Any) -> Written:
    """Encode a value for sending; the server knows its type from its position."""
    if value is None:
        return None, _TEXT
    if isinstance(value, str):
        return _text(value), _TEXT
    if isinstance(value, bytes):
        return value, _BINARY
    if isinstance(value, int):
        return b"%d" % value, _TEXT
    return b"{%s}" % b",".join(map(_element, value)), _TEXT


def _text(value: str) -> bytes:
    if "\0" in value:
        raise ValueError("A text with a NUL character cannot be stored.")
    return value.encode()


def _element(value: str | int) -> bytes:
    """Encode one element of an array, in quotes."""
    text = _text(str(value)).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'"%s"' % text


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)


def _reader(kind: int) -> Callable[[bytes], Any]:
    if kind in _NUMBER_TYPES:
        return _number
    if kind in _TEXT_TYPES:
        return bytes.decode
    if kind == _BYTES_TYPE:
        return bytes
    raise TypeError(f"PostgreSQL gave a value of type {kind}, which no statement of ours asks for.")
