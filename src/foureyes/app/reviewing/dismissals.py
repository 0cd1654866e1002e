"""Dismissals on this machine: each suppresses a finding on the same code in every later local review.

A dismissal is keyed by the fingerprint of the finding (path, category, words, rule), the hash of the text around it and
the repository. It names no review, branch, commit or policy, so none of them brings the finding back; changed code
does. Dismissals are kept in rows of their own and outlive the reviews they were given in.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from foureyes.app.ports import Reading, Writing
from foureyes.app.rows import DISMISSALS, START
from foureyes.codec.shapes import shape
from foureyes.core.contexts import dismissal_key
from foureyes.core.events import FindingWaived
from foureyes.core.facts import Suppression
from foureyes.core.model import Finding, Review
from foureyes.core.values import Severity, Who

#: Most dismissals kept; beyond it the oldest is dropped, and its finding is raised again.
DISMISSALS_MAX = 2_000
SOURCE = "dismissal:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissal:
    """Who said that a finding is not real, where and why."""

    fingerprint: str
    context_hash: str
    #: The repository or folder in which it applies.
    where: str
    by: Who
    because: str
    at: datetime
    #: Details of the finding, for lists.
    review: str
    finding: str
    severity: Severity
    veto: bool

    @property
    def key(self) -> str:
        """The key of equal dismissals; one by a signed-in human is kept besides one from the terminal."""
        text = "\0".join((self.where, self.fingerprint, self.context_hash, str(self.by.is_human)))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def covers(self, finding: Finding, where: str) -> bool:
        """True if it applies to this finding: the same finding, on the same code, in the same repository."""
        place = finding.place
        if place is None or not place.context_hash or self.where != where:
            return False
        own, other = dismissal_key(self.context_hash), dismissal_key(place.context_hash)
        if (self.fingerprint, own) != (finding.fingerprint, other):
            return False
        return self.by.is_human or not (finding.veto or finding.severity is Severity.CRITICAL)


_put, _take = shape(Dismissal)


def dismissal_of(review: Review, event: FindingWaived, *, where: str, at: datetime) -> Dismissal | None:
    """Return the dismissal of a waiver; None if it concerns this review alone, or the finding has no place."""
    finding = review.findings[event.finding]
    if not event.false_positive or not event.context_hash:
        return None
    return Dismissal(
        fingerprint=finding.fingerprint,
        context_hash=event.context_hash,
        where=where,
        by=event.by,
        because=event.reason,
        at=at,
        review=review.id,
        finding=finding.id,
        severity=finding.severity,
        veto=finding.veto,
    )


def keep(tx: Writing, one: Dismissal) -> None:
    """Store a dismissal; beyond the limit the oldest is dropped."""
    known = dismissals(tx)
    gone = sorted(known, key=lambda each: each.at)[: max(0, len(known) + 1 - DISMISSALS_MAX)]
    body = json.dumps(_put(one), separators=(",", ":"))
    tx.follow(DISMISSALS, {**{each.key: None for each in gone}, one.key: body}, START)


def dismissals(reading: Reading) -> tuple[Dismissal, ...]:
    """Return every stored dismissal."""
    rows = reading.rows(DISMISSALS, limit=DISMISSALS_MAX + 1)
    return tuple(_take(json.loads(body)) for _, body in rows)


def suppressions(reading: Reading, where: str) -> tuple[Suppression, ...]:
    """Return the dismissals that apply in this repository, as suppressions for the core.

    A person's dismissal at the terminal applies under every policy here, but not to critical findings and vetoes.
    """
    found = (one for one in dismissals(reading) if one.where == where)
    return tuple(
        Suppression(
            fingerprint=one.fingerprint,
            context_hash=one.context_hash,
            source=f"{SOURCE}{one.key}",
            by=one.by.name,
            grave=one.by.is_human,
        )
        for one in found
    )


def covering(reading: Reading, review: Review, where: str) -> Iterator[tuple[Finding, Dismissal]]:
    """Yield the open findings of a review that are dismissed already, each with the dismissal."""
    waiting = [one for one in review.findings.values() if not one.is_settled and not one.suppressed_by]
    known = dismissals(reading) if waiting else ()
    for finding in waiting:
        found = next((one for one in known if one.covers(finding, where)), None)
        if found is not None:
            yield finding, found
