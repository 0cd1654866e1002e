"""The words for verdicts, critics, failures and advisory findings.

Gates, messages, logs, tools and pages all take these words from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from foureyes.core.events import ReportFailed
from foureyes.core.model import Finding, Report, Review, Seat
from foureyes.core.values import Severity, Standing, Verdict, Verification, WhoKind

#: Maximum findings listed in a reason; of the rest only the number is given.
REASONS_MAX = 5
#: The default reason why a finding does not stop the work.
BELOW = "does not block: {severity}"
SETTLED = "settled: "
#: The reason for a veto without a report to quote.
VETO_STANDS = "a veto stands on this version"
#: Longer texts of failed runs are cut.
FAILURE_CHARS_MAX = 300
_SAID = {Verdict.APPROVE: "approved", Verdict.CONCERNS: "has concerns", Verdict.REJECT: "rejects it"}


def issue(finding: Finding) -> str:
    """A finding in one line, with its place."""
    place = finding.place
    if place is None:
        return finding.text
    return f"{finding.text} ({place.path}:{place.start})" if place.start else f"{finding.text} ({place.path})"


def against(review: Review, report: Report) -> tuple[Finding, ...]:
    """The findings of a report against the revision: those raised in it, and earlier ones that are unsettled."""
    known = review.findings
    mine = [one for one in known.values() if one.seat == report.seat and one.revision <= report.revision]
    raised = [one for one in mine if one.revision == report.revision]
    if report.verdict is Verdict.APPROVE:
        return tuple(raised)
    stops = [known[one] for one in report.blocking if one in known]
    stands = [one for one in mine if not one.is_settled and not one.is_advisory]
    return tuple({one.id: one for one in (*stops, *raised, *stands)}.values())


def reason_of(review: Review, report: Report) -> str:
    """The reason of a report in one line; the summary of a program is only a count, so its findings are the reason."""
    found = against(review, report)
    more = f"; and {len(found) - REASONS_MAX} more" if len(found) > REASONS_MAX else ""
    listed = "; ".join(map(issue, found[:REASONS_MAX])) + more
    counts = report.reviewer.kind is WhoKind.PROGRAM and report.verdict is not Verdict.APPROVE
    return (listed or report.summary) if counts else (report.summary or listed)


def critic_of(seat: Seat, report: Report) -> str:
    """The critic's name in the chain if one of the shipped programs holds the seat, else the reviewer's account."""
    is_program = report.reviewer.kind is WhoKind.PROGRAM and bool(seat.candidates and seat.scope)
    return seat.candidates[0] if is_program else report.reviewer.name


def failure_words(event: ReportFailed) -> str:
    """The reviewer of a failed run and the reason, in one line."""
    words, why = _in_one_line(event.text), event.reason.value.replace("_", " ")
    return f"{event.reviewer} ({why}){f': {words}' if words else ''}"


def _in_one_line(text: str) -> str:
    shown = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return shown if len(shown) <= FAILURE_CHARS_MAX else f"{shown[: FAILURE_CHARS_MAX - 1]}…"


def is_veto(seat: Seat, report: Report) -> bool:
    """True if the report stops the work until a human lifts it."""
    return seat.veto and report.verdict is Verdict.REJECT


def said_by(review: Review, reports: Iterable[Report]) -> str:
    """The reviewers and their reasons, in the words that go back to the author."""
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
    """True if it stops the work in its stage; `least` is the severity from which each stage blocks."""
    return finding.blocks(least.get(finding.stage, Severity.MINOR))


def why_advisory(finding: Finding) -> str:
    """Why an open finding does not stop the work."""
    if finding.verification is Verification.REFUTED:
        return "refuted by a second look"
    if finding.suppressed_by:
        return "a human set the same one aside before"
    return finding.advisory or BELOW.format(severity=finding.severity.name.lower())


def advisory(review: Review, least: Mapping[str, Severity]) -> dict[str, str]:
    """The findings that do not stop the work, each with the reason."""
    return dict(_advisory(review, least))


def _advisory(review: Review, least: Mapping[str, Severity]) -> Iterator[tuple[str, str]]:
    for one in review.findings.values():
        if one.is_settled and one.advisory:
            yield one.id, one.advisory
        elif not one.is_settled and not blocks(one, least):
            yield one.id, why_advisory(one)


def settled_word(finding: Finding) -> str:
    """The prefix of a settled finding, to distinguish it from an open one."""
    return SETTLED if finding.standing in (Standing.RESOLVED, Standing.WAIVED) else ""


def policy_changed(review: Review) -> str:
    """The effect of a policy change on a review that was open; empty if there was none."""
    if review.stricter:
        return f"The policy was changed while this was open: {review.stricter[:12]} must be met too."
    if review.policies:
        return "The policy was changed while this was open: it keeps the criteria it began with."
    return ""


def cycle_of(finding: Finding) -> int:
    """The number of answers a finding needs so far: 1 when raised, one more each time it is reopened."""
    return 1 + finding.reopened
