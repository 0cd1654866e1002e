"""The Tally gate: a session's four rules, applied to the verdicts of its reviewers."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Review
from foureyes.core.reasons import said_by
from foureyes.core.rules import Stage
from foureyes.core.stages import missing
from foureyes.core.values import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Any blocker stops at once; several concerns pause; one concern is logged; all approve goes on."""

    concerns_pause: int = 2

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Apply rules 1 to 4 in this order; rules 2 to 4 wait for everyone who was asked."""
        reports = review.reports_in(stage.name)
        blockers = [one for one in reports if one.verdict is Verdict.REJECT]
        if blockers:
            return Judgement(
                move=Move.ESCALATE,
                reason=f"Blocker: {said_by(review, blockers)}",
                findings=blockers[0].blocking,
                scenario="rule 1",
            )
        owes = missing(review, stage)
        if owes:
            return Judgement(move=Move.WAIT, reason=f"Waiting for {len(owes)} reviewers", owes=owes)
        concerns = [one for one in reports if one.verdict is Verdict.CONCERNS]
        if len(concerns) >= self.concerns_pause:
            return Judgement(move=Move.CLARIFY, reason=said_by(review, concerns), scenario="rule 2")
        if concerns:
            return Judgement(
                move=Move.PASS, reason=said_by(review, concerns), flags=("one concern",), scenario="rule 3"
            )
        return Judgement(move=Move.PASS, reason="All reviewers approved", scenario="rule 4")
