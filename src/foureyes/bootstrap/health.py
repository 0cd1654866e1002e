"""Check the reviewers available here, as the policy of this repository names them: one real call to each."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from foureyes.app.reviewers import Health, Missing
from foureyes.app.reviewing.outcome import Options
from foureyes.app.reviewing.rounds import Chosen
from foureyes.home.trouble import Trouble
from foureyes.policy.nodes import PolicyErrors
from foureyes.policy.policy import Model, Policy, Program, Run
from foureyes.reviewers import agents, models
from foureyes.reviewers.at_hand import CRITICS

if TYPE_CHECKING:
    from foureyes.bootstrap.assembly import Assembly
    from foureyes.reviewers.models import ModelReviewer


def policy_here(assembly: Assembly, environ: Mapping[str, str]) -> Chosen:
    """The policy for a change in this folder: that of the last commit, else the user's own or the built-in one."""
    from foureyes.bootstrap.reviewing import LocalDesk
    from foureyes.git.reading import read_nothing

    return LocalDesk(assembly, environ).policy_for(read_nothing(Path.cwd()), Options())


async def health(assembly: Assembly, environ: Mapping[str, str]) -> tuple[Health | Missing, ...]:
    """Make one real call to each available reviewer, all at once, and list the missing ones with the reason."""
    found, absent = agents.at_hand(environ, Path.cwd())
    policy = _readable(assembly, environ)
    known, missing = _models(policy, environ)
    calls = (*(agents.health(one) for one in found), *(models.health(one) for one in known))
    return (*await asyncio.gather(*calls), *absent, *missing, *_programs(policy))


def _readable(assembly: Assembly, environ: Mapping[str, str]) -> Policy | None:
    """The policy; None if it cannot be read, which the check of the policy itself reports."""
    try:
        return policy_here(assembly, environ).policy
    except (PolicyErrors, Trouble):
        return None


def _models(policy: Policy | None, environ: Mapping[str, str]) -> tuple[list[ModelReviewer], list[Missing]]:
    """The models of the environment and of the policy, each once; a role may have several."""
    found, missing = models.at_hand(environ)
    known = {one.name: one for one in found}
    lacking = {one.name: one for one in missing}
    for name, model in _named(policy):
        reviewer, lacks = models.for_role(name, [model], environ)
        if reviewer is not None and reviewer.endpoints[0].id not in known:
            known[reviewer.endpoints[0].id] = reviewer
        lacking.update((one.name, one) for one in lacks)
    return list(known.values()), list(lacking.values())


def _named(policy: Policy | None) -> Iterator[tuple[str, Model]]:
    for role in policy.reviewers if policy else ():
        yield from ((role.name, one) for one in role.holders if isinstance(one, Model))


def _programs(policy: Policy | None) -> Iterator[Health | Missing]:
    """The other reviewers of the policy: unknown programs, and commands, which are not run for this check."""
    for role in policy.reviewers if policy else ():
        for one in role.holders:
            if isinstance(one, Program) and one.name not in CRITICS:
                step = "Name one that `foureyes rules` lists."
                yield Missing(name=role.name, why=f"no program is called {one.name}", next_step=step)
            elif isinstance(one, Run):
                yield _command(role.name, one)


def _command(role: str, holder: Run) -> Health | Missing:
    program = holder.argv[0]
    if "/" not in program and shutil.which(program) is None:
        step = f"Install {program}, or name another command in the policy."
        return Missing(name=role, why=f"{program} of `{holder.line}` is not installed", next_step=step)
    return Health(name=role, alive=True, says=f"runs `{holder.line}` in every review that you let it run in")
