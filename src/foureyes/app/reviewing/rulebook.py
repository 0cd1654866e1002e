"""The rules of the critics, with their measured rate of false blocks and who retired which."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """How often a rule blocked what it should have let through, on data it was not written from."""

    #: Number of harmless works it was tested on.
    harmless: int
    #: Number of them that it blocked.
    blocked: int

    @property
    def per_thousand(self) -> float:
        """False blocks in a thousand harmless works."""
        return 1000 * self.blocked / self.harmless if self.harmless else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """A person took a rule out of use: who, when and why."""

    rule: str
    by: str
    at: datetime
    because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleEntry:
    """One rule of one critic, as people read it."""

    id: str
    critic: str
    title: str
    why: str
    fix: str
    severity: str
    category: str
    measured: Measured | None = None


def read_measured(text: bytes) -> Mapping[str, Measured]:
    """Return the rates by rule, from `{"rules": {"ID": {"harmless": N, "blocked": N}}}`.

    Malformed entries are skipped.
    """
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    rules = found.get("rules") if isinstance(found, dict) else None
    if not isinstance(rules, dict):
        return {}
    return {name: one for name, value in rules.items() if (one := _measured(value)) is not None}


def _measured(value: object) -> Measured | None:
    if not isinstance(value, dict):
        return None
    harmless, blocked = value.get("harmless"), value.get("blocked")
    if not isinstance(harmless, int) or not isinstance(blocked, int) or not 0 <= blocked <= harmless:
        return None
    return Measured(harmless=harmless, blocked=blocked)
