"""Rebuilds a following projection next to the one in use, then switches readers over.

Readers see the old rows or the new ones, never half of either, and counts do not go back. A rebuild that dies leaves
only rows that nobody reads; the next one begins with removing them.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from foureyes.app.ports import Conflict, Store, Writing
from foureyes.app.projections.projection import SLOTS, VERSION_KEY, Projection, slot_of
from foureyes.app.projections.steps import BATCH, Folds, Step, Target, move, plan
from foureyes.app.rows import START

#: Rows removed in one transaction, so that other writers do not wait long.
REMOVED_MAX = 1_000
#: Most attempts to switch over while other followers advance the old rows.
TRIES_MAX = 100

#: Called with the number of events done and roughly the total; 0 if that is not known.
Progress = Callable[[int, int], None]


class Overtaken(Exception):  # noqa: N818 - no error of ours: somebody began the same after us
    """Another rebuild of the same projection has begun; this one gives up, and readers noticed nothing."""


def unwatched(done: int, of: int) -> None:
    """Show no progress."""


async def make_anew(
    store: Store, projection: Projection, progress: Progress = unwatched, batch: int = BATCH, *, local: bool = False
) -> int:
    """Replay the log into a new slot and switch over to it; returns how many events that were."""
    token = secrets.token_hex(8)
    old, new = await store.write(partial(_begin, projection.name, token))
    build = _Build(store=store, target=Target(projection=projection, slot=new, local=local), old=old, token=token)
    await build.remove_leftovers()
    events = await build.replay(progress, batch)
    await build.remove_old()
    return events


@dataclass(frozen=True, slots=True, kw_only=True)
class _Build:
    """A rebuild in progress. Its token shows whether another one was started since."""

    store: Store
    target: Target
    old: str
    token: str

    async def remove_leftovers(self) -> None:
        """Remove the rows of a rebuild that died, in batches."""
        while await self.store.write(self._remove_leftovers):
            pass

    async def remove_old(self) -> None:
        """Remove the rows that nobody reads any more, in batches."""
        while await self.store.write(partial(_remove_some, self.old)):
            pass

    async def replay(self, progress: Progress, batch: int) -> int:
        """Follow the log from its beginning until the new rows are as far as the old ones."""
        folds, done = Folds(), 0
        total = (await self.store.read(lambda reading: reading.cursor(self.old)))[1]
        for _ in range(TRIES_MAX):
            while steps := await self.store.read(lambda reading: plan(reading, folds, (self.target,), batch)):
                done += await self.store.write(partial(self._move, steps))
                progress(done, max(done, total))
            if await self.store.write(self._switch):
                return done
        raise Conflict(f"{self.target.projection.name} could not be switched over")

    def _remove_leftovers(self, tx: Writing) -> bool:
        self._check(tx)
        return _remove_some(self.target.slot, tx)

    def _move(self, steps: list[Step], tx: Writing) -> int:
        self._check(tx)
        return move(tx, steps)

    def _switch(self, tx: Writing) -> bool:
        """Let readers use the new rows, unless the old ones were advanced further meanwhile."""
        self._check(tx)
        name, new = self.target.projection.name, self.target.slot
        if tx.cursor(new) < tx.cursor(self.old):
            return False
        if tx.row(new, VERSION_KEY) is None:
            tx.follow(new, {VERSION_KEY: str(self.target.projection.version)}, START)
        tx.follow(SLOTS, {name: new, _building(name): None}, START)
        return True

    def _check(self, tx: Writing) -> None:
        name = self.target.projection.name
        tx.lock(self.target.projection.lock)
        if tx.row(SLOTS, _building(name)) != self.token:
            raise Overtaken(f"Another rebuild of {name} has begun.")


def _begin(name: str, token: str, tx: Writing) -> tuple[str, str]:
    """Claim the next slot; an earlier rebuild that claimed it can no longer write there."""
    tx.lock(f"projection/{name}")
    old = slot_of(tx, name)
    tx.follow(SLOTS, {_building(name): token}, START)
    return old, f"{name}~{int(old.partition('~')[2] or 0) + 1}"


def _remove_some(slot: str, tx: Writing) -> bool:
    found = tx.rows(slot, limit=REMOVED_MAX)
    if found:
        tx.follow(slot, dict.fromkeys(key for key, _ in found), START)
    else:
        tx.clear(slot)
    return bool(found)


def _building(name: str) -> str:
    return f"building/{name}"
