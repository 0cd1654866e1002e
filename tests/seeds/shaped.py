"""Build a protocol for a test: one stage with the seats, gates and options under test."""

from __future__ import annotations

from foureyes.core.events import ReviewCleared
from foureyes.core.facts import Facts
from foureyes.core.rules import Gate, Options, Protocol, Rules, SeatRule, Stage, Style
from tests.cast import POOL, Play, rules_with

NAME = "shaped"


def stage(*gates: Gate, seats: tuple[SeatRule, ...] = (SeatRule(),), name: str = NAME, **options: object) -> Stage:
    """A stage with these gates."""
    chosen = Options(**{"style": Style.SOLO, **options})  # type: ignore[arg-type]
    return Stage(name=name, seats=seats, gates=gates, options=chosen)


def protocol(*stages: Stage, name: str = NAME, revisions_max: int = 3) -> Protocol:
    """A protocol of these stages."""
    return Protocol(name=name, stages=stages, revisions_max=revisions_max)


def shaped_rules(*protocols: Protocol, **fields: object) -> Rules:
    """The usual rules, with these protocols in order for work of an unknown kind."""
    return rules_with(*protocols, default=tuple(one.name for one in protocols), **fields)


def shaped(*protocols: Protocol, facts: Facts | None = None, **fields: object) -> Play:
    """A newly opened review under these protocols."""
    play = Play(shaped_rules(*protocols, **fields), facts or Facts(pool=POOL))
    play.open("thing")
    return play


def is_cleared(play: Play) -> bool:
    """Whether exactly the current bytes were cleared."""
    return play.review.cleared == play.review.digest and play.count(ReviewCleared) > 0
