"""Judgement of a gate about a stage: a move, the reason in words, and who owes what."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from foureyes.core.values import Outcome


class Move(IntEnum):
    """What shall happen next; ordered by gravity, the gravest of a stage's gates wins."""

    PASS = 0
    WAIT = 1
    CLARIFY = 2
    REVISE = 3
    ESCALATE = 4
    REJECT = 5


class Owing(StrEnum):
    """What a party owes while the gate waits."""

    REPORT = "report"
    CONFIRM = "confirm"
    VERIFY = "verify"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """One thing the gate waits for: from a seat, or (without one) from the author."""

    what: Owing
    seat: str = ""
    findings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One gate's answer about one stage of one revision."""

    move: Move
    reason: str = ""
    flags: tuple[str, ...] = ()
    owes: tuple[Owed, ...] = ()
    findings: tuple[str, ...] = ()
    counsel: bool = False
    human_only: bool = False
    outcome: Outcome = Outcome.REJECTED
    scenario: str = ""
    confidence: int | None = None
    error: bool = False


PASSED = Judgement(move=Move.PASS)
