"""Which statements does our own lifecycle send, and what do they cost without us? Recorded from the shipped store.

A connection that writes down what it is asked for takes the driver's place while a lifecycle is played; the same
statements are sent again later by the bare driver: those that write, in as many commits, and the reads of the gate.
What a command reads, its locks and its savepoints are left out: they are our cost, not that of the commit.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import psycopg

from bench.story import gate_on, lifecycle, opened
from foureyes.store.sqlite import connect_reader, connect_writer

Said = tuple[str, tuple[Any, ...]]
#: What is sent in one commit, or in one look of the gate.
Batch = tuple[Said, ...]

COMMITS = 4
_ENDS = ("COMMIT", "ROLLBACK")
_WRITES = ("INSERT", "UPDATE", "DELETE")


class Tape:
    """What was said on each connection, in order."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.said: dict[int, list[Said]] = {}

    def hear(self, connection: object, sql: str, values: Sequence[Any] = ()) -> None:
        """Write down a statement."""
        self.said.setdefault(id(connection), []).append((sql, tuple(values)))

    def batches(self) -> tuple[list[Batch], list[Batch]]:
        """What was committed, and what was only read, on any connection; what came in between is forgotten."""
        writes: list[Batch] = []
        reads: list[Batch] = []
        for said in self.said.values():
            for batch in _split(said):
                chosen = tuple(one for one in batch if one[0].startswith(_WRITES))
                if chosen:
                    writes.append(chosen)
                elif any(one[0].startswith("SELECT") for one in batch):
                    reads.append(tuple(one for one in batch if one[0].startswith("SELECT")))
        self.said.clear()
        return writes, reads


def _split(said: list[Said]) -> Iterator[list[Said]]:
    batch: list[Said] = []
    for one in said:
        batch.append(one)
        if one[0].startswith(_ENDS) and not one[0].startswith("ROLLBACK TO"):
            yield batch
            batch = []
    if batch:
        yield batch


async def recorded(place: str, count: int) -> list[tuple[list[Batch], Batch]]:
    """Play so many lifecycles on a new store: for each its four commits and what the gate read."""
    tape = Tape()
    found: list[tuple[list[Batch], Batch]] = []
    with _listening(tape):
        async with opened(place) as store:
            gate = gate_on(store)
            for number in range(count):
                tape.said.clear()
                await lifecycle(gate, number)
                writes, reads = tape.batches()
                assert len(writes) == COMMITS, f"{len(writes)} commits, not {COMMITS}"
                found.append((writes, tuple(one for batch in reads for one in batch)))
    return found


class OwnSqlite:
    """Our own statements on SQLite, by the bare driver with our settings."""

    def __init__(self, path: str, script: list[tuple[list[Batch], Batch]]) -> None:
        """Use a store's empty file."""
        self._script = iter(script)
        self._writer, self._reader = connect_writer(Path(path)), connect_reader(Path(path))

    def lifecycle(self) -> None:
        """Send the next one."""
        writes, reads = next(self._script)
        do = self._writer.execute
        for batch in writes:
            do("BEGIN IMMEDIATE")
            for sql, values in batch:
                do(sql, values).fetchall()
            do("COMMIT")
        look = self._reader.execute
        look("BEGIN")
        rows = [look(sql, values).fetchall() for sql, values in reads]
        look("ROLLBACK")
        assert rows[0], "the gate's first question has no answer"

    def close(self) -> None:
        """Let go of the file."""
        self._reader.close()
        self._writer.close()


class OwnPostgres:
    """Our own statements on PostgreSQL: every commit travels at once, and so does what the gate reads."""

    def __init__(self, url: str, script: list[tuple[list[Batch], Batch]]) -> None:
        """Use a store's empty tables."""
        self._script = iter(script)
        self._db = psycopg.connect(url, autocommit=True, prepare_threshold=0)

    def lifecycle(self) -> None:
        """Send the next one."""
        writes, reads = next(self._script)
        for batch in writes:
            with self._db.pipeline():
                self._db.execute("BEGIN")
                for sql, values in batch:
                    self._db.execute(sql.encode(), values, binary=True)
                end = self._db.execute("COMMIT")
            assert end.statusmessage == "COMMIT", end.statusmessage
        with self._db.pipeline():
            answers = [self._db.execute(sql.encode(), values, binary=True) for sql, values in reads]
        rows = [one.fetchall() for one in answers]
        assert rows[0], "the gate's first question has no answer"

    def close(self) -> None:
        """Hang up."""
        self._db.close()


async def empty(place: str) -> None:
    """Make a store's tables with nothing in them."""
    async with opened(place):
        pass


@contextmanager
def _listening(tape: Tape) -> Iterator[None]:
    """Let every new connection of either driver write down what it is asked."""

    class Lite(sqlite3.Connection):
        def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
            tape.hear(self, sql, values)
            return super().execute(sql, values)

    class Asking(psycopg.Cursor[Any]):
        def execute(self, query: Any, params: Any = None, **named: Any) -> Any:
            text = query.decode() if isinstance(query, bytes) else str(query)
            tape.hear(self.connection, text, params or ())
            return super().execute(query, params, **named)

    lite, post = sqlite3.connect, psycopg.connect

    def connect(*given: Any, **named: Any) -> Any:
        return lite(*given, **{"factory": Lite, **named})

    def reach(*given: Any, **named: Any) -> Any:
        return post(*given, **{"cursor_factory": Asking, **named})

    with mock.patch("sqlite3.connect", connect), mock.patch("psycopg.connect", reach):
        yield


__all__ = ["OwnPostgres", "OwnSqlite", "empty", "recorded"]
