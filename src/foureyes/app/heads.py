"""The rows that a review writes beside the log (list, digests, inbox, outbox), as a function of its state.

They can be rebuilt from the log at any time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from foureyes.app.rows import Append, DigestRow, InboxRow, OutboxRow, ReviewRow
from foureyes.codec.shapes import shape
from foureyes.core.model import ReportRequest, Request, Review, RevisionRequest
from foureyes.core.values import Outcome, Part

OPEN = "open"
HUMANS = "humans"
ANYONE = "anyone"
#: Kind of the row of an inherited finding, which is no request and has no due time.
SETTLE = "finding"
#: Addressee of requests for counsel: any eligible reviewer finds them in the inbox.
COUNSEL = "open:counsel"

#: Events that are delivered outside the gate: somebody owes something, or something ended.
TOLD = frozenset(
    {
        "DeadlinePassed",
        "EscapeReported",
        "LiveRefused",
        "PolicyActivated",
        "ReportRequested",
        "ReviewCleared",
        "ReviewClosed",
        "ReviewReopened",
        "RevisionRequested",
        "RulingGiven",
        "RulingRequested",
        "SessionPaused",
        "SessionResumed",
        "SilenceDetected",
        "SkipDisabled",
        "SkipEnabled",
        "SkipSuggested",
        "StageOverridden",
        "WentLive",
    }
)

_time = shape(datetime)[0]


def state_of(review: Review) -> str:
    """Return `open`, or how the review ended."""
    return review.outcome.value if review.outcome else OPEN


def review_row(review: Review, *, opened: str, updated: str) -> ReviewRow:
    """Return the review's row in lists."""
    parties = dict.fromkeys(_party(one) for one in review.requests.values())
    return ReviewRow(
        review=review.id,
        kind=review.kind,
        title=review.title,
        author=review.author.name,
        state=state_of(review),
        waits=" ".join(sorted(parties)),
        revision=review.revision,
        digest=review.digest,
        opened=opened,
        updated=updated,
    )


def digest_rows(review: Review) -> tuple[DigestRow, ...]:
    """Return what the review says of each version it had."""
    vetoed = {digest for _, digest in review.vetoes}
    cleared = review.cleared if review.outcome is Outcome.CLEARED else ""
    names = dict.fromkeys(one.digest for one in review.revisions)
    return tuple(DigestRow(digest=one, review=review.id, cleared=one == cleared, vetoed=one in vetoed) for one in names)


def inbox_rows(review: Review) -> tuple[InboxRow, ...]:
    """Return a row for each who may give an owed answer, and for inherited findings.

    Empty once the review has ended.
    """
    owed = tuple(row for one in review.requests.values() for row in _owed(review, one))
    return owed if review.outcome is not None else (*owed, *_to_settle(review))


def outbox_rows(appends: Iterable[Append]) -> tuple[OutboxRow, ...]:
    """Return the events among these that must be delivered."""
    return tuple(
        OutboxRow(stream=one.stream, version=version, type=entry.type, at=one.at)
        for one in appends
        for version, entry in enumerate(one.entries, start=one.after + 1)
        if entry.type in TOLD
    )


def role(name: str) -> str:
    """Return how the inbox names everybody with a role."""
    return f"role:{name}"


def group(name: str) -> str:
    """Return how the inbox names the people of a group; any human if there is none."""
    return f"group:{name}" if name else HUMANS


def _party(request: Request) -> str:
    if isinstance(request, ReportRequest):
        return "reviewer"
    return "author" if isinstance(request, RevisionRequest) else "human"


def _to_settle(review: Review) -> Iterator[InboxRow]:
    """Yield a row for each inherited finding, for its raiser, who may settle it; it is never overdue."""
    for one in (review.findings[name] for name in review.inherited):
        if not one.is_settled:
            yield InboxRow(
                review=review.id,
                request=one.id,
                kind=SETTLE,
                who=one.raiser,
                held=True,
                queued=False,
                revision=review.revision,
                due="",
            )


def _owed(review: Review, request: Request) -> Iterator[InboxRow]:
    lease, queued = "", False
    if isinstance(request, ReportRequest):
        seat, queued = review.seats[request.seat], request.queued
        lease = _time(seat.lease) if seat.lease else ""
        roles = [role(one) for one in seat.candidates] or [COUNSEL if seat.part is Part.COUNSEL else ANYONE]
        kind, held, names = "report", seat.reviewer is not None, [seat.reviewer.name] if seat.reviewer else roles
    elif isinstance(request, RevisionRequest):
        kind, held, names = "revision", True, [review.author.name]
    else:
        kind, held, names = "ruling", False, [group(request.group)]
    for name in names:
        yield InboxRow(
            review=review.id,
            request=request.id,
            kind=kind,
            who=name,
            held=held,
            queued=queued,
            revision=request.revision,
            due=_time(request.due),
            lease=lease,
        )
