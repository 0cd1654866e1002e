"""Delivery of a command to a real gate; its result is read back from the store's bytes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import groupby
from typing import cast

from foureyes.app.accounts import Enrolled, stream_of
from foureyes.app.asks import Ask
from foureyes.app.gate import Gate
from foureyes.app.ports import Conflict, Reading, Store, Unavailable
from foureyes.app.rows import START as FIRST
from foureyes.app.rows import Cursor, Stored
from foureyes.app.world import World as Around
from foureyes.core import commands as c
from foureyes.core.policies import ActivatePolicy
from foureyes.core.principals import EnrolPrincipal
from foureyes.core.refusals import Refusal
from foureyes.core.values import WhoKind, WorkPart
from foureyes.engine.port import Run
from foureyes.policy.policy import Policy, policy_text
from tests.app.house import Pool
from tests.calls.counter import SUE
from tests.sim.checker import Checker, Violation
from tests.sim.real.bots import Bots
from tests.sim.real.faults import Died, Faulty
from tests.sim.real.noting import TRUST, envelope_of, note_row
from tests.sim.real.policies import everything
from tests.sim.real.process import Process, Told
from tests.sim.real.time import Loop
from tests.sim.real.works import Shelves
from tests.sim.run import START
from tests.sim.script import Command, Delivery, LookAtTrust
from tests.sim.works import Bytes
from tests.sim.world import ACCEPTED, World, written

#: Retries of a command without an answer, before it is left for later.
TRIES_MAX = 4
GIVES_UP = 0.3
#: The share of outside commands that go to a second server.
SECOND_SHARE = 0.25


@dataclass
class RealWorld(World):
    """A world in which a gate on a store answers the commands, and its engine runs the hosted reviewers."""

    seed: int = 0
    opens: Callable[[], Store] = lambda: None  # type: ignore[assignment,return-value]  # always given
    shelves: Shelves = field(default_factory=Shelves)
    now: datetime = START
    draw: int = 0
    naming: str = ""
    #: The fault rate of a transaction.
    trouble: float = 0.0
    #: Streams that grew, and commands without an answer, until they are handled.
    touched: list[str] = field(default_factory=list)
    unanswered: list[Delivery] = field(default_factory=list)
    said: list[Told] = field(default_factory=list)
    asked: dict[tuple[str, str], list[Told]] = field(default_factory=dict)
    served: dict[tuple[str, str], str] = field(default_factory=dict)
    at_work: set[tuple[str, str]] = field(default_factory=set)
    cursor: Cursor = FIRST

    def __post_init__(self) -> None:
        World.__post_init__(self)
        self.names = {one.policy.digest: one for one in everything()}
        self.default: Policy = next(one.policy for one in everything() if one.name == self.in_force.digest)
        self.checker = Checker(self.policies, self.default.digest, self.hostile)
        self.chance = random.Random(f"faults {self.seed}")
        chance = random.Random(f"bots {self.seed}")
        self.bots = Bots(rng=chance, truth=self._truth, now=lambda: self.now, counts=self.counts)
        self.checker.world.hosted = frozenset(self.bots.everybody)
        self.runner = asyncio.Runner(loop_factory=Loop)
        self.loop = cast("Loop", self.runner.get_loop())
        self.loop.set_exception_handler(_told_elsewhere)
        self.runner.run(self._begin())

    def close(self) -> None:
        """Close everything."""
        self.runner.run(self._end())
        self.runner.close()

    def deliver(self, delivery: Delivery) -> str:
        """One step: call the gate, run until every task waits, and let the checker read what was written."""
        if not isinstance(delivery.command, LookAtTrust):  # the gate does that by itself
            self.now, self.draw = delivery.at, delivery.draw
            self.step(partial(self._handed_in, delivery))
        return ""

    def step(self, work: Callable[[], Awaitable[object]]) -> None:
        """Run some work and process its results."""
        self.process.store.trouble = self.second.store.trouble = self.trouble
        self.runner.run(self._step(work))

    def pass_time(self, seconds: float) -> None:
        """Let time pass for sleeping tasks and timeouts."""
        self.loop.passed += seconds

    def let_go_on(self) -> None:
        """Release one slow reviewer."""

        async def go_on() -> None:
            self.bots.go_on()

        self.step(go_on)

    def kill(self) -> None:
        """Let the process die while no caller waits for an answer."""

        async def die() -> None:
            self.process.store.die()

        self.step(die)

    def due(self) -> set[tuple[str, str, str]]:
        """The overdue requests: review, request and due time."""
        return self.runner.run(self._due())

    def heard(self, ask: Ask) -> Told:
        """Record a command that reached the gate."""
        stream = ask.stream or f"review/{self.naming}"
        served = ask.loaded or self.served.get((stream, ask.actor.name), "")
        told = Told(ask=ask, stream=stream, at=self.now, draw=self.draw, served=served)
        self.said.append(told)
        self.asked.setdefault((ask.actor.name, ask.key), []).append(told)
        return told

    def begins(self, run: Run) -> None:
        """Record that a reviewer starts on its seat."""
        self.counts.add("engine", "a run begins")
        if run.place in self.at_work:
            self._broken("D3", f"review/{run.review}", f"two look from {run.seat} at the same time")
        self.at_work.add(run.place)

    def ends(self, run: Run) -> None:
        """Record that a reviewer has ended."""
        self.at_work.discard(run.place)

    async def check_inbox(self) -> None:
        """Check every row of the inbox against the log."""
        seats = [one for review in self.checker.world.reviews.values() for one in review.seats.values()]
        roles = {f"role:{role}" for one in seats for role in one.candidates}
        groups = {"humans", "anyone", "group:board", "group:empty"}

        def look(reading: Reading) -> set[tuple[str, str, str, str, bool, bool, str]]:
            return {
                (one.review, one.request, one.kind, one.who, one.held, one.queued, one.due)
                for who in sorted({*self.people, *self.bots.everybody, "reactor", *roles, *groups})
                for one in reading.inbox(who, 10_000)
            }

        self.violations += self.checker.owed(await self.process.store.store.read(look))

    async def _begin(self) -> None:
        store = self.opens()
        gate = Gate(store, Enrolled(), policy=self.default, world=Around(clock=lambda: self.now))
        for one in self.people.values():
            enrol = EnrolPrincipal(kind=one.who.kind.value, operator=one.who.operator, roles=("author",))
            await gate.handle(Ask(actor=SUE, key=one.who.name, command=enrol, stream=stream_of(one.who.name)))
        self._serve(store)
        rows = await self._new_rows()
        self.cursor = rows[-1].cursor

    def _serve(self, store: Store) -> None:
        """Start two servers on one store; the second hosts no reviewers, and passes deadlines like the first."""
        self.process, self.second = self._process(store), self._process(self.opens())
        self.second.store.turn = self.process.store.turn
        self.second.dispatcher.looked.set()

    def server(self) -> Process:
        """One of the two servers, at random."""
        if self.chance.random() < SECOND_SHARE:
            self.counts.add("engine", "a second server is asked")
            return self.second
        return self.process

    def _process(self, store: Store) -> Process:
        return Process(
            store=Faulty(store, self.chance, self.counts, trouble=self.trouble),
            outside=self,
            policy=self.default,
            people=Pool(self.pool),
            find=lambda _: self.bots.at_hand(),
            watch=self.loop.time,
        )

    async def _step(self, work: Callable[[], Awaitable[object]]) -> None:
        with suppress(Died):
            await work()
        await self.loop.quiet(self.process.store.turn)
        if self.process.store.is_dead or self.second.store.is_dead:
            await self.begin_again()
        await self._follow()

    async def begin_again(self) -> None:
        """Start new processes on the same store, without the memory of the last ones."""
        await self._end()
        self.counts.add("engine", "a process is begun again")
        self.at_work.clear()
        self.bots.slow.clear()
        self._serve(self.opens())

    async def _end(self) -> None:
        for one in (self.process, self.second):
            one.store.is_dead = True
            await one.engine.close()
            await one.store.close()

    async def _handed_in(self, delivery: Delivery) -> None:
        gate, stream, who = self.server().gate, delivery.stream, delivery.who
        if delivery.served:
            # After a lost answer it is unknown what they were served last.
            self.served.pop((stream, who.name), None)
            for _ in range(TRIES_MAX):
                with suppress(Refusal, Unavailable, Conflict):
                    given = await gate.serve(stream.removeprefix("review/"), who)  # whole, or not at all
                    self.served[stream, who.name] = given.seen.view.review.digest
                    break
        self.naming = stream.removeprefix("review/")
        ask = self._ask(delivery)
        for _ in range(TRIES_MAX):
            try:
                await gate.handle(ask)
            except Refusal:
                return
            except (Unavailable, Conflict):
                if self.chance.random() < GIVES_UP:
                    break
            else:
                return
        self.unanswered.append(delivery)

    def _ask(self, delivery: Delivery) -> Ask:
        command, stream, blobs, before = delivery.command, delivery.stream, dict[str, bytes](), tuple[WorkPart, ...]()
        if isinstance(command, c.OpenReview):
            command, stream = replace(command, review=""), ""
        if isinstance(command, c.OpenReview | c.SubmitRevision):
            blobs.update(self.shelves.blobs(command.digest))
            # A command has the same body whenever it is sent, otherwise its key would belong to another request.
            dice = random.Random(f"lies {self.seed} {delivery.who.name} {delivery.key}")
            if (claim := self.shelves.claim(dice, command.digest)) is not None:
                self.counts.add("engine", f"a lie about the base: {claim[0]}")
                before = claim[1].parts
                blobs |= claim[1].blobs
        if isinstance(command, ActivatePolicy):
            policy = next(one.policy for one in everything() if command.digest in (one.name, one.policy.digest))
            command = replace(command, digest=policy.digest)
            blobs[policy.digest] = policy_text(policy)
        signed_in = delivery.at if delivery.who.kind is WhoKind.HUMAN else None
        assert not isinstance(command, LookAtTrust)
        return Ask(
            actor=delivery.who,
            key=delivery.key,
            command=command,
            stream=stream,
            blobs=blobs,
            before=before,
            signed_in=signed_in,
        )

    async def _follow(self) -> None:
        """Read the new events of the log, and let the checker check every command with its events."""
        for (actor, cause), rows in groupby(await self._new_rows(), lambda one: (one.actor, one.cause)):
            self._judge(actor, cause, list(rows))
        said, self.said = self.said, []
        for told in said:
            if told.reply and not told.is_written:
                repeated = (told.ask.actor.name, told.ask.key) in self.checker.world.replies
                stream = told.answer.stream if told.answer else told.stream
                self.watch(_delivery(told, stream), told.reply, [], repeated=repeated)

    async def _new_rows(self) -> list[Stored]:
        found: list[Stored] = []
        while True:
            after = found[-1].cursor if found else self.cursor
            more = await self.process.store.store.read(lambda reading, after=after: reading.tail(after))  # type: ignore[misc]
            if not more:
                self.cursor = after
                return found
            found += more

    def _judge(self, actor: str, cause: str, rows: list[Stored]) -> None:
        told = self._who_asked(actor, cause)
        for row in rows:
            note_row(self, row)
        self.touched += dict.fromkeys(row.stream for row in rows)
        if actor == TRUST.name:
            at = datetime.fromisoformat(rows[0].at)
            reaction = Delivery(at=at, who=TRUST, stream=rows[0].stream, key=cause, command=LookAtTrust())
            self.watch(reaction, ACCEPTED, [envelope_of(row, TRUST) for row in rows], repeated=False)
            return
        if told is None:
            self._broken("I22", rows[0].stream, f"{rows[0].type} is in the log, and nobody asked for it as {cause}")
            return
        told.is_written = True
        if {row.at for row in rows} != {written(told.at)}:
            self._broken("I22", rows[0].stream, f"{cause} was asked {told.at}, the log says {rows[0].at}")
        if told.answer is not None:
            types = [row.type for row in rows if row.stream == told.answer.stream]
            found = self.checker.told(
                told.stream, (told.answer.version, list(told.answer.events)), (rows[-1].version, types)
            )
            self.violations += found
        envelopes = [envelope_of(row, told.ask.actor) for row in rows]
        self.watch(_delivery(told, rows[0].stream), ACCEPTED, envelopes, repeated=False)

    def _who_asked(self, actor: str, cause: str) -> Told | None:
        """The command behind these events: the acknowledged one, or the last one without an answer."""
        tried = [one for one in self.asked.get((actor, cause), ()) if not one.is_written]
        new = [one for one in tried if one.answer is not None and not one.answer.repeated]
        silent = [one for one in reversed(tried) if not one.reply]
        return next(iter((*new, *silent)), None)

    async def _due(self) -> set[tuple[str, str, str]]:
        now, reviews = written(self.now), self.checker.world.reviews
        due = await self.process.store.store.read(lambda reading: reading.due(now, 1_000))
        return {
            (review, request, one.due)
            for review, request in due
            if (one := reviews[f"review/{review}"].requests.get(request)) is not None
        }

    def _truth(self, content: bytes) -> Bytes | None:
        return self.works.get(self.shelves.digest_of(content))

    def _broken(self, invariant: str, stream: str, text: str) -> None:
        self.violations.append(Violation(invariant=invariant, review=stream, text=text))


def _told_elsewhere(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    """Ignore errors of tasks that were running when the process died."""
    if not isinstance(context.get("exception"), Died):
        loop.default_exception_handler(context)


def _delivery(told: Told, stream: str) -> Delivery:
    """A command as a delivery of the simulator."""
    ask, draw, served = told.ask, told.draw, told.served
    command = cast("Command", ask.command)  # accounts are not changed while a world is played
    return Delivery(at=told.at, who=ask.actor, stream=stream, key=ask.key, command=command, draw=draw, served=served)
