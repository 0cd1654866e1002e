"""Hosted reviewers: the programs, agents and models that the policy in force names and this machine has."""

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
    """The reviewers who need no account: hosted on this machine, or on any machine that has a worker."""

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """Return every principal who may be asked to review."""

    def named(self, name: str) -> Reviewer | None:
        """Return the reviewer of this name, if hosted."""

    def rest(self, name: str, until: datetime) -> None:
        """Do not ask this reviewer before `until`."""

    async def follow(self, store: Store) -> Pool:
        """Return the pool for the policy that is in force now."""


@dataclass(slots=True)
class Everybody:
    """Several directories as one: the hosted reviewers and the enrolled accounts."""

    directories: tuple[Directory, ...]
    #: What each directory returned last, and all of it together.
    _known: tuple[tuple[tuple[Principal, ...], ...], tuple[Principal, ...]] = field(default=((), ()), init=False)

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """Return the principals of all directories, each name once; recomputed when a directory has changed."""
        said, known = tuple([one.pool(reading) for one in self.directories]), self._known
        if list(map(id, said)) != list(map(id, known[0])):
            everybody = {one.who.name: one for part in said for one in part}
            known = self._known = said, tuple(everybody.values())
        return known[1]


@dataclass(slots=True)
class Free:
    """The principals of a pool with their availability; recomputed when the pool or the resting reviewers change."""

    _said: tuple[Pool, frozenset[str], tuple[Principal, ...]] | None = None

    def of(self, pool: Pool, resting: frozenset[str], reading: Reading) -> tuple[Principal, ...]:
        """Return all principals of the pool; a reviewer who is over a limit is not available until it ends."""
        if self._said is None or self._said[:2] != (pool, resting):
            free = (replace(one, available=one.who.name not in resting) for one in pool.pool(reading))
            self._said = pool, resting, tuple(free)
        return self._said[2]


class Hosted:
    """The reviewers of this installation; found when they are first needed, and again when the policy changes.

    A server answers before it knows its programs; a policy that a human activates may name others.
    """

    def __init__(self, find: Callable[[Policy], AtHand], policies: Policies, clock: Callable[[], datetime]) -> None:
        """Use `find` to find the reviewers that the policy in force names."""
        self._find, self._policies, self._clock = find, policies, clock
        #: The reviewers found, and the digest of the policy for which they were looked for.
        self._found: tuple[str, Pool] | None = None
        self._followed = ""
        self._free = Free()
        self._rests: dict[str, datetime] = {}
        # Threads of the store and the engine may need the reviewers first at the same time.
        self._looking = threading.Lock()

    def pool(self, reading: Reading) -> tuple[Principal, ...]:
        """Return every principal who may be asked to review; a reviewer over a limit is not available until it ends."""
        return self._free.of(self.known(reading), frozenset(self.resting()), reading)

    def known(self, reading: Reading) -> Pool:
        """Return the reviewers found last; look for them first if that was never done."""
        if self._found is None:
            self._look(self._policies.current(reading).policy, _enrolled(reading))
        return self._pool()

    def named(self, name: str) -> Reviewer | None:
        """Return the reviewer of this name, if hosted."""
        return self._pool().named(name)

    def rest(self, name: str, until: datetime) -> None:
        """Do not ask this reviewer before `until`, because a provider said so."""
        self._rests[name] = until

    def resting(self) -> dict[str, datetime]:
        """Return the reviewers who are over a limit, and until when."""
        if not self._rests:
            return {}
        now = self._clock()
        return {name: until for name, until in self._rests.items() if now < until}

    async def follow(self, store: Store) -> Pool:
        """Look for the reviewers again if another policy is in force by now.

        This is done outside of decisions, so that no decision waits for it.
        """
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
