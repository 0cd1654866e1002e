"""The Coverage gate: the reviewers read enough of the work."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Review
from foureyes.core.rules import Stage
from foureyes.core.stages import doubts


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Every report of the stage that speaks for the work covers at least so much of it.

    One that speaks against it already holds it up, and its holder looks again before it can speak for it.
    """

    percent: int = 100

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Escalate if a report covers too little: what was not read was not reviewed, so a human must accept that."""
        reports = review.reports_in(stage.name)
        for report in reports:
            if report.coverage < self.percent and not doubts(report):
                reason = f"{report.reviewer.name} read {report.coverage}% of the work, {self.percent}% is needed"
                return Judgement(move=Move.ESCALATE, reason=reason)
        said = "Everything was read" if reports else "Nobody has reported yet"
        return Judgement(move=Move.PASS, reason=said)
