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

        `down` means that the database itself is out of reach. One that is there and busy is not down.
        """
        super().__init__(f"{sentence} {next_step}")
        self.sentence = sentence
        self.next_step = next_step
        self.full = full
        self.unknown = unknown
        self.down = down

    @property
    def word(self) -> str:
        """The stable code word: no room for it is another matter than a store that cannot answer."""
        return "disk_full" if self.full else "unavailable"


class Damaged(Exception):  # noqa: N818 - likewise
    """What the store holds is not what was written: an altered event, blob or record. Nothing is cleared by it."""


class Reading(Protocol):
    """One consistent look at the store. Used inside `Store.read` and `Store.write` only, in the store's thread."""

    def known(self, stream: str, asker: str, key: str) -> Known:
        """The stream's end, and the reply this asker's key got before."""

    def events(self, stream: str, after: int = 0) -> Iterable[Stored]:
        """The events of a stream in order, from the one behind `after`."""

    def heads(self, after: str = "", limit: int = 1000) -> tuple[Head, ...]:
        """How the streams end, by name, from the one behind `after`."""

    def tail(self, cursor: Cursor, limit: int = 1000) -> tuple[Stored, ...]:
        """What comes behind a cursor in the order of cursors; never skips an event that commits later."""

    def log_end(self) -> Cursor:
        """The last event that is committed, where `tail` may still keep it back; the start where it never does."""

    def review(self, review: str) -> ReviewRow | None:
        """One review's row."""

    def reviews(self, listing: Listing) -> tuple[ReviewRow, ...]:
        """A page of reviews, the newest opened first."""

    def reviews_by(self, ending: str, limit: int = 1000) -> tuple[ReviewRow, ...]:
        """Reviews whose author's name ends like this, the oldest first."""

    def digests(self, name: str) -> tuple[DigestRow, ...]:
        """What the reviews say of these bytes, named by their digest or by an alias; by review."""

    def inbox(self, who: str, limit: int = 100, after: Urgency = FIRST) -> tuple[InboxRow, ...]:
        """What somebody owes or may take, the most urgent first: those behind `after`."""

    def inbox_of(self, review: str) -> tuple[InboxRow, ...]:
        """What is owed in a review, by request and by who owes it."""

    def owes_report(self, names: Iterable[str]) -> bool:
        """Whether one of these owes or may take a report: people, roles, or whatever else the inbox has rows for."""

    def due(self, now: str, limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Requests (review, request) whose due time is over, the longest first, each once."""

    def pending(self, now: str) -> tuple[Pending, ...]:
        """How many requests wait for an answer, by kind; costs what is open, however much ever was."""

    def counts(self, names: Iterable[str]) -> Mapping[str, Counts]:
        """How much each of them holds; names that hold nothing may be missing."""

    def trust(self, kind: str, author: str) -> TrustRow | None:
        """A track record as it was written, damaged or not."""

    def trusts(self) -> Iterable[TrustRow]:
        """Every track record, by kind and author."""

    def blob(self, digest: str) -> Blob | None:
        """The bytes with this digest, as they are; the caller hashes them."""

    def cursor(self, projection: str) -> Cursor:
        """How far a following projection has read."""

    def row(self, projection: str, key: str) -> str | None:
        """One row of a following projection."""

    def rows(self, projection: str, prefix: str = "", after: str = "", limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Rows of a following projection in the order of their keys: those with this prefix, behind `after`."""

    def rows_under(self, projection: str, names: Iterable[str], limit: int = 100) -> tuple[tuple[str, str], ...]:
        """Rows of a projection whose keys are one of these names, a slash and more; in the order of their keys."""

    def queued(self) -> tuple[Queued, ...]:
        """How much waits in the outbox, by type."""

    def remains(self) -> str:
        """Where bytes may still lie that were purged, and when they will be gone; nothing where they are gone."""

    def unguarded(self) -> tuple[str, ...]:
        """What the database had to keep the log append-only and has no more, or not as it was; by name."""


class Writing(Reading, Protocol):
    """One transaction. What is applied is seen by its own later reads, and by others once it is committed."""

    def lock(self, *names: str) -> None:
        """Wait until no other transaction holds these names; they are held until this one ends."""

    def apply(self, changes: Changes) -> None:
        """Write all of it; raises Conflict when a stream has grown meanwhile."""

    def follow(self, projection: str, rows: Mapping[str, str | None], cursor: Cursor) -> None:
        """Set or (None) remove rows of a following projection and move its cursor."""

    def unlist(self, review: str, digests: Iterable[str], blobs: Iterable[str]) -> None:
        """Take a review out of lists, inboxes, the outbox and what is known of digests, and take bytes away.

        The log keeps what happened. Unlike purged bytes, these may come again.
        """

    def clear(self, projection: str) -> None:
        """Forget a following projection: all its rows, and its cursor goes back to the start."""

    def settled(self, cursor: Cursor, limit: int = 1000) -> tuple[Stored, ...]:
        """Hold every track record until this transaction ends, and give everything committed behind a cursor.

        `tail` keeps back what was committed while an older transaction is under way; this gives it too. As nobody can
        count meanwhile, no event that counts can come between.
        """

    def set_trust(self, rows: Iterable[TrustRow]) -> None:
        """Replace every track record, after a rebuild."""

    def purge(self, digest: str, tombstone: str) -> bool:
        """Remove a blob's bytes and leave the tombstone; False when there is no such blob."""

    def claim(self, worker: str, now: str, until: str, limit: int = 32) -> tuple[Parcel, ...]:
        """Take outbox rows that nobody has claimed beyond now, oldest first, and claim them until then."""

    def delivered(self, parcels: Iterable[int]) -> None:
        """Remove outbox rows that arrived."""

    def postponed(self, parcel: int, until: str) -> None:
        """Try an outbox row again later."""

    def recalled(self, beyond: str) -> None:
        """Try outbox rows again at once that were claimed or put off until after this moment."""

    def guard(self) -> None:
        """Put back what keeps the log append-only."""


class _Looking:
    """A look at the store for deciding what would happen: nothing is locked, because nothing will be written."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading

    def __getattr__(self, name: str) -> object:
        return getattr(self._reading, name)

    def lock(self, *names: str) -> None:
        """Hold nothing."""


def looking(reading: Reading) -> Writing:
    """Use a look at the store where a transaction is wanted; writing with it is an error."""
    return cast("Writing", _Looking(reading))


class Quick(Generic[T]):
    """Work that takes a moment and waits for nobody; it may be run again, once all that it did is undone.

    A store may run it in the caller's thread, or in one transaction with other quick work, if that is cheaper.
    """

    __slots__ = ("_work",)

    def __init__(self, work: Callable[[Any], T]) -> None:
        """Promise it, of a transaction or of a look."""
        self._work = work

    def __call__(self, tx: Any) -> T:
        """Do it."""
        return self._work(tx)


class Store(Protocol):
    """Where everything is kept. Blocking work runs in the store's own threads, unless it is `Quick`."""

    async def read(self, work: Callable[[Reading], T]) -> T:
        """Run `work` on one consistent snapshot."""

    async def write(self, work: Callable[[Writing], T]) -> T:
        """Run `work` in one transaction; durable when this returns. What `work` raises undoes it and is raised here.

        Raises Conflict when it should be decided again, Unavailable when the store cannot write.
        """

    async def close(self) -> None:
        """Finish what is under way and let go of the files."""


class Directory(Protocol):
    """Who there is."""

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """Everybody who may be asked to review, with their roles."""


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
