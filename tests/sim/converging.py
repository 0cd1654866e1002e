"""Every review ends, or waits for a human, within its caps; it is played until nothing moves.

No new review is opened. Parties who owe an answer act by their temper; humans never answer, so that only the rules and
the clock can bring an end. A review that is still open at last must wait for a human.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from foureyes.core import commands as c
from foureyes.core.model import Review, RulingRequest
from foureyes.core.values import CLOCK
from tests.sim.agents import Agents
from tests.sim.checker import Violation
from tests.sim.people import Temper
from tests.sim.run import START, fresh
from tests.sim.script import Command, Delivery
from tests.sim.works import make
from tests.sim.world import World

#: One kind of work for every style, and kinds with several protocols in a row.
KINDS = {
    "story": "resolve",
    "create_core": "peer",
    "deploy": "chain",
    "vote": "chain",
    "article": "chain",
    "milestone": "session",
    "task": "panel",
    "careful_task": "panel",
    "script": "solo",
    "verified": "solo",
    "guarded": "solo",
    "committee": "chain",
    "release": "resolve and chain",
    "launch": "session and solo",
    "mystery": "unreadable",
    "nowhere": "unreadable",
}
#: More than any review of these styles may need: ten resubmissions, three reports per seat and round, all timers.
STEPS_MAX = 700


@dataclass(slots=True)
class Ending:
    """One review played to its end."""

    world: World
    agents: Agents
    stream: str
    now: datetime = START
    steps: int = 0
    keys: int = 0
    silent_humans: bool = True
    trace: list[str] = field(default_factory=list)

    def send(self, delivery: tuple[object, Command]) -> str:
        self.keys += 1
        self.now += timedelta(minutes=2)
        who, command = delivery
        sent = Delivery(
            at=self.now,
            who=who,  # type: ignore[arg-type]  # whoever the agents name
            stream=self.stream,
            key=f"{self.stream}-{self.keys}",
            command=command,
            draw=self.keys * 7919,
        )
        return self.world.deliver(sent)

    @property
    def review(self) -> Review:
        return self.world.reviews[self.stream]


def settled(kind: str, tempers: tuple[Temper, ...], seed: int) -> tuple[Ending, list[Violation]]:
    """Play one review of a kind with people of these tempers until it ends or only a human can continue."""
    world = fresh(seed * len(KINDS) * 5, tempers)
    agents = Agents(world=world, rng=random.Random(seed))
    ending = Ending(world=world, agents=agents, stream="review/r1")
    work = make(agents.rng, 1)
    world.make_known(work)
    author = world.people[f"agent-{agents.rng.randrange(18):02d}"].who
    opened = c.OpenReview(review="r1", kind=kind, title="some work", digest=work.digest, parts=work.parts)
    ending.send((author, opened))
    while ending.review.outcome is None and not waits_for_a_human(ending.review) and ending.steps < STEPS_MAX:
        ending.steps += 1
        _step(ending)
    return ending, world.violations


def waits_for_a_human(review: Review) -> bool:
    """Whether a ruling is pending whose deadline only reminds, or that only a human will ever answer."""
    ruling = review.ruling()
    return ruling is not None and ruling.fallback is None


def _step(ending: Ending) -> None:
    """Let each party with a turn act; if one stays silent, let the due time pass."""
    review = ending.review
    names = list(review.requests)
    name = names[ending.steps % len(names)]
    request = review.requests[name]
    due = min(review.requests.values(), key=lambda one: one.due)
    late = due.due <= ending.now or isinstance(request, RulingRequest)
    said = None if late else ending.agents.answer(review, name)
    if said is None:
        ending.now = max(ending.now, due.due)
        ending.send((CLOCK, c.PassDeadline(request=due.id)))
    else:
        ending.send(said)
