"""State changes of a review by events about the review as a whole."""

from __future__ import annotations

from foureyes.core import events as e
from foureyes.core.evolve.puts import changed, put, with_request, without
from foureyes.core.evolve.rulings import argued_anew, asked_again, asked_anew
from foureyes.core.model import Note, ReportRequest, Review, Revision, RevisionRequest, Skip
from foureyes.core.values import ChangeKind, Outcome


def opened(event: e.ReviewOpened) -> Review:
    return Review(
        id=event.review,
        kind=event.kind,
        title=event.title,
        author=event.author,
        contributors=event.contributors,
        trigger=event.trigger,
        rules=event.rules,
        origin=event.origin,
        context=event.context,
        questions=event.questions,
    )


def revision_submitted(review: Review, event: e.RevisionSubmitted) -> Review:
    revision = Revision(
        number=event.number,
        digest=event.digest,
        by=event.by,
        base=event.base,
        change=event.change,
        parts=event.parts,
        changed=event.changed,
        kinds=event.kinds,
        risk=event.risk,
        note=event.note,
        confidence=event.confidence,
        turns=event.turns,
        aliases=event.aliases,
        known_base=event.known_base,
        before=event.before,
        keeps=event.keeps,
    )
    known = review.is_contributor(event.by.name)
    counts = event.number > 1 and event.change is not ChangeKind.CLARIFICATION
    return changed(
        review,
        revisions=(*review.revisions, revision),
        protocols=event.protocols,
        contributors=review.contributors if known else (*review.contributors, event.by),
        resubmissions=review.resubmissions + counts,
        unprompted=review.unprompted + (counts and not event.prompted),
        seats={one.id: changed(one, lease=None, until=None) for one in review.seats.values()},
        requests={},
    )


def stages_skipped(review: Review, event: e.StagesSkipped) -> Review:
    skip = Skip(rule=event.rule, reason=event.reason, pattern=event.pattern, enabled_by=event.enabled_by)
    return changed(review, skipped={**review.skipped, **{(one, event.revision): skip for one in event.stages}})


def revision_requested(review: Review, event: e.RevisionRequested) -> Review:
    request = RevisionRequest(
        id=event.request,
        stage=event.stage,
        revision=event.revision,
        due=event.due,
        reasons=event.reasons,
        findings=event.findings,
        answers=event.answers,
        clarify=event.clarify,
        remaining=event.remaining,
        ordered_by=event.ordered_by,
        by_clock=event.by_clock,
    )
    asked = with_request(review, request)
    return changed(asked, clock_revisions=review.clock_revisions + event.by_clock)


def request_lapsed(review: Review, event: e.RequestLapsed) -> Review:
    return changed(review, requests=without(review.requests, event.request))


def deadline_passed(review: Review, event: e.DeadlinePassed) -> Review:
    """End the request, or move its due time; a request to the author always ends."""
    request = review.requests[event.request]
    if event.due is None or isinstance(request, RevisionRequest):
        return changed(review, requests=without(review.requests, event.request))
    if isinstance(request, ReportRequest):
        return with_request(review, changed(request, due=event.due, step=event.step))
    return with_request(review, changed(request, due=event.due, notified=request.notified + 1))


def cleared(review: Review, event: e.ReviewCleared) -> Review:
    digests = review.cleared_digests | {event.digest}
    return changed(review, outcome=Outcome.CLEARED, cleared=event.digest, cleared_digests=digests, requests={})


def closed(review: Review, event: e.ReviewClosed) -> Review:
    rejected = review.rejected | {review.digest} if event.outcome is Outcome.REJECTED else review.rejected
    return changed(review, outcome=event.outcome, reason=event.reason, requests={}, rejected=rejected)


def reopened(review: Review, event: e.ReviewReopened) -> Review:
    going = changed(
        review,
        outcome=None,
        reason="",
        reopenings=review.reopenings + 1,
        resubmissions=0,
        unprompted=0,
        clock_revisions=0,
        bound=False,
    )
    if event.again:
        return asked_again(going)
    if not event.by.is_human:
        return argued_anew(going, "")
    gone = {review.digest}
    undone = changed(going, cleared_digests=review.cleared_digests - gone, rejected=review.rejected - gone)
    return asked_anew(undone, "")


def policy_noted(review: Review, event: e.PolicyNoted) -> Review:
    """Note another policy; a stricter one cancels the skips of this revision, since it has not skipped those stages."""
    stricter = event.digest if event.stricter else review.stricter
    kept = {key: one for key, one in review.skipped.items() if not event.stricter or key[1] != review.revision}
    return changed(review, policies=review.policies | {event.digest}, stricter=stricter, skipped=kept)


def said_beside(review: Review, event: e.EscapeReported | e.NoteAdded) -> Review:
    """Keep a note and count it; only count an escape. The counts limit both per author."""
    if isinstance(event, e.NoteAdded):
        counted = put(review.notes, event.by, review.notes.get(event.by, 0) + 1)
        return changed(review, notes=counted, noted=(*review.noted, Note(by=event.by, text=event.text)))
    return changed(review, escapes=put(review.escapes, event.by, review.escapes.get(event.by, 0) + 1))
