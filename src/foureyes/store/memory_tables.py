"""The tables of the memory store and the queries on them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from foureyes.app.rows import (
    FIRST,
    START,
    Answered,
    Blob,
    Counts,
    Cursor,
    DigestRow,
    Head,
    InboxRow,
    Known,
    Listing,
    OutboxRow,
    Pending,
    Queued,
    ReviewRow,
    Stored,
    TrustRow,
    Urgency,
)


@dataclass(slots=True, kw_only=True)
class Waiting:
    """An outbox row, until when it is claimed, and how often it was tried."""

    row: OutboxRow
    until: str = ""
    attempts: int = 0


@dataclass(slots=True, kw_only=True)
class Tables:
    """All tables of a memory store."""

    log: list[Stored] = field(default_factory=list)
    streams: dict[str, tuple[Stored, ...]] = field(default_factory=dict)
    answered: dict[tuple[str, str], Answered] = field(default_factory=dict)
    reviews: dict[str, ReviewRow] = field(default_factory=dict)
    digests: dict[str, dict[str, DigestRow]] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    inbox: dict[tuple[str, str], dict[str, InboxRow]] = field(default_factory=dict)
    outbox: dict[int, Waiting] = field(default_factory=dict)
    parcels: int = 0
    trust: dict[tuple[str, str], TrustRow] = field(default_factory=dict)
    blobs: dict[str, Blob] = field(default_factory=dict)
    rows: dict[str, dict[str, str]] = field(default_factory=dict)
    cursors: dict[str, Cursor] = field(default_factory=dict)


class MemoryReading:
    """A consistent snapshot; nobody writes while it is read."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def known(self, stream: str, asker: str, key: str) -> Known:
        """Return the stream's end and the reply given before to this asker's key."""
        events, answer = self._tables.streams.get(stream, ()), self._tables.answered.get((asker, key))
        return Known(
            version=len(events),
            chain=events[-1].chain if events else b"",
            body_hash=answer.body_hash if answer else "",
            reply=answer.reply if answer else "",
        )

    def events(self, stream: str, after: int = 0) -> tuple[Stored, ...]:
        """Return the events of a stream in order, from the one behind `after`."""
        return self._tables.streams.get(stream, ())[max(after, 0) :]

    def heads(self, after: str = "", limit: int = 1000) -> tuple[Head, ...]:
        """Return the ends of the streams by name, from the one behind `after`."""
        names = sorted(name for name in self._tables.streams if name > after)[:limit]
        ends = (self._tables.streams[name][-1] for name in names)
        return tuple(Head(stream=one.stream, version=one.version, chain=one.chain) for one in ends)

    def tail(self, cursor: Cursor, limit: int = 1000) -> tuple[Stored, ...]:
        """Return the events behind a cursor; with one writer at a time that is the order of the log."""
        return tuple(self._tables.log[cursor[1] : cursor[1] + limit])

    def log_end(self) -> Cursor:
        """Return the last committed event where `tail` may still keep it back; here it never does: the start."""
        return START

    def review(self, review: str) -> ReviewRow | None:
        """Return one review's row."""
        return self._tables.reviews.get(review)

    def reviews(self, listing: Listing) -> tuple[ReviewRow, ...]:
        """Return a page of reviews, the newest opened first."""
        wanted = [
            one
            for one in self._tables.reviews.values()
            if listing.state in ("", one.state)
            and listing.author in ("", one.author)
            and listing.kind in ("", one.kind)
            and (listing.before is None or (one.opened, one.review) < listing.before)
        ]
        return tuple(sorted(wanted, key=lambda one: (one.opened, one.review), reverse=True)[: listing.limit])

    def reviews_by(self, ending: str, limit: int = 1000) -> tuple[ReviewRow, ...]:
        """Return reviews whose author's name has this ending, the oldest first."""
        found = (one for one in self._tables.reviews.values() if one.author.endswith(ending))
        return tuple(sorted(found, key=lambda one: (one.opened, one.review))[:limit])

    def digests(self, name: str) -> tuple[DigestRow, ...]:
        """Return what the reviews say of these bytes, named by their digest or by an alias, ordered by review."""
        meant = {name, *self._tables.aliases.get(name, ())}
        found = (one for digest in meant for one in self._tables.digests.get(digest, {}).values())
        return tuple(sorted(found, key=lambda one: (one.review, one.digest)))

    def inbox(self, who: str, limit: int = 100, after: Urgency = FIRST) -> tuple[InboxRow, ...]:
        """Return what a principal owes or may take, the most urgent first; what has no due time comes last."""
        found = (rows[who] for rows in self._tables.inbox.values() if who in rows)
        return tuple(sorted((one for one in found if one.urgency > after), key=lambda one: one.urgency)[:limit])

    def inbox_of(self, review: str) -> tuple[InboxRow, ...]:
        """Return what is owed in a review, ordered by request and by who owes it."""
        found = (row for rows in self._tables.inbox.values() for row in rows.values() if row.review == review)
        return tuple(sorted(found, key=lambda one: (one.request, one.who)))

    def owes_report(self, names: Iterable[str]) -> bool:
        """True if one of these principals owes or may take a report."""
        wanted = set(names)
        return any(
            who in wanted and row.kind == "report" for rows in self._tables.inbox.values() for who, row in rows.items()
        )

    def due(self, now: str, limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Return requests (review, request) whose due time is over, the longest overdue first, each once."""
        times = {
            request: min((one.due for one in rows.values() if one.due and one.due <= now), default="")
            for request, rows in self._tables.inbox.items()
        }
        late = sorted((time, request) for request, time in times.items() if time)
        return tuple(request for _, request in late[:limit])

    def pending(self, now: str) -> tuple[Pending, ...]:
        """Count the requests that wait for an answer, by kind."""
        found: dict[str, list[list[InboxRow]]] = {}
        for rows in self._tables.inbox.values():
            if every := list(rows.values()):
                found.setdefault(every[0].kind, []).append(every)
        return tuple(
            Pending(
                kind=kind,
                requests=len(requests),
                held=sum(any(one.held for one in rows) for rows in requests),
                queued=sum(any(one.queued for one in rows) for rows in requests),
                overdue=sum(any(one.due and one.due <= now for one in rows) for rows in requests),
                leased=sum(any(one.lease > now for one in rows) for rows in requests),
                lapsed=sum(any(one.lease and one.lease <= now for one in rows) for rows in requests),
            )
            for kind, requests in sorted(found.items())
        )

    def counts(self, names: Iterable[str]) -> Mapping[str, Counts]:
        """Count the reports that each of these principals holds and has in the queue."""
        found = {}
        for name in names:
            mine = [one for one in self.inbox(name, len(self._tables.inbox)) if one.held and one.kind == "report"]
            queued = sum(one.queued for one in mine)
            if mine:
                found[name] = Counts(active=len(mine) - queued, queued=queued)
        return found

    def trust(self, kind: str, author: str) -> TrustRow | None:
        """Return a track record as it was written, damaged or not."""
        return self._tables.trust.get((kind, author))

    def trusts(self) -> tuple[TrustRow, ...]:
        """Return every track record, ordered by kind and author."""
        return tuple(one for _, one in sorted(self._tables.trust.items()))

    def blob(self, digest: str) -> Blob | None:
        """Return the bytes stored under this digest unchecked; the caller hashes them."""
        return self._tables.blobs.get(digest)

    def cursor(self, projection: str) -> Cursor:
        """Return how far a following projection has read."""
        return self._tables.cursors.get(projection, START)

    def row(self, projection: str, key: str) -> str | None:
        """Return one row of a following projection."""
        return self._tables.rows.get(projection, {}).get(key)

    def rows(self, projection: str, prefix: str = "", after: str = "", limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Return rows of a following projection in the order of their keys: those with this prefix, behind `after`."""
        found = self._tables.rows.get(projection, {})
        keys = sorted(key for key in found if key.startswith(prefix))
        start = bisect_right(keys, after)
        return tuple((key, found[key]) for key in keys[start : start + limit])

    def rows_under(self, projection: str, names: Iterable[str], limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Return rows of a projection whose keys start with one of these names and a slash, in key order."""
        found = self._tables.rows.get(projection, {})
        keys = sorted(found)
        chosen: dict[str, str] = {}
        for name in sorted(set(names)):
            for key in keys[bisect_left(keys, f"{name}/") : bisect_left(keys, f"{name}0")]:
                chosen[key] = found[key]
        return tuple(sorted(chosen.items())[:limit])

    def queued(self) -> tuple[Queued, ...]:
        """Count what waits in the outbox, by type."""
        found: dict[str, list[str]] = {}
        for one in self._tables.outbox.values():
            found.setdefault(one.row.type, []).append(one.row.at)
        return tuple(Queued(type=name, count=len(all_), oldest=min(all_)) for name, all_ in sorted(found.items()))

    def remains(self) -> str:
        """Always empty: purged bytes are gone at once."""
        return ""

    def unguarded(self) -> tuple[str, ...]:
        """Always empty: there is no database that others could alter."""
        return ()
