"""The Unanimous gate: every seat of the layer approves."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Review
from foureyes.core.reasons import VETO_STANDS, said_by
from foureyes.core.rules import Stage
from foureyes.core.stages import doubting, missing


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanimous:
    """Every seat approves; one rejection, and the more so a veto, sends the work back."""

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Return the work on a rejection at once; wait for missing reports."""
        against = doubting(review, stage)
        if against or review.is_vetoed(stage.name):
            return Judgement(
                move=Move.REVISE,
                reason=said_by(review, against) or VETO_STANDS,
                findings=tuple(f for one in against for f in one.blocking),
            )
        owes = missing(review, stage)
        if owes:
            return Judgement(move=Move.WAIT, reason=f"Waiting for {stage.name}", owes=owes)
        return Judgement(move=Move.PASS, reason=f"{stage.name} approved")
