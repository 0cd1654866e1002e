"""The ConfidenceGap gate: the author is not far more confident than the reviewers."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import PASSED, Judgement, Move
from foureyes.core.model import Review
from foureyes.core.rules import Stage
from foureyes.core.stages import tie_broken


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceGap:
    """The author is not more than so much surer than any reviewer."""

    gap_max: int = 40

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Compare both stated confidences; a missing one is not compared."""
        author = review.current.confidence
        if author is None or tie_broken(review, stage):
            return PASSED
        for report in review.reports_in(stage.name):
            if report.confidence is not None and author - report.confidence > self.gap_max:
                reason = f"Large confidence gap: author {author}%, {report.reviewer.name} {report.confidence}%"
                return Judgement(move=Move.ESCALATE, reason=reason)
        return PASSED
