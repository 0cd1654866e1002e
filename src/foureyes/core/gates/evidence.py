"""The Evidence gate: the project's own check has passed on exactly these bytes."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move, Owed, Owing
from foureyes.core.model import Review
from foureyes.core.reasons import said_by
from foureyes.core.rules import Stage
from foureyes.core.values import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The seat that runs this check (tests, a linter, a scanner) reports a green run on this revision."""

    check: str
    must_pass: bool = True

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Wait until the check has run; a failed run goes back to the author."""
        seats = [stage.seat_id(i) for i, rule in enumerate(stage.seats) if rule.scope == self.check]
        reports = [review.report_of(seat) for seat in seats]
        red = [one for one in reports if one is not None and one.verdict is not Verdict.APPROVE]
        if red and self.must_pass:
            return Judgement(
                move=Move.REVISE, reason=f"{self.check} failed: {said_by(review, red)}", findings=red[0].blocking
            )
        if not seats:
            return Judgement(move=Move.ESCALATE, reason=f"Nobody runs {self.check}", error=True)
        owes = tuple(
            Owed(what=Owing.REPORT, seat=seat) for seat, one in zip(seats, reports, strict=True) if one is None
        )
        if owes:
            return Judgement(move=Move.WAIT, reason=f"{self.check} has not run on this version", owes=owes)
        return Judgement(
            move=Move.PASS, reason=f"{self.check} ran on this version", flags=(f"{self.check} failed",) if red else ()
        )
