"""What can go wrong between a program and its store? Everything its port speaks of, and the program's own end."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from foureyes.app.ports import Conflict, Reading, Store, Unavailable, Writing
from tests.sim.counts import Counts

T = TypeVar("T")

AWAY = ("The store is away.", "Ask again.")
LOST = ("What became of it is not known.", "Ask again with the same key.")


class Died(BaseException):
    """The process is gone, in the middle of whatever it did; nobody in it can catch that."""


class Fault(StrEnum):
    """What happens to one look or transaction."""

    AWAY = "the store is away"
    FASTER = "somebody else was faster"
    UNDONE = "decided and undone"
    LOST = "committed, and the answer is lost"
    DIES_BEFORE = "the process dies before the commit"
    DIES_AFTER = "the process dies after the commit"


#: What befalls a transaction, by weight; a look can only fail.
WEIGHTS = {
    Fault.AWAY: 8,
    Fault.FASTER: 6,
    Fault.UNDONE: 4,
    Fault.LOST: 8,
    Fault.DIES_BEFORE: 2,
    Fault.DIES_AFTER: 2,
}
#: How often something befalls one, on a good day, on a bad one, and while the store is away.
FINE, ROUGH, DOWN = 0.004, 0.2, 1.0


@dataclass(eq=False)
class Faulty:
    """A store in trouble, as one process has it; one at a time is served, so that a seed plays the same again."""

    store: Store
    rng: random.Random
    counts: Counts
    trouble: float = 0.0
    is_dead: bool = False
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def read(self, work: Callable[[Reading], T]) -> T:
        async with self.turn:
            self._check_alive()
            if self.rng.random() < self.trouble / 2 or self.trouble == DOWN:
                self.counts.add("faults", Fault.AWAY)
                raise Unavailable(*AWAY, down=True)
            return await self.store.read(work)

    async def write(self, work: Callable[[Writing], T]) -> T:
        async with self.turn:
            self._check_alive()
            fault = self._fault()
            if fault is None:
                return await self.store.write(work)
            self.counts.add("faults", fault)
            return await self._failed(fault, work)

    async def close(self) -> None:
        await self.store.close()

    def die(self) -> None:
        """End the process here and now."""
        self.is_dead = True
        raise Died

    def _check_alive(self) -> None:
        if self.is_dead:
            raise Died

    def _fault(self) -> Fault | None:
        if self.trouble == DOWN:
            return Fault.AWAY
        if self.rng.random() >= self.trouble:
            return None
        return self.rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]

    async def _failed(self, fault: Fault, work: Callable[[Writing], T]) -> T:
        def undone(tx: Writing) -> T:
            work(tx)
            raise Conflict

        match fault:
            case Fault.AWAY:
                raise Unavailable(*AWAY, down=True)
            case Fault.FASTER:
                raise Conflict
            case Fault.UNDONE:
                return await self.store.write(undone)
            case Fault.LOST:
                await self.store.write(work)
                raise Unavailable(*LOST, unknown=True)
            case Fault.DIES_BEFORE:
                self.die()
            case Fault.DIES_AFTER:
                await self.store.write(work)
                self.die()
        raise AssertionError(fault)
