"""State changes of a review by events about seats and reports."""

from __future__ import annotations

from datetime import datetime

from foureyes.core import events as e
from foureyes.core.evolve.puts import changed, put, with_request, without
from foureyes.core.model import Report, ReportRequest, Review, Seat
from foureyes.core.reasons import failure_words
from foureyes.core.values import Verdict


def report_requested(review: Review, event: e.ReportRequested) -> Review:
    spec = event.seat
    old = review.seats.get(spec.id)
    if old is None:
        seat = Seat(
            id=spec.id,
            stage=spec.stage,
            part=spec.part,
            scope=spec.scope,
            model=spec.model,
            veto=spec.veto,
            required=spec.required,
            candidates=spec.candidates,
            reviewer=spec.reviewer,
            until=event.limit,
        )
    else:
        # A lease that ends before the new due time has ended or belongs to an earlier request.
        holds = old.reviewer == spec.reviewer and old.lease is not None and old.lease >= event.due
        lease = old.lease if holds else None
        seat = changed(old, candidates=spec.candidates, reviewer=spec.reviewer, lease=lease, until=event.limit)
    request = ReportRequest(
        id=event.request,
        seat=spec.id,
        revision=event.revision,
        due=event.due,
        limit=event.limit,
        about=event.about,
        queued=event.queued,
    )
    return with_request(changed(review, seats=put(review.seats, seat.id, seat)), request)


def seat_taken(review: Review, event: e.SeatTaken) -> Review:
    seat = review.seats.get(event.seat)
    if seat is None:
        seat = _volunteer(review, event)
    spoken = review.reports.get((seat.id, review.revision))
    if spoken is not None and spoken.reviewer.name != event.reviewer.name:
        review = changed(review, reports=without(review.reports, (seat.id, review.revision)))
    return _at_work(review, changed(seat, reviewer=event.reviewer, lease=event.lease), event.lease)


def _volunteer(review: Review, event: e.SeatTaken) -> Seat:
    """A seat like the stage's own, without its veto power; its report is not waited for."""
    like = review.seats_of(event.stage)[0]
    return Seat(
        id=event.seat,
        stage=like.stage,
        part=like.part,
        scope=like.scope,
        model="",
        veto=False,
        required=False,
        candidates=(),
        until=like.until,
    )


def seat_renewed(review: Review, event: e.SeatRenewed) -> Review:
    seat = review.seats[event.seat]
    return _at_work(review, changed(seat, lease=event.lease, draft=event.draft or seat.draft), event.lease)


def _at_work(review: Review, seat: Seat, lease: datetime) -> Review:
    """Set the due time of the seat's request, if any, to the end of the lease, but not after the limit."""
    seats = put(review.seats, seat.id, seat)
    request = review.report_request(seat.id)
    if request is None:
        return changed(review, seats=seats)
    due = changed(request, due=min(lease, request.limit), step=None, queued=False)
    return changed(review, seats=seats, requests=put(review.requests, request.id, due))


def seat_left(review: Review, event: e.SeatLeft) -> Review:
    seat = review.seats[event.seat]
    free = changed(seat, reviewer=None, lease=None, left=(*seat.left, event.reviewer), draft=event.draft or seat.draft)
    return changed(review, seats=put(review.seats, seat.id, free), requests=without(review.requests, seat.id))


def report_submitted(review: Review, event: e.ReportSubmitted) -> Review:
    before = review.reports.get((event.seat, event.revision))
    report = Report(
        seat=event.seat,
        revision=event.revision,
        reviewer=event.reviewer,
        verdict=event.verdict,
        grounds=event.grounds,
        blocking=event.blocking,
        contradicts=event.contradicts,
        summary=event.summary,
        strengths=event.strengths,
        evidence=event.evidence,
        checklist=event.checklist,
        answers=event.answers,
        confidence=event.confidence,
        coverage=event.coverage,
        flags=event.flags,
        count=before.count + 1 if before else 1,
    )
    seat = review.seats[event.seat]
    vetoes = review.vetoes
    if seat.veto and event.verdict is Verdict.REJECT:
        vetoes = vetoes | {(seat.stage, event.digest)}
    done = changed(_having_reported(seat, event.revision), reviewer=event.reviewer, lease=None, until=None, draft="")
    return changed(
        review,
        seats=put(review.seats, seat.id, done),
        reports=put(review.reports, (event.seat, event.revision), report),
        requests=without(review.requests, seat.id),
        vetoes=vetoes,
        usd_micro=review.usd_micro + (event.cost.usd_micro if event.counted else 0),
    )


def report_kept(review: Review, event: e.ReportKept) -> Review:
    seat = review.seats[event.seat]
    kept = changed(review.reports[seat.id, seat.reported], revision=event.revision, kept=True, count=1)
    return changed(
        review,
        seats=put(review.seats, seat.id, changed(_having_reported(seat, event.revision), lease=None)),
        reports=put(review.reports, (seat.id, event.revision), kept),
        requests=without(review.requests, seat.id),
    )


def report_failed(review: Review, event: e.ReportFailed) -> Review:
    key = (event.seat, event.revision)
    seat = review.seats[event.seat]
    return changed(
        review,
        seats=put(review.seats, seat.id, changed(seat, lease=None, draft=event.draft or seat.draft)),
        failures=put(review.failures, key, review.failures.get(key, 0) + 1),
        failed=put(review.failed, key, failure_words(event)),
        requests=without(review.requests, seat.id),
        usd_micro=review.usd_micro + (event.cost.usd_micro if event.counted else 0),
    )


def _having_reported(seat: Seat, revision: int) -> Seat:
    """Record the revision reported on; a second report on it does not move the reference for late findings."""
    if seat.reported == revision:
        return seat
    return changed(seat, reported=revision, reported_before=seat.reported)
