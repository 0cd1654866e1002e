"""Keeps the following projections up to date with the log, in steps of one transaction each; any process may do it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from foureyes.app.ports import Conflict, Reading, Store, Writing
from foureyes.app.projections import PROJECTIONS, Projection
from foureyes.app.projections.anew import make_anew
from foureyes.app.projections.projection import slot_of
from foureyes.app.projections.steps import BATCH, Folds, Step, move, plan, targets, version_of
from foureyes.app.rows import Cursor

#: Steps in one call: whoever has a long way to go comes back, and others get a turn.
STEPS_MAX = 10_000


class Follower:
    """Keeps some projections up to date; one at a time, but others may follow the same ones elsewhere."""

    def __init__(
        self,
        store: Store,
        projections: Iterable[Projection] = tuple(PROJECTIONS.values()),
        batch: int = BATCH,
        *,
        local: bool = False,
    ) -> None:
        """Follow with these, so many events a step; only the store of local reviews counts those (`local`)."""
        self._store = store
        self._projections = tuple(projections)
        self._batch = batch
        self._is_local = local
        self._folds = Folds()

    async def catch_up(self) -> int:
        """Read everything there is; how many events were taken in, by all projections together.

        What an earlier version of this program wrote is made anew first; what a later one wrote is left to it.
        """
        for projection in await self._store.read(self._outdated):
            await make_anew(self._store, projection, local=self._is_local)
        done = 0
        for _ in range(STEPS_MAX):
            steps = await self._store.read(self._plan)
            moved = await self._moved(steps) if steps else 0
            done += moved
            if moved == sum(one.events for one in steps) and all(one.events < self._batch for one in steps):
                break  # all there was when it was read, and nobody else came between
        return done

    def has_reached(self, goal: Cursor, reading: Reading) -> bool:
        """True if all projections took in what was committed up to there."""
        return all(reading.cursor(slot_of(reading, one.name)) >= goal for one in self._projections)

    async def _moved(self, steps: list[Step]) -> int:
        try:
            return await self._store.write(partial(_move, steps))
        except Conflict:
            return 0  # somebody else was faster; what is left is seen in the next round

    def _plan(self, reading: Reading) -> list[Step]:
        return plan(reading, self._folds, targets(reading, self._projections, local=self._is_local), self._batch)

    def _outdated(self, reading: Reading) -> list[Projection]:
        return [one for one in self._projections if 0 < version_of(reading, slot_of(reading, one.name)) < one.version]


def _move(steps: list[Step], tx: Writing) -> int:
    """Write what still fits; a rebuild may have switched over to other rows meanwhile."""
    tx.lock(*sorted({one.target.projection.lock for one in steps}))
    return move(tx, [one for one in steps if slot_of(tx, one.target.projection.name) == one.target.slot])


async def catch_up(store: Store, projection: Projection, batch: int = BATCH) -> int:
    """Bring one projection up to date; how many events that were."""
    return await Follower(store, (projection,), batch).catch_up()


async def catch_up_all(store: Store, batch: int = BATCH) -> int:
    """Bring all of them up to date; how many events were taken in, by all together."""
    return await Follower(store, batch=batch).catch_up()
