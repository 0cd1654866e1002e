"""The Unknown gate: a placeholder for a condition that this program does not know; it never passes."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Review
from foureyes.core.rules import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A gate or protocol that these rules do not know; it never passes."""

    name: str

    def judge(self, _review: Review, _stage: Stage) -> Judgement:
        """Escalate to a human, because the rules cannot be read."""
        reason = f"The rules name {self.name!r}, which is not known here"
        return Judgement(move=Move.ESCALATE, reason=reason, human_only=True, error=True)
