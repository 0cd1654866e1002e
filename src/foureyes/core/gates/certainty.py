"""The Certainty gate: the reviewer is sure enough to decide without a human."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.grounds import SEVERAL_VALID_OPTIONS
from foureyes.core.judgement import PASSED, Judgement, Move
from foureyes.core.kinds import are
from foureyes.core.model import Report, Review
from foureyes.core.rules import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Certainty:
    """Dangerous kinds need a sure reviewer, and nobody decides when both sides are unsure."""

    confidence_min: int = 90
    kinds: tuple[str, ...] = ("security_change", "breaking_change")
    both_min: int = 60
    choice_kinds: tuple[str, ...] = ("architecture_decision",)

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Escalate a dangerous kind without a sure reviewer, two unsure sides, or several valid options."""
        for report in review.reports_in(stage.name):
            found = self._of(review, report)
            if found.move is not Move.PASS:
                return found
        return PASSED

    def _of(self, review: Review, report: Report) -> Judgement:
        sure, author = report.confidence, review.current.confidence
        if sure is not None and author is not None and max(sure, author) < self.both_min:
            reason = f"Both uncertain: author {author}%, {report.reviewer.name} {sure}%; needs research"
            return Judgement(
                move=Move.ESCALATE, reason=reason, flags=("needs research",), counsel=True, human_only=True
            )
        if are(review.kinds, self.kinds) and (sure is None or sure < self.confidence_min):
            reason = f"Critical change with reviewer uncertainty: {sure}% is below {self.confidence_min}%"
            return Judgement(move=Move.ESCALATE, reason=reason, human_only=True)
        if are(review.kinds, self.choice_kinds) and SEVERAL_VALID_OPTIONS in report.grounds:
            return Judgement(
                move=Move.ESCALATE, reason="Multiple valid approaches, human should choose", human_only=True
            )
        return PASSED
