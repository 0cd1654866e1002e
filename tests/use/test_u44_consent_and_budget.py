"""U-44: a model on this machine needs consent too, and the sums of a budget add up."""

import asyncio
import re
from pathlib import Path

import pytest

from foureyes.app.reviewers import Look, Say, Task
from tests.reviewing.desk import Scripted, agent, change, nothing, reviewed, solo
from tests.use.laptop import listening, repository, review

MODEL = "anthropic:claude-sonnet-5-5"
TOTAL = 1_000_000
CLEAN = "x = 1\n"


@pytest.mark.door("command", policy="solo")
def test_a_model_at_a_loopback_address_is_asked_about_first(tmp_path: Path) -> None:
    """U-44: an address on this machine is often a gateway to somewhere else."""
    work = repository(tmp_path / "work")
    with listening() as endpoint:
        ran = review(work, ANTHROPIC_API_KEY="k", ANTHROPIC_BASE_URL=endpoint.url)
    assert endpoint.came == []
    told = " ".join(ran.stdout.split())
    assert f"{MODEL} (not allowed yet: the endpoint at 127.0.0.1 on this machine" in told


class Waiting(Scripted):
    """A slow reviewer, so that others are asked in the meantime."""

    async def look(self, task: Task, say: Say) -> Look:
        self.tasks.append(task)
        say("reading")
        await asyncio.sleep(0.05)
        return self.does(task)


def test_those_who_are_asked_first_leave_an_equal_part_to_those_who_come_later() -> None:
    """U-44: six share one dollar; nobody reserves what the others need."""
    names = ("claude", "codex", "gemini", "m-one", "m-two", "m-three")
    minds = [Waiting(who=agent(name, family=name).who, does=nothing, sends=f"of {name}") for name in names]
    outcome = asyncio.run(reviewed(solo(*minds), change(CLEAN), usd_micro_max=TOTAL))
    parts = {mind.who.name: mind.tasks[0].bounds for mind in minds if mind.tasks}
    assert parts.keys() == set(names), outcome.not_looked
    assert min(one.usd_micro for one in parts.values()) >= TOTAL // len(names)
    for part in parts.values():
        total, *rest = (float(one) for one in re.findall(r"\$(\d+\.\d\d)", part.share))
        assert abs(total - sum(rest)) < 0.04, part.share
