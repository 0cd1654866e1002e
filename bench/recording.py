"""The statements that a lifecycle of the shipped store sends, recorded and replayed by the bare driver.

A recording connection takes the driver's place while a lifecycle is played; later the bare driver sends the same
statements in as many commits, followed by the reads of the gate. Locks and savepoints are left out. What commands read
inside their transactions can be left out too (`only_writes`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import psycopg

from bench.story import gate_on, lifecycle, opened
from foureyes.store.pg_wire import Wire
from foureyes.store.sql import percents
from foureyes.store.sqlite import connect_reader, connect_writer

Said = tuple[str, tuple[Any, ...]]
#: The statements of one commit, or of one read by the gate.
Batch = tuple[Said, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One lifecycle as the database saw it: the statements of each commit and of the gate."""

    commits: tuple[Batch, ...]
    looks: Batch

    def only_writes(self) -> Played:
        """Return a copy without the reads inside the commands' transactions."""
        kept = [tuple(one for one in batch if one[0].startswith(_WRITES)) for batch in self.commits]
        return Played(commits=tuple(kept), looks=self.looks)


COMMITS = 4
_ENDS = ("COMMIT", "ROLLBACK")
_WRITES = ("INSERT", "UPDATE", "DELETE")
_TOLD = (*_WRITES, "SELECT")
_LOCK = "advisory"


class Tape:
    """The statements of each connection, in order."""

    def __init__(self) -> None:
        """Start empty."""
        self.said: dict[int, list[Said]] = {}

    def hear(self, connection: object, sql: str, values: Sequence[Any] = ()) -> None:
        """Record a statement."""
        self.said.setdefault(id(connection), []).append((sql, tuple(values)))

    def played(self) -> Played:
        """Return the commits and the pure reads of all connections, and clear the tape."""
        commits: list[Batch] = []
        looks: list[Said] = []
        for said in self.said.values():
            for batch in _split(said):
                chosen = tuple(one for one in batch if one[0].startswith(_TOLD) and _LOCK not in one[0])
                if any(one[0].startswith(_WRITES) for one in chosen):
                    commits.append(chosen)
                else:
                    looks += chosen
        self.said.clear()
        return Played(commits=tuple(commits), looks=tuple(looks))


def _split(said: list[Said]) -> Iterator[list[Said]]:
    batch: list[Said] = []
    for one in said:
        batch.append(one)
        if one[0].startswith(_ENDS) and not one[0].startswith("ROLLBACK TO"):
            yield batch
            batch = []
    if batch:
        yield batch


async def recorded(place: str, count: int) -> list[Played]:
    """Play so many lifecycles on a new store and record them."""
    tape = Tape()
    found: list[Played] = []
    with _listening(tape):
        async with opened(place) as store:
            gate = gate_on(store)
            for number in range(count):
                tape.said.clear()
                await lifecycle(gate, number)
                found.append(tape.played())
                assert len(found[-1].commits) == COMMITS, f"{len(found[-1].commits)} commits, not {COMMITS}"
    return found


class OwnSqlite:
    """The recorded statements on SQLite, sent by the bare driver with the store's settings."""

    def __init__(self, path: str, script: list[Played]) -> None:
        """Open the file of an empty store."""
        self._script = iter(script)
        self._writer, self._reader = connect_writer(Path(path)), connect_reader(Path(path))

    def lifecycle(self) -> None:
        """Send the next recorded lifecycle."""
        played = next(self._script)
        do = self._writer.execute
        for batch in played.commits:
            do("BEGIN IMMEDIATE")
            for sql, values in batch:
                do(sql, values).fetchall()
            do("COMMIT")
        look = self._reader.execute
        look("BEGIN")
        rows = [look(sql, values).fetchall() for sql, values in played.looks]
        look("ROLLBACK")
        assert rows[0], "the gate's first question has no answer"

    def close(self) -> None:
        """Close the file."""
        self._reader.close()
        self._writer.close()


class OwnPostgres:
    """The recorded statements on PostgreSQL: one round trip for each commit and for the gate's reads."""

    def __init__(self, url: str, script: list[Played]) -> None:
        """Connect to the tables of an empty store."""
        self._script = iter(script)
        self._db = psycopg.connect(url, autocommit=True, prepare_threshold=0)

    def lifecycle(self) -> None:
        """Send the next recorded lifecycle."""
        played = next(self._script)
        for batch in played.commits:
            with self._db.pipeline():
                self._db.execute("BEGIN")
                for sql, values in batch:
                    self._db.execute(sql.encode(), values, binary=True)
                end = self._db.execute("COMMIT")
            assert end.statusmessage == "COMMIT", end.statusmessage
        with self._db.pipeline():
            answers = [self._db.execute(sql.encode(), values, binary=True) for sql, values in played.looks]
        rows = [one.fetchall() for one in answers]
        assert rows[0], "the gate's first question has no answer"

    def close(self) -> None:
        """Close the connection."""
        self._db.close()


async def empty(place: str) -> None:
    """Create the tables of a store without rows."""
    async with opened(place):
        pass


@contextmanager
def _listening(tape: Tape) -> Iterator[None]:
    """Let every new connection of either kind record its statements."""

    class Lite(sqlite3.Connection):
        def execute(self, sql: str, values: Any = (), /) -> sqlite3.Cursor:
            tape.hear(self, sql, values)
            return super().execute(sql, values)

        def executemany(self, sql: str, values: Any, /) -> sqlite3.Cursor:
            listed = [tuple(one) for one in values]
            for one in listed:
                tape.hear(self, sql, one)
            return super().executemany(sql, listed)

    lite, send, say = sqlite3.connect, Wire.send, Wire.say

    def connect(*given: Any, **named: Any) -> Any:
        return lite(*given, **{"factory": Lite, **named})

    def sent(self: Wire, sql: str, values: Any = ()) -> Any:
        tape.hear(self, percents(sql), values)
        return send(self, sql, values)

    def said(self: Wire, sql: str) -> Any:
        tape.hear(self, sql)
        return say(self, sql)

    with (
        mock.patch("sqlite3.connect", connect),
        mock.patch.object(Wire, "send", sent),
        mock.patch.object(Wire, "say", said),
    ):
        yield


__all__ = ["OwnPostgres", "OwnSqlite", "empty", "recorded"]
