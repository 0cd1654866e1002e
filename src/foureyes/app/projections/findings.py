"""Findings and the standing of each: by review, by session, and the unsettled ones by scope."""

from __future__ import annotations

import json
from typing import get_args

from foureyes.app.ports import Reading
from foureyes.app.projections.projection import Changed, Happened, Projection, Read, clip, key, slot_of, types
from foureyes.codec import Json
from foureyes.core.events import (
    FindingAnswered,
    FindingInherited,
    FindingLifted,
    FindingRaised,
    FindingReopened,
    FindingResolved,
    FindingVerified,
    FindingWaived,
)
from foureyes.core.model import Finding, Review

FindingEvent = (
    FindingRaised
    | FindingInherited
    | FindingLifted
    | FindingAnswered
    | FindingResolved
    | FindingReopened
    | FindingVerified
    | FindingWaived
)
PAGE_MAX = 200


def changes(one: Happened, read: Read) -> Changed:
    """Write a finding's current state, and the rows by which it is found."""
    if not isinstance(one.event, FindingEvent):
        return
    review, finding = one.review, one.review.findings[one.event.finding]
    place = key("review", review.id, finding.id)
    new = one.before is None or finding.id not in one.before.findings
    raised = one.stored.at if new else (read(place) or {}).get("raised", one.stored.at)
    yield place, _row(review, finding) | {"raised": raised, "updated": one.stored.at}
    if review.origin.session and isinstance(one.event, FindingRaised | FindingInherited):
        yield key("session", review.origin.session, review.id, finding.id), []
    yield key("open", finding.scope, review.id, finding.id), None if finding.is_settled else []


FINDINGS = Projection(
    name="findings",
    version=1,
    takes=types(*get_args(FindingEvent)),
    changes=changes,
)


def of_review(reading: Reading, review: str, after: str = "", limit: int = PAGE_MAX) -> tuple[tuple[str, Json], ...]:
    """Return a page of a review's findings, each with the key behind which the next page begins."""
    rows = reading.rows(slot_of(reading, FINDINGS.name), f"{key('review', review)}/", after, min(limit, PAGE_MAX))
    return tuple((name, json.loads(body)) for name, body in rows)


def of_session(reading: Reading, session: str, after: str = "", limit: int = PAGE_MAX) -> tuple[tuple[str, Json], ...]:
    """Return a page of the issues of a session."""
    return _listed(reading, f"{key('session', session)}/", after, limit)


def unsettled(reading: Reading, scope: str, after: str = "", limit: int = PAGE_MAX) -> tuple[tuple[str, Json], ...]:
    """Return a page of the unsettled findings of a scope."""
    return _listed(reading, f"{key('open', scope)}/", after, limit)


def _listed(reading: Reading, prefix: str, after: str, limit: int) -> tuple[tuple[str, Json], ...]:
    slot = slot_of(reading, FINDINGS.name)
    names = [name for name, _ in reading.rows(slot, prefix, after, min(limit, PAGE_MAX))]
    bodies = ((name, reading.row(slot, f"review/{name.removeprefix(prefix)}")) for name in names)
    return tuple((name, json.loads(body)) for name, body in bodies if body)


def _row(review: Review, finding: Finding) -> Json:
    """Return the row without empty fields: there are many of these."""
    place = finding.place
    row: Json = {
        "review": review.id,
        "kind": review.kind,
        "finding": finding.id,
        "stage": finding.stage,
        "scope": clip(finding.scope),
        "raiser": clip(finding.raiser),
        "revision": finding.revision,
        "severity": finding.severity.name.lower(),
        "category": clip(finding.category),
        "text": clip(finding.text),
        "path": clip(place.path) if place else "",
        "line": place.start if place else 0,
        "fingerprint": finding.fingerprint,
        "advisory": clip(finding.advisory or finding.suppressed_by),
        "standing": finding.standing.value,
        "verification": finding.verification.value if finding.verification else "",
    }
    return {name: value for name, value in row.items() if value}
