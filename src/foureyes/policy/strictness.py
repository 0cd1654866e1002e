"""Strictness of fields: which value demands more of work, and which less."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from foureyes.core.rules import Learning, Rules, Times
from foureyes.policy.policy import Policy

#: Positive demands more, negative less, and 0 neither.
Weight = int

#: Fields that hold a time span, in microseconds as the codec writes it.
SPANS = frozenset(
    one.name for cls in (Times, Learning, Rules, Policy) for one in fields(cls) if "timedelta" in str(one.type)
)

#: The weight of a new member of a list; a removed member has the opposite weight.
_ADDED: dict[str, Weight] = {
    "stages": 1,
    "gates": 1,
    "seats": 1,
    "paths": 1,
    "risks": 1,
    "independence": 1,
    "facts": 1,
    "required": 1,
    "except_for": 1,
    "single_use_kinds": 1,
    "choice_kinds": 1,
    "skips": -1,
    "ignore": -1,
    "keeps": -1,
    # The author and the reviewers may then be one party.
    "services": -1,
    # A new member of a group may let work pass.
    "members": -1,
}

_MORE_IS_STRICTER = frozenset(
    {
        "reviewers",
        "confidence_min",
        "both_min",
        "percent",
        "ruling_needs",
        "successes_min",
        "confidence_min_percent",
        "approval_confidence_min",
        "trust_min_percent",
        "decrease_percent",
        "escape_percent",
        "audit_percent",
        "lookback",
        "suggest_after",
        "enabled",
        "veto",
        "votes",
        "evidence",
        "blocking_evidence",
        "concern_is_finding",
        "everyone",
        "must_pass",
        "of_each_other",
    }
)
_LESS_IS_STRICTER = frozenset(
    {
        "gap_max",
        "critical_max",
        "minor_max",
        "concerns_pause",
        "increase_percent",
        "fresh_for",
        "enabled_for",
        "clearance_expires",
        "auto_approve",
        "auto_approve_single",
        "learned",
        "own_operator",
        "programs",
        "late_is_advisory",
    }
)
#: Words in ascending order of strictness.
_WORDS: dict[str, tuple[str, ...]] = {
    "blind": ("off", "first", "each_round"),
    "mode": ("advisory", "strict"),
    "at_least": ("critical", "important", "minor"),
    "blocking": ("critical", "important", "minor"),
    "floor": ("critical", "important", "minor"),
}


def weigh_member(path: tuple[str, ...]) -> Weight:
    """The weight of a new member of the list at this path."""
    if path[-1] == "kinds":
        # Kinds that may be skipped are weaker; kinds that need a sure reviewer are stricter.
        return -1 if "skips" in path else 1
    return _ADDED.get(path[-1], 0)


def weigh(field: str, old: Any, new: Any) -> Weight:
    """The weight of a change of a field from one value to another."""
    if field in _WORDS and old in _WORDS[field] and new in _WORDS[field]:
        return _sign(_WORDS[field].index(new) - _WORDS[field].index(old))
    if field in _MORE_IS_STRICTER and isinstance(old, int) and isinstance(new, int):
        return _sign(new - old)
    if field in _LESS_IS_STRICTER:
        # None means no end, which is the longest span.
        before, after = (float("inf") if one is None else one for one in (old, new))
        return _sign(before - after)
    return 0


def _sign(number: float) -> Weight:
    return (number > 0) - (number < 0)
