"""The store's queries in SQL, shared by SQLite and PostgreSQL; a driver runs them.

The statements use `?`. A driver for PostgreSQL translates each once (`percents`) and overrides what it can do better.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Protocol, TypeVar

from foureyes.app.ports import Conflict
from foureyes.app.rows import (
    FIRST,
    START,
    Append,
    Blob,
    Changes,
    Counts,
    Cursor,
    DigestRow,
    Head,
    InboxRow,
    Known,
    Listing,
    Parcel,
    Pending,
    Queued,
    ReviewRow,
    Stored,
    TrustRow,
    Urgency,
)
from foureyes.store import guards
from foureyes.store import rows as row
from foureyes.store import statements as say
from foureyes.store.rows import Row, packed

T = TypeVar("T")


class Driver(Protocol):
    """A connection inside a transaction."""

    def rows(self, sql: str, values: Row = ()) -> list[Row]:
        """Run a statement and return all its rows."""

    def run(self, sql: str, values: Row = ()) -> int:
        """Run a statement and return how many rows it touched."""

    def many(self, sql: str, values: Iterable[Row]) -> None:
        """Run a statement once for each of these rows."""


@cache
def percents(sql: str) -> str:
    """Translate `?` placeholders into psycopg's `%s`."""
    return sql.replace("%", "%%").replace("?", "%s")


class SqlReading:
    """A consistent snapshot of the store, by SQL."""

    COUNTS, OWES_REPORT, ROWS_UNDER = say.COUNTS, say.OWES_REPORT, say.ROWS_UNDER

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def _listed(self, names: Iterable[str]) -> object:
        """Return any number of names as one value."""
        return json.dumps(list(names))

    def known(self, stream: str, asker: str, key: str) -> Known:
        """Return the stream's end and the reply given before to this asker's key."""
        if not key:  # no reply is kept without a key
            found = self._driver.rows(say.END, (stream,))
            return Known(version=found[0][0], chain=found[0][1]) if found else Known()
        version, chain, body_hash, reply = self._driver.rows(say.KNOWN, (stream, asker, key))[0]
        return Known(
            version=version or 0,
            chain=chain or b"",
            body_hash="" if body_hash is None else row.unpacked(body_hash),
            reply=reply or "",
        )

    def events(self, stream: str, after: int = 0) -> tuple[Stored, ...]:
        """Return the events of a stream in order, from the one behind `after`."""
        return self._all(row.stored, say.EVENTS, (stream, after))

    def heads(self, after: str = "", limit: int = 1000) -> tuple[Head, ...]:
        """Return the ends of the streams by name, from the one behind `after`."""
        return self._all(row.head, say.HEADS, (after, limit))

    def tail(self, cursor: Cursor, limit: int = 1000) -> tuple[Stored, ...]:
        """Return what comes behind a cursor in the order of cursors; never skips an event that commits later."""
        return self._all(row.stored, say.TAIL, (cursor[1], limit))

    def log_end(self) -> Cursor:
        """Return the last committed event where `tail` may still keep it back; the start where it never does."""
        return START

    def review(self, review: str) -> ReviewRow | None:
        """Return one review's row."""
        return self._one(row.review, say.REVIEW, (review,))

    def reviews(self, listing: Listing) -> tuple[ReviewRow, ...]:
        """Return a page of reviews, the newest opened first."""
        chosen = {"state": listing.state, "author": listing.author, "kind": listing.kind}
        given = tuple(name for name, value in chosen.items() if value)
        # Few reviews are open, however many there were; else an author has fewer than a kind has.
        best = "state" if listing.state == "open" else next((one for one in ("author", "kind") if one in given), "")
        values = [chosen[name] for name in given]
        sql = say.listing(given, best, paged=listing.before is not None)
        return self._all(row.review, sql, (*values, *(listing.before or ()), listing.limit))

    def reviews_by(self, ending: str, limit: int = 1000) -> tuple[ReviewRow, ...]:
        """Return reviews whose author's name has this ending, the oldest first."""
        return self._all(row.review, say.REVIEWS_BY, (ending, limit))

    def digests(self, name: str) -> tuple[DigestRow, ...]:
        """Return what the reviews say of these bytes, named by their digest or by an alias, ordered by review."""
        meant = packed(name)
        found = self._driver.rows(say.DIGESTS, (meant, meant))
        if len(found) > 1:
            found = sorted(set(found), key=lambda one: (one[1], one[0]))
        return tuple(map(row.digest, found))

    def inbox(self, who: str, limit: int = 100, after: Urgency = FIRST) -> tuple[InboxRow, ...]:
        """Return what a principal owes or may take, the most urgent first; what has no due time comes last."""
        return self._all(row.inbox, say.INBOX, (who, *after, limit))

    def inbox_of(self, review: str) -> tuple[InboxRow, ...]:
        """Return what is owed in a review, ordered by request and by who owes it."""
        return self._all(row.inbox, say.INBOX_OF, (review,))

    def owes_report(self, names: Iterable[str]) -> bool:
        """True if one of these principals owes or may take a report."""
        return bool(self._driver.rows(self.OWES_REPORT, (self._listed(names),)))

    def due(self, now: str, limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Return requests (review, request) whose due time is over, the longest overdue first, each once."""
        return self._all(lambda one: (one[0], one[1]), say.DUE, (now, limit))

    def pending(self, now: str) -> tuple[Pending, ...]:
        """Count the requests that wait for an answer, by kind."""
        return self._all(row.pending, say.PENDING, (now, now, now))

    def counts(self, names: Iterable[str]) -> Mapping[str, Counts]:
        """Count the reports that each of these principals holds and has in the queue."""
        found = self._driver.rows(self.COUNTS, (self._listed(names),))
        return {one[0]: Counts(active=one[1], queued=one[2]) for one in found}

    def trust(self, kind: str, author: str) -> TrustRow | None:
        """Return a track record as it was written, damaged or not."""
        return self._one(row.trust, say.TRUST, (kind, author))

    def trusts(self) -> tuple[TrustRow, ...]:
        """Return every track record, ordered by kind and author."""
        return self._all(row.trust, say.TRUSTS)

    def blob(self, digest: str) -> Blob | None:
        """Return the bytes stored under this digest unchecked; the caller hashes them."""
        found = self._driver.rows(say.BLOB, (packed(digest),))
        return row.blob(digest, found[0]) if found else None

    def cursor(self, projection: str) -> Cursor:
        """Return how far a following projection has read."""
        return self._one(lambda one: (one[0], one[1]), say.CURSOR, (projection,)) or START

    def row(self, projection: str, key: str) -> str | None:
        """Return one row of a following projection."""
        found = self._driver.rows(say.ROW, (projection, key))
        return found[0][0] if found else None

    def rows(self, projection: str, prefix: str = "", after: str = "", limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Return rows of a following projection in the order of their keys: those with this prefix, behind `after`."""
        end = row.prefix_end(prefix)
        sql = say.ROWS_BEFORE if end else say.ROWS
        values = (projection, prefix, after, end, limit) if end else (projection, prefix, after, limit)
        return tuple([(key, body) for key, body in self._driver.rows(sql, values)])

    def rows_under(self, projection: str, names: Iterable[str], limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Return rows of a projection whose keys start with one of these names and a slash, in key order."""
        found = self._driver.rows(self.ROWS_UNDER, (self._listed(set(names)), projection, limit))
        return tuple([(key, body) for key, body in found])

    def queued(self) -> tuple[Queued, ...]:
        """Count what waits in the outbox, by type."""
        return self._all(row.queued, say.QUEUED)

    def remains(self) -> str:
        """Return where purged bytes may still lie and when they will be gone; empty if they are gone."""
        return say.IN_JOURNAL if self._driver.rows(say.SCRUB) else ""

    def unguarded(self) -> tuple[str, ...]:
        """Return the names of the guards that kept the log append-only and are missing or altered."""
        return guards.missing_in_sqlite(self._driver.rows(guards.SQLITE))

    def _all(self, make: Callable[[Row], T], sql: str, values: Row = ()) -> tuple[T, ...]:
        return tuple(map(make, self._driver.rows(sql, values)))

    def _one(self, make: Callable[[Row], T], sql: str, values: Row) -> T | None:
        found = self._driver.rows(sql, values)
        return make(found[0]) if found else None


class SqlWriting(SqlReading):
    """One transaction, by SQL."""

    CLAIM = say.CLAIM

    def lock(self, *names: str) -> None:
        """Do nothing where there is one writer; PostgreSQL overrides this."""

    def apply(self, changes: Changes) -> None:
        """Write all of the changes; raises Conflict when a stream has grown meanwhile."""
        for append in changes.appends:
            self._append(append)
        self._put(changes)

    def _put(self, changes: Changes) -> None:
        """Write all but the events."""
        many = self._driver.many
        self._put_reviews(changes.reviews)
        if changes.digests:
            many(say.PUT_DIGEST, map(row.digest_row, changes.digests))
        if changes.inbox_gone:
            many(say.DROP_INBOX, changes.inbox_gone)
        if changes.inbox:
            many(say.PUT_INBOX, map(row.inbox_row, changes.inbox))
        if changes.outbox:
            many(say.PUT_OUTBOX, map(row.outbox_row, changes.outbox))
        if changes.trust:
            many(say.PUT_TRUST, map(row.trust_row, changes.trust))
        if changes.aliases:
            many(say.PUT_ALIAS, ((packed(alias), packed(digest)) for alias, digest in changes.aliases))
        if changes.blobs:
            many(say.PUT_BLOB, [row.blob_row(digest, content) for digest, content in changes.blobs.items()])
        if changes.along:
            self._put_rows(changes.along)
        if changes.answered:
            self._driver.run(say.PUT_ANSWERED, row.answered_row(changes.answered))

    def _put_reviews(self, reviews: tuple[ReviewRow, ...]) -> None:
        """Write review rows, first by narrow updates.

        Most commands change nothing that an index has, and SQLite rewrites every index whose column a statement names.
        """
        run = self._driver.run
        for one in reviews:
            if not run(say.TOUCH_REVIEW, row.touched_review(one)) and not run(say.MOVE_REVIEW, row.moved_review(one)):
                run(say.PUT_REVIEW, row.review_row(one))

    def _put_rows(self, rows: Mapping[tuple[str, str], str | None]) -> None:
        """Set or (None) remove rows by projection and key."""
        gone = [place for place, body in rows.items() if body is None]
        kept = [(*place, body) for place, body in rows.items() if body is not None]
        if gone:
            self._driver.many(say.DROP_ROW, gone)
        if kept:
            self._driver.many(say.PUT_ROW, kept)

    def _append(self, append: Append) -> None:
        if not append.entries:
            # There is nothing to write, but the decision depends on the stream's version.
            if self.known(append.stream, "", "").version != append.after:
                raise Conflict(f"{append.stream} has grown meanwhile.")
            return
        end = (append.after + len(append.entries), append.entries[-1].chain, append.stream)
        found = self._driver.rows(say.GROW, (*end, append.after)) if append.after else self._driver.rows(say.BEGIN, end)
        if not found:
            raise Conflict(f"{append.stream} has grown meanwhile.")
        self._driver.many(say.PUT_LOG, row.log_rows(found[0][0], append))

    def follow(self, projection: str, rows: Mapping[str, str | None], cursor: Cursor) -> None:
        """Set or (None) remove rows of a following projection and move its cursor.

        Rows that are written along with the log come without a cursor: all writers would wait for each other at it.
        """
        self._put_rows({(projection, key): body for key, body in rows.items()})
        if cursor != START:
            self._driver.run(say.PUT_CURSOR, (projection, *cursor))

    def unlist(self, review: str, digests: Iterable[str], blobs: Iterable[str]) -> None:
        """Remove a review from lists, inboxes, the outbox and the digest rows, and remove these bytes.

        The log keeps what happened. Unlike purged bytes, these may come again.
        """
        for statement in say.UNLIST:
            self._driver.run(statement, (review,))
        self._driver.many(say.DROP_DIGEST, [(packed(one), review) for one in digests])
        self._driver.run(say.DROP_OUTBOX_OF, (f"review/{review}",))
        self._driver.many(say.DROP_BLOB, [(packed(one),) for one in blobs])

    def clear(self, projection: str) -> None:
        """Clear a following projection: all its rows are removed and its cursor goes back to the start."""
        self._driver.run(say.DROP_ROWS, (projection,))
        self._driver.run(say.DROP_CURSOR, (projection,))

    def settled(self, cursor: Cursor, limit: int = 1000) -> tuple[Stored, ...]:
        """Lock every track record and return everything committed behind a cursor."""
        return self.tail(cursor, limit)

    def set_trust(self, rows: Iterable[TrustRow]) -> None:
        """Replace every track record after a rebuild."""
        self._driver.run(say.DROP_TRUST)
        self._driver.many(say.PUT_TRUST, map(row.trust_row, rows))

    def purge(self, digest: str, tombstone: str) -> bool:
        """Remove a blob's bytes and leave the tombstone; False when there is no such blob."""
        return self._driver.run(say.PURGE, (tombstone, packed(digest))) > 0

    def claim(self, worker: str, now: str, until: str, limit: int = 32) -> tuple[Parcel, ...]:
        """Claim outbox rows that are not claimed beyond `now`, the oldest first, until the given time."""
        taken = self._all(row.parcel, self.CLAIM, (worker, until, now, limit))
        return tuple(sorted(taken, key=lambda one: one.id))

    def delivered(self, parcels: Iterable[int]) -> None:
        """Remove outbox rows that were delivered."""
        self._driver.many(say.DROP_OUTBOX, ((one,) for one in parcels))

    def postponed(self, parcel: int, until: str) -> None:
        """Put off an outbox row: it is tried again later."""
        self._driver.run(say.POSTPONE, (until, parcel))

    def recalled(self, beyond: str) -> None:
        """Make outbox rows available at once that were claimed or put off until after this moment."""
        self._driver.run(say.RECALL, (beyond,))

    def guard(self) -> None:
        """Put the guards back that keep the log append-only."""
        for statement in guards.made_anew_in_sqlite():
            self._driver.run(statement)


__all__ = ["Driver", "SqlReading", "SqlWriting", "percents"]
