"""An agent at a seat: its identity, who receives what it reads, and its health check."""

from __future__ import annotations

import os
import pwd
import uuid
from dataclasses import dataclass, field

from foureyes.app.reviewers import Bounds, Health, Inconclusive, Look, Say, Task
from foureyes.core.values import Who, WhoKind
from foureyes.reviewers.agents.asking import Agent
from foureyes.reviewers.agents.cli import Schema
from foureyes.reviewers.agents.scratch import scratch

HEALTH_SECONDS_MAX = 90.0
_TINY: Schema = {
    "type": "object",
    "properties": {"ready": {"type": "boolean"}},
    "required": ["ready"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReviewer:
    """An agent of this machine at a seat."""

    agent: Agent
    session: str = field(default_factory=lambda: uuid.uuid4().hex)

    @property
    def who(self) -> Who:
        """The agent's identity: a session of its own, with the user who runs us as operator."""
        cli = self.agent.cli
        return Who(
            name=cli.name,
            kind=WhoKind.AGENT,
            operator=pwd.getpwuid(os.getuid()).pw_name,
            model_family=cli.family,
            provider=cli.provider,
            session=self.session,
        )

    @property
    def sends(self) -> str:
        """Who receives what it reads; never empty: a base URL that the user set may pass it on."""
        cli, login = self.agent.cli, self.agent.login
        where = f"{login.host}, as you set it" if login.url else login.host
        return f"{cli.receiver} ({where}) by {cli.called}, with {login.called}"

    async def look(self, task: Task, say: Say) -> Look:
        """Let the agent look; raises Inconclusive. Being cancelled ends everything it started."""
        # Agents are looked for at every review; the modules for a look are imported only when one looks.
        from foureyes.reviewers.agents.looking import look  # noqa: PLC0415 - see above

        return await look(self.agent, task, say)


async def health(reviewer: AgentReviewer) -> Health:
    """Check with one small real call that the agent answers with the login it has."""
    agent, version = reviewer.agent, ""
    name = agent.cli.name
    with scratch() as place:
        bounds = Bounds(seconds=HEALTH_SECONDS_MAX)
        errand = agent.errand(place, "You are asked whether you can be reached.", _TINY, bounds)
        try:
            version = await agent.version(place)
            reply = await agent.ask(place, errand, 'Answer with exactly this JSON object: {"ready": true}')
        except Inconclusive as none:
            says = agent.without_secrets(none).text
            step = f"try it by hand: {name}"
            if "not logged in" in says:
                says = f"{agent.cli.called} is not logged in, or no longer, with {agent.login.called}"
                # While a key is set, no other login is used.
                aside = "" if agent.login.content else f"mend {agent.login.called}, or unset it and "
                step = f"{aside}{agent.cli.log_in}"
            return Health(name=name, alive=False, version=version, says=says, next_step=step)
    says = f"answered, {reply.cost.tokens:,} tokens, with {agent.login.called}"
    return Health(name=name, alive=True, version=version, says=says)
