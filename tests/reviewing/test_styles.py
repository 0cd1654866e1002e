"""The other styles on one machine: a panel of two models, and a chain whose critic has a veto."""

import asyncio

import pytest

from foureyes.app.reviewers import Look, Say, Task
from foureyes.core.commands import Draft
from foureyes.core.situation import Result
from foureyes.policy.load import shipped
from tests.app.house import played
from tests.reviewing.desk import Desk, Scripted, agent, change, finds, issue, nothing, program, reviewed

CLEAN, BAD = "x = 1\n", "x = bad\n"


def panel(haiku: Scripted, sonnet: Scripted) -> Desk:
    return Desk(reviewers={"haiku": (haiku,), "sonnet": (sonnet,)}, policy=shipped("panel").policy)


def asked(reviewer: Scripted) -> list[str]:
    return [f"{one.revision} {one.role}" for one in reviewer.tasks]


@played
async def test_on_the_first_round_both_models_look_at_spec_and_quality() -> None:
    """004-15: four seats; with nothing found a human still confirms, because nothing goes by itself by default."""
    haiku, sonnet = agent("haiku", family="small"), agent("sonnet", family="large")
    outcome = await reviewed(panel(haiku, sonnet), change(CLEAN, kind="task"))
    assert sorted(asked(haiku)) == sorted(asked(sonnet)) == ["1 quality", "1 spec"]
    assert outcome.result is Result.PENDING
    assert outcome.state == "open"


@played
async def test_the_four_looks_of_a_first_round_begin_together() -> None:
    """004-15."""
    waiting: list[str] = []
    all_here = asyncio.Event()

    class Meets(Scripted):
        async def look(self, task: Task, say: Say) -> Look:
            waiting.append(f"{self.who.name} {task.role}")
            if len(waiting) == 4:
                all_here.set()
            await asyncio.wait_for(all_here.wait(), 20)
            return await super().look(task, say)

    both = [Meets(who=agent(name, family=name).who, does=nothing, sends="somebody") for name in ("haiku", "sonnet")]
    await reviewed(panel(*both), change(CLEAN, kind="task"))
    assert sorted(waiting) == ["haiku quality", "haiku spec", "sonnet quality", "sonnet spec"]


@played
async def test_when_the_spec_fails_the_work_goes_back_for_it() -> None:
    """004-16: what was found about the quality is not what holds it up."""

    def strict(task: Task) -> Look:
        bad = "bad" in (task.change.files[0].text or "")
        return Look(findings=(issue("not what was asked", "critical"),) if bad and task.role == "spec" else ())

    desk = panel(agent("haiku", strict, family="small"), agent("sonnet", strict, family="large"))
    outcome = await reviewed(desk, change(BAD, kind="task"))
    assert outcome.result is Result.BLOCKED
    assert {one.text for one in outcome.blocking} == {"not what was asked"}
    assert outcome.pending


@played
async def test_a_veto_of_the_security_critic_stops_the_chain() -> None:
    """002-01, 002-02: later layers are not asked, and only a human lifts it."""
    last = agent("daneel")
    desk = Desk(
        reviewers={
            "seldon": (program("format"),),
            "hardin": (program("security", finds(issue("a key", "critical"))),),
            "daneel": (last,),
        },
        policy=shipped("chains").policy,
    )
    outcome = await reviewed(desk, change(BAD, kind="infrastructure"), style="infrastructure")
    assert outcome.result is Result.BLOCKED
    assert last.tasks == []


@pytest.mark.parametrize("findings", [(), (issue("cannot be read", "minor"),)])
@played
async def test_a_layer_that_could_not_judge_has_not_approved(findings: tuple[Draft, ...]) -> None:
    """D-03, 002-01: not by silence either, and the next layer is not asked."""
    last = agent("daneel")
    unclear = Look(unclear=True, summary="it could not be parsed", findings=findings)
    desk = Desk(
        reviewers={
            "seldon": (program("format"),),
            "hardin": (program("security", lambda _: unclear),),
            "daneel": (last,),
        },
        policy=shipped("chains").policy,
    )
    outcome = await reviewed(desk, change(CLEAN, kind="infrastructure"), style="infrastructure")
    assert outcome.state != "cleared"
    assert outcome.result is not Result.NOTHING_BLOCKS
    assert last.tasks == []
