"""The other styles on one machine: a panel of two models, and a chain whose critic has a veto."""

from foureyes.app.reviewers import Look, Task
from foureyes.app.reviewing.outcome import Result
from foureyes.policy.load import shipped
from tests.app.house import played
from tests.reviewing.desk import Desk, Scripted, agent, change, finds, issue, program, reviewed

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
async def test_when_the_spec_fails_the_quality_is_not_looked_at_again_until_it_passes() -> None:
    """004-16, 004-17: later rounds ask for the spec first."""

    def strict(task: Task) -> Look:
        bad = "bad" in (task.change.files[0].text or "")
        return Look(findings=(issue("not what was asked", "critical"),) if bad and task.role == "spec" else ())

    desk = panel(agent("haiku", strict, family="small"), agent("sonnet", strict, family="large"))
    desk.policy = shipped("panel").policy
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
