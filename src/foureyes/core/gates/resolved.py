"""The Resolved gate: every relevant finding is settled by the seat that raised it, or waived by a human."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move, Owed, Owing
from foureyes.core.model import Finding, Review
from foureyes.core.rules import Stage
from foureyes.core.stages import tie_broken
from foureyes.core.values import Outcome, Part, Severity, Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """Every finding from this severity on is resolved by its seat's holder or waived."""

    at_least: Severity = Severity.IMPORTANT
    answers_max: int = 3
    shelves: bool = False
    revision_answers: bool = True

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Name the seats and author who owe a reply; a finding reopened too often ends the argument."""
        unsettled = [one for one in review.findings_of(stage.name) if one.blocks(self.at_least)]
        if not unsettled:
            return Judgement(move=Move.PASS, reason="All feedback resolved by all reviewers")
        if tie_broken(review, stage):
            names = ", ".join(one.id for one in unsettled)
            reason = f"The tie-break approved, but what it cannot settle is left to a human: {names}"
            return Judgement(move=Move.ESCALATE, reason=reason, findings=_ids(unsettled), human_only=True)
        worn = [one for one in unsettled if self._is_worn(one, review)]
        if worn:
            return self._end(worn)
        reason = f"{len(unsettled)} feedback items unresolved"
        return Judgement(
            move=Move.WAIT, reason=reason, owes=self._owes(unsettled, review, stage), findings=_ids(unsettled)
        )

    def _is_worn(self, finding: Finding, review: Review) -> bool:
        """True if reopened too often and last in this revision; a later answer or revision is looked at first."""
        last_word = finding.standing is Standing.OPEN and finding.reopened_in == review.revision
        return last_word and finding.reopened >= self.answers_max

    def _end(self, worn: list[Finding]) -> Judgement:
        critical = [one for one in worn if one.severity is Severity.CRITICAL]
        if self.shelves and critical:
            reason = f"{critical[0].id} is critical and still unresolved after {self.answers_max} answers"
            return Judgement(move=Move.REJECT, reason=reason, outcome=Outcome.SHELVED, findings=_ids(critical))
        reason = f"{worn[0].id} was reopened {worn[0].reopened} times: author and reviewer do not agree"
        return Judgement(move=Move.ESCALATE, reason=reason, findings=_ids(worn))

    def _owes(self, unsettled: list[Finding], review: Review, stage: Stage) -> tuple[Owed, ...]:
        verifier = next((i for i, rule in enumerate(stage.seats) if rule.part is Part.VERIFY), None)
        unverified = [one for one in unsettled if one.verification is None and not one.demand]
        if verifier is not None and unverified:
            return (Owed(what=Owing.VERIFY, seat=stage.seat_id(verifier), findings=_ids(unverified)),)
        answered = [one for one in unsettled if self.is_answered(one, review)]
        confirms = [
            Owed(what=Owing.CONFIRM, seat=seat, findings=_ids([one for one in answered if one.seat == seat]))
            for seat in dict.fromkeys(one.seat for one in answered)
        ]
        unanswered = [one for one in unsettled if one not in answered]
        answers = [Owed(what=Owing.ANSWER, findings=_ids(unanswered))] if unanswered else []
        return (*answers, *confirms)

    def is_answered(self, finding: Finding, review: Review) -> bool:
        """True if the author answered, or a newer revision exists and this gate takes that as an answer."""
        newer = self.revision_answers and max(finding.revision, finding.reopened_in) < review.revision
        return newer or finding.standing is Standing.ANSWERED


def _ids(findings: list[Finding]) -> tuple[str, ...]:
    return tuple([one.id for one in findings])
