"""The interfaces the gate needs from outside: a transactional store and a directory of reviewers, with their errors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, cast

from foureyes.app.rows import (
    FIRST,
    START,
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

if TYPE_CHECKING:  # `check` reads a store without the core, and most often needs no more
    from foureyes.core.facts import Principal

T = TypeVar("T")


class Conflict(Exception):  # noqa: N818 - expected: somebody else was faster, decide again
    """Somebody else appended first, or the database asks to try again; nothing was written."""


class Unavailable(Exception):  # noqa: N818 - a state of the store, told to the caller
    """The store cannot answer now; nothing was acknowledged. Says what happened and what to do."""

    def __init__(
        self, sentence: str, next_step: str, *, full: bool = False, unknown: bool = False, down: bool = False
    ) -> None:
        """Keep what a door shows; `unknown` means that the write may have happened: ask again with the same key.

        `down` means that the database itself is out of reach. A database that is reachable but busy is not down.
        """
        super().__init__(f"{sentence} {next_step}")
        self.sentence = sentence
        self.next_step = next_step
        self.full = full
        self.unknown = unknown
        self.down = down

    @property
    def word(self) -> str:
        """The stable code word; a full disk has its own."""
        return "disk_full" if self.full else "unavailable"


class Damaged(Exception):  # noqa: N818 - likewise
    """What the store holds is not what was written: an altered event, blob or record. Nothing is cleared by it."""


class Reading(Protocol):
    """One consistent look at the store. Used inside `Store.read` and `Store.write` only, in the store's thread."""

    def known(self, stream: str, asker: str, key: str) -> Known:
        """Return the stream's end, and the reply this asker's key got before."""

    def events(self, stream: str, after: int = 0) -> Iterable[Stored]:
        """Return the events of a stream in order, from the one behind `after`."""

    def heads(self, after: str = "", limit: int = 1000) -> tuple[Head, ...]:
        """Return the ends of the streams, by name, from the one behind `after`."""

    def tail(self, cursor: Cursor, limit: int = 1000) -> tuple[Stored, ...]:
        """Return what comes behind a cursor in the order of cursors; never skips an event that commits later."""

    def log_end(self) -> Cursor:
        """Return the last committed event, even if `tail` still holds it back; the start if `tail` never does."""

    def review(self, review: str) -> ReviewRow | None:
        """Return one review's row."""

    def reviews(self, listing: Listing) -> tuple[ReviewRow, ...]:
        """Return a page of reviews, the newest opened first."""

    def reviews_by(self, ending: str, limit: int = 1000) -> tuple[ReviewRow, ...]:
        """Return reviews whose author's name ends like this, the oldest first."""

    def digests(self, name: str) -> tuple[DigestRow, ...]:
        """Return what the reviews say of these bytes, named by their digest or by an alias; by review."""

    def inbox(self, who: str, limit: int = 100, after: Urgency = FIRST) -> tuple[InboxRow, ...]:
        """Return what this addressee owes or may take behind `after`, the most urgent first."""

    def inbox_of(self, review: str) -> tuple[InboxRow, ...]:
        """Return what is owed in a review, by request and addressee."""

    def owes_report(self, names: Iterable[str]) -> bool:
        """True if one of these addressees (people, roles or others in the inbox) owes or may take a report."""

    def due(self, now: str, limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Return requests (review, request) whose due time has passed, the longest overdue first, each once."""

    def pending(self, now: str) -> tuple[Pending, ...]:
        """Return how many requests wait for an answer, by kind; the cost depends on open requests only."""

    def counts(self, names: Iterable[str]) -> Mapping[str, Counts]:
        """Return how many reviews each reviewer holds; names that hold none may be missing."""

    def trust(self, kind: str, author: str) -> TrustRow | None:
        """Return a track record as it was written, damaged or not."""

    def trusts(self) -> Iterable[TrustRow]:
        """Return every track record, by kind and author."""

    def blob(self, digest: str) -> Blob | None:
        """Return the bytes with this digest, unchecked; the caller hashes them."""

    def cursor(self, projection: str) -> Cursor:
        """Return how far a following projection has read."""

    def row(self, projection: str, key: str) -> str | None:
        """Return one row of a following projection."""

    def rows(self, projection: str, prefix: str = "", after: str = "", limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Return rows of a following projection in the order of their keys: those with this prefix, behind `after`."""

    def rows_under(self, projection: str, names: Iterable[str], limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Return rows whose keys are one of these names, a slash and more, in the order of their keys."""

    def queued(self) -> tuple[Queued, ...]:
        """Return how much waits in the outbox, by type."""

    def remains(self) -> str:
        """Return where purged bytes may still be stored, and when they will be gone; empty if they are gone."""

    def unguarded(self) -> tuple[str, ...]:
        """Return the names of the database's guards of the append-only log that are missing or altered."""


class Writing(Reading, Protocol):
    """One transaction. What is applied is seen by its own later reads, and by others once it is committed."""

    def lock(self, *names: str) -> None:
        """Wait until no other transaction holds these names; they are held until this one ends."""

    def apply(self, changes: Changes) -> None:
        """Write all changes; raises Conflict if a stream has grown meanwhile."""

    def follow(self, projection: str, rows: Mapping[str, str | None], cursor: Cursor) -> None:
        """Set or (None) remove rows of a following projection and move its cursor."""

    def unlist(self, review: str, digests: Iterable[str], blobs: Iterable[str]) -> None:
        """Remove a review from lists, inboxes, the outbox and the digest rows, and remove bytes.

        The log keeps what happened. Unlike purged bytes, these may be stored again.
        """

    def clear(self, projection: str) -> None:
        """Delete all rows of a following projection and reset its cursor to the start."""

    def settled(self, cursor: Cursor, limit: int = 1000) -> tuple[Stored, ...]:
        """Lock every track record until this transaction ends, and return everything committed behind a cursor.

        `tail` holds back what was committed while an older transaction is under way; this returns it too. As nobody can
        count meanwhile, no event that counts can come between.
        """

    def set_trust(self, rows: Iterable[TrustRow]) -> None:
        """Replace all track records, after a rebuild."""

    def purge(self, digest: str, tombstone: str) -> bool:
        """Remove a blob's bytes and leave the tombstone; False if there is no such blob."""

    def claim(self, worker: str, now: str, until: str, limit: int = 32) -> tuple[Parcel, ...]:
        """Claim outbox rows that are not claimed beyond `now`, oldest first, until `until`."""

    def delivered(self, parcels: Iterable[int]) -> None:
        """Remove delivered outbox rows."""

    def postponed(self, parcel: int, until: str) -> None:
        """Retry an outbox row after `until`."""

    def recalled(self, beyond: str) -> None:
        """Retry at once the outbox rows that were claimed or postponed until after this moment."""

    def guard(self) -> None:
        """Restore the guards that keep the log append-only."""


class _Looking:
    """A read-only look at the store for previews: nothing is locked, because nothing will be written."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def __getattr__(self, name: str) -> object:
        return getattr(self._reading, name)

    def lock(self, *names: str) -> None:
        """Do nothing."""


def looking(reading: Reading) -> Writing:
    """Use a read-only look where a transaction is expected; writing with it is an error."""
    return cast("Writing", _Looking(reading))


class Quick(Generic[T]):
    """Work that takes a moment and waits for nobody; it may be run again, once all that it did is undone.

    A store may run it in the caller's thread, or in one transaction with other quick work, if that is cheaper.
    """

    __slots__ = ("_work",)

    def __init__(self, work: Callable[[Any], T]) -> None:
        """Wrap work that takes a transaction or a read-only look."""
        self._work = work

    def __call__(self, tx: Any) -> T:
        """Run the work."""
        return self._work(tx)


class Store(Protocol):
    """Where everything is kept. Blocking work runs in the store's own threads, unless it is `Quick`."""

    async def read(self, work: Callable[[Reading], T]) -> T:
        """Run `work` on one consistent snapshot."""

    async def write(self, work: Callable[[Writing], T]) -> T:
        """Run `work` in one transaction; durable on return. An exception of `work` rolls it back and is raised here.

        Raises Conflict if it should be decided again, Unavailable if the store cannot write.
        """

    async def close(self) -> None:
        """Finish what is under way and release the files."""


class Directory(Protocol):
    """Who there is."""

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """Return everybody who may be asked to review, with their roles."""


__all__ = [
    "START",
    "Conflict",
    "Damaged",
    "Directory",
    "Quick",
    "Reading",
    "Store",
    "Unavailable",
    "Writing",
    "looking",
]
