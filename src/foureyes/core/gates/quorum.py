"""Have enough different reviewers vouched for this very revision?"""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Review
from foureyes.core.reasons import said_by
from foureyes.core.rules import Stage
from foureyes.core.stages import count_distinct, doubts, missing, vouches
from foureyes.core.values import WhoKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Quorum:
    """Enough reviewers, different in the demanded fact from each other and from every contributor, vouch.

    Programs may be asked without counting; with `everyone` nobody who was asked is passed over.
    """

    reviewers: int = 2
    distinct: str = "reviewer"
    programs: bool = True
    everyone: bool = False

    def __post_init__(self) -> None:
        """No policy can ask for less than one pair of other eyes."""
        if isinstance(self.reviewers, bool) or self.reviewers < 1:
            message = f"a quorum needs at least 1 reviewer, not {self.reviewers!r}"
            raise ValueError(message)

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Count; missing reports are waited for, too few different reviewers is a human's matter."""
        reports = review.reports_in(stage.name)
        looked = [one.reviewer for one in reports if vouches(review, one)]
        minds = [one for one in looked if self.programs or one.kind is not WhoKind.PROGRAM]
        have = count_distinct(minds, review.contributors, self.distinct)
        owes = tuple([one for one in missing(review, stage) if not self._is_stood_in_for(review, stage, one.seat)])
        against = [one for one in reports if doubts(one) and one.grounds]
        if against:
            return Judgement(move=Move.REVISE, reason=said_by(review, against))
        if have >= self.reviewers and not (self.everyone and owes):
            who = f"{have} reviewers vouch" if have > 1 else "1 reviewer vouches"
            return Judgement(move=Move.PASS, reason=f"{who} for this version")
        reason = f"Need {self.reviewers} reviewer{'s' if self.reviewers > 1 else ''}, have {have}"
        if have >= self.reviewers:
            return Judgement(move=Move.WAIT, reason=f"{have} vouched; somebody else was asked too", owes=owes)
        if owes or len(reports) > len(looked):
            return Judgement(move=Move.WAIT, reason=reason, owes=owes)
        return Judgement(move=Move.ESCALATE, reason=f"{reason} that differ in {self.distinct}")

    def _is_stood_in_for(self, review: Review, stage: Stage, seat: str) -> bool:
        """Whether nobody sits there any more and a volunteer of the stage, who is no program, has looked instead."""
        known = review.seats.get(seat)
        if not stage.options.waits or known is None or known.reviewer is not None or not known.left:
            return False
        own = {stage.seat_id(index) for index in range(len(stage.seats))}
        minds = [one for one in review.reports_in(stage.name) if one.reviewer.kind is not WhoKind.PROGRAM]
        return any(one.seat not in own for one in minds)
