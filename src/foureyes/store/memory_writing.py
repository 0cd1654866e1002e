"""Transactions of the memory store: each change records its inverse, so that the transaction can be undone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from foureyes.app.ports import Conflict
from foureyes.app.rows import START, Answered, Append, Blob, Changes, Cursor, Parcel, Stored, TrustRow
from foureyes.store.memory_tables import MemoryReading, Tables, Waiting
from foureyes.store.rows import check_size

K = TypeVar("K")
V = TypeVar("V")


class MemoryWriting(MemoryReading):
    """One transaction; every change records its inverse."""

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables)
        self._undo: list[Callable[[], object]] = []

    def undo(self) -> None:
        """Take every change back, the last one first."""
        while self._undo:
            self._undo.pop()()

    def lock(self, *names: str) -> None:
        """Do nothing: there is one writer at a time."""

    def apply(self, changes: Changes) -> None:
        """Write all of the changes; raises Conflict when a stream has grown meanwhile."""
        check_text(changes)
        tables = self._tables
        for append in changes.appends:
            self._append(append)
        for review in changes.reviews:
            self._put(tables.reviews, review.review, review)
        for digest in changes.digests:
            self._put(self._within(tables.digests, digest.digest), digest.review, digest)
        for request in changes.inbox_gone:
            self._drop(tables.inbox, request)
        for owed in changes.inbox:
            self._put(self._within(tables.inbox, (owed.review, owed.request)), owed.who, owed)
        for record in changes.trust:
            self._put(tables.trust, (record.kind, record.author), record)
        self._apply_rest(changes)

    def _apply_rest(self, changes: Changes) -> None:
        tables = self._tables
        for row in changes.outbox:
            # Never counted back: a late message about an outbox row that was delivered must not hit a newer row.
            tables.parcels += 1
            self._put(tables.outbox, tables.parcels, Waiting(row=row))
        for alias, name in changes.aliases:
            self._put(tables.aliases, alias, tuple({*tables.aliases.get(alias, ()), name}))
        for name, content in changes.blobs.items():
            self._put_blob(name, content)
        for (projection, key), body in changes.along.items():
            self.follow(projection, {key: body}, START)
        if changes.answered:
            self._answer(changes.answered)

    def _append(self, append: Append) -> None:
        tables = self._tables
        before = tables.streams.get(append.stream, ())
        if len(before) != append.after:
            raise Conflict(f"{append.stream} has grown meanwhile.")
        new = tuple(
            Stored(
                seq=len(tables.log) + number,
                stream=append.stream,
                version=append.after + number,
                type=entry.type,
                schema=entry.schema,
                at=append.at,
                actor=append.actor,
                cause=append.cause,
                body=entry.body,
                chain=entry.chain,
            )
            for number, entry in enumerate(append.entries, start=1)
        )
        if new:
            length = len(tables.log)
            tables.log.extend(new)
            self._undo.append(lambda: tables.log.__delitem__(slice(length, None)))
            self._put(tables.streams, append.stream, before + new)

    def _put_blob(self, digest: str, content: bytes) -> None:
        check_size(content)
        # Purged bytes stay purged, also when the same bytes come again.
        if digest not in self._tables.blobs:
            self._put(self._tables.blobs, digest, Blob(digest=digest, size=len(content), content=bytes(content)))

    def _answer(self, answered: Answered) -> None:
        if (answered.asker, answered.key) in self._tables.answered:
            raise Conflict(f"The key {answered.key} was answered meanwhile.")
        self._put(self._tables.answered, (answered.asker, answered.key), answered)

    def follow(self, projection: str, rows: Mapping[str, str | None], cursor: Cursor) -> None:
        """Set or (None) remove rows of a following projection and move its cursor."""
        check_text((projection, *rows.items()))
        for key, body in rows.items():
            held = self._within(self._tables.rows, projection)
            if body is None:
                self._drop(held, key)
            else:
                self._put(held, key, body)
        if cursor != START:
            self._put(self._tables.cursors, projection, cursor)

    def unlist(self, review: str, digests: Iterable[str], blobs: Iterable[str]) -> None:
        """Remove a review from lists, inboxes, the outbox and the digest rows, and remove these bytes.

        The log keeps what happened. Unlike purged bytes, these may come again.
        """
        self._drop(self._tables.reviews, review)
        for key in [one for one in self._tables.inbox if one[0] == review]:
            self._drop(self._tables.inbox, key)
        for digest in digests:
            rows = self._tables.digests.get(digest, {})
            self._put(self._tables.digests, digest, {name: row for name, row in rows.items() if name != review})
        for number in [key for key, one in self._tables.outbox.items() if one.row.stream == f"review/{review}"]:
            self._drop(self._tables.outbox, number)
        for digest in blobs:
            self._drop(self._tables.blobs, digest)

    def clear(self, projection: str) -> None:
        """Clear a following projection: all its rows are removed and its cursor goes back to the start."""
        self._drop(self._tables.rows, projection)
        self._drop(self._tables.cursors, projection)

    def settled(self, cursor: Cursor, limit: int = 1000) -> tuple[Stored, ...]:
        """Lock every track record and return everything committed behind a cursor; here nobody else writes anyway."""
        return self.tail(cursor, limit)

    def set_trust(self, rows: Iterable[TrustRow]) -> None:
        """Replace every track record after a rebuild."""
        for key in tuple(self._tables.trust):
            self._drop(self._tables.trust, key)
        for one in rows:
            check_text(one)
            self._put(self._tables.trust, (one.kind, one.author), one)

    def purge(self, digest: str, tombstone: str) -> bool:
        """Remove a blob's bytes and leave the tombstone; False when there is no such blob."""
        check_text(tombstone)
        found = self._tables.blobs.get(digest)
        if found is not None:
            self._put(self._tables.blobs, digest, Blob(digest=digest, size=found.size, content=None, purged=tombstone))
        return found is not None

    def claim(self, worker: str, now: str, until: str, limit: int = 32) -> tuple[Parcel, ...]:
        """Claim outbox rows that are not claimed beyond `now`, the oldest first, until the given time."""
        check_text(worker)
        free = [number for number, one in sorted(self._tables.outbox.items()) if one.until <= now][:limit]
        for number in free:
            one = self._tables.outbox[number]
            self._put(self._tables.outbox, number, Waiting(row=one.row, until=until, attempts=one.attempts + 1))
        taken = [(number, self._tables.outbox[number]) for number in free]
        return tuple(Parcel(id=number, row=one.row, attempts=one.attempts) for number, one in taken)

    def delivered(self, parcels: Iterable[int]) -> None:
        """Remove outbox rows that were delivered."""
        for number in parcels:
            self._drop(self._tables.outbox, number)

    def postponed(self, parcel: int, until: str) -> None:
        """Put off an outbox row: it is tried again later."""
        one = self._tables.outbox.get(parcel)
        if one is not None:
            self._put(self._tables.outbox, parcel, Waiting(row=one.row, until=until, attempts=one.attempts))

    def recalled(self, beyond: str) -> None:
        """Make outbox rows available at once that were claimed or put off until after this moment."""
        for parcel, one in tuple(self._tables.outbox.items()):
            if one.until > beyond:
                self.postponed(parcel, "")

    def guard(self) -> None:
        """Do nothing: nobody else can alter these tables."""

    def _within(self, table: dict[K, dict[str, Any]], key: K) -> dict[str, Any]:
        if key not in table:
            self._put(table, key, {})
        return table[key]

    def _put(self, table: dict[K, V], key: K, value: V) -> None:
        self._note(table, key)
        table[key] = value

    def _drop(self, table: dict[K, V], key: K) -> None:
        if key in table:
            self._note(table, key)
            del table[key]

    def _note(self, table: dict[K, V], key: K) -> None:
        if key in table:
            before = table[key]
            self._undo.append(lambda: table.__setitem__(key, before))
        else:
            self._undo.append(lambda: table.__delitem__(key))


def check_text(value: object) -> None:
    """Refuse text that no database takes: with a NUL character or a lone surrogate."""
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError("A text with a NUL character cannot be stored.")
        value.encode()
    elif isinstance(value, Mapping):
        check_text(tuple(value))
    elif isinstance(value, tuple):
        for one in value:
            check_text(one)
    elif hasattr(value, "__dataclass_fields__"):
        check_text(tuple(getattr(value, name) for name in value.__dataclass_fields__))
