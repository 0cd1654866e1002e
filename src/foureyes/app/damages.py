"""The result of verifying the log: each damage with its place and next step, and notes."""

from __future__ import annotations

from dataclasses import dataclass, field

LISTED_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One thing that is not as it was written: `review/7@3` is event 3 of that stream, `checkpoint 12` a line."""

    place: str
    what: str
    next_step: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What was looked at and what was found. Damage is proof; a note is something to know."""

    damages: tuple[Damage, ...]
    #: How many more damages there are than are listed.
    unlisted: int
    notes: tuple[str, ...]
    streams: int
    events: int
    #: Events that no checkpoint has signed yet: anybody who can write the store could still change these undetected.
    uncovered: int
    checkpoints: int
    #: The last checkpoint's number and hash. Kept elsewhere and given to the next check, it reveals a cut journal.
    last: tuple[int, str] | None

    @property
    def sound(self) -> bool:
        """True if everything is as it was written."""
        return not self.damages


@dataclass(slots=True)
class Collected:
    """Damage and notes as they are found; beyond a limit only their number is kept."""

    damages: list[Damage] = field(default_factory=list)
    unlisted: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, place: str, what: str, next_step: str) -> None:
        """Record one damage."""
        if len(self.damages) < LISTED_MAX:
            self.damages.append(Damage(place=place, what=what, next_step=next_step))
        else:
            self.unlisted += 1
