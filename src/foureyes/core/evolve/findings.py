"""State changes of a review by events about its findings."""

from __future__ import annotations

from typing import assert_never

from foureyes.core import events as e
from foureyes.core.evolve.puts import answered, changed, put, with_finding, without
from foureyes.core.inherited import SEAT, STAGE
from foureyes.core.model import Finding, Matched, Review
from foureyes.core.values import Standing


def finding_raised(review: Review, event: e.FindingRaised) -> Review:
    seat = review.seats[event.seat]
    finding = Finding(
        id=event.finding,
        seat=event.seat,
        stage=seat.stage,
        raiser=event.raiser,
        revision=event.revision,
        severity=event.severity,
        severity_word=event.severity_word,
        category=event.category,
        scope=event.scope,
        text=event.text,
        fingerprint=event.fingerprint,
        place=event.place,
        evidence=event.evidence,
        suggestion=event.suggestion,
        rule=event.rule,
        advisory=event.advisory,
        suppressed_by=event.suppressed_by,
        demand=event.demand,
    )
    return changed(
        review,
        findings=put(review.findings, finding.id, finding),
        seats=put(review.seats, seat.id, changed(seat, findings=seat.findings + 1)),
    )


def from_elsewhere(review: Review, event: e.FindingInherited | e.FindingLifted | e.FindingsMatched) -> Review:
    """Apply events about inherited findings and about matches between seats."""
    match event:
        case e.FindingInherited():
            return _inherited(review, event)
        case e.FindingLifted():
            return _lifted(review, event)
        case e.FindingsMatched():
            matched = Matched(groups=event.groups, contradictions=event.contradictions, uncertain=event.uncertain)
            return changed(review, matched=put(review.matched, (event.stage, event.revision), matched))
        case _:
            assert_never(event)


def _inherited(review: Review, event: e.FindingInherited) -> Review:
    finding = Finding(
        id=event.finding,
        seat=SEAT,
        stage=STAGE,
        raiser=event.raiser,
        revision=event.revision,
        severity=event.severity,
        severity_word=event.severity_word,
        category=event.category,
        scope=event.scope,
        text=event.text,
        fingerprint=event.fingerprint,
        place=event.place,
        evidence=event.evidence,
        suggestion=event.suggestion,
        rule=event.rule,
        advisory="",
        suppressed_by="",
        demand=False,
        review=event.review,
        source=event.source,
        veto=event.veto,
    )
    known = tuple(one for one in review.inherited if one != finding.id)
    return changed(with_finding(review, finding), inherited=(*known, finding.id))


def _lifted(review: Review, event: e.FindingLifted) -> Review:
    old = review.findings[event.finding]
    lifted = changed(old, standing=Standing.RESOLVED, note=event.reason, settled_in=event.revision, lifted=True)
    return _without_ruling(_after_answer(with_finding(review, lifted)))


def finding_answered(review: Review, event: e.FindingAnswered) -> Review:
    old = review.findings[event.finding]
    told = changed(old, standing=Standing.ANSWERED, answer=event.text, rebuttal=event.rebuttal, answers=old.answers + 1)
    return _after_answer(with_finding(review, told))


def _after_answer(review: Review) -> Review:
    """Remove a request for answers once none of its findings is open."""
    request = review.revision_request()
    if request is None or not request.answers:
        return review
    if any(review.findings[one].standing is Standing.OPEN for one in request.findings):
        return review
    return changed(review, requests=without(review.requests, request.id))


def finding_resolved(review: Review, event: e.FindingResolved) -> Review:
    old = review.findings[event.finding]
    settled = changed(old, standing=Standing.RESOLVED, note=event.note, settled_in=event.revision)
    return _drop_from_about(_after_answer(with_finding(review, settled)), settled)


def finding_reopened(review: Review, event: e.FindingReopened) -> Review:
    old = review.findings[event.finding]
    reopened = changed(
        old, standing=Standing.OPEN, note=event.note, reopened=old.reopened + 1, reopened_in=event.revision
    )
    return _drop_from_about(with_finding(review, reopened), reopened)


def _drop_from_about(review: Review, finding: Finding) -> Review:
    """Remove the finding from its seat's request; the request ends with the last one if the seat has reported."""
    request = review.report_request(finding.seat)
    if request is None or finding.id not in request.about:
        return review
    about = tuple(one for one in request.about if one != finding.id)
    if not about and (finding.seat, review.revision) in review.reports:
        return answered(review, finding.seat)
    return changed(review, requests=put(review.requests, request.id, changed(request, about=about)))


def finding_verified(review: Review, event: e.FindingVerified) -> Review:
    verified = with_finding(review, changed(review.findings[event.finding], verification=event.result))
    request = review.report_request(event.seat)
    if request is None or event.finding not in request.about:
        return verified
    about = tuple(one for one in request.about if one != event.finding)
    if not about:
        return answered(verified, event.seat)
    return changed(verified, requests=put(review.requests, request.id, changed(request, about=about)))


def finding_waived(review: Review, event: e.FindingWaived) -> Review:
    old = review.findings[event.finding]
    waived = changed(old, standing=Standing.WAIVED, note=event.reason, settled_in=review.revision)
    return _without_ruling(_drop_from_about(_after_answer(with_finding(review, waived)), waived))


def _without_ruling(review: Review) -> Review:
    """Remove the ruling request once all findings it names are settled."""
    ruling = review.ruling()
    if ruling and ruling.findings and all(review.findings[one].is_settled for one in ruling.findings):
        return changed(review, requests=without(review.requests, ruling.id))
    return review
