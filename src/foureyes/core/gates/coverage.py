"""Did the reviewers read all of it?"""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Review
from foureyes.core.rules import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Every report of the stage covers at least so much of the work."""

    percent: int = 100

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """What was not read was not reviewed: a human must say that this is all right."""
        for report in review.reports_in(stage.name):
            if report.coverage < self.percent:
                reason = f"{report.reviewer.name} read {report.coverage}% of the work, {self.percent}% is needed"
                return Judgement(move=Move.ESCALATE, reason=reason)
        said = "Everything was read" if review.reports_in(stage.name) else "Nobody has reported yet"
        return Judgement(move=Move.PASS, reason=said)
