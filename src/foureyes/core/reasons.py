"""Why a reviewer said no, under which name, and which findings do not stop the work.

Gates, messages, logs, tools and pages all take these words from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from foureyes.core.events import ReportFailed
from foureyes.core.model import Finding, Report, Review, Seat
from foureyes.core.values import Severity, Standing, Verdict, Verification, WhoKind

#: So many findings are a reason; of more only the number.
REASONS_MAX = 5
#: Why a finding does not stop the work, where nothing else says so.
BELOW = "does not block: {severity}"
SETTLED = "settled: "
#: Where a veto stands on bytes that nobody has reported on since.
VETO_STANDS = "a veto stands on this version"
#: So much of the words of a run that failed is said.
FAILURE_CHARS_MAX = 300
_SAID = {Verdict.APPROVE: "approved", Verdict.CONCERNS: "has concerns", Verdict.REJECT: "rejects it"}


def issue(finding: Finding) -> str:
    """A finding in one line, with its place."""
    place = finding.place
    if place is None:
        return finding.text
    return f"{finding.text} ({place.path}:{place.start})" if place.start else f"{finding.text} ({place.path})"


def against(review: Review, report: Report) -> tuple[Finding, ...]:
    """What a report has against the version: what it raised there, and what was raised before and still stands."""
    known = review.findings
    mine = [one for one in known.values() if one.seat == report.seat and one.revision <= report.revision]
    raised = [one for one in mine if one.revision == report.revision]
    if report.verdict is Verdict.APPROVE:
        return tuple(raised)
    stops = [known[one] for one in report.blocking if one in known]
    stands = [one for one in mine if not one.is_settled and not one.is_advisory]
    return tuple({one.id: one for one in (*stops, *raised, *stands)}.values())


def reason_of(review: Review, report: Report) -> str:
    """The reason of a report in one line; a program only counts, so what it found is its reason."""
    found = against(review, report)
    more = f"; and {len(found) - REASONS_MAX} more" if len(found) > REASONS_MAX else ""
    listed = "; ".join(map(issue, found[:REASONS_MAX])) + more
    counts = report.reviewer.kind is WhoKind.PROGRAM and report.verdict is not Verdict.APPROVE
    return (listed or report.summary) if counts else (report.summary or listed)


def critic_of(seat: Seat, report: Report) -> str:
    """The critic as the chain names it where a program of ours holds the seat; else the account that reported."""
    is_program = report.reviewer.kind is WhoKind.PROGRAM and bool(seat.candidates and seat.scope)
    return seat.candidates[0] if is_program else report.reviewer.name


def failure_words(event: ReportFailed) -> str:
    """Who had no answer, and why."""
    words, why = _in_one_line(event.text), event.reason.value.replace("_", " ")
    return f"{event.reviewer} ({why}){f': {words}' if words else ''}"


def _in_one_line(text: str) -> str:
    shown = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return shown if len(shown) <= FAILURE_CHARS_MAX else f"{shown[: FAILURE_CHARS_MAX - 1]}…"


def is_veto(seat: Seat, report: Report) -> bool:
    """Whether a report stops the work until a human lifts it."""
    return seat.veto and report.verdict is Verdict.REJECT


def said_by(review: Review, reports: Iterable[Report]) -> str:
    """Who said what, in the words that go back to the author."""
    return "; ".join(_said(review, one) for one in reports)


def _said(review: Review, report: Report) -> str:
    seat = review.seats[report.seat]
    word = "veto by " if is_veto(seat, report) else ""
    reason = reason_of(review, report) or (_SAID[report.verdict] if report.verdict else "no word")
    if report.verdict is not Verdict.APPROVE:
        standing = [issue(one) for one in against(review, report) if not (one.is_settled or one.is_advisory)]
        named = "; ".join(one for one in standing[:REASONS_MAX] if one not in reason) or reason
        reason = f"{reason}{' ' if reason.endswith('.') else ': '}{named}" if reason not in named else named
    return f"{word}{critic_of(seat, report)}: {reason}"


def blocks(finding: Finding, least: Mapping[str, Severity]) -> bool:
    """Whether it stops the work in the stage it was raised in; `least` is from which severity on each stage does."""
    return finding.blocks(least.get(finding.stage, Severity.MINOR))


def why_advisory(finding: Finding) -> str:
    """Why an open finding that does not stop the work does not."""
    if finding.verification is Verification.REFUTED:
        return "refuted by a second look"
    if finding.suppressed_by:
        return "a human set the same one aside before"
    return finding.advisory or BELOW.format(severity=finding.severity.name.lower())


def advisory(review: Review, least: Mapping[str, Severity]) -> dict[str, str]:
    """The findings that are shown and do not stop the work, each with why it does not."""
    return dict(_advisory(review, least))


def _advisory(review: Review, least: Mapping[str, Severity]) -> Iterator[tuple[str, str]]:
    for one in review.findings.values():
        if one.is_settled and one.advisory:
            yield one.id, one.advisory
        elif not one.is_settled and not blocks(one, least):
            yield one.id, why_advisory(one)


def settled_word(finding: Finding) -> str:
    """What stands in front of a finding that is settled, so that nobody takes it for one that is not."""
    return SETTLED if finding.standing in (Standing.RESOLVED, Standing.WAIVED) else ""


def policy_changed(review: Review) -> str:
    """What a change of the policy meant for a review that was open; empty where there was none."""
    if review.stricter:
        return f"The policy was changed while this was open: {review.stricter[:12]} must be met too."
    if review.policies:
        return "The policy was changed while this was open: it keeps the criteria it began with."
    return ""


def cycle_of(finding: Finding) -> int:
    """How often its author has to answer it: 1 when it is raised, one more each time it is reopened."""
    return 1 + finding.reopened
