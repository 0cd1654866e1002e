"""Recommend the option of a ruling that humans chose in similar cases before."""

from __future__ import annotations

from collections.abc import Iterable

from foureyes.core.facts import PastRuling
from foureyes.core.values import CLOCK, Effect, Option, Recommendation

#: Minimum number of similar cases.
ALIKE_MIN = 3
#: Only the newest decisions count.
PAST_MAX = 200
#: Added to the total weight, so that a recommendation never reaches 100 %.
DOUBT = 2
CONFIDENCE_MIN = 50

WEIGHT_BOTH = 4
WEIGHT_ONE = 2
WEIGHT_NEITHER = 1


def recommend(options: tuple[Option, ...], reason: str, kind: str, past: Iterable[PastRuling]) -> Recommendation | None:
    """The option people usually take in such a case; None if there are too few cases or they are divided."""
    cases = _newest(past)
    if sum(_weight(case, reason, kind) > WEIGHT_NEITHER for case in cases) < ALIKE_MIN:
        return None
    total = sum(_weight(case, reason, kind) for case in cases) + DOUBT
    votes = {option.effect: 0 for option in options}
    for case in cases:
        if case.effect in votes:
            votes[case.effect] += _weight(case, reason, kind)
    best = max(votes.values(), default=0)
    chosen = next((option for option in options if votes[option.effect] == best), None)
    confidence = 100 * best // total
    if chosen is None or confidence < CONFIDENCE_MIN:
        return None
    return Recommendation(option=chosen.id, confidence=confidence, why=_why(cases, chosen.effect, reason, kind))


def _newest(past: Iterable[PastRuling]) -> list[PastRuling]:
    """The newest decisions by people; decisions by the clock do not count."""
    people = [case for case in past if case.by != CLOCK.name]
    return sorted(people, key=lambda case: (case.at, case.by, case.kind, case.reason, case.effect))[-PAST_MAX:]


def _weight(case: PastRuling, reason: str, kind: str) -> int:
    match (case.reason == reason, case.kind == kind):
        case (True, True):
            return WEIGHT_BOTH
        case (False, False):
            return WEIGHT_NEITHER
        case _:
            return WEIGHT_ONE


def _why(cases: list[PastRuling], effect: Effect, reason: str, kind: str) -> tuple[str, ...]:
    circles = (
        (f"{kind} with reason {reason}", [case for case in cases if (case.kind, case.reason) == (kind, reason)]),
        (f"any work with reason {reason}", [case for case in cases if case.reason == reason]),
        (f"{kind} with any reason", [case for case in cases if case.kind == kind]),
    )
    return tuple(
        f"{sum(case.effect is effect for case in alike)} of {len(alike)} decisions on {name} were {effect.value}."
        for name, alike in circles
        if alike
    )
