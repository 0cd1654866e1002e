"""The Agreement gate: two models agree well enough that no human needs to look."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Finding, Report, Review
from foureyes.core.rules import Stage
from foureyes.core.stages import missing
from foureyes.core.values import Severity, Verdict, Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Named scenarios with fixed confidence decide; everything unclear is a human's matter."""

    stages: tuple[str, ...] = ()
    final: bool = True
    auto_approve: bool = False
    auto_reject: bool = False
    auto_approve_single: bool = False
    b_only_critical_fixes: bool = False

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Merge the models' reports: fail if either fails, pass only if all pass."""
        owes = missing(review, stage)
        if owes:
            reason = f"Waiting for {len(owes)} model{'s' if len(owes) > 1 else ''}"
            return Judgement(move=Move.WAIT, reason=reason, owes=owes)
        reports = [one for seat in self._seats(stage) if (one := review.report_of(seat)) is not None]
        failing = [one for one in reports if one.verdict is not Verdict.APPROVE]
        return self._failed(review, stage, reports) if failing else self._passed(review, stage, len(reports))

    def _passed(self, review: Review, stage: Stage, models: int) -> Judgement:
        if not self.final:
            return Judgement(move=Move.PASS, reason=f"{stage.name}: all models pass")
        accepted = [name for name in self.stages if (name, review.revision) in review.overridden]
        # A stage that a human has overridden does not need a second decision.
        names = [name for name in self.stages or (stage.name,) if name not in accepted]
        noted = [one for name in names for one in _noted(review, name)]
        if any(one.blocks(Severity.IMPORTANT) for one in noted) or any(_contradicted(review, name) for name in names):
            return _ask(
                "unclear", 50, "All models pass, but findings remain that are not minor or contradict each other"
            )
        scenario, sure = ("minor only", 85) if noted else ("clean", 100)
        reason = "All models pass, minor findings only" if noted else "All models pass, no findings"
        if accepted:
            reason = f"{reason}; a human took {', '.join(accepted)} as it is"
            return Judgement(move=Move.PASS, reason=reason, flags=("as it is",), scenario=scenario, confidence=sure)
        if not self.auto_approve:
            return _ask(scenario, sure, f"{reason}; a human decides because auto_approve is off")
        if models < 2 and not self.auto_approve_single:  # noqa: PLR2004 - one model cannot agree with itself
            return _ask(scenario, sure, f"{reason}; a human decides because one model cannot agree with itself")
        flags = ("minor findings",) if noted else ()
        return Judgement(move=Move.PASS, reason=reason, flags=flags, scenario=scenario, confidence=sure)

    def _failed(self, review: Review, stage: Stage, reports: list[Report]) -> Judgement:
        scenario, sure, reason = _scenario(review, stage, reports)
        fixes = (
            self.auto_reject
            if scenario == "agreed critical"
            else self.b_only_critical_fixes and scenario == "B-only critical"
        )
        move = Move.REVISE if fixes else Move.ESCALATE
        wanted = tuple(one.id for one in _live(review, stage.name) if one.severity > Severity.MINOR)
        return Judgement(move=move, reason=reason, findings=wanted, scenario=scenario, confidence=sure)

    def _seats(self, stage: Stage) -> list[str]:
        return [stage.seat_id(index) for index in range(len(stage.seats))]


def _scenario(review: Review, stage: Stage, reports: list[Report]) -> tuple[str, int, str]:
    """The scenario table of the panel style, surest row first; a case in no row is unclear."""
    critical = {one.id for one in _live(review, stage.name) if one.severity is Severity.CRITICAL}
    strongest = {one for one in critical if review.findings[one].seat == reports[-1].seat}
    matched = review.matched.get((stage.name, review.revision))
    agreed = [set(group.findings) for group in matched.groups] if matched else []
    contradicted = _contradicted(review, stage.name)
    both_fail = all(one.verdict is not Verdict.APPROVE for one in reports)
    single = len(reports) == 1
    if both_fail and (critical if single else any(group & critical for group in agreed)):
        return "agreed critical", 90, "All models fail on the same critical issue"
    if critical and critical == strongest - contradicted and not single:
        return "B-only critical", 70, "Only the stronger model found something critical"
    if not both_fail:
        return "split", 40, "One model passes, one fails"
    if agreed or contradicted or single or (critical and not strongest):
        return "unclear", 50, "The models fail, but not on a critical issue they agree on"
    return "different issues", 60, "Both models fail, on different issues"


def _live(review: Review, stage: str) -> list[Finding]:
    """Findings that count in this round: not settled and not advisory."""
    return [one for one in review.findings_of(stage) if not one.is_settled and not one.is_advisory]


def _noted(review: Review, stage: str) -> list[Finding]:
    """Live findings plus advisory ones, without those that a human or a verifier has set aside."""
    refuted = Verification.REFUTED
    return [
        one
        for one in review.findings_of(stage)
        if not (one.is_settled or one.suppressed_by or one.verification is refuted)
    ]


def _contradicted(review: Review, stage: str) -> set[str]:
    """The findings that contradict each other or a check of another model."""
    matched = review.matched.get((stage, review.revision))
    return {one for group in matched.contradictions for one in group.findings} if matched else set()


def _ask(scenario: str, confidence: int, reason: str) -> Judgement:
    return Judgement(move=Move.ESCALATE, reason=reason, scenario=scenario, confidence=confidence)
