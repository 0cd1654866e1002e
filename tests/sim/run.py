"""Play a world: seeded, step by step, with a network that delays and repeats, and a clock that jumps."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from foureyes.app.deciding import JUDGING
from foureyes.codec import decode
from foureyes.core import commands as c
from foureyes.core.evolve import fold
from foureyes.core.facts import PolicyInForce
from foureyes.core.model import Review
from foureyes.core.values import CLOCK, Origin, Who, WhoKind
from tests.sim import policies
from tests.sim.agents import MOODS, Agents
from tests.sim.beyond import Beyond
from tests.sim.checker import Violation
from tests.sim.mischief import Mischief
from tests.sim.people import REACTOR, Temper, populate
from tests.sim.printing import printed
from tests.sim.script import Command, Delivery
from tests.sim.shrink import shrink
from tests.sim.works import Bytes
from tests.sim.world import World

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
OPEN_MAX = 20
IDLE_MAX = 12
#: How often an author takes work with an objection into another review.
SHOPPING = 0.25
WAITING_MAX = 200
#: The weight of each kind of work, chosen so that every style reaches every outcome.
WEIGHTS = {"story": 8, "milestone": 12, "task": 7, "script": 7, "article": 5, "guarded": 5, "verified": 6, "vote": 9}
WEIGHTS |= {"create_core": 6, "breaking_change": 2, "committee": 3, "unmanned": 2, "orphan": 2, "security_change": 2}
KINDS = tuple(kind for kind in (*policies.KINDS, "something else") for _ in range(WEIGHTS.get(kind, 1)))
FAVOURITES = {"stubborn": "story", "grudge": "create_core", "unsure": "create_core"}
#: Share of works that are judged unread: by reviewers who approve everything, and by all others.
UNREAD_SHARE, UNREAD_SELDOM = 0.5, 0.04
#: A program whose small changes of one kind are always good, so that it earns a track record.
STEADY = ("scanner", "answer")


@dataclass(slots=True)
class Run:
    """One seeded world and everything that was delivered in it."""

    seed: int
    tempers: tuple[Temper, ...] = ()
    world: World = field(init=False)
    agents: Agents = field(init=False)
    beyond: Beyond = field(init=False)
    mischief: Mischief = field(init=False)
    rng: random.Random = field(init=False)
    now: datetime = START
    script: list[Delivery] = field(default_factory=list)
    waiting: list[Delivery] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    streams: list[str] = field(default_factory=list)
    keys: int = 0
    opened: int = 0
    idle: int = 0

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.world = fresh(self.seed, self.tempers)
        self.agents = Agents(world=self.world, rng=self.rng, mood=mood_of(self.seed))
        self.beyond = Beyond(agents=self.agents)
        self.mischief = Mischief(agents=self.agents)

    def play(self, steps: int, *, stop: bool = True) -> list[Violation]:
        """Deliver so many commands; by default stop at the first violation."""
        while self.world.counts.steps < steps:
            self._tick()
            delivery = self._next()
            self.idle = 0 if delivery is not None else self.idle + 1
            if delivery is not None:
                self._deliver(delivery)
            if stop and self.world.violations:
                break
        return self.world.violations

    def _tick(self) -> None:
        """Let time pass; now and then the clock jumps, and when no party acts it moves to the next due time."""
        chance = self.rng.random()
        if chance < 0.001:
            self.now += timedelta(hours=self.rng.choice((3, 25, 49)))
        elif chance < 0.0016:
            self.now -= timedelta(hours=self.rng.choice((1, 5, 49)))
        elif self.idle > IDLE_MAX and self.open:
            due = (one.due for stream in self.open for one in self.world.reviews[stream].requests.values())
            self.now = max(self.now, min(due))
        else:
            self.now += timedelta(seconds=self.rng.randrange(30))

    def _next(self) -> Delivery | None:
        chance = self.rng.random()
        if self.waiting and chance < 0.30:
            late = self.waiting.pop(self.rng.randrange(len(self.waiting)))
            return replace(late, at=self.now)
        if not self.open or (chance < 0.355 and len(self.open) < OPEN_MAX):
            return self._open()
        if chance < 0.53:
            return self._composed(self.mischief.next(self.open, self.streams))
        if chance < 0.565:
            return self._composed(self.beyond.beside(self.now))
        if chance < 0.595:
            stream = self.rng.choice(self.streams)
            review = self.world.reviews[stream]
            if review.outcome is not None:
                return self._composed(self.beyond.of_ended(review))
        return self._of_open(self.rng.choice(self.open), chance)

    def _of_open(self, stream: str, chance: float) -> Delivery | None:
        """The next act in an open review, by a party with the turn, the clock, or another party."""
        review = self.world.reviews[stream]
        due = [name for name, one in review.requests.items() if one.due <= self.now]
        if due:
            return self._compose(CLOCK, stream, c.PassDeadline(request=self.rng.choice(due)))
        if review.inherited and chance < 0.61:
            source = review.findings[review.inherited[-1]].review
            return self._compose(CLOCK, stream, c.CheckInherited(source=f"review/{source}"))
        if chance < 0.665:
            said = self.beyond.of_open(review)
        else:
            said = self.agents.answer(review, self.rng.choice(list(review.requests)))
        return None if said is None else self._compose(said[0], stream, said[1], served=review.digest)

    def _open(self) -> Delivery | None:
        self.opened += 1
        rng, people = self.rng, self.world.people
        steady = rng.random() < 0.12
        shed = self._objected() if self.streams and not steady and rng.random() < SHOPPING else None
        work = self.agents.work(
            good=steady, after=self.world.works[shed.digest] if shed else None, same_text=shed is not None
        )
        author = shed.author if shed else people[STEADY[0] if steady else rng.choice(list(people))].who
        name, opener, on_behalf = f"r{self.opened:05d}", author, None
        if rng.random() < 0.1:
            opener, on_behalf = rng.choice((REACTOR, people["hana"].who)), author
        command = c.OpenReview(
            review=name,
            kind=STEADY[1] if steady else self._kind(),
            title=self.agents.words("some work"),
            digest=work.digest,
            parts=work.parts,
            protocols=("research",) if rng.random() < 0.02 else (),
            origin=Origin(session="session-0", targets=("agent-03",)) if rng.random() < 0.1 else Origin(),
            context=(("autonomy_level", "aggressive"),) if rng.random() < 0.2 else (),
            questions=(self.agents.words("is it good"),) if rng.random() < 0.3 else (),
            confidence=rng.choice((None, 50, 90, 95)),
            on_behalf_of=on_behalf,
        )
        return self._compose(opener, f"review/{name}", command)

    def _objected(self) -> Review | None:
        """A review whose author submits the work elsewhere, with a byte, a path or a part changed."""
        found = self.world.reviews[self.rng.choice(self.streams)]
        return found if found.author.kind is WhoKind.AGENT and found.findings and found.outcome is not None else None

    def _kind(self) -> str:
        """The kind of the next work; a world with a mood prefers kinds that suit it."""
        favourite = FAVOURITES.get(self.agents.mood)
        return favourite if favourite and self.rng.random() < 0.5 else self.rng.choice(KINDS)

    def _composed(self, sent: tuple[Who, str, Command] | None) -> Delivery | None:
        if sent is None:
            return None
        who, stream, command = sent
        review = self.world.reviews.get(stream)
        return self._compose(who, stream, command, served=review.digest if review else "")

    def _compose(self, who: Who, stream: str, command: Command, *, served: str = "") -> Delivery | None:
        self.keys += 1
        chance = self.rng.random()
        if chance < 0.01 and who.session:
            who = replace(who, session=f"{who.session}-{self.keys}")
        delivery = Delivery(
            at=self.now,
            who=who,
            stream=stream,
            key=f"k{self.keys:07d}",
            command=command,
            draw=self.rng.getrandbits(32),
            served=self._given(who, stream, served) if isinstance(command, JUDGING) else "",
        )
        if 0.1 < chance < 0.52 and len(self.waiting) < WAITING_MAX:
            key = delivery.key if chance < 0.42 else f"{delivery.key}-again"
            self.waiting.append(replace(delivery, key=key))
        elif 0.52 < chance < 0.54:
            self.waiting.append(delivery)
            return None
        return delivery

    def _given(self, who: Who, stream: str, served: str) -> str:
        """What a party was served: the current version, or an older one, a part or nothing, which count as nothing."""
        person, review = self.world.people.get(who.name), self.world.reviews.get(stream)
        unread = UNREAD_SHARE if person and person.temper is Temper.APPROVES else UNREAD_SELDOM
        if review is None or self.rng.random() >= unread:
            return served
        return self.rng.choice(("", review.revisions[0].digest if review.revision > 1 else ""))

    def _deliver(self, delivery: Delivery) -> None:
        self.script.append(delivery)
        known = delivery.stream in self.world.reviews
        self.world.deliver(delivery)
        review = self.world.reviews.get(delivery.stream)
        if review is None:
            return
        if not known:
            self.streams.append(delivery.stream)
        is_open = review.outcome is None
        if is_open and delivery.stream not in self.open:
            self.open.append(delivery.stream)
        elif not is_open and delivery.stream in self.open:
            self.open.remove(delivery.stream)

    def finish(self) -> list[Violation]:
        """Fold every log again from its beginning and check that it gives the kept state."""
        for stream, review in self.world.reviews.items():
            log = self.world.logs[stream]
            again = fold([decode(one) for one in log])  # type: ignore[misc]  # only review events are on this stream
            kept, folded = ("", "") if same(review, again) else (state(review), state(again))
            self.world.violations += self.world.checker.replayed(stream, log, kept, folded)
        return self.world.violations


def same(one: Review, other: Review) -> bool:
    """Whether two states are equal, including the order of requests."""
    orders = ((list(some.requests), list(some.seats), list(some.findings)) for some in (one, other))
    return one == other and next(orders) == next(orders)


def state(review: Review) -> str:
    """A review's whole state in canonical form, with mappings in the order of their keys."""
    return repr(review)


def mood_of(seed: int) -> str:
    """The mood of the world of a seed."""
    return MOODS[seed % len(MOODS)]


def fresh(seed: int, tempers: tuple[Temper, ...]) -> World:
    """A world at its beginning; everything in it follows from the seed."""
    told = policies.everything()
    first = told[1 if mood_of(seed) == "unsure" else 0].rules
    return World(
        people=populate(random.Random(seed), tempers),
        rules={one.rules.digest: one.rules for one in told},
        policies=[one.policy for one in told],
        in_force=PolicyInForce(digest=first.digest, rules=first),
    )


def replay(run: Run, script: Sequence[Delivery]) -> list[Violation]:
    """Deliver a script to a fresh world with the same bytes."""
    return replayed(run.seed, run.tempers, run.world.works.values(), script)


def replayed(
    seed: int, tempers: tuple[Temper, ...], works: Iterable[Bytes], script: Iterable[Delivery]
) -> list[Violation]:
    """Deliver a script to the world of a seed, up to the first violation."""
    world = fresh(seed, tempers)
    for work in works:
        world.make_known(work)
    for delivery in script:
        world.deliver(delivery)
        if world.violations:
            break
    return world.violations


def shrunk(run: Run) -> str:
    """The shortest script found that breaks the same invariant, as Python to paste and play again."""
    violation = run.world.violations[0]

    def fails(some: Sequence[Delivery]) -> bool:
        return any(one.invariant == violation.invariant for one in replay(run, some))

    alone = [one for one in run.script if one.stream in (violation.review, "policy")]
    script = shrink(alone if fails(alone) else run.script, fails)
    named = {getattr(one.command, "digest", "") for one in script}
    works = [one for one in run.world.works.values() if one.digest in named]
    return printed(run.seed, run.tempers, works, script)
