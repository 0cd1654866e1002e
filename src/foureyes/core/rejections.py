"""Turn reports against a work without a blocking finding into findings about the whole work."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from foureyes.core.matching import fingerprint
from foureyes.core.model import Finding, Report, Review
from foureyes.core.objections import blocking_severities, is_text_in, rejecting_reports
from foureyes.core.rules import Stage
from foureyes.core.values import Severity, Verdict

CATEGORY = "rejection"


def rejections(review: Review, stages: Sequence[Stage]) -> Mapping[str, Finding]:
    """The reports that reject a version, or doubt it on a ground, without a blocking finding; by name.

    One is left out once its stage was passed there, the version was cleared, or its reviewer approved a later one.
    """
    numbers = frozenset([one.number for one in review.revisions if one.digest not in review.cleared_digests])
    found = rejecting_reports(review, numbers)
    if not found:
        return {}
    known = blocking_severities(stages)
    raised = {
        (one.seat, one.revision)
        for one in review.findings.values()
        if one.severity >= known.get(one.stage, Severity.MINOR) and not one.advisory
    }
    reports = [one for one in found if (one.seat, one.revision) not in raised]
    return {one.id: one for one in [_finding(review, report) for report in reports]}


def is_taken_back(review: Review, rejection: Finding, keeping: Collection[int]) -> bool:
    """True if its reviewer approved a revision with all of the text, or one of those in `keeping`, which keep it."""
    return any(
        one.verdict is Verdict.APPROVE
        and one.reviewer.name == rejection.raiser
        and (number in keeping or is_text_in(review, rejection, number))
        for (_, number), one in review.reports.items()
        if number >= rejection.revision
    )


def _finding(review: Review, report: Report) -> Finding:
    seat = review.seats[report.seat]
    grounds = ", ".join(report.grounds)
    text = report.summary.strip() or f"{report.reviewer.name} spoke against it: {grounds or 'rejected'}"
    severity = Severity.CRITICAL if report.verdict is Verdict.REJECT else Severity.IMPORTANT
    return Finding(
        id=f"{report.seat}-R{report.revision}",
        seat=report.seat,
        stage=seat.stage,
        raiser=report.reviewer.name,
        revision=report.revision,
        severity=severity,
        severity_word=severity.name.lower(),
        category=CATEGORY,
        scope=seat.scope,
        text=text,
        fingerprint=fingerprint("", CATEGORY, text, ""),
        place=None,
        evidence=f"Grounds: {grounds}." if grounds else "",
        suggestion="",
        advisory="",
        suppressed_by="",
        demand=False,
    )
