"""The Majority gate: a strict majority of the chain's layers can still approve."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Report, Review
from foureyes.core.reasons import VETO_STANDS, said_by
from foureyes.core.rules import Stage
from foureyes.core.stages import missing
from foureyes.core.values import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Majority:
    """A rejection without veto passes with a flag while most layers can still approve; a veto always stops."""

    chain: tuple[str, ...]

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Judge this layer by the reports of the whole chain so far."""
        owes = missing(review, stage)
        lost = [layer for layer in self.chain if _against(review, (layer,))]
        if review.is_vetoed(stage.name):
            return self._back(review)
        if owes:
            return Judgement(move=Move.WAIT, reason=f"Waiting for {stage.name}", owes=owes)
        if stage.name not in lost:
            return Judgement(move=Move.PASS, reason=f"{stage.name} approved")
        if 2 * (len(self.chain) - len(lost)) > len(self.chain):
            reason = said_by(review, _against(review, (stage.name,)))
            return Judgement(move=Move.PASS, reason=reason, flags=(f"outvoted: {stage.name}",))
        return self._back(review)

    def _back(self, review: Review) -> Judgement:
        """Return the work with the reasons of every layer against it, not only the first."""
        against = _against(review, self.chain)
        findings = tuple(f for one in against for f in one.blocking)
        return Judgement(move=Move.REVISE, reason=said_by(review, against) or VETO_STANDS, findings=findings)


def _against(review: Review, layers: tuple[str, ...]) -> list[Report]:
    doubts = (Verdict.CONCERNS, Verdict.REJECT)
    judged = [layer for layer in layers if (layer, review.revision) not in review.overridden]
    return [one for layer in judged for one in review.reports_in(layer) if one.verdict in doubts]
