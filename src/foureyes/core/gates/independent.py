"""The Independence gate: the reviewers are independent of the author and of each other."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.independence import distinct
from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Review
from foureyes.core.rules import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Independence:
    """Every reviewer differs from all contributors, and from the others, in every demanded fact."""

    facts: tuple[str, ...] = ("model_family",)
    of_each_other: bool = True

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Escalate if a reviewer is not distinct; an unknown fact is never distinct, and waiting cannot change that."""
        reviewers = [one.reviewer for one in review.reports_in(stage.name)]
        for index, reviewer in enumerate(reviewers):
            others = reviewers[:index] if self.of_each_other else []
            for fact in self.facts:
                same = next((o for o in (*review.contributors, *others) if not distinct(reviewer, o, fact)), None)
                if same is not None:
                    reason = f"{reviewer.name} is not independent of {same.name}: {fact} is the same or unknown"
                    return Judgement(move=Move.ESCALATE, reason=reason)
        return Judgement(move=Move.PASS, reason="The reviewers are independent")
