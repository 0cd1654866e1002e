"""The Quorum gate: enough different reviewers vouch for this exact revision."""

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
        """Refuse a quorum of less than one reviewer."""
        if isinstance(self.reviewers, bool) or self.reviewers < 1:
            message = f"a quorum needs at least 1 reviewer, not {self.reviewers!r}"
            raise ValueError(message)

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Count the reviewers; wait for missing reports, and escalate if too few of them are different."""
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
        """True if the seat's reviewer left and a volunteer of the stage, not a program, has reported instead."""
        known = review.seats.get(seat)
        if not stage.options.waits or known is None or known.reviewer is not None or not known.left:
            return False
        own = {stage.seat_id(index) for index in range(len(stage.seats))}
        minds = [one for one in review.reports_in(stage.name) if one.reviewer.kind is not WhoKind.PROGRAM]
        return any(one.seat not in own for one in minds)
