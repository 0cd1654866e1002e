"""The Inherited gate: findings of the party's other reviews on this text are settled."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Review
from foureyes.core.rules import Stage

#: How many findings the reason names.
NAMED_MAX = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Inherited:
    """Every finding that came along with unchanged text is settled by its raiser or waived by a human."""

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Escalate to a human: the reviewers of this review cannot settle findings that others raised."""
        found = [one for one in review.findings_of(stage.name) if not one.is_settled]
        if not found:
            return Judgement(move=Move.PASS, reason="Everything that earlier reviews had against this text is settled")
        named = ", ".join(f"{one.source} of review {one.review} by {one.raiser}" for one in found[:NAMED_MAX])
        more = f" and {len(found) - NAMED_MAX} more" if len(found) > NAMED_MAX else ""
        return Judgement(
            move=Move.ESCALATE,
            reason=f"Open findings on unchanged text: {named}{more}",
            findings=tuple(one.id for one in found),
            human_only=True,
        )
