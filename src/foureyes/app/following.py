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

#: Most steps in one call: a follower that is far behind returns, so that others get a turn.
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
        """Follow with these projections, `batch` events a step; only a `local` store counts local reviews."""
        self._store = store
        self._projections = tuple(projections)
        self._batch = batch
        self._is_local = local
        self._folds = Folds()

    async def catch_up(self) -> int:
        """Read everything there is; returns how many events were taken in, by all projections together.

        Rows written by an earlier version of this program are rebuilt first; rows of a later version are left alone.
        """
        for projection in await self._store.read(self._outdated):
            await make_anew(self._store, projection, local=self._is_local)
        done = 0
        for _ in range(STEPS_MAX):
            steps = await self._store.read(self._plan)
            moved = await self._moved(steps) if steps else 0
            done += moved
            if moved == sum(one.events for one in steps) and all(one.events < self._batch for one in steps):
                break  # everything was read, and no other follower interfered
        return done

    def has_reached(self, goal: Cursor, reading: Reading) -> bool:
        """True if all projections have taken in what was committed up to this cursor."""
        return all(reading.cursor(slot_of(reading, one.name)) >= goal for one in self._projections)

    async def _moved(self, steps: list[Step]) -> int:
        try:
            return await self._store.write(partial(_move, steps))
        except Conflict:
            return 0  # another follower was faster; the rest is seen in the next round

    def _plan(self, reading: Reading) -> list[Step]:
        return plan(reading, self._folds, targets(reading, self._projections, local=self._is_local), self._batch)

    def _outdated(self, reading: Reading) -> list[Projection]:
        return [one for one in self._projections if 0 < version_of(reading, slot_of(reading, one.name)) < one.version]


def _move(steps: list[Step], tx: Writing) -> int:
    """Write the steps that still fit; a rebuild may have switched to another slot meanwhile."""
    tx.lock(*sorted({one.target.projection.lock for one in steps}))
    return move(tx, [one for one in steps if slot_of(tx, one.target.projection.name) == one.target.slot])


async def catch_up(store: Store, projection: Projection, batch: int = BATCH) -> int:
    """Bring one projection up to date; returns how many events that were."""
    return await Follower(store, (projection,), batch).catch_up()


async def catch_up_all(store: Store, batch: int = BATCH) -> int:
    """Bring all projections up to date; returns how many events were taken in, by all together."""
    return await Follower(store, batch=batch).catch_up()
