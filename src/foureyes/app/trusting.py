"""Track records of authors: counts the end of a review, and checks that a stored record can be believed.

Track records are counted in the transaction that ends the review, so that an escaped defect shuts the fast lane before
the next command is decided. The lock of the record (`stream_of`) is taken before its row is read and before anything is
written: so the order of the log is the order of counting, and a replay gives the same bytes.

A record that cannot be believed counts as missing, so reviewers look. Its row is left as it is for an investigation;
nothing is lost, because the log has every end and `rebuild trust` counts them all again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import cast

from foureyes.app.ports import Damaged, Reading
from foureyes.app.rows import OutboxRow, TrustRow
from foureyes.app.shelf import dated
from foureyes.codec import CodecError, canonical
from foureyes.codec.shapes import shape, spelled
from foureyes.core.events import (
    EscapeReported,
    ReviewCleared,
    ReviewClosed,
    ReviewEvent,
    SideEvent,
    SkipEnabled,
    SkipSuggested,
)
from foureyes.core.model import Review
from foureyes.core.rules import Learning
from foureyes.core.trust import (
    TRUST_RULE,
    TrustRecord,
    evolve_trust,
    record_escape,
    record_failure,
    record_review,
    shut_by,
    suggestion,
)
from foureyes.core.values import ClearedBy, Outcome, Part, Verdict

#: Events of a review that can change its author's record.
ENDS = frozenset({"ReviewCleared", "ReviewClosed", "EscapeReported"})
DOUBTS = (Verdict.CONCERNS, Verdict.REJECT)
#: Events on a record's own stream that change it.
SWITCHES = frozenset({"SkipSuggested", "SkipEnabled", "SkipDisabled"})
OPENED_OR_SHUT = frozenset({"SkipEnabled", "SkipDisabled"})
#: Outbox type that reports a damaged record, once.
TRUST_DAMAGED = "TrustDamaged"
#: Prefix of the checksum of a row whose damage was reported already; no checksum looks like this.
TOLD = "damaged:"
KEPT_MAX = 4096

_put, _take = shape(TrustRecord)
#: Cache by kind and author: the row as last written or read, and its record.
_KEPT: dict[tuple[str, str], tuple[TrustRow, TrustRecord]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """A record after some events of a review, and what its own stream must say about it in the same transaction."""

    record: TrustRecord
    events: tuple[SideEvent, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """A record as a command meets it; with none there is damage, and what to write so that it is told once."""

    record: TrustRecord | None
    rows: tuple[TrustRow, ...] = ()
    outbox: tuple[OutboxRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A record that must not be believed, and why."""

    kind: str
    author: str
    why: str


def stream_of(kind: str, author: str) -> str:
    """Return the stream of a record, which is also the name of its lock."""
    return f"trust/{kind}/{author}"


def after_review(
    record: TrustRecord, review: Review, event: ReviewEvent, *, opened: datetime, at: datetime, learning: Learning
) -> TrustRecord:
    """Count one event of a review; the review is as it was after the event, `opened` is when it began.

    Every report against the work is a failed attempt, and a clearance by reviewers a successful one. They are counted
    together when the review ends: a record that moved earlier would reveal reports that are still hidden.
    """
    took = max(timedelta(0), at - opened)
    if isinstance(event, EscapeReported):
        return record_escape(record, at=at, learning=learning)
    if not isinstance(event, ReviewCleared | ReviewClosed):
        return record
    doubts = _doubts(review)
    for _ in range(doubts):
        record = record_failure(record, at=at, learning=learning, took=took)
    match event:
        case ReviewCleared(by=ClearedBy.GATES):
            confidence = _least_confidence(review)
            return record_review(record, approved=True, confidence=confidence, at=at, learning=learning, took=took)
        case ReviewClosed(outcome=outcome) if outcome is not Outcome.WITHDRAWN:
            is_counted = doubts > 0 or review.is_unreviewed
            return record if is_counted else record_failure(record, at=at, learning=learning, took=took)
        case _:
            # A clearance by a human, a policy or the fast lane says nothing more about the author.
            return record


def learned(
    record: TrustRecord,
    steps: Iterable[tuple[Review, ReviewEvent]],
    *,
    opened: datetime,
    at: datetime,
    learning: Learning,
) -> Learned:
    """Count the events of one command, each with the review after it."""
    events: list[SideEvent] = []
    for review, event in steps:
        after = after_review(record, review, event, opened=opened, at=at, learning=learning)
        told = shut_by(record, after)
        events += [told] if told is not None else []
        record = after
    return Learned(record=record, events=tuple(events))


def decided(record: TrustRecord, events: Iterable[SideEvent], at: datetime) -> TrustRecord:
    """Return the record after suggestions and decisions about it."""
    for event in events:
        record = evolve_trust(record, event, at)
    return record


def to_row(record: TrustRecord) -> TrustRow:
    """Encode a record with a checksum over whose it is and what it says."""
    body = spelled(_put(record))
    row = TrustRow(
        kind=record.kind, author=record.author, body=body, checksum=_checksum(record.kind, record.author, body)
    )
    _keep(row, record)
    return row


def from_row(row: TrustRow) -> TrustRecord:
    """Decode a record; raises Damaged if it is not what was written."""
    known = _KEPT.get((row.kind, row.author))
    if known is not None and known[0] == row:
        return known[1]
    record = _read(row)
    _keep(row, record)
    return record


def _keep(row: TrustRow, record: TrustRecord) -> None:
    if len(_KEPT) >= KEPT_MAX:
        _KEPT.clear()
    _KEPT[row.kind, row.author] = row, record


def _read(row: TrustRow) -> TrustRecord:
    if row.checksum != _checksum(row.kind, row.author, row.body):
        raise Damaged(f"The track record of {row.author} with {row.kind} is not what was written.")
    try:
        said = json.loads(row.body)
        if isinstance(said, dict) and said.get("rule") != TRUST_RULE:
            raise Damaged(
                f"The track record of {row.author} with {row.kind} was counted by an earlier rule; "
                "`foureyes rebuild trust` counts it anew."
            )
        record = cast("TrustRecord", _take(said))
    except (CodecError, ValueError, RecursionError) as error:
        raise Damaged(f"The track record of {row.author} with {row.kind} cannot be read: {error}") from error
    if (record.kind, record.author) != (row.kind, row.author):
        raise Damaged(f"The track record of {row.author} with {row.kind} is that of {record.pattern}.")
    return record


def load(reading: Reading, kind: str, author: str) -> TrustRecord:
    """Return the record of an author with a kind of work, an empty one at first; raises Damaged."""
    row = reading.trust(kind, author)
    if row is not None:
        return _confirmed(reading, from_row(row))
    if reading.known(stream_of(kind, author), "", "").version:
        raise Damaged(f"The track record of {author} with {kind} is gone, although the log speaks of it.")
    return TrustRecord(kind=kind, author=author)


def meet(reading: Reading, kind: str, author: str, at: str) -> Met:
    """Return the record for a command. Damage is no error here: reviewers look, and it is reported once."""
    try:
        return Met(record=load(reading, kind, author))
    except Damaged:
        row = reading.trust(kind, author) or TrustRow(kind=kind, author=author, body="", checksum="")
    if row.checksum.startswith(TOLD):
        return Met(record=None)
    notice = OutboxRow(stream=stream_of(kind, author), version=0, type=TRUST_DAMAGED, at=at)
    return Met(record=None, rows=(replace(row, checksum=TOLD + row.checksum),), outbox=(notice,))


def suggestions_due(
    reading: Reading, rows: Iterable[TrustRow], now: datetime, learning: Learning
) -> tuple[SkipSuggested, ...]:
    """Return the skips to suggest to a human now, each record once; none for damaged records."""
    found = (suggestion(one, now, learning) for one in examined(reading, rows) if isinstance(one, TrustRecord))
    return tuple(one for one in found if one is not None)


def examined(reading: Reading, rows: Iterable[TrustRow]) -> Iterator[TrustRecord | Suspect]:
    """Yield each record, or why it must not be believed."""
    for row in rows:
        try:
            yield _confirmed(reading, from_row(row))
        except Damaged as error:
            yield Suspect(kind=row.kind, author=row.author, why=str(error))


def _confirmed(reading: Reading, record: TrustRecord) -> TrustRecord:
    """Check an enabled skip against the log: a human must have enabled it, and nobody disabled it since."""
    if not record.enabled_by:
        return record
    past = tuple(one for one in reading.events(stream_of(record.kind, record.author)) if one.type in OPENED_OR_SHUT)
    last = dated(past[-1:])
    if not last or not isinstance(event := last[0][0], SkipEnabled) or event.by != record.enabled_by:
        raise Damaged(f"Auto-skip is on for {record.pattern}, but the log does not say so.")
    return record


def _doubts(review: Review) -> int:
    """Count the reports against the work since it was opened; in a reopened review, only against its last version."""
    return sum(
        one.verdict in DOUBTS
        and review.seats[one.seat].part is not Part.COUNSEL
        and (review.reopenings == 0 or one.revision == review.revision)
        for one in review.reports.values()
    )


def _least_confidence(review: Review) -> int | None:
    """Return the lowest confidence of the reviewers of this revision; None if nobody gave one."""
    said = (one.confidence for one in review.reports.values() if one.revision == review.revision)
    return min((one for one in said if one is not None), default=None)


def _checksum(kind: str, author: str, body: str) -> str:
    return hashlib.sha256(canonical([kind, author, body])).hexdigest()
