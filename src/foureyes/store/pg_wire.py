"""How do prepared statements and their answers travel over a connection, many in one piece?

psycopg's cursors send every statement of a pipeline by itself and look at each value's type anew. A command sends some
twenty statements of few kinds, so they go past the cursors: libpq, through psycopg's own door to it, sends them in one
piece. Each statement is prepared once for each connection, and values come back in their binary form.
"""

from __future__ import annotations

import select
from collections import deque
from typing import Any

import psycopg
from psycopg.pq import ExecStatus, PGresult

from foureyes.store.rows import Row

Connection = psycopg.Connection[tuple[Any, ...]]

#: Statements kept prepared on one connection; there are fewer kinds than this.
PREPARED_MAX = 256

_BINARY = 1
_NUMBER_TYPES = frozenset({20, 21, 23})
_BYTES_TYPE = 17
_TEXT_TYPES = frozenset({19, 25, 1042, 1043})
_GOOD = frozenset({ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK})


class Answer:
    """What a statement gave, once it has arrived."""

    __slots__ = ("_result",)

    def __init__(self) -> None:
        self._result: PGresult | None = None

    def arrived(self, result: PGresult) -> None:
        """Keep it; each value is read when it is asked for."""
        self._result = result

    @property
    def status(self) -> str:
        """What the server said was done."""
        return (self._there().command_status or b"").decode()

    @property
    def count(self) -> int:
        """How many rows were touched."""
        return self._there().command_tuples or 0

    def rows(self) -> list[Row]:
        """All rows."""
        result = self._there()
        readers = [_reader(result.ftype(column)) for column in range(result.nfields)]
        get = result.get_value
        return [
            tuple(_value(get(number, column), read) for column, read in enumerate(readers))
            for number in range(result.ntuples)
        ]

    def _there(self) -> PGresult:
        if self._result is None:
            raise LookupError("The answer has not arrived: the statements before it failed.")
        return self._result


class Wire:
    """The statements that one connection has prepared, and those on their way."""

    def __init__(self, connection: Connection) -> None:
        """Nothing is prepared yet."""
        self._line = connection.pgconn
        self._prepared: dict[str, bytes] = {}
        #: What an answer is awaited for: of a statement, or (None) that it was prepared.
        self._awaited: deque[Answer | None] = deque()
        self._poll = select.poll()
        self._poll.register(self._line.socket, select.POLLIN)

    def send(self, sql: str, values: Row = ()) -> Answer:
        """Put a statement into what is sent next; `?` stands for a value."""
        answer = Answer()
        given = [_written(one) for one in values]
        if not self._awaited:
            self._line.enter_pipeline_mode()
        name = self._prepared.get(sql) or self._prepare(sql)
        self._line.send_query_prepared(
            name,
            [one[0] for one in given],
            param_formats=[one[1] for one in given],
            result_format=_BINARY,
        )
        self._awaited.append(answer)
        return answer

    def fetch(self) -> None:
        """Send it and wait until every answer has arrived; raises the first error there was, once all is over."""
        if not self._awaited:
            return
        failure: psycopg.Error | None = None
        self._line.pipeline_sync()
        while self._awaited:
            answer, result = self._awaited.popleft(), self._next()
            if result.status in _GOOD:
                if answer is not None:
                    answer.arrived(result)
            elif result.status != ExecStatus.PIPELINE_ABORTED:
                failure = failure or _error(result)
            self._end_of_answer()
        self._next()
        self._line.exit_pipeline_mode()
        if failure:
            raise failure
