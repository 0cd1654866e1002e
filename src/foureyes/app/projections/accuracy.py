"""Accuracy of reviewers: counts per reviewer and per model of what became of their findings."""

from __future__ import annotations

import json
from collections.abc import Iterator

from foureyes.app.ports import Reading
from foureyes.app.projections.projection import Changed, Happened, Projection, Read, added, key, slot_of, types
from foureyes.codec import Json
from foureyes.core.events import (
    EscapeReported,
    FindingRaised,
    FindingReopened,
    FindingResolved,
    FindingVerified,
    FindingWaived,
    ReportFailed,
    ReportSubmitted,
)
from foureyes.core.model import Review
from foureyes.core.values import Verdict, Verification, Who


def changes(one: Happened, read: Read) -> Changed:
    """Count one event for the reviewers it says something about."""
    for who, counts in _counted(one):
        names = [key("reviewer", who.name)] + ([key("model", who.model_family)] if who.model_family else [])
        for name in names:
            yield name, added(read(name), **counts)


ACCURACY = Projection(
    name="accuracy",
    version=1,
    takes=types(
        EscapeReported,
        FindingRaised,
        FindingReopened,
        FindingResolved,
        FindingVerified,
        FindingWaived,
        ReportFailed,
        ReportSubmitted,
    ),
    changes=changes,
)


def accuracy(reading: Reading, who: str, name: str) -> Json:
    """Return the counts of a ("reviewer", name) or a ("model", family)."""
    body = reading.row(slot_of(reading, ACCURACY.name), key(who, name))
    found: Json = json.loads(body) if body else {}
    return found


def _counted(one: Happened) -> Iterator[tuple[Who, dict[str, int]]]:
    match one.event:
        case ReportSubmitted(reviewer=who, verdict=verdict):
            yield who, {"reports": 1, (verdict.value if verdict else "no_verdict"): 1}
        case ReportFailed(reviewer=name, seat=seat):
            yield _holder(one.review, seat, name), {"inconclusive": 1}
        case EscapeReported():
            yield from ((who, {"missed": 1}) for who in _vouching(one.review))
        case FindingRaised() | FindingResolved() | FindingReopened() | FindingVerified() | FindingWaived() as event:
            finding = one.review.findings[event.finding]
            yield _holder(one.review, finding.seat, finding.raiser), _of_finding(one, event)
        case _:
            return


FindingEvent = FindingRaised | FindingResolved | FindingReopened | FindingVerified | FindingWaived


def _of_finding(one: Happened, event: FindingEvent) -> dict[str, int]:
    match event:
        case FindingRaised(demand=demand):
            return {"demands" if demand else "findings": 1}
        case FindingResolved():
            return {"resolved": 1}
        case FindingReopened():
            return {"reopened": 1}
        case FindingWaived(false_positive=wrong):
            return {"false_positives" if wrong else "waived": 1}
        case FindingVerified(result=result):
            return _verified(one, event.finding, result)


def _verified(one: Happened, finding: str, result: Verification) -> dict[str, int]:
    """Count the last verification of a finding; an earlier one is subtracted."""
    said = one.before.findings[finding].verification if one.before else None
    if said is result:
        return {}
    return {result.value: 1} | ({said.value: -1} if said else {})


def _vouching(review: Review) -> Iterator[Who]:
    """Yield the reviewers who let the cleared version pass, each once."""
    reports = (one for one in review.reports.values() if one.revision == review.revision)
    seen = {one.reviewer.name: one.reviewer for one in reports if one.verdict in (None, Verdict.APPROVE)}
    yield from seen.values()


def _holder(review: Review, seat: str, name: str) -> Who:
    """Return a reviewer as their seat has them; one who left it is known by name only."""
    found = review.seats.get(seat)
    holder = found.reviewer if found else None
    return holder if holder and holder.name == name else _reporter(review, seat, name)


def _reporter(review: Review, seat: str, name: str) -> Who:
    said = (one.reviewer for one in review.reports.values() if one.seat == seat and one.reviewer.name == name)
    return next(said, Who(name=name))
