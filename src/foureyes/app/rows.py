"""Plain values for what the store keeps beside the log, the same in every store; times are text in UTC."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

#: Position of a reader in the log: transaction and event. Nothing can appear before it any more.
Cursor = tuple[int, int]
START: Cursor = (0, 0)
#: Sort key of urgency, the most urgent first: due time, review, request.
Urgency = tuple[str, str, str]
FIRST: Urgency = ("", "", "")
#: Stands for no due time: sorts after every time.
NEVER = "~"

#: Rows written together with the log although no projection follows it for them: what went live by which clearance,
#: which bytes a reviewer was last given, who is enrolled, and which token hash belongs to whom. Copies of the store
#: include them.
LIVES, SERVED, ACCOUNTS, TOKENS = "lives", "served", "accounts", "tokens"
#: Objections to exact bytes, by digest and review, in words, so that a no is quick and names its reason. A yes is
#: always re-evaluated from the log.
OBJECTIONS = "objections"
#: Findings on text, by party, text, review and finding; and which reviews have inherited them.
INHERITABLE = "inheritable"
#: What was told of a version besides what the log counts.
TOLD = "told"
#: Which agents work in which session, by their signals.
SIGNALLED = "signalled"
#: Notifications that wait for a person's next digest of them.
DIGESTS = "digests"
#: Which of these rows are complete; a store of an earlier release lacks some until they are filled.
FILLED = "filled"
#: In the store of local reviews: the dismissals, when each review was run last, and from which server's store earlier
#: ones were moved in.
DISMISSALS, LOCAL_RUNS, MOVED_IN = "dismissals", "local_runs", "moved_in"
#: In a server's store: local reviews of an earlier release, until their owners fetch them.
UNMOVED = "unmoved"
WRITTEN_ALONG = (LIVES, SERVED, ACCOUNTS, TOKENS, OBJECTIONS, INHERITABLE, TOLD, SIGNALLED, DIGESTS, FILLED, UNMOVED)
#: Sign-ins, and links to sign in or to decide that are still valid: temporary, so not part of a copy.
SIGN_INS, LINKS, DECIDING_LINKS = "sign_ins", "links", "deciding_links"
#: State of deliveries by target: temporary too.
DELIVERIES = "deliveries"
#: Which process hosts reviewers: temporary too.
ENGINE = "engine"


_WITH_SORT = re.compile(r"sha256:([0-9a-f]{64})").fullmatch


def plain_digest(name: str) -> str:
    """Return a digest without the prefix `sha256:` of other programs; every other name unchanged."""
    found = _WITH_SORT(name)
    return found[1] if found else name


class Given(NamedTuple):
    """What a row of SERVED says: the digest of the version somebody was given last, and a file of it they were not."""

    digest: str = ""
    withheld: str = ""

    @classmethod
    def of(cls, row: str | None) -> Given:
        """Parse a row."""
        digest, _, withheld = (row or "").partition("\n")
        return cls(digest, withheld)

    @property
    def row(self) -> str:
        """The row that stores it."""
        return "\n".join(filter(None, self))


def unmoved_bytes(digest: str) -> str:
    """Return the key in `UNMOVED` of bytes that owners of local reviews have not fetched yet."""
    return f"bytes/{digest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One event as the log holds it: what happened, when, by whom, because of which command, and its link."""

    seq: int
    stream: str
    version: int
    type: str
    schema: int
    at: str
    actor: str
    cause: str
    body: str
    chain: bytes
    tx: int = 0

    @property
    def cursor(self) -> Cursor:
        """The position of a reader who has read this event."""
        return (self.tx, self.seq)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One new event, written down and linked to the one before it in its stream."""

    type: str
    schema: int
    body: str
    chain: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Append:
    """What follows the first `after` events of a stream; anything else there by now is a conflict."""

    stream: str
    after: int
    at: str
    actor: str
    cause: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """How a stream ends: its length and its last link."""

    stream: str
    version: int
    chain: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What is there before a command is decided: the stream's end, and the reply if this key was answered before."""

    version: int = 0
    chain: bytes = b""
    body_hash: str = ""
    reply: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A command and its reply, kept so that the same key gets the same reply."""

    asker: str
    key: str
    body_hash: str
    reply: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRow:
    """A review in a list."""

    review: str
    kind: str
    title: str
    author: str
    #: `open`, or the outcome.
    state: str
    #: Who owes an answer, of: reviewer, author, human; separated by spaces. Empty if nobody does.
    waits: str
    revision: int
    digest: str
    opened: str
    updated: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestRow:
    """What one review says of exactly these bytes."""

    digest: str
    review: str
    cleared: bool
    vetoed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow:
    """Something owed by somebody: one row for each who may give it."""

    review: str
    request: str
    #: report, revision or ruling.
    kind: str
    #: A name; for a ruling the group, or empty for any human; for an open seat empty.
    who: str
    #: True if it is theirs; False if they may take it.
    held: bool
    queued: bool
    revision: int
    due: str
    lease: str = ""

    @property
    def urgency(self) -> Urgency:
        """The sort key in an inbox; rows without a due time come last."""
        return self.due or NEVER, self.review, self.request


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """An event somebody outside shall hear of; the log has what happened."""

    stream: str
    version: int
    type: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """An outbox row on its way: claimed for a while, so that one worker at a time tries it."""

    id: int
    row: OutboxRow
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """How many outbox rows of one type wait, and since when the oldest does."""

    type: str
    count: int
    oldest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """How many requests of one kind wait for an answer, and how they stand; each request counts once."""

    #: report, revision or ruling.
    kind: str
    requests: int
    #: Assigned to somebody.
    held: int = 0
    #: Assigned, but waiting because the assignee has enough active requests.
    queued: int = 0
    #: Their due time is over.
    overdue: int = 0
    #: A reviewer is at work on them.
    leased: int = 0
    #: Their lease has ended without a sign of life.
    lapsed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustRow:
    """A track record with a checksum, so that damage is noticed."""

    kind: str
    author: str
    body: str
    checksum: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """Bytes by their digest; a purged one has left a tombstone that says why."""

    digest: str
    size: int
    content: bytes | None
    purged: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Which reviews, the newest opened first; `before` is (opened, review) of the last one seen."""

    state: str = ""
    author: str = ""
    kind: str = ""
    before: tuple[str, str] | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much a reviewer has on the table."""

    active: int = 0
    queued: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Everything one command changes: written together, or not at all."""

    appends: tuple[Append, ...] = ()
    reviews: tuple[ReviewRow, ...] = ()
    digests: tuple[DigestRow, ...] = ()
    #: Requests (review, request) whose inbox rows are removed before the new ones are added.
    inbox_gone: tuple[tuple[str, str], ...] = ()
    inbox: tuple[InboxRow, ...] = ()
    outbox: tuple[OutboxRow, ...] = ()
    trust: tuple[TrustRow, ...] = ()
    #: Other names (a git tree) of a digest.
    aliases: tuple[tuple[str, str], ...] = ()
    #: Rows written along with the log, by projection and key; None removes one.
    along: Mapping[tuple[str, str], str | None] = field(default_factory=dict)
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    answered: Answered | None = None
