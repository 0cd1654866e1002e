"""Which statements does our own lifecycle send, and what do they cost without us? Recorded from the shipped store.

A connection that writes down what it is asked for takes the driver's place while a lifecycle is played; the same
statements are sent again later by the bare driver in as many commits, and the reads of the gate behind them. Locks and
savepoints are left out. What commands read inside their transactions can be left out too (`only_writes`).
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
#: What is sent in one commit, or in one look of the gate.
Batch = tuple[Said, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One lifecycle as the database saw it: what each commit held, and what the gate asked."""

    commits: tuple[Batch, ...]
    looks: Batch

    def only_writes(self) -> Played:
        """Without what the commands read inside their transactions."""
        kept = [tuple(one for one in batch if one[0].startswith(_WRITES)) for batch in self.commits]
        return Played(commits=tuple(kept), looks=self.looks)


COMMITS = 4
_ENDS = ("COMMIT", "ROLLBACK")
_WRITES = ("INSERT", "UPDATE", "DELETE")
_TOLD = (*_WRITES, "SELECT")
_LOCK = "advisory"


class Tape:
    """What was said on each connection, in order."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.said: dict[int, list[Said]] = {}

    def hear(self, connection: object, sql: str, values: Sequence[Any] = ()) -> None:
        """Write down a statement."""
        self.said.setdefault(id(connection), []).append((sql, tuple(values)))

    def played(self) -> Played:
        """What was committed, and what was only read, on any connection; what came in between is forgotten."""
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
    """Play so many lifecycles on a new store."""
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
    """Our own statements on SQLite, by the bare driver with our settings."""

    def __init__(self, path: str, script: list[Played]) -> None:
        """Use a store's empty file."""
        self._script = iter(script)
        self._writer, self._reader = connect_writer(Path(path)), connect_reader(Path(path))

    def lifecycle(self) -> None:
        """Send the next one."""
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
        """Let go of the file."""
        self._reader.close()
        self._writer.close()


class OwnPostgres:
    """Our own statements on PostgreSQL: every commit travels at once, and so does what the gate reads."""

    def __init__(self, url: str, script: list[Played]) -> None:
        """Use a store's empty tables."""
        self._script = iter(script)
        self._db = psycopg.connect(url, autocommit=True, prepare_threshold=0)

    def lifecycle(self) -> None:
        """Send the next one."""
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
        """Hang up."""
        self._db.close()


async def empty(place: str) -> None:
    """Make a store's tables with nothing in them."""
    async with opened(place):
        pass


@contextmanager
def _listening(tape: Tape) -> Iterator[None]:
    """Let every new connection of either kind write down what it is asked."""

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
