"""Which wrong thing is tried next, so that every refusal is seen? The least seen of a few, on a review that fits it."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core import commands as c
from foureyes.core.policies import ActivatePolicy
from foureyes.core.refusals import Code
from foureyes.core.values import Who
from tests.sim.agents import Agents
from tests.sim.script import Command
from tests.sim.wrongs import ACTS, Liar

Sent = tuple[Who, str, Command]
TRIES_MAX = 8
MISSING_STREAM = "review/never-opened"
CODES = tuple(ACTS)


@dataclass(slots=True)
class Mischief:
    """Everything that must be refused, tried on purpose."""

    agents: Agents

    def next(self, open_streams: list[str], streams: list[str]) -> Sent | None:
        """The rarest of a few wrong things, on the first review that fits it."""
        rng, seen = self.agents.rng, self.agents.world.counts.seen["refusals"]
        code = min(rng.sample(CODES, 6), key=lambda one: (seen[one], one))
        pool = streams if code is Code.REVIEW_ENDED else open_streams
        for _ in range(TRIES_MAX if pool else 0):
            stream = rng.choice(pool)
            sent = next(ACTS[code](Liar(agents=self.agents), self.agents.world.reviews[stream]), None)
            if sent is not None:
                who, command = sent
                target = MISSING_STREAM if code is Code.REVIEW_MISSING else stream
                return who, _stream(command, target), command
        return None


def _stream(command: Command, stream: str) -> str:
    if isinstance(command, ActivatePolicy):
        return "policy"
    return f"review/{command.review}" if isinstance(command, c.OpenReview) else stream
