"""Faults between a program and its store: every error of the port, and the end of the process."""

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
    """The process died in the middle of an operation; no code in it can catch this."""


class Fault(StrEnum):
    """The fault of one read or transaction."""

    AWAY = "the store is away"
    FASTER = "somebody else was faster"
    UNDONE = "decided and undone"
    LOST = "committed, and the answer is lost"
    DIES_BEFORE = "the process dies before the commit"
    DIES_AFTER = "the process dies after the commit"


#: The weights of the faults of a transaction; a read can only fail.
WEIGHTS = {
    Fault.AWAY: 8,
    Fault.FASTER: 6,
    Fault.UNDONE: 4,
    Fault.LOST: 8,
    Fault.DIES_BEFORE: 2,
    Fault.DIES_AFTER: 2,
}
#: The fault rate in good times, in bad times, and while the store is down.
FINE, ROUGH, DOWN = 0.004, 0.2, 1.0


@dataclass(eq=False)
class Faulty:
    """A faulty store of one process; it serves one call at a time, so that a seed can be replayed."""

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
        """Let the process die now."""
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
