"""Play a world on a real store and engine, with a server's own turns and faults in between."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path

from foureyes.app.ports import Conflict, Damaged, Store, Unavailable
from foureyes.app.projections import PROJECTIONS
from foureyes.app.rebuilding import TRUST, digest_of, rebuild
from foureyes.codec import decode
from foureyes.core.evolve import fold
from foureyes.core.facts import PolicyInForce
from foureyes.core.model import Review
from foureyes.core.refusals import Refusal
from foureyes.core.values import Who
from foureyes.store.memory import MemoryStore
from foureyes.store.postgres import PostgresStore
from foureyes.store.sqlite_store import SqliteStore
from tests.sim.beyond import Beyond
from tests.sim.checker import Violation
from tests.sim.mischief import Mischief
from tests.sim.people import Temper, populate
from tests.sim.real.faults import DOWN, FINE, ROUGH, Died
from tests.sim.real.noting import plain_of
from tests.sim.real.policies import everything
from tests.sim.real.works import RealAgents
from tests.sim.real.world import RealWorld
from tests.sim.run import Run, mood_of, same, state
from tests.sim.script import Command, Delivery

#: The server's own turns and faults, each with its share of the steps.
TURNS = {"look": 0.4, "go on": 0.25, "tend": 0.15, "tend undisturbed": 0.04, "stall": 0.015, "die": 0.004}
#: Longer than a lease, without a renewal meanwhile.
STALLS = timedelta(minutes=3)
#: The clock retries a refused deadline only after this.
A_MINUTE = timedelta(seconds=61)
JUMPS = 0.008
JUMP_HOURS = (49, -49, 3, -5)
#: The length of a spell of faults, in steps.
SPELL = (3, 15)
INBOX_EVERY = 50
#: Number of answered commands that are repeated at the end.
ASKED_AGAIN_MAX = 40
COMES_BACK = 0.8


@dataclass
class RealRun(Run):
    """One seeded world on its own store."""

    opens: Callable[[], Store] = MemoryStore
    real: RealWorld = field(init=False)
    calm: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.real = fresh(self.seed, self.tempers, self.opens)
        self.world = self.real
        self.agents = RealAgents(world=self.world, rng=self.rng, mood=mood_of(self.seed), shelves=self.real.shelves)
        self.beyond = Beyond(agents=self.agents)
        self.mischief = Mischief(agents=self.agents)

    def _tick(self) -> None:
        before = self.now
        if self.rng.random() < JUMPS:
            hours = self.rng.choice(JUMP_HOURS)
            self.now += timedelta(hours=hours)
            self.world.counts.add("faults", f"the clock jumps {hours:+} hours")
            if hours > 0 and self.rng.random() < 0.5:  # much is due at once
                self.real.now = self.now
                self._turn("tend undisturbed")
        else:
            Run._tick(self)
            self.real.pass_time(max(0.0, (self.now - before).total_seconds()))
        self.real.now = self.now
        self._weather()

    def _weather(self) -> None:
        self.calm -= 1
        if self.calm <= 0:
            self.real.trouble = self.rng.choices((FINE, ROUGH, DOWN), (40, 8, 1))[0]
            self.calm = self.rng.randrange(*SPELL)

    def _next(self) -> Delivery | None:
        for turn, share in TURNS.items():
            if self.rng.random() < share:
                self._turn(turn)
        if self.world.counts.steps % INBOX_EVERY == 0:
            self.real.step(self.real.check_inbox)
        return Run._next(self)

    def _turn(self, turn: str) -> None:
        real, self.real.draw = self.real, self.rng.getrandbits(32)
        match turn:
            case "look":
                real.step(real.process.looking.once)
            case "go on":
                real.let_go_on()
            case "tend":
                real.step(real.server().tending.once)
            case "tend undisturbed":
                self._undisturbed()
            case "stall":
                self.now = real.now = self.now + STALLS
                real.let_go_on()
            case "die":
                real.kill()
        self._noted()

    def _undisturbed(self) -> None:
        """Check that without faults every due deadline passes within a minute."""
        real, left = self.real, list[set[tuple[str, str, str]]]()
        trouble, real.trouble = real.trouble, 0.0
        for pause in (timedelta(0), A_MINUTE):
            self.now = real.now = self.now + pause
            real.step(real.process.looking.once)
            real.step(real.process.tending.once)
            left.append(real.due())
        real.violations += real.checker.overdue(left[0] & left[1])
        real.trouble = trouble

    def _compose(self, who: Who, stream: str, command: Command, *, served: str = "") -> Delivery | None:
        """Skip commands of hosted reviewers, whose credentials only the program has."""
        if who.name in self.real.bots.everybody:
            return None
        return Run._compose(self, who, stream, command, served=served)

    def _deliver(self, delivery: Delivery) -> None:
        self.script.append(delivery)
        self.world.deliver(delivery)
        self._noted()

    def _noted(self) -> None:
        """Maintain the lists of open reviews and of commands to repeat later."""
        for stream in self.real.touched:
            review = self.world.reviews.get(stream)
            if review is None:
                continue
            if stream not in self.streams:
                self.streams.append(stream)
            if review.outcome is None and stream not in self.open:
                self.open.append(stream)
            elif review.outcome is not None and stream in self.open:
                self.open.remove(stream)
        self.real.touched.clear()
        for one in self.real.unanswered:
            if self.rng.random() < COMES_BACK:
                self.waiting.append(one)
        self.real.unanswered.clear()

    def finish(self) -> list[Violation]:
        """Start a last process and compare the store with everything that was seen and answered."""
        self.real.trouble = 0.0
        self.real.step(self.real.begin_again)
        self.real.step(self._checked)
        return self.world.violations

    async def _checked(self) -> None:
        real = self.real
        await real.check_inbox()
        for stream, seen in real.logs.items():
            rows = await real.process.store.read(lambda reading, stream=stream: tuple(reading.events(stream)))  # type: ignore[misc]
            log = [plain_of(row) for row in rows]
            kept, folded = "", ""
            if stream in real.reviews:
                kept, folded = await self._folded(stream, log)
                real.violations += real.checker.listed(stream, await self._listed(stream))
            elif log != seen:
                kept, folded = str(seen), str(log)
            real.violations += real.checker.replayed(stream, log, kept, folded)
        await self._made_anew()
        answered = [one.ask for some in real.asked.values() for one in some if one.reply and one.ask.stream]
        for ask in self.rng.sample(answered, min(ASKED_AGAIN_MAX, len(answered))):
            with suppress(Refusal):
                await real.process.gate.handle(ask)

    async def _listed(self, stream: str) -> tuple[str, int, str] | None:
        name = stream.removeprefix("review/")
        row = await self.real.process.store.read(lambda reading: reading.review(name))
        return (row.state, row.revision, row.digest) if row else None

    async def _made_anew(self) -> None:
        """Check that the projections equal a replay of the log, byte for byte."""
        real, store = self.real, self.real.process.store
        await real.process.follower.catch_up()
        for name in (*PROJECTIONS, TRUST):
            kept = await store.read(lambda reading, name=name: digest_of(reading, name))  # type: ignore[misc]
            anew = await rebuild(store, name, real.process.gate.policies.rules)
            real.violations += real.checker.made_anew(name, kept, anew.sha256)

    async def _folded(self, stream: str, log: list[dict[str, object]]) -> tuple[str, str]:
        """A state of the review that differs from the fold of the log, and that fold; empty texts if none does."""
        real, review = self.real, self.real.reviews[stream]
        name = stream.removeprefix("review/")
        again = fold([decode(one) for one in log])  # type: ignore[misc]  # only review events are on this stream
        gates: Review = await real.process.store.read(lambda reading: real.process.gate.whole(reading, name))
        for one in (review, gates):
            if not same(one, again):
                return state(one), state(again)
        return "", ""


def fresh(seed: int, tempers: tuple[Temper, ...], opens: Callable[[], Store]) -> RealWorld:
    """A world at its beginning, on an empty store."""
    given = everything()
    first = given[1 if mood_of(seed) == "unsure" else 0]
    return RealWorld(
        people=populate(random.Random(seed), tempers),
        rules={key: one.policy.rules for one in given for key in (one.name, one.policy.digest)},
        policies=[one.told for one in given],
        in_force=PolicyInForce(digest=first.name, rules=first.policy.rules),
        seed=seed,
        opens=opens,
    )


class Lasting(MemoryStore):
    """A memory store that outlives the process that used it."""

    async def close(self) -> None:
        pass


class Surprises(logging.Handler):
    """Records unexpected errors, which the program logs before it continues."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is not None and not isinstance(error, Unavailable | Conflict | Died):
            self.heard.append(f"{record.getMessage()}: {error!r}")
        if any(isinstance(one, Damaged) for one in record.args or ()):
            self.heard.append(record.getMessage())


@contextmanager
def overheard(run: RealRun) -> Iterator[None]:
    """Capture the program's own log instead of writing it."""
    log, handler = logging.getLogger("foureyes"), Surprises()
    before = log.propagate, log.level
    log.addHandler(handler)
    log.propagate = False
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.propagate, _ = before
        log.setLevel(before[1])
        found = (Violation(invariant="surprise", review="the log", text=one) for one in handler.heard)
        run.world.violations += found


def opening(where: Path | str | None, seed: int) -> Callable[[], Store]:
    """How each process opens the store of a seed: a file in a folder, a PostgreSQL database, or lasting memory."""
    if where is None:
        kept = Lasting()
        return lambda: kept
    if isinstance(where, str):
        return partial(PostgresStore.open, where, durable=False)
    return partial(SqliteStore.open, where / f"{seed}.db")


def played(seed: int, steps: int, tempers: tuple[Temper, ...], where: Path | str | None) -> RealRun:
    """The world of a seed, played on its own store to its end."""
    opens = opening(where, seed)
    run = RealRun(seed=seed, tempers=tempers, opens=opens)
    with overheard(run):
        try:
            run.play(steps)
            if not run.world.violations:
                run.finish()
        finally:
            run.real.close()
    return run
