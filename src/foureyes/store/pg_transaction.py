"""Transactions on PostgreSQL, where many processes write at the same time: locks, cursors and batched writes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from functools import partial

from foureyes.app.ports import Conflict
from foureyes.app.rows import START, Append, Changes, Cursor, ReviewRow, Stored, TrustRow
from foureyes.store import guards
from foureyes.store import pg_statements as pg
from foureyes.store import rows as row
from foureyes.store import statements as say
from foureyes.store.pg_driver import PostgresDriver
from foureyes.store.pg_wire import Answer
from foureyes.store.sql import SqlReading, SqlWriting


class PostgresReading(SqlReading):
    """A consistent snapshot of the store."""

    _driver: PostgresDriver
    COUNTS, OWES_REPORT, ROWS_UNDER = pg.COUNTS, pg.OWES_REPORT, pg.ROWS_UNDER

    def _listed(self, names: Iterable[str]) -> object:
        """Return any number of names as one value."""
        return list(names)

    def events(self, stream: str, after: int = 0) -> tuple[Stored, ...]:
        """Return the events of a stream in order, from the one behind `after`."""
        return self._all(row.stored, pg.EVENTS, (stream, after))

    def tail(self, cursor: Cursor, limit: int = 1000) -> tuple[Stored, ...]:
        """Return what comes behind a cursor in the order of cursors; never skips an event that commits later."""
        return self._all(row.stored, pg.TAIL, (*cursor, limit))

    def log_end(self) -> Cursor:
        """Return the last committed event where `tail` may still keep it back; the start where it never does."""
        return self._one(lambda one: (one[0], one[1]), pg.LOG_END, ()) or START

    def remains(self) -> str:
        """Return where purged bytes may still lie: PostgreSQL does not say when they are gone."""
        return pg.ON_DISK

    def unguarded(self) -> tuple[str, ...]:
        """Return the names of the guards that kept the log append-only and are missing or altered."""
        return guards.missing_in_postgres(self._driver.rows(guards.POSTGRES))


class PostgresWriting(PostgresReading, SqlWriting):
    """One of many concurrent transactions."""

    CLAIM = pg.CLAIM

    def lock(self, *names: str) -> None:
        """Wait until no other transaction holds these names; they are held until this one ends."""
        with self._driver.together():
            for number in sorted({lock_number(name) for name in names}):
                self._driver.later(pg.LOCK, (number,))

    def trust(self, kind: str, author: str) -> TrustRow | None:
        """Return a track record, locked until this transaction ends: what is counted on it must not be overtaken.

        The name is locked too, because there may be no row yet; and in a statement of its own, because a statement sees
        what was committed when it began.
        """
        with self._driver.together():
            self.lock(f"trust/{kind}/{author}")
            found = self._driver.later(f"{say.TRUST} FOR UPDATE", (kind, author))
        return next(map(row.trust, found.rows()), None)

    def apply(self, changes: Changes) -> None:
        """Write all of the changes in one round trip; raises Conflict when a stream has grown meanwhile.

        Quick work does not wait for the answers: it learns of a conflict at its next query, or it has ended by then.
        """
        with self._driver.together():
            # Streams are locked in the order of their names, so that two commands cannot deadlock.
            grown = [self._grow(one) for one in sorted(changes.appends, key=lambda one: one.stream)]
            for append in changes.appends:
                self._put_log(append)
            self._put(changes)
            self._driver.expect(partial(self._check_grown, grown))

    def delivered(self, parcels: Iterable[int]) -> None:
        """Remove outbox rows that were delivered."""
        self._driver.run(pg.DROP_OUTBOX, (list(parcels),))

    def follow(self, projection: str, rows: Mapping[str, str | None], cursor: Cursor) -> None:
        """Set or (None) remove rows of a following projection and move its cursor."""
        with self._driver.together():
            super().follow(projection, dict(sorted(rows.items())), cursor)

    def settled(self, cursor: Cursor, limit: int = 1000) -> tuple[Stored, ...]:
        """Lock every track record and return everything committed behind a cursor."""
        self._driver.run(pg.LOCK_TRUST)
        return self._all(row.stored, pg.SETTLED, (*cursor, limit))

    def set_trust(self, rows: Iterable[TrustRow]) -> None:
        """Replace every track record after a rebuild; waits for transactions that hold one."""
        with self._driver.together():
            self._driver.later(pg.LOCK_TRUST)
            super().set_trust(rows)

    def guard(self) -> None:
        """Put the guards back that keep the log append-only."""
        for statement in guards.made_anew_in_postgres():
            self._driver.run(statement)

    def _put_log(self, append: Append) -> None:
        """Write several events with one statement: each statement costs more than another row of it."""
        waiting = list(row.log_rows(append.stream, append))
        while waiting:
            some, waiting = waiting[: pg.LOG_ROWS_MAX], waiting[pg.LOG_ROWS_MAX :]
            self._driver.later(pg.put_log(len(some)), [value for one in some for value in one])

    def _put_reviews(self, reviews: tuple[ReviewRow, ...]) -> None:
        """Write the rows with one upsert each: PostgreSQL itself skips indexes that a change does not touch."""
        self._driver.many(say.PUT_REVIEW, map(row.review_row, reviews))

    def _check_grown(self, grown: Iterable[tuple[Append, Answer]]) -> None:
        for append, answer in grown:
            found = answer.rows()
            if (found[0][0] if found else 0) != append.after + len(append.entries):
                raise self._driver.failed(Conflict(f"{append.stream} has grown meanwhile."))

    def _grow(self, append: Append) -> tuple[Append, Answer]:
        end = append.after + len(append.entries)
        if not append.entries:
            return append, self._driver.later(pg.HOLD, (append.stream,))
        values = (end, append.entries[-1].chain, append.stream)
        if append.after:
            return append, self._driver.later(pg.GROW, (*values, append.after))
        return append, self._driver.later(pg.BEGIN, values)


def lock_number(name: str) -> int:
    """Map a name to the number of an advisory lock; two names with one number only wait for each other."""
    return int.from_bytes(hashlib.sha256(f"foureyes/{name}".encode()).digest()[:8], "big", signed=True)
