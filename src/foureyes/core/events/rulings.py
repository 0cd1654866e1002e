"""Events about rulings requested from humans and their decisions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from foureyes.core.values import Effect, Option, Position, Recommendation, Who


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingRequested:
    """A human owes a decision among options."""

    request: str
    stage: str
    revision: int
    reason: str
    text: str
    due: datetime
    options: tuple[Option, ...]
    by: str = ""
    argument: str = ""
    findings: tuple[str, ...] = ()
    positions: tuple[Position, ...] = ()
    recommendation: Recommendation | None = None
    needs: int = 1
    group: str = ""
    fallback: Effect | None = None
    veto: bool = False
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RulingGiven:
    """A human, or the clock with a closing fallback, decided; not final while others must agree."""

    request: str
    by: Who
    option: str
    effect: Effect
    reason: str
    final: bool = True
    by_clock: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StageOverridden:
    """A human passes one stage of one revision; a standing veto there is lifted for these bytes."""

    stage: str
    revision: int
    digest: str
    by: Who
    reason: str
    lifts_veto: bool = False
