"""Fold events into the state of a review; nothing else changes that state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from foureyes.core import events as e
from foureyes.core.evolve import findings, lifecycle, reports, rulings
from foureyes.core.model import Review


def evolve(review: Review | None, event: e.ReviewEvent) -> Review:
    """Apply one event; the opening event creates a review, every other one needs one."""
    if isinstance(event, e.ReviewOpened):
        return lifecycle.opened(event)
    if review is None:
        message = f"{type(event).__name__} cannot come before ReviewOpened"
        raise ValueError(message)
    return _applied(review, event)


def fold(events: Iterable[e.ReviewEvent], review: Review | None = None) -> Review:
    """Apply events in order, to an existing review or to none."""
    for event in events:
        review = evolve(review, event)
    if review is None:
        message = "a review needs at least one event"
        raise ValueError(message)
    return review


def _applied(  # noqa: C901, PLR0911, PLR0912 - one case per event is the whole function
    review: Review, event: e.LaterEvent
) -> Review:
    match event:
        case e.ReportSubmitted():
            return reports.report_submitted(review, event)
        case e.ReportRequested():
            return reports.report_requested(review, event)
        case e.SeatTaken():
            return reports.seat_taken(review, event)
        case e.SeatRenewed():
            return reports.seat_renewed(review, event)
        case e.SeatLeft():
            return reports.seat_left(review, event)
        case e.ReportKept():
            return reports.report_kept(review, event)
        case e.ReportFailed():
            return reports.report_failed(review, event)
        case e.FindingRaised():
            return findings.finding_raised(review, event)
        case e.FindingResolved():
            return findings.finding_resolved(review, event)
        case e.FindingAnswered():
            return findings.finding_answered(review, event)
        case e.FindingReopened():
            return findings.finding_reopened(review, event)
        case e.FindingVerified():
            return findings.finding_verified(review, event)
        case e.FindingWaived():
            return findings.finding_waived(review, event)
        case e.FindingInherited() | e.FindingLifted() | e.FindingsMatched():
            return findings.from_elsewhere(review, event)
        case e.RevisionSubmitted():
            return lifecycle.revision_submitted(review, event)
        case e.StageOverridden():
            return rulings.stage_overridden(review, event)
        case e.StagesSkipped():
            return lifecycle.stages_skipped(review, event)
        case e.RevisionRequested():
            return lifecycle.revision_requested(review, event)
        case e.RulingRequested():
            return rulings.ruling_requested(review, event)
        case e.RulingGiven():
            return rulings.ruling_given(review, event)
        case e.RequestLapsed():
            return lifecycle.request_lapsed(review, event)
        case e.DeadlinePassed():
            return lifecycle.deadline_passed(review, event)
        case e.ReviewCleared():
            return lifecycle.cleared(review, event)
        case e.ReviewClosed():
            return lifecycle.closed(review, event)
        case e.ReviewReopened():
            return lifecycle.reopened(review, event)
        case e.PolicyNoted():
            return lifecycle.policy_noted(review, event)
        case e.EscapeReported() | e.NoteAdded():
            return lifecycle.said_beside(review, event)
        case _:
            assert_never(event)
