"""Computes an answer's verdict from its findings and checklist; the reviewer's own verdict is one input."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.values import Severity, Verdict

#: A doubt that names no ground has little weight: a person should see it, but nobody can act on it.
BASELESS_CONFIDENCE_MAX = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """What is against the work, after every claim was looked up in it."""

    said: Verdict
    worst: Severity | None = None
    failed: int = 0
    unresolved: int = 0
    #: Grave findings that were left out or made minor because what they claim is not found in the work.
    weakened: int = 0
    #: Grave findings on lines that this work does not change. The work may have made them wrong; that was not checked.
    older: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """The verdict, its highest confidence, and a sentence if it is not what the reviewer said."""

    verdict: Verdict
    confidence_max: int = 100
    #: A doubt without a ground is neither an approval nor a rejection.
    baseless: bool = False
    why: str = ""


def amounts_to(grounds: Grounds) -> Amounts:
    """Return the verdict that follows; it is kinder than the reviewer's own only if all findings are minor."""
    said = grounds.said
    if grounds.worst is Severity.CRITICAL:
        return _as(Verdict.REJECT, said, "it has a critical finding")
    if grounds.worst is Severity.IMPORTANT or grounds.failed or grounds.unresolved:
        against = Verdict.REJECT if said is Verdict.REJECT else Verdict.CONCERNS
        return _as(against, said, _reason(grounds))
    if said is Verdict.APPROVE and not grounds.weakened and not grounds.older:
        return Amounts(verdict=said)
    if said is Verdict.CONCERNS and grounds.worst is Severity.MINOR and not grounds.weakened and not grounds.older:
        return _as(Verdict.APPROVE, said, "everything it found is minor")
    because = _missing(grounds)
    found = _as(Verdict.CONCERNS, said, because)
    return Amounts(
        verdict=found.verdict,
        confidence_max=BASELESS_CONFIDENCE_MAX,
        baseless=True,
        why=found.why or f"The reviewer has concerns, but {because}.",
    )


def _missing(grounds: Grounds) -> str:
    """Return why a doubt has no ground that holds."""
    if grounds.weakened:
        return "none of its grave findings could be proven from the work"
    if grounds.older:
        return "its grave findings are on lines that this work does not change"
    return "it names no ground"


def _as(verdict: Verdict, said: Verdict, because: str) -> Amounts:
    why = "" if verdict is said else f"The reviewer said {said.value}; this counts as {verdict.value}: {because}."
    return Amounts(verdict=verdict, why=why)


def _reason(grounds: Grounds) -> str:
    if grounds.worst is Severity.IMPORTANT:
        return "it has an important finding"
    return "a criterion is not passed" if grounds.failed else "an earlier finding is not resolved"
