"""The Consistency gate: a reviewer does not contradict what the same seat settled before."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import PASSED, Judgement, Move, Owed, Owing
from foureyes.core.model import Review
from foureyes.core.rules import Stage
from foureyes.core.stages import tie_broken


@dataclass(frozen=True, slots=True, kw_only=True)
class Consistency:
    """A re-review that takes back what its seat settled is asked once to clarify, then a human decides."""

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Ask once for a clarification, which is a second report on the same revision; then escalate."""
        if tie_broken(review, stage):
            return PASSED
        for report in review.reports_in(stage.name):
            if report.contradicts and report.count > 1:
                reason = f"{report.reviewer.name} contradicts what was settled: {', '.join(report.contradicts)}"
                return Judgement(move=Move.ESCALATE, reason=reason, findings=report.contradicts)
            if report.contradicts:
                owed = Owed(what=Owing.REPORT, seat=report.seat, findings=report.contradicts)
                reason = f"{report.reviewer.name} is asked to clarify: {', '.join(report.contradicts)} was settled"
                return Judgement(move=Move.WAIT, reason=reason, owes=(owed,), flags=("contradiction",))
        return PASSED
