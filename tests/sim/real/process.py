"""One process of the program: a gate, an engine, a clock and followers on one store, wired as in a server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from foureyes.app.asks import Ask, Reply
from foureyes.app.bell import Bell
from foureyes.app.following import Follower
from foureyes.app.gate import Gate
from foureyes.app.policies import Policies
from foureyes.app.ports import Directory
from foureyes.app.reviewers import AtHand, Say
from foureyes.app.tending import Deadlines, Tending
from foureyes.app.world import World
from foureyes.core.refusals import Refusal
from foureyes.engine.dispatching import Dispatcher
from foureyes.engine.hosting import Everybody, Hosted
from foureyes.engine.local import LocalEngine
from foureyes.engine.port import Run
from foureyes.engine.steps import Ended, Steps
from foureyes.policy.policy import Policy
from tests.sim.real.faults import Faulty
from tests.sim.world import ACCEPTED


@dataclass(slots=True, kw_only=True)
class Told:
    """A command as it reached the gate, and its answer; None if no answer came."""

    ask: Ask
    stream: str
    at: datetime
    draw: int
    served: str
    reply: str = ""
    answer: Reply | None = None
    #: Whether its events were found in the log.
    is_written: bool = False


class Outside(Protocol):
    """What a process needs from the world around it."""

    now: datetime
    draw: int
    naming: str

    def heard(self, ask: Ask) -> Told:
        """Record a command."""

    def begins(self, run: Run) -> None:
        """Record that a reviewer starts."""

    def ends(self, run: Run) -> None:
        """Record that a reviewer has ended in any way."""


class Watched(Gate):
    """A gate that records every command and its answer."""

    outside: Outside

    async def handle(self, ask: Ask) -> Reply:
        told = self.outside.heard(ask)
        try:
            told.answer = await super().handle(ask)
        except Refusal as refusal:
            told.reply = refusal.code.value
            raise
        told.reply = ACCEPTED
        return told.answer


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedSteps(Steps):
    """The steps of runs, with a record of running reviewers."""

    outside: Outside

    async def look(self, run: Run, say: Say, **how: Any) -> Ended:
        self.outside.begins(run)
        try:
            return await Steps.look(self, run, say, **how)
        finally:
            self.outside.ends(run)


@dataclass(eq=False, kw_only=True)
class Process:
    """Everything that dies with the process; the next one is built on the same store."""

    store: Faulty
    outside: Outside
    policy: Policy
    people: Directory
    find: Callable[[Policy], AtHand]
    watch: Callable[[], float]
    pause: Callable[[float], Any] = field(default=asyncio.sleep)

    def __post_init__(self) -> None:
        outside, store = self.outside, self.store
        self.hosted = Hosted(self.find, Policies(self.policy), self.now)
        self.gate = Watched(
            store,
            Everybody((self.hosted, self.people)),
            policy=self.policy,
            world=World(clock=self.now, draw=lambda: outside.draw, mint=lambda: outside.naming),
        )
        self.gate.outside = outside
        steps = WatchedSteps(
            gate=self.gate,
            store=store,
            hosted=self.hosted,
            hand=self.gate.handle,
            clock=self.now,
            watch=self.watch,
            outside=outside,
        )
        self.engine = LocalEngine(steps, pause=self.pause)
        self.dispatcher = Dispatcher(steps=steps, engine=self.engine, bell=Bell(), clock=self.now)
        self.deadlines = Deadlines(store=store, gate=self.gate, clock=self.now)
        self.follower = Follower(store)
        self.looking = Tending((("reviewers", self.dispatcher.once),))
        self.tending = Tending((("projections", self.follower.catch_up), ("deadlines", self._passed)))

    def now(self) -> datetime:
        return self.outside.now

    async def _passed(self) -> None:
        """Run the clock as a server does: runs of a dead process are recovered before any deadline passes."""
        if self.dispatcher.looked.is_set():
            await self.deadlines.passed()
