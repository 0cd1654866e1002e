"""The Standards gate: an approval needs its checklist, enough confidence and no critical finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from foureyes.core.judgement import Judgement, Move
from foureyes.core.kinds import are
from foureyes.core.model import Report, Review
from foureyes.core.reasons import said_by
from foureyes.core.rules import Stage
from foureyes.core.stages import doubting, missing, tie_broken, unclear
from foureyes.core.values import Criterion, Part, Severity, Verdict


class Mode(StrEnum):
    """Whether an incomplete checklist is refused, or only recorded."""

    STRICT = "strict"
    ADVISORY = "advisory"


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria:
    """What a reviewer must and may check for one kind of work; some criteria say what exactly to look at."""

    kind: str
    required: tuple[tuple[str, str], ...]
    optional: tuple[tuple[str, str], ...] = ()
    checks: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standards:
    """An approval has every required criterion passed, enough confidence and no critical finding."""

    criteria: tuple[Criteria, ...]
    default: Criteria
    confidence_min: int = 80
    critical_max: int = 0
    mode: Mode = Mode.STRICT
    second_opinion_from: int = 0

    def for_kinds(self, kinds: Iterable[str]) -> tuple[Criteria, ...]:
        """The criteria of these kinds, else the built-in ones."""
        wanted = tuple(kinds)
        return tuple(one for one in self.criteria if are(wanted, (one.kind,))) or (self.default,)

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Reject on a rejection, return concerns to the author, and check an approval again here."""
        if tie_broken(review, stage):
            return Judgement(move=Move.PASS, reason="A tie-break reviewer approved", flags=("tie-break",))
        owes = missing(review, stage)
        if owes:
            return Judgement(move=Move.WAIT, reason=f"Waiting for {stage.name}", owes=owes)
        reports = review.reports_in(stage.name)
        rejecting = [one for one in reports if one.verdict is Verdict.REJECT]
        if rejecting:
            return Judgement(move=Move.REJECT, reason=said_by(review, rejecting))
        owes = unclear(review, stage)
        if owes:
            return Judgement(move=Move.WAIT, reason="Waiting for a reviewer to clarify", owes=owes)
        return self._of_opinions(review, stage, reports)

    def _of_opinions(self, review: Review, stage: Stage, reports: list[Report]) -> Judgement:
        doubts = doubting(review, stage)
        if self._wants_second_opinion(review, stage, doubts):
            return Judgement(move=Move.ESCALATE, reason=f"The backup is asked too: {said_by(review, doubts)}")
        short = next((text for one in reports if (text := self.shortfall(review, one))), "")
        if doubts or short:
            findings = tuple(name for one in reports for name in one.blocking)
            return Judgement(move=Move.REVISE, reason=said_by(review, doubts) if doubts else short, findings=findings)
        minors = [one for one in review.findings_of(stage.name) if not one.is_settled]
        return Judgement(move=Move.PASS, reason=said_by(review, reports), flags=("suggestions",) if minors else ())

    def _wants_second_opinion(self, review: Review, stage: Stage, doubts: list[Report]) -> bool:
        """True if the policy adds the backup reviewer: the doubts rest on low confidence alone."""
        if not doubts or not self.second_opinion_from:
            return False
        heard = any(review.report_of(seat.id) for seat in review.seats_of(stage.name, Part.TIE_BREAK))
        return not heard and all(
            one.confidence is not None
            and one.confidence >= self.second_opinion_from
            and one.grounds == (f"confidence {one.confidence}",)
            and not one.blocking
            for one in doubts
        )

    def shortfall(self, review: Review, report: Report) -> str:
        """Why an approval does not meet the standard; empty when it does."""
        if report.confidence is None or report.confidence < self.confidence_min:
            return f"confidence {report.confidence} is below {self.confidence_min}"
        critical = review.blocking_of(report.seat, Severity.CRITICAL)
        if len(critical) > self.critical_max:
            return f"{len(critical)} critical concerns"
        failed = self.failed(review.kinds, report.checklist) if self.mode is Mode.STRICT else ()
        return f"criteria not passed: {', '.join(failed)}" if failed else ""

    def failed(self, kinds: Iterable[str], checklist: tuple[Criterion, ...]) -> tuple[str, ...]:
        """Required criteria that are missing from the checklist or marked as failed."""
        passed = {one.name for one in checklist if one.passed}
        required = (name for one in self.for_kinds(kinds) for name, _ in one.required)
        return tuple(name for name in dict.fromkeys(required) if name not in passed)
