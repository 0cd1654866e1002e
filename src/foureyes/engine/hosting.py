"""Who looks here? The programs, agents and models that the policy in force names and this machine has."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Protocol

from foureyes.app.accounts import accounts, keep_names
from foureyes.app.policies import Policies
from foureyes.app.ports import Directory, Quick, Reading, Store
from foureyes.app.reviewers import AtHand, Reviewer
from foureyes.app.reviewing.apart import apart
from foureyes.app.reviewing.jobs import Pool
from foureyes.core.facts import Principal
from foureyes.policy.policy import Policy

log = logging.getLogger("foureyes.engine")


class Hosting(Protocol):
    """Who looks without being enrolled: on this machine, or on any that has a worker."""

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """Everybody who may be asked to review."""

    def named(self, name: str) -> Reviewer | None:
        """The reviewer of this name, if hosted."""

    def rest(self, name: str, until: datetime) -> None:
        """Do not ask this one before then."""

    async def follow(self, store: Store) -> Pool:
        """Everybody by now."""


@dataclass(slots=True)
class Everybody:
    """A directory of several: those who are hosted here, and whoever is enrolled."""

    directories: tuple[Directory, ...]
    #: What they said last, and all of it together.
    _known: tuple[tuple[tuple[Principal, ...], ...], tuple[Principal, ...]] = field(default=((), ()), init=False)

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """All of them, each name once; put together anew when one of the directories says something else."""
        said, known = tuple([one.pool(reading) for one in self.directories]), self._known
        if list(map(id, said)) != list(map(id, known[0])):
            everybody = {one.who.name: one for part in said for one in part}
            known = self._known = said, tuple(everybody.values())
        return known[1]


@dataclass(slots=True)
class Free:
    """Everybody of a pool, as the gate is told; put together anew when others are there or rest."""

    _said: tuple[Pool, frozenset[str], tuple[Principal, ...]] | None = None

    def of(self, pool: Pool, resting: frozenset[str], reading: Reading) -> tuple[Principal, ...]:
        """Everybody; whoever is over a limit is not free until it ends."""
        if self._said is None or self._said[:2] != (pool, resting):
            free = (replace(one, available=one.who.name not in resting) for one in pool.pool(reading))
            self._said = pool, resting, tuple(free)
        return self._said[2]


class Hosted:
    """The reviewers of this installation; looked for when somebody first needs them, and again when the policy changes.

    A server answers before it knows its programs; a policy that a human puts into force may name others.
    """

    def __init__(self, find: Callable[[Policy], AtHand], policies: Policies, clock: Callable[[], datetime]) -> None:
        """Find them so, for the policy in force."""
        self._find, self._policies, self._clock = find, policies, clock
        #: Who was found, and the digest of the policy they were looked for by.
        self._found: tuple[str, Pool] | None = None
        self._followed = ""
        self._free = Free()
        self._rests: dict[str, datetime] = {}
        # Threads of the store and the engine may need them first at the same time.
        self._looking = threading.Lock()

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """Everybody who may be asked to review; whoever is over a limit is not free until it ends."""
        return self._free.of(self.known(reading), frozenset(self.resting()), reading)

    def known(self, reading: Reading) -> Pool:
        """Those who were found last; looked for where nobody has."""
        if self._found is None:
            self._look(self._policies.current(reading).policy, _enrolled(reading))
        return self._pool()

    def named(self, name: str) -> Reviewer | None:
        """The reviewer of this name, if hosted."""
        return self._pool().named(name)

    def rest(self, name: str, until: datetime) -> None:
        """Do not ask this one before then: a provider said so."""
        self._rests[name] = until

    def resting(self) -> dict[str, datetime]:
        """Who is over a limit, and until when."""
        if not self._rests:
            return {}
        now = self._clock()
        return {name: until for name, until in self._rests.items() if now < until}

    async def follow(self, store: Store) -> Pool:
        """Look again where another policy is in force by now; nobody waits for that inside a decision."""
        policy = await store.read(Quick(lambda reading: self._policies.current(reading).policy))
        if self._followed != policy.digest:
            await asyncio.to_thread(self._look, policy, await store.read(_enrolled))
            await store.write(lambda tx: keep_names(tx, self._pool().minds()))
            self._followed = policy.digest
        return self._pool()

    def _look(self, policy: Policy, taken: list[str]) -> None:
        with self._looking:
            if self._found is None or self._found[0] != policy.digest:
                hand = self._find(policy)
                for one in hand.missing:
                    fields = {"reviewer": one.name, "why": one.why, "next": one.next_step}
                    log.warning("not hosted", extra={"fields": fields})
                self._found = policy.digest, Pool(apart(hand, taken))

    def _pool(self) -> Pool:
        return self._found[1] if self._found else Pool(AtHand())


def _enrolled(reading: Reading) -> list[str]:
    return [one.who.name for one in accounts(reading)]
