"""Turns a reviewer's look into what the gate gets: a report on exactly this revision, or the reason for none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.app.contexts import with_context
from foureyes.app.repeats import is_moved
from foureyes.app.reviewers import Change, Inconclusive, Look
from foureyes.app.reviewing.coverage import needs_reading
from foureyes.app.reviewing.jobs import Job
from foureyes.app.reviewing.verdicts import verdict_of
from foureyes.core.checks import severity_of
from foureyes.core.commands import Draft, ReportEscape, ReportInconclusive, Settlement, SubmitReport, VerifyFinding
from foureyes.core.drafts import mark_of
from foureyes.core.gates import Resolved
from foureyes.core.model import Finding, Review
from foureyes.core.values import Cost, Severity, Standing, WhoKind

#: Most findings in a report; the gravest come first.
FINDINGS_MAX = 150
SUMMARY_CHARS_MAX = 4_000
TEXT_CHARS_MAX = 1_000
#: With more minor findings than this, a reviewer is less confident.
MINORS_MAX = 2
#: Most findings recorded that came after the end.
LATE_MAX = 5
OTHER = "other"
NOT_FOUND_AGAIN = "not found again in this version"
FOUND_AGAIN = "found again in this version"


def report_of(job: Job, look: Look, review: Review, change: Change) -> SubmitReport:
    """Return the report to hand in for exactly this revision."""
    findings = _findings(look, job.stage.options.categories)
    settled = tuple(_settled(job, look, review, findings, change))
    return SubmitReport(
        revision=review.revision,
        seat=job.seat.id if job.seat else "",
        stage="" if job.seat else job.stage.name,
        verdict=verdict_of(job.stage, look, findings, _own(job, review), settled),
        summary=look.summary[:SUMMARY_CHARS_MAX],
        strengths=look.strengths,
        evidence=look.evidence,
        checklist=look.checklist,
        answers=look.answers,
        findings=findings,
        settled=settled,
        confidence=look.confidence if look.confidence is not None else confidence_of(findings),
        coverage=coverage(look, change, all_of_it=job.reviewer.who.kind is not WhoKind.PROGRAM),
        cost=look.cost,
    )


def no_report(job: Job, error: Inconclusive, review: Review, cost: Cost) -> ReportInconclusive:
    """Return the notice that there is no answer; what was found so far is kept, and vouches for nothing."""
    kept = error.found if error.found is not None and not job.verifies else Look()
    return ReportInconclusive(
        seat=job.seat.id if job.seat else "",
        revision=review.revision,
        reason=error.reason,
        text=error.text[:TEXT_CHARS_MAX],
        findings=_findings(kept, job.stage.options.categories),
        cost=cost,
    )


def verifications(job: Job, look: Look, review: Review) -> Iterator[VerifyFinding]:
    """Yield what a second look says of each finding it was asked about; findings it did not mention are skipped."""
    for one in look.checked:
        if 0 <= one.index < len(job.about):
            yield VerifyFinding(
                finding=job.about[one.index], revision=review.revision, result=one.result, evidence=one.evidence
            )


def escapes_of(reviewer: str, look: Look) -> Iterator[ReportEscape]:
    """Yield what a reviewer found after this version was cleared, if it would have stopped it."""
    grave = [one for one in look.findings if severity_of(one.severity) >= Severity.IMPORTANT]
    for one in grave[:LATE_MAX]:
        where = f"{one.place.path}:{one.place.start}: " if one.place else ""
        words = f"{reviewer} found it after this version was cleared: {where}{one.text}"
        yield ReportEscape(text=words, severity=one.severity)


def coverage(look: Look, change: Change, *, all_of_it: bool = True) -> int:
    """Return how much of the work was read, in percent; never 100 if something was not read.

    Files that no reviewer could be given lower the coverage of reviewers who vouch for all of it; a program vouches for
    its own part only.
    """
    unread = (*look.unread, *(change.unread if all_of_it else ()))
    missed = {one.path for one in unread if needs_reading(one)}
    if not missed:
        return 100
    names = {one.path for one in change.files} | {one.path for one in change.unread}
    return min(99, 100 * len(names - missed) // max(len(names), 1))


def _findings(look: Look, categories: tuple[str, ...]) -> tuple[Draft, ...]:
    """Return the gravest findings; a category that the style does not know becomes `other`."""
    ranked = sorted(look.findings, key=lambda one: -severity_of(one.severity))
    return tuple(
        replace(one, category=OTHER) if categories and one.category not in categories else one
        for one in ranked[:FINDINGS_MAX]
    )


def _settled(job: Job, look: Look, review: Review, findings: tuple[Draft, ...], change: Change) -> Iterator[Settlement]:
    """Yield the reviewer's settlements of its own findings; what it found again in a new version is reopened.

    A program checks everything, so what it no longer finds is resolved.
    """
    own = {one.id: one for one in _own(job, review) if not one.is_settled}
    said = {one.finding for one in look.settled}
    yield from (one for one in look.settled if one.finding in own and (one.resolved or not own[one.finding].source))
    asks = [one for one in job.stage.gates if isinstance(one, Resolved)]
    again = {mark_of(one) for one in findings}
    files = {one.path: one for one in change.files if one.content is not None}
    hashed = [with_context(one, files) for one in findings]
    for name, finding in own.items():
        if name in said or finding.source:
            continue  # an inherited finding stays as it is until its raiser settles it
        if finding.fingerprint in again or any(is_moved(finding, one, files) for one in hashed):
            if finding.standing is Standing.OPEN and any(one.is_answered(finding, review) for one in asks):
                yield Settlement(finding=name, resolved=False, note=FOUND_AGAIN)
        elif job.reviewer.who.kind is WhoKind.PROGRAM and finding.revision < review.revision:
            yield Settlement(finding=name, resolved=True, note=NOT_FOUND_AGAIN)


def _own(job: Job, review: Review) -> list[Finding]:
    """Return what the reviewer raised on its seat, and in other reviews on text that is in this one.

    Programs get no inherited findings: the gate takes a clean run of theirs as their settlement.
    """
    seated = [one for one in review.findings.values() if job.seat and one.seat == job.seat.id]
    is_program = job.reviewer.who.kind is WhoKind.PROGRAM
    return seated if is_program else [*seated, *review.inherited_from(job.reviewer.who.name)]


def confidence_of(findings: tuple[Draft, ...]) -> int:
    """Return the confidence of a reviewer who does not give one: lower, the graver its findings are."""
    worst = max((severity_of(one.severity) for one in findings), default=None)
    if worst is None or worst is Severity.MINOR:
        return 75 if len(findings) > MINORS_MAX else 95
    return 40 if worst is Severity.CRITICAL else 60


def spent(look: Look, seconds: float) -> Cost:
    """Return what a run cost, with the time it took."""
    return Cost(usd_micro=look.cost.usd_micro, tokens=look.cost.tokens, seconds=look.cost.seconds or round(seconds))
