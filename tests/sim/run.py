"""How is a world played? Seeded, step by step, with a network that is late and repeats, and a clock that jumps."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from foureyes.core import commands as c
from foureyes.core.evolve import fold
from foureyes.core.facts import PolicyInForce
from foureyes.core.model import Review
from foureyes.core.values import CLOCK, Who
from foureyes.store.codec import decode
from tests.sim import policies
from tests.sim.agents import Agents
from tests.sim.checker import Violation
from tests.sim.counts import Counts
from tests.sim.people import HUMANS, Temper, populate
from tests.sim.script import Command, Delivery, printed
from tests.sim.shrink import shrink
from tests.sim.world import World

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
OPEN_MAX = 25
KINDS = ("story", "deploy", "vote", "milestone", "release")


@dataclass(slots=True)
class Run:
    """One seeded world and everything that was delivered in it."""

    seed: int
    tempers: tuple[Temper, ...] = ()
    world: World = field(init=False)
    agents: Agents = field(init=False)
    rng: random.Random = field(init=False)
    now: datetime = START
    script: list[Delivery] = field(default_factory=list)
    waiting: list[Delivery] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    keys: int = 0
    opened: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.world = fresh(self.seed, self.tempers)
        self.agents = Agents(world=self.world, rng=self.rng)

    def play(self, steps: int, *, stop: bool = True) -> list[Violation]:
        """Deliver so many commands; by default stop at the first violation."""
        while self.world.counts.steps < steps:
            self._tick()
            delivery = self._next()
            if delivery is not None:
                self._deliver(delivery)
            if stop and self.world.violations:
                break
        return self.world.violations

    def _tick(self) -> None:
        chance = self.rng.random()
        if chance < 0.001:
            self.now += timedelta(hours=self.rng.choice((3, 25, 49)))
        elif chance < 0.0015:
            self.now -= timedelta(hours=self.rng.choice((1, 5)))
        else:
            self.now += timedelta(seconds=self.rng.randrange(40))

    def _next(self) -> Delivery | None:
        chance = self.rng.random()
        if self.waiting and chance < 0.06:
            late = self.waiting.pop(self.rng.randrange(len(self.waiting)))
            return replace(late, at=self.now)
        if not self.open or (chance < 0.12 and len(self.open) < OPEN_MAX):
            return self._open()
        stream = self.rng.choice(self.open)
        review = self.world.reviews[stream]
        request = self.rng.choice(list(review.requests)) if review.requests else ""
        if not request:
            return None
        if chance < 0.2 or review.requests[request].due <= self.now:
            return self._compose(CLOCK, stream, c.PassDeadline(request=request))
        said = self.agents.answer(review, request)
        return None if said is None else self._compose(said[0], stream, said[1], served=review.digest)

    def _open(self) -> Delivery:
        self.opened += 1
        work = self.agents.work()
        names = [name for name in self.world.people if name not in HUMANS]
        author = self.world.people[self.rng.choice(names)].who
        name = f"r{self.opened:05d}"
        command = c.OpenReview(
            review=name,
            kind=self.rng.choice(KINDS),
            title=self.agents.words("some work"),
            digest=work.digest,
            parts=work.parts,
            confidence=self.rng.choice((None, 50, 90)),
        )
        return self._compose(author, f"review/{name}", command)

    def _compose(self, who: Who, stream: str, command: Command, *, served: str = "") -> Delivery:
        self.keys += 1
        delivery = Delivery(
            at=self.now,
            who=who,
            stream=stream,
            key=f"k{self.keys:07d}",
            command=command,
            draw=self.rng.randrange(1 << 32),
            served=served if isinstance(command, c.SubmitReport) else "",
        )
        if self.rng.random() < 0.05:
            key = delivery.key if self.rng.random() < 0.5 else f"{delivery.key}-again"
            self.waiting.append(replace(delivery, key=key))
        return delivery

    def _deliver(self, delivery: Delivery) -> None:
        self.script.append(delivery)
        self.world.deliver(delivery)
        review = self.world.reviews.get(delivery.stream)
        is_open = review is not None and review.outcome is None
        if is_open and delivery.stream not in self.open:
            self.open.append(delivery.stream)
        elif not is_open and delivery.stream in self.open:
            self.open.remove(delivery.stream)

    def finish(self) -> list[Violation]:
        """Fold every log again from its beginning: it must give the state that was kept."""
        for stream, review in self.world.reviews.items():
            log = self.world.logs[stream]
            again = fold([decode(one) for one in log])  # type: ignore[misc]  # only review events are on this stream
            self.world.violations += self.world.checker.replayed(stream, log, state(review), state(again))
        return self.world.violations


def state(review: Review) -> str:
    """A review's whole state in one spelling; mappings in the order of their keys."""
    return repr(review)


def fresh(seed: int, tempers: tuple[Temper, ...]) -> World:
    """A world at its beginning; everything in it follows from the seed."""
    told = policies.first()
    return World(
        people=populate(random.Random(seed), tempers),
        rules={told.rules.digest: told.rules},
        policies=[told.policy],
        in_force=PolicyInForce(digest=told.rules.digest, rules=told.rules),
    )


def replay(run: Run, script: Sequence[Delivery]) -> list[Violation]:
    """Deliver a script to a fresh world with the same bytes."""
    world = fresh(run.seed, run.tempers)
    for work in run.world.works.values():
        world.make_known(work)
    for delivery in script:
        world.deliver(delivery)
        if world.violations:
            break
    return world.violations


def shrunk(run: Run) -> str:
    """The shortest script found that breaks the same invariant, as Python."""
    wanted = run.world.violations[0].invariant
    script = shrink(run.script, lambda some: any(one.invariant == wanted for one in replay(run, some)))
    return printed(script)


def main() -> None:
    seed, steps = int(sys.argv[1]), int(sys.argv[2])
    total, began, done = Counts(), time.perf_counter(), 0
    while done < steps:
        run = Run(seed=seed)
        run.play(min(10_000, steps - done))
        run.finish()
        done += run.world.counts.steps
        total.merge(run.world.counts)
        if run.world.violations:
            print(f"seed {seed}: {run.world.violations[0]}")
            print(shrunk(run))
            break
        seed += 1
    print(total.table())
    print(f"{done / (time.perf_counter() - began):.0f} steps a second")


if __name__ == "__main__":
    main()
