"""Objections of a review to exact bytes: a veto, a rejection, or blocking findings.

The rules of the review where it was raised say what blocks. An objection to a version is lifted for exactly these
bytes: the raiser settles the finding, or a human waives it, overrides its stage or reopens the review. A fix in another
version does not lift the objection to this one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from foureyes.core.gates import Resolved
from foureyes.core.model import Finding, Report, Review
from foureyes.core.refusals import Code, NextCall, Refusal, refuse
from foureyes.core.rules import Stage
from foureyes.core.values import Outcome, Part, Severity, Standing, Verdict

#: Maximum number of names listed of one objection.
NAMES_MAX = 5
WAY_OUT = "Answer it there, change the work, or ask for a ruling there."
CHANGE = "change the work"
SETTLE = "have its raiser settle it there"
WAIVE = "ask a human to waive it there"
#: What can be done in a review that has ended, in which its author can no longer answer.
WAYS_OUT: Mapping[Outcome, str] = {
    Outcome.WITHDRAWN: "ask for a ruling there",
    Outcome.REJECTED: "ask for a ruling there or have a human reopen it",
    Outcome.SHELVED: "revise the work there",
    Outcome.RETURNED: "revise the work there",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """What one review has against a version: the stage of a veto, that it was rejected, findings, rejecting seats."""

    review: str
    veto: str = ""
    rejected: bool = False
    findings: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()
    #: How the review ended; None while it goes on.
    ended: Outcome | None = field(default=None, compare=False)

    @property
    def sentence(self) -> str:
        """The objection in a sentence, with names."""
        if self.veto:
            return f"A veto stands on this version in review {self.review}."
        if self.findings:
            return f"This exact version still has open findings in review {self.review}: {_named(self.findings)}."
        if self.rejected:
            return f"Review {self.review} rejected this exact version."
        return f"{_named(self.seats)} spoke against this exact version in review {self.review}."

    @property
    def way_out(self) -> str:
        """The steps against it that the review still allows."""
        if self.veto:
            return "A human must override it there, or the author revises."
        if self.ended is None:
            return WAY_OUT
        settled = bool(self.findings) and not self.rejected and self.ended is not Outcome.CLEARED
        waived = bool(self.findings) and not self.rejected
        ways = (SETTLE if settled else "", WAIVE if waived else "", WAYS_OUT.get(self.ended, ""), CHANGE)
        *others, last = filter(None, ways)
        said = f"{', '.join(others)}, or {last}" if others else last
        return f"That review has ended: {said}."


def objection(review: Review, stages: Sequence[Stage], digest: str) -> Objection | None:
    """The objection of this review to these bytes; None if it cleared them, unless there is a veto."""
    vetoes = sorted([stage for stage, vetoed in review.vetoes if vetoed == digest])
    if vetoes:
        return Objection(review=review.id, veto=vetoes[0], ended=review.outcome)
    if digest in review.cleared_digests:
        return None
    numbers = frozenset([one.number for one in review.revisions if one.digest == digest])
    known = blocking_severities(stages)
    blocking = [one for one in review.findings.values() if _is_objection(one, known)]
    findings = tuple([one.id for one in blocking if _stands(review, one, numbers)])
    seats = tuple(dict.fromkeys([one.seat for one in rejecting_reports(review, numbers)]))
    rejected = digest in review.rejected
    if not (findings or seats or rejected):
        return None
    return Objection(review=review.id, rejected=rejected, findings=findings, seats=seats, ended=review.outcome)


def stands_on_text(review: Review, stages: Sequence[Stage], finding: Finding) -> bool:
    """True if a blocking finding still holds against the text it was raised on, wherever that text is.

    Settling it on a version with that text, passing its stage there or clearing such a version ends it. A fix that
    changed the text does not: the original text is as bad as before.
    """
    if finding.lifted or not _is_objection(finding, blocking_severities(stages)):
        return False
    numbers = [one.number for one in review.revisions if is_text_in(review, finding, one.number)]
    if finding.standing is Standing.RESOLVED and finding.settled_in in numbers:
        return False
    return not any(
        (finding.stage, one) in review.overridden or review.revisions[one - 1].digest in review.cleared_digests
        for one in numbers
    )


def is_text_in(review: Review, finding: Finding, number: int) -> bool:
    """True if a version contains the text of a finding: the same file, or without a place the whole work."""
    raised, other = review.revisions[finding.revision - 1], review.revisions[number - 1]
    if other.digest == raised.digest or finding.id in other.keeps:
        return True
    if number < finding.revision:
        return False
    path = finding.place.path if finding.place else ""
    before = {one.name: one.digest for one in raised.parts if path in ("", one.name)}
    after = {one.name: one.digest for one in other.parts}
    return bool(before) and all(after.get(name) == digest for name, digest in before.items())


def objected(found: Objection) -> Refusal:
    """The refusal of a command that would submit these bytes again despite the objection."""
    return refuse(
        Code.OBJECTED,
        next_call=NextCall(call="read_review", arguments={"review": found.review}),
        stands=found.sentence.removesuffix("."),
        way_out=found.way_out.removesuffix("."),
        review=found.review,
        findings=found.findings[:NAMES_MAX],
    )


def _stands(review: Review, finding: Finding, numbers: frozenset[int]) -> bool:
    """True if a blocking finding was raised in or before one of these revisions and not lifted for its bytes."""
    return any(
        finding.revision <= number
        and (finding.stage, number) not in review.overridden
        and not _is_resolved(review, finding, number)
        for number in numbers
    )


def blocking_severities(stages: Sequence[Stage]) -> dict[str, Severity]:
    """The severity from which a finding blocks, for each stage."""
    found: dict[str, Severity] = {}
    for stage in stages:
        least = stage.options.blocking
        for gate in stage.gates:
            if isinstance(gate, Resolved):
                least = min(least, gate.at_least)
        found[stage.name] = least
    return found


def _is_objection(finding: Finding, known: Mapping[str, Severity]) -> bool:
    # If the rules of a stage are unknown, everything blocks.
    blocks = finding.severity >= known.get(finding.stage, Severity.MINOR)
    return blocks and not finding.is_advisory and finding.standing is not Standing.WAIVED


def is_fixed_elsewhere(review: Review, finding: Finding) -> bool:
    """True if it was resolved on other bytes only: it still holds against the bytes it was raised on."""
    raised = finding.revision
    return finding.standing is Standing.RESOLVED and not _is_resolved(review, finding, raised)


def _is_resolved(review: Review, finding: Finding, number: int) -> bool:
    """True if it was resolved in this or an earlier revision, or on the same bytes."""
    if finding.standing is not Standing.RESOLVED:
        return False
    settled = review.revisions[finding.settled_in - 1].digest
    return finding.settled_in <= number or settled == review.revisions[number - 1].digest


def rejecting_reports(review: Review, numbers: frozenset[int]) -> list[Report]:
    """The effective reports on these revisions that reject, or have concerns on a named ground."""
    found: list[Report] = []
    for (name, number), report in review.reports.items():
        # Concerns without a finding count if the reviewer named a ground; otherwise they are only a question.
        stands = report.verdict is Verdict.REJECT or (report.verdict is Verdict.CONCERNS and bool(report.grounds))
        if not stands or number not in numbers:
            continue
        seat = review.seats[name]
        counts = seat.part is not Part.COUNSEL and (seat.stage, number) not in review.overridden
        if counts and not review.is_groundless(report):
            found.append(report)
    return found


def _named(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - NAMES_MAX} more" if len(names) > NAMES_MAX else ""
    return ", ".join(names[:NAMES_MAX]) + more
