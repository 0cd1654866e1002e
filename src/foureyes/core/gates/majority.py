"""Can a strict majority of the chain's layers still approve?"""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Review
from foureyes.core.rules import Stage
from foureyes.core.stages import doubting, missing, said
from foureyes.core.values import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Majority:
    """A rejection without veto passes with a flag while most layers can still approve; a veto always stops."""

    chain: tuple[str, ...]

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Judge this layer by what the whole chain has said so far."""
        against = doubting(review, stage)
        owes = missing(review, stage)
        if review.is_vetoed(stage.name):
            return Judgement(move=Move.REVISE, reason=said(against))
        if owes:
            return Judgement(move=Move.WAIT, reason=f"Waiting for {stage.name}", owes=owes)
        if not against:
            return Judgement(move=Move.PASS, reason=f"{stage.name} approved")
        lost = sum(any(one.verdict is not Verdict.APPROVE for one in review.reports_in(layer)) for layer in self.chain)
        if 2 * (len(self.chain) - lost) > len(self.chain):
            return Judgement(move=Move.PASS, reason=said(against), flags=(f"outvoted: {stage.name}",))
        return Judgement(
            move=Move.REVISE, reason=said(against), findings=tuple(f for one in against for f in one.blocking)
        )
