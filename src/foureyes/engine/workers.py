"""The workers on a store and the reviewers they host; each worker renews its entry in the store while it lives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import NoReturn

from foureyes.app.accounts import keep_names
from foureyes.app.ports import Reading, Store, Writing
from foureyes.app.reviewers import AtHand, Inconclusive, Reviewer, Say, Task
from foureyes.app.reviewing.jobs import Pool
from foureyes.app.rows import ENGINE, START
from foureyes.app.workers import Offer, Worker, held_until, key_of, lives, sign_is_due, workers, written
from foureyes.core.facts import Principal
from foureyes.core.values import Failure, Who
from foureyes.engine.hosting import Free, Hosted


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A reviewer hosted by another process; to let it look, the run is handed over to that process."""

    who: Who
    sends: str

    async def look(self, task: Task, say: Say) -> NoReturn:
        """Always fail: the reviewer is not hosted here."""
        del task, say
        raise Inconclusive(Failure.CRASHED, f"{self.who.name} is not hosted by this process.")


class Workers:
    """All workers on one store, as they were at the last look."""

    def __init__(self, store: Store, clock: Callable[[], datetime], name: str = "") -> None:
        """Observe the workers; with a name, as one of them."""
        self.name = name
        self._store, self._clock = store, clock
        self._signed: Worker | None = None
        self._found: tuple[Worker, ...] = ()
        self._pool: tuple[frozenset[Offer], Pool] = frozenset(), Pool(AtHand())

    async def look(self) -> bool:
        """Read the workers from the store; True if there are any."""
        now = self._clock()
        found = await self._store.read(workers)
        self._found = tuple(one for one in found if lives(one.until, now) or one.name == self.name)
        return bool(self._found)

    async def sign(self, offers: tuple[Offer, ...], *, runs: int = 0, queued: int = 0) -> None:
        """Renew this worker's entry if it is due or has changed."""
        now = self._clock()
        signed = Worker(name=self.name, until=held_until(now), offers=offers, runs=runs, queued=queued)
        before = self._signed
        if before and replace(before, until=signed.until) == signed and not sign_is_due(before.until, now):
            return
        await self._store.write(partial(_signed, signed, now))
        self._signed = signed

    async def leave(self) -> None:
        """Remove this worker's entry."""
        self._signed = None
        await self._store.write(partial(_removed, [self.name]))

    def alive(self) -> tuple[Worker, ...]:
        """Return the workers that were alive at the last look."""
        return self._found

    def pool(self) -> Pool:
        """Return the pool of all reviewers that the workers host."""
        offers = {one.who.name: one for worker in self._found for one in worker.offers}
        if self._pool[0] != frozenset(offers.values()):
            self._pool = frozenset(offers.values()), Pool(AtHand(reviewers=_by_role(offers.values())))
        return self._pool[1]

    def resting(self) -> frozenset[str]:
        """Return the reviewers who are over a limit on every worker that hosts them."""
        now = self._clock()
        offers = [one for worker in self._found for one in worker.offers]
        free = {one.who.name for one in offers if one.rests is None or one.rests <= now}
        return frozenset(one.who.name for one in offers) - free


class Crew:
    """The reviewers that the workers host; while there is no worker, those of this process."""

    def __init__(self, workers: Workers, own: Hosted | None = None) -> None:
        """Use these workers; `own` is for a server, which hosts reviewers itself where no worker does."""
        self._workers, self._own = workers, own
        self._kept: list[str] = []
        self._free = Free()

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """Return every principal who may be asked to review; a reviewer over a limit is not available until it ends."""
        if self._own and not self._workers.alive():
            return self._own.pool(reading)
        return self._free.of(self._workers.pool(), self._workers.resting(), reading)

    def named(self, name: str) -> Reviewer | None:
        """Return the reviewer of this name, if hosted."""
        return self._own.named(name) if self._own and not self._workers.alive() else self._workers.pool().named(name)

    def rest(self, name: str, until: datetime) -> None:
        """Do not ask this reviewer before `until`."""
        if self._own:
            self._own.rest(name, until)

    async def follow(self, store: Store) -> Pool:
        """Return the pool as it is now, and reserve its names, so that no account can take one of them."""
        there = await self._workers.look()
        if self._own and not there:
            return await self._own.follow(store)
        pool = self._workers.pool()
        minds = pool.minds()
        if minds != self._kept:
            await store.write(lambda tx: keep_names(tx, minds))
            self._kept = minds
        return pool


def offers_of(pool: Pool, people: Iterable[Principal], resting: Mapping[str, datetime]) -> tuple[Offer, ...]:
    """Return what a process hosts, as it is published to other processes."""
    found = []
    for one in people:
        reviewer = pool.named(one.who.name)
        sends = reviewer.sends if reviewer else ""
        roles = tuple(sorted(one.roles))
        found.append(Offer(who=one.who, roles=roles, sends=sends, rests=resting.get(one.who.name)))
    return tuple(found)


def _by_role(offers: Iterable[Offer]) -> dict[str, tuple[Reviewer, ...]]:
    found: dict[str, tuple[Reviewer, ...]] = {}
    for one in offers:
        for role in one.roles:
            found[role] = (*found.get(role, ()), Elsewhere(one.who, one.sends))
    return found


def _signed(worker: Worker, now: datetime, tx: Writing) -> None:
    tx.lock(ENGINE)
    # A worker that missed one sign of life may be slow; one that missed two is forgotten.
    gone = {key_of(one.name): None for one in workers(tx) if held_until(one.until) < now}
    tx.follow(ENGINE, {**gone, key_of(worker.name): written(worker)}, START)


def _removed(names: Iterable[str], tx: Writing) -> None:
    tx.lock(ENGINE)
    tx.follow(ENGINE, {key_of(one): None for one in names}, START)
