"""The plays that a driven process can run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import cache, partial
from itertools import takewhile
from pathlib import Path

from foureyes.app.asks import Reply
from foureyes.codec.commands import Command
from foureyes.core.commands import AddNote
from foureyes.core.values import Who
from foureyes.store.migrate import migrate
from foureyes.store.migrations import STEPS, Step
from foureyes.store.sqlite import SqliteStore
from tests.app.house import FIRST, House
from tests.cast import HUGO
from tests.crash import one_file, planted_spool, planted_store, restore_play, spool_driver
from tests.crash.plays import FILE, Act, Mark, Reopen, own, perform, quick, rehearsed, reviews

Play = Callable[[Path, Mark], Coroutine[None, None, bool]]

CALLERS = 8
#: Callers that have a reviewer's seat; the others only write notes.
REVIEWED = 3
NOTES = 6
#: A migration as a later version may bring: a new column, a table filled from another, an index.
NEXT = Step(
    why="a trial",
    sqlite=(
        "ALTER TABLE reviews ADD COLUMN trial TEXT NOT NULL DEFAULT 'old'",
        "UPDATE reviews SET trial = 'new ' || review",
        "CREATE TABLE trials (review TEXT NOT NULL PRIMARY KEY, trial TEXT NOT NULL) STRICT",
        "INSERT INTO trials SELECT review, trial FROM reviews",
        "CREATE INDEX trials_trial ON trials (trial)",
    ),
    postgres=(),
)


@cache
def acts_of(name: str) -> tuple[Act, ...]:
    """The acts of a play, rehearsed once; `review` is the first of `reviews`, up to the restart."""
    if name == "review":
        return tuple(takewhile(lambda act: not isinstance(act, Reopen), acts_of("reviews")))
    return rehearsed({"reviews": reviews}[name])


def load() -> None:
    """Rehearse once, so that children need not; this also imports lazily loaded modules."""
    acts_of("reviews")


async def alone(name: str, folder: Path, mark: Mark) -> bool:
    """One caller that sends one command after the other."""
    return await perform(folder / FILE, acts_of(name), mark)


@dataclass
class Telling(House):
    """A house with its own keys and names, which marks its commands and their answers."""

    mark: Mark = print

    def mint(self) -> str:
        return f"{self.name}{super().mint()}"

    async def do(self, actor: Who, command: Command, stream: str = "", **fields: object) -> Reply:
        ask = self.ask(actor, command, stream, **fields)
        self.mark(f"ask {ask.key}")
        reply = await self.gate.handle(ask)
        self.mark(f"ack {ask.actor.name} {ask.key}")
        return reply


async def together(folder: Path, mark: Mark) -> bool:
    """Several callers at once, each with its own review: their commands share commits."""
    store = SqliteStore.open(folder / FILE)
    houses = [Telling(store=store, name=f"c{number}-", mark=mark) for number in range(CALLERS)]
    try:
        await asyncio.gather(*(quick(one) for one in houses[:REVIEWED]), *(noted(one) for one in houses[REVIEWED:]))
    finally:
        await store.close()
    return True


async def noted(house: House) -> None:
    """Play a review with many notes."""
    stream = await house.open(own(house, FIRST))
    for number in range(NOTES):
        await house.do(HUGO, AddNote(text=f"note {number} of {house.name}"), stream)


async def upgrade(folder: Path, mark: Mark) -> bool:
    """Migrate a store to the next version."""
    mark("ask 1")
    migrate(folder / FILE, steps=(*STEPS, NEXT))
    mark("ack 1")
    return True


#: Importing them registers their bugs by name.
PLANTED = (planted_spool, planted_store)

PLAYS: dict[str, Play] = {
    "review": partial(alone, "review"),
    "reviews": partial(alone, "reviews"),
    "spool": spool_driver.play,
    "one file, carefully": one_file.careful,
    "one file, hastily": one_file.hasty,
    "together": together,
    "upgrade": upgrade,
    "restore": restore_play.play,
}
