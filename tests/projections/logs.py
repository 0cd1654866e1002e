"""The log of a simulated world, written into a real store with its track records, as the gate does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import TypeVar, cast

from foureyes.app.chain import ROOT, appended
from foureyes.app.ports import Reading, Store, Writing
from foureyes.app.rows import Append, Changes
from foureyes.app.trusting import ENDS, SWITCHES, decided, learned, meet, stream_of, to_row
from foureyes.codec import decode
from foureyes.core.events import Event, ReviewEvent, SideEvent
from foureyes.core.evolve import evolve
from foureyes.core.model import Review
from foureyes.core.rules import Rules
from tests.sim.campaign import tempers_of
from tests.sim.run import Run
from tests.sim.script import Delivery
from tests.sim.world import World, written

T = TypeVar("T")
#: Commands of the simulator in one transaction of the store: the tests are about the log, not about its commits.
COMMITS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The events of one command of a world."""

    stream: str
    at: datetime
    actor: str
    key: str
    events: tuple[Event, ...]


@dataclass(slots=True)
class Recorded(Run):
    """A world that records the order of its commands."""

    said: list[Said] = field(default_factory=list)

    def _deliver(self, delivery: Delivery) -> None:
        before = len(self.world.logs.get(delivery.stream, ()))
        Run._deliver(self, delivery)
        new = self.world.logs.get(delivery.stream, ())[before:]
        if new:
            events = tuple(decode(one) for one in new)
            name, key = delivery.who.name, delivery.key
            self.said.append(Said(stream=delivery.stream, at=delivery.at, actor=name, key=key, events=events))


@lru_cache(maxsize=8)
def recorded(seed: int, steps: int) -> Recorded:
    """The world of a seed after so many steps; it must not be changed."""
    run = Recorded(seed=seed, tempers=tempers_of(seed))
    run.play(steps)
    return run


@dataclass(slots=True)
class Scribe:
    """Writes the events and updates the track records in the same transaction, as the gate does."""

    rules: dict[str, Rules]
    reviews: dict[str, tuple[Review, datetime]] = field(default_factory=dict)

    def write(self, tx: Writing, said: Sequence[Said]) -> None:
        for one in said:
            self._write(tx, one)

    def _write(self, tx: Writing, said: Said) -> None:
        log = self._append(tx, said.stream, said.events, said)
        if said.stream.startswith("review/"):
            self._reviewed(tx, said, log)
        elif any(type(one).__name__ in SWITCHES for one in said.events):
            _, kind, author = said.stream.split("/")
            record = meet(tx, kind, author, written(said.at)).record
            if record is None:
                tx.apply(Changes(appends=(log,)))
                return
            after = decided(record, cast("tuple[SideEvent, ...]", said.events), said.at)
            tx.apply(Changes(appends=(log,), trust=(to_row(after),)))
        else:
            tx.apply(Changes(appends=(log,)))

    def _reviewed(self, tx: Writing, said: Said, log: Append) -> None:
        review, opened = self.reviews.get(said.stream, (None, said.at))
        steps: list[tuple[Review, ReviewEvent]] = []
        for event in cast("tuple[ReviewEvent, ...]", said.events):
            review = evolve(review, event)
            steps.append((review, event))
        review = steps[-1][0]
        self.reviews[said.stream] = (review, opened)
        if not any(type(one).__name__ in ENDS for one in said.events):
            tx.apply(Changes(appends=(log,)))
            return
        kind, author = review.kind, review.author.name
        tx.lock(stream_of(kind, author))
        met = meet(tx, kind, author, written(said.at))
        if met.record is None:
            tx.apply(Changes(appends=(log,), trust=met.rows, outbox=met.outbox))
            return
        learning = self.rules[review.rules].learning
        found = learned(met.record, steps, opened=opened, at=said.at, learning=learning)
        beside = (self._append(tx, stream_of(kind, author), found.events, said),) if found.events else ()
        tx.apply(Changes(appends=(log, *beside), trust=(to_row(found.record),)))

    @staticmethod
    def _append(tx: Writing, stream: str, events: Iterable[Event], said: Said) -> Append:
        end = tx.known(stream, "", "")
        return appended(
            stream, (end.version, end.chain or ROOT), events, at=written(said.at), actor=said.actor, cause=said.key
        )


async def write_log(
    store: Store, run: Recorded, said: Sequence[Said] | None = None, scribe: Scribe | None = None
) -> None:
    """Write a world's log, or a piece of it, into a store."""
    scribe, said = scribe or Scribe(rules=run.world.rules), run.said if said is None else said
    for begin in range(0, len(said), COMMITS):
        piece = said[begin : begin + COMMITS]
        await store.write(lambda tx, piece=piece: scribe.write(tx, piece))  # type: ignore[misc]  # bound at once


def rules_of(world: World) -> Callable[[Reading, str], Rules]:
    """The lookup of this world's rules for a rebuild."""
    return lambda _, digest: world.rules[digest]
