"""Verifies that the rows beside the log agree with the log, so that a forged row does not pass for a clearance."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from foureyes.app import inheriting
from foureyes.app.damages import Collected
from foureyes.app.heads import digest_rows, inbox_rows, review_row
from foureyes.app.objections import noted_by
from foureyes.app.ports import Conflict, Damaged, Reading
from foureyes.app.projections.recount import check_trust
from foureyes.app.rows import INHERITABLE, OBJECTIONS, Head, Known, Stored
from foureyes.app.shelf import Held, read_review
from foureyes.app.verify_stream import BACKUP
from foureyes.app.work import blob_digest, is_digest
from foureyes.core.local import is_local
from foureyes.core.model import Review

REVIEW = "review/"
#: The review ends within the append that opens it, so there is nothing to compare yet.
_CUT = "truncated: it ends within its opening, before its first version"
RECOUNT = "Find out who wrote it. The log is the truth: run `foureyes rebuild trust`."
REBUILD_INBOX = "Find out who wrote it. The log is the truth: run `foureyes rebuild inbox`."
TEXTS = "Find out who wrote it. The log is the truth: run `foureyes rebuild inheritable`."
KEYS = "Compare it with a backup: a command that is sent again with this key would be done twice."
REBUILD = "Stop the server and find out who wrote it. The log is the truth: the rows can be made anew from it."


@dataclass(slots=True)
class Rows:
    """What a review's events say of digests, gathered while they are met."""

    head: Head
    submitted: set[str] = field(default_factory=set)
    cleared: set[str] = field(default_factory=set)
    #: A seat with a veto was asked, and a reviewer rejected: only folding tells whether a veto stands.
    veto_asked: bool = False
    rejected: bool = False
    #: The commands that wrote it: account and key, each once, in order.
    asked: dict[tuple[str, str], int] = field(default_factory=dict)

    def see(self, one: Stored) -> None:
        """Record one event of the stream."""
        if one.cause:
            self.asked.setdefault((one.actor, one.cause), one.version)
        self.veto_asked |= one.type == "ReportRequested" and '"veto":true' in one.body
        self.rejected |= one.type == "ReportSubmitted" and '"verdict":"reject"' in one.body
        named = {"RevisionSubmitted": self.submitted, "ReviewCleared": self.cleared}.get(one.type)
        if named is not None:
            try:
                named.add(str(json.loads(one.body)["digest"]))
            except (ValueError, KeyError, TypeError):
                return  # an unreadable body does not match its link, which is reported there

    def check(self, reading: Reading, found: Collected, *, deep: bool) -> None:
        """Compare the rows with the events: clearances and vetoes always, everything if `deep`."""
        stream = self.head.stream
        for digest in self.submitted - self.cleared:
            for row in reading.digests(digest):
                if row.digest == digest and f"{REVIEW}{row.review}" == stream and row.cleared:
                    found.add(stream, f"forged: a row says that {digest} is cleared, the log does not", REBUILD)
        if stream.startswith(REVIEW) and (deep or (self.veto_asked and self.rejected)):
            held = _check_folded(reading, self.head, found)
            if held is not None and deep:
                _check_inbox(reading, held.review, found)
                _check_bytes(reading, held.review, found)
        if stream.startswith(REVIEW) and deep:
            self._check_keys(reading, found)

    def _check_keys(self, reading: Reading, found: Collected) -> None:
        """Check that every command that wrote here is known by its key, so that it is not executed twice."""
        for (actor, key), version in self.asked.items():
            if not reading.known("", actor, key).reply:
                place = f"{self.head.stream}@{version}"
                found.add(place, f"deleted: the key {key!r} of {actor}, which wrote it, is not known", KEYS)


def check_records(reading: Reading, found: Collected) -> None:
    """Check that the track records match the reviews."""
    for one in check_trust(reading):
        found.add(f"trust {one.kind} {one.author}", f"forged or deleted: {one.why}", RECOUNT)


def _check_folded(reading: Reading, head: Head, found: Collected) -> Held | None:
    try:
        held = read_review(reading, head.stream, Known(version=head.version, chain=head.chain))
    except (Damaged, Conflict):
        return None  # reported by the walk along the links
    except (ValueError, LookupError, AttributeError) as error:
        found.add(head.stream, f"edited: its events cannot be folded: {error!r}", REBUILD)
        return None
    if not held.review.revisions:
        found.add(head.stream, _CUT, BACKUP)
        return None
    if is_local(held.review):
        return None  # a server has no rows of it, and the store of local reviews is no evidence
    for row in digest_rows(held.review):
        if row not in reading.digests(row.digest):
            found.add(head.stream, f"forged: the row about {row.digest} is not what its events say", REBUILD)
    _check_noted(reading, head.stream, held.review, found)
    listed = reading.review(held.review.id)
    if listed != review_row(held.review, opened=held.opened, updated=listed.updated if listed else ""):
        found.add(head.stream, "forged: its row in the list is not what its events say", REBUILD)
    return held


def _check_inbox(reading: Reading, review: Review, found: Collected) -> None:
    """Check that the inbox has exactly the rows of what is owed."""
    owed, listed = set(inbox_rows(review)), set(reading.inbox_of(review.id))
    for row in sorted(owed - listed, key=lambda one: (one.request, one.who)):
        what = f"deleted or forged: {row.who} owes {row.kind} {row.request}, and the inbox does not say so"
        found.add(f"{REVIEW}{review.id}", what, REBUILD_INBOX)
    for row in sorted(listed - owed, key=lambda one: (one.request, one.who)):
        if (row.request, row.who) not in {(one.request, one.who) for one in owed}:
            what = f"forged: the inbox says that {row.who} owes {row.kind} {row.request}, the log does not"
            found.add(f"{REVIEW}{review.id}", what, REBUILD_INBOX)


def _check_bytes(reading: Reading, review: Review, found: Collected) -> None:
    """Check that every part of every version is stored as it was sent, unless it was purged with a reason."""
    parts = {part.digest: part.name for one in review.revisions for part in one.parts if is_digest(part.digest)}
    for digest, name in parts.items():
        blob = reading.blob(digest)
        place = f"{REVIEW}{review.id}"
        if blob is None or (blob.content is None and not blob.purged):
            found.add(place, f"deleted: the bytes of {name} ({digest}) are gone, and nobody purged them", BACKUP)
        elif blob.content is not None and blob_digest(blob.content) != digest:
            found.add(place, f"edited: the bytes of {name} are not those of {digest}", BACKUP)


def _check_noted(reading: Reading, stream: str, review: Review, found: Collected) -> None:
    """Compare the objection and inheritance rows of a review with its events.

    A missing objection row changes nothing: a yes is always re-evaluated from the log. A store of an earlier version
    has none.
    """
    said, texts = noted_by(reading, stream), inheriting.noted_by(reading, stream)
    for key in texts:
        # A missing row would let an objection be shed by opening another review on the same text.
        if (text := reading.row(INHERITABLE, key)) is not None and text != texts[key]:
            found.add(stream, "forged: what is noted of the text of its findings is not what its events say", TEXTS)
    for digest in dict.fromkeys(one.digest for one in review.revisions):
        key = f"{digest}/{review.id}"
        if (text := reading.row(OBJECTIONS, key)) is not None and text != said.get(key):
            found.add(stream, f"forged: what is noted against {digest} is not what its events say", REBUILD)
