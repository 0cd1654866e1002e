"""A server's engine without a server: a store, a gate, a clock, and scripted reviewers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from foureyes.app.accounts import Enrolled, new_token, stream_of
from foureyes.app.asks import Ask
from foureyes.app.bell import Bell
from foureyes.app.policies import Policies
from foureyes.app.reviewers import AtHand, Inconclusive, Look, Reviewer, Say, Task
from foureyes.app.tending import Deadlines
from foureyes.app.world import World
from foureyes.core import gates, protocols
from foureyes.core.commands import OverrideStage
from foureyes.core.principals import EnrolPrincipal, IssueToken
from foureyes.core.rules import Protocol, SeatRule, Stage
from foureyes.core.values import Evidence, Failure, Who, WhoKind
from foureyes.engine.dispatching import Dispatcher
from foureyes.engine.hosting import Everybody, Hosted
from foureyes.engine.local import LocalEngine
from foureyes.engine.port import Engine
from foureyes.engine.steps import Steps
from foureyes.policy.policy import Policy
from tests.app.house import FIRST, House, Readers, policy
from tests.calls.counter import SUE
from tests.cast import DEV, rules_with

READ = (Evidence(what="the whole work", why="read line by line"),)
#: More turns of the loop than any test here takes.
TURNS = 200


def fine(_: Task) -> Look:
    """A look that approves."""
    return Look(verdict="approve", summary="fine", evidence=READ)


@dataclass(eq=False)
class Scripted:
    """A scripted reviewer; `holds` keeps it running until the test releases it."""

    name: str
    says: Callable[[Task], Look] = fine
    kind: WhoKind = WhoKind.AGENT
    family: str = "gpt"
    holds: bool = False
    sends: str = ""
    tasks: list[Task] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        operator = "" if self.kind is WhoKind.PROGRAM else "house"
        session = "" if self.kind is WhoKind.PROGRAM else f"s-{self.name}"
        family = "" if self.kind is WhoKind.PROGRAM else self.family
        self.who = Who(name=self.name, kind=self.kind, operator=operator, session=session, model_family=family)
        self.go = asyncio.Event()

    async def look(self, task: Task, say: Say) -> Look:
        self.tasks.append(task)
        say(f"{self.name} reads")
        try:
            if self.holds:
                await self.go.wait()
            found = self.says(task)
        except BaseException as error:
            self.ended.append(type(error).__name__)
            raise
        self.ended.append("said")
        return found


def program(name: str) -> Scripted:
    """A program; it finds nothing."""
    return Scripted(name, kind=WhoKind.PROGRAM)


def fails(failure: Failure = Failure.CRASHED, **fields: object) -> Callable[[Task], Look]:
    """Has no answer."""

    def look(task: Task) -> Look:
        del task
        raise Inconclusive(failure, "it fell over", **fields)  # type: ignore[arg-type]

    return look


def style(*roles: str, seats: int = 1, quorum: int = 1) -> Protocol:
    """A style with seats for these roles only, in this order."""
    one = protocols.peer()
    stage = one.stages[0]
    rule = SeatRule(roles=roles)
    options = replace(stage.options, names_reject_grounds=False, confidence_min=0, answers=False)
    conditions = (gates.Quorum(reviewers=quorum), gates.Resolved())
    made = Stage(name="eyes", seats=(rule,) * seats, gates=conditions, options=options)
    return replace(one, name="solo", stages=(made,))


@dataclass
class Hall:
    """The engine and everything around it. A second hall on the same house is the next process."""

    reviewers: Mapping[str, tuple[Reviewer, ...]]
    policy: Policy = field(default_factory=lambda: policy(rules_with(style("agent"))))
    house: House | None = None

    def __post_init__(self) -> None:
        self.house = self.house or House(policy=self.policy)
        house = self.house
        self.bell = Bell()
        self.paused: list[float] = []
        self.hosted = Hosted(self._find, Policies(self.policy), self.now)
        self.gate = Readers(
            house.store,
            Everybody((self.hosted, Enrolled(self.now))),
            policy=self.policy,
            world=World(clock=self.now, draw=lambda: 7, mint=house.mint),
        )
        house.gate = self.gate
        self.steps = Steps(gate=self.gate, store=house.store, hosted=self.hosted, hand=self.hand, clock=self.now)
        self.engine = LocalEngine(self.steps, pause=self._pause)
        self.dispatcher = self.dispatched(self.engine)
        self.clock = Deadlines(store=house.store, gate=self.gate, clock=self.now)

    def dispatched(self, engine: Engine) -> Dispatcher:
        """The dispatcher, which starts the runs of the inbox."""
        return Dispatcher(steps=self.steps, engine=engine, bell=self.bell, clock=self.now)

    def _find(self, _: Policy) -> AtHand:
        return AtHand(reviewers=dict(self.reviewers))

    @property
    def home(self) -> House:
        assert self.house is not None
        return self.house

    def now(self) -> datetime:
        assert self.house is not None
        return self.house.now

    async def hand(self, ask: Ask) -> object:
        """The engine's connection to the gate."""
        return await self.gate.handle(ask)

    async def _pause(self, seconds: float) -> None:
        self.paused.append(seconds)

    async def enrol(self, *people: Who, roles: tuple[str, ...] = ("author",)) -> None:
        """Enrol these accounts, with a token for those who do not sign in."""
        for one in people:
            command = EnrolPrincipal(
                kind=one.kind.value,
                operator=one.operator or f"{one.name}-co",
                model_family=one.model_family,
                roles=roles,
            )
            await self.home.do(SUE, command, stream_of(one.name))
            if not one.is_human:
                made = new_token()
                await self.home.do(SUE, IssueToken(token=made.id, hash=made.hash), stream_of(one.name))

    async def open(self, files: Mapping[str, bytes] = FIRST, **fields: object) -> str:
        """Open work of an enrolled author."""
        return await self.home.open(files, **fields)  # type: ignore[arg-type]

    async def quiet(self) -> None:
        """Dispatch and run until nothing more happens."""
        for _ in range(TURNS):
            before = await self.engine.under_way()
            begun = await self.dispatcher.once()
            for _ in range(20):
                await asyncio.sleep(0)
            if not begun and before == await self.engine.under_way():
                return
        message = "it never becomes quiet"
        raise AssertionError(message)

    async def turn(self, seconds: float = 0) -> None:
        """Let the loop turn once."""
        await asyncio.sleep(seconds)

    async def overridden(self, stream: str, stage: str) -> None:
        """A human lets a stage pass."""
        review = await self.home.review(stream)
        command = OverrideStage(stage=stage, revision=review.revision, digest=review.digest, reason="it is urgent")
        await self.home.do(SUE, command, stream, signed_in=self.now())

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Let the loop turn until something is so."""
        for _ in range(TURNS):
            if is_so():
                return
            await asyncio.sleep(0)
        message = "it never becomes so"
        raise AssertionError(message)

    async def log(self, stream: str) -> list[str]:
        """The types of a stream's events."""
        return await self.home.log(stream)


async def hall(reviewers: Mapping[str, tuple[Reviewer, ...]], *protocols_: Protocol, **fields: object) -> Hall:
    """A hall where `dev` has an account."""
    rules = rules_with(*(protocols_ or (style("agent"),)), **fields)
    made = Hall(reviewers, policy=policy(rules))
    await made.enrol(DEV)
    return made
