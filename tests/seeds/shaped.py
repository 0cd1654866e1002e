"""How does a test shape a protocol of its own? One stage with the seats, gates and options it is about."""

from __future__ import annotations

from foureyes.core.events import ReviewCleared
from foureyes.core.facts import Facts
from foureyes.core.rules import Gate, Options, Protocol, Rules, SeatRule, Stage, Style
from tests.cast import POOL, Play, rules_with

NAME = "shaped"


def stage(*gates: Gate, seats: tuple[SeatRule, ...] = (SeatRule(),), name: str = NAME, **options: object) -> Stage:
    """A stage that demands these conditions."""
    chosen = Options(**{"style": Style.SOLO, **options})  # type: ignore[arg-type]
    return Stage(name=name, seats=seats, gates=gates, options=chosen)


def protocol(*stages: Stage, name: str = NAME, revisions_max: int = 3) -> Protocol:
    """A protocol of these stages."""
    return Protocol(name=name, stages=stages, revisions_max=revisions_max)


def shaped_rules(*protocols: Protocol, **fields: object) -> Rules:
    """The usual rules, where work of no known kind must meet these protocols in order."""
    return rules_with(*protocols, default=tuple(one.name for one in protocols), **fields)


def shaped(*protocols: Protocol, facts: Facts | None = None, **fields: object) -> Play:
    """A review of work that must meet these protocols, just opened."""
    play = Play(shaped_rules(*protocols, **fields), facts or Facts(pool=POOL))
    play.open("thing")
    return play


def is_cleared(play: Play) -> bool:
    """Whether exactly the current bytes were let through."""
    return play.review.cleared == play.review.digest and play.count(ReviewCleared) > 0
