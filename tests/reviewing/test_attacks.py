"""Attacks on a round found by an audit, each of which fails."""

import asyncio
from dataclasses import replace

import pytest

from foureyes.app.contexts import context_of
from foureyes.app.former_contexts import former_hashes
from foureyes.app.reviewers import UNJUDGED, File, Inconclusive, Look, Say, Task, Unread
from foureyes.app.reviewing.outcome import LookedState, Options
from foureyes.core.commands import Answer, Draft
from foureyes.core.refusals import Code, Refusal
from foureyes.core.situation import Result
from foureyes.core.values import Cost, Failure, Place
from foureyes.policy.load import shipped
from tests.app.house import played
from tests.reviewing.desk import (
    Desk,
    Scripted,
    Watching,
    agent,
    change,
    finds,
    issue,
    marks,
    nothing,
    program,
    reviewed,
    rounds,
    solo,
)

CLEAN, BAD = "x = 1\n", "x = bad\n"


class Held(Scripted):
    """Looks for as long as a test wants."""

    def __init__(self, name: str) -> None:
        super().__init__(who=agent(name).who, does=nothing, sends="somebody")
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def look(self, task: Task, say: Say) -> Look:
        self.begun.set()
        await self.go_on.wait()
        return await super().look(task, say)


@played
async def test_a_yes_counts_for_no_bytes_but_those_that_were_shown() -> None:
    """D-02: another run hands in a newer version while somebody is still looking at the old one."""
    slow = Held("codex")
    desk = solo(slow, security=marks("bad"))
    watch = Watching()
    first = asyncio.create_task(rounds(desk).run(change(BAD), options=Options(), watch=watch))
    await asyncio.gather(slow.begun.wait(), watch.until_ended("security"))
    newer = await reviewed(replace(desk, reviewers={**desk.reviewers, "agent": ()}), change("y = 2\n"))
    assert newer.revision == 2
    slow.go_on.set()
    late = await first
    assert late.state == "open"
    assert late.result is Result.INCONCLUSIVE
    assert next(one.state for one in late.looked if one.reviewer == "codex") is LookedState.INCONCLUSIVE
    assert (await rounds(desk).stands(newer.review)).state == "open"


@played
async def test_programs_alone_clear_in_no_style() -> None:
    """D-23: they look beside the seats that are open to anyone, and make no quorum."""
    desk = Desk(reviewers={"format": (program("format"),), "security": (program("security"),)})
    desk.policy = shipped("resolve").policy
    outcome = await reviewed(desk, change(CLEAN, kind="story"))
    assert outcome.state == "open"
    assert {one.reviewer for one in outcome.looked} == {"format", "security"}


@played
async def test_starting_over_with_the_same_bytes_leaves_nothing_behind() -> None:
    """D-10: what stands against them stands."""
    codex = agent("codex", finds(issue("a backdoor", "critical")))
    desk = solo(codex)
    first = await reviewed(desk, change(BAD))
    codex.does = nothing
    again = await reviewed(desk, change(BAD), anew=True)
    assert (again.review, again.result) == (first.review, Result.INCONCLUSIVE)
    assert "solo.6-F1" in again.held_up
    assert again.state == "open"


@played
async def test_what_was_cleared_is_not_all_of_it_once_a_part_cannot_be_read() -> None:
    """D-15."""
    desk = solo(agent("codex"))
    assert (await reviewed(desk, change(CLEAN))).result is Result.CLEARED
    more = await reviewed(desk, change(CLEAN, unread=(Unread(path="evil", why="its name"),)))
    assert more.result is Result.INCONCLUSIVE


@pytest.mark.parametrize("other", ["base", "policy"])
@played
async def test_the_same_bytes_elsewhere_are_other_work(other: str) -> None:
    """D-07: against another base, or under another policy, they are looked at anew."""
    codex = agent("codex")
    desk = solo(codex)
    await reviewed(desk, change(CLEAN))
    if other == "policy":
        desk.policy = shipped("team").policy
    second = await reviewed(desk, change(CLEAN, base="b" * 40 if other == "base" else ""))
    assert second.revision == 1
    assert len(codex.tasks) == 2 or second.state == "open"


@played
async def test_the_last_review_is_that_of_this_place() -> None:
    """D-10: a finding of another repository is never meant."""
    desk = solo(security=marks("bad"))
    await reviewed(desk, change(BAD))

    class Elsewhere(Desk):
        def here(self) -> str:
            return "another shop"

    other = Elsewhere(reviewers=desk.reviewers, policy=desk.policy, kept=desk.kept)
    with pytest.raises(Refusal) as caught:
        await rounds(other).stands()
    assert caught.value.code is Code.REVIEW_MISSING
    assert (await rounds(desk).stands()).blocking


def test_a_dismissal_reaches_no_further_than_what_it_was_about() -> None:
    """D-10: bytes without lines stand for themselves, and another repository is another place."""
    place = Place(path="a", start=1, end=1)
    one, two = File(path="a", content=b"\xe9 one"), File(path="a", content=b"\xe9 two")
    assert context_of(one, place) != context_of(two, place)
    text = File(path="a", content=b"x\n")
    whole = replace(place, start=0, end=0)
    assert context_of(text, whole) != context_of(File(path="a", content=b"y\n"), whole)
    assert former_hashes(text, place, "here")[0] != former_hashes(text, place, "there")[0], (
        "as earlier releases kept it"
    )


@played
async def test_a_rebuttal_without_new_bytes_reaches_the_reviewer() -> None:
    """D-10: the author is told that it was heard, and that one names no finding."""

    def look(task: Task) -> Look:
        if task.earlier:
            return Look(verdict="approve", summary="it holds")
        return Look(findings=(issue("a gap"),))

    codex = agent("codex", look)
    desk = solo(codex)
    first = await reviewed(desk, change(BAD))
    rebuttal = Answer(finding=first.blocking[0].id, text="it is escaped above", rebuttal=True)
    wrong = Answer(finding="solo.9-F9", text="what?")
    again = await reviewed(desk, change(BAD), answers=(rebuttal, wrong))
    assert [one.earlier[0].answer for one in codex.tasks[1:]] == ["it is escaped above"]
    assert again.notes == (
        "There is no finding solo.9-F9: that answer was not taken.",
        (
            f"Your rebuttal of {rebuttal.finding} is on record: agents and models weigh it, programs do not. "
            "Drop a false alarm of a program: foureyes dismiss."
        ),
    )


@played
async def test_one_unread_file_does_not_silence_the_programs() -> None:
    """D-15: it blocks only reviewers who vouch for all of it."""
    desk = solo(agent("codex"))
    outcome = await reviewed(desk, change(CLEAN, unread=(Unread(path="big.bin", why="too large"),)))
    states = {one.reviewer: one.state.value for one in outcome.looked}
    assert states["security"] == "found nothing"
    assert states["codex"] == "inconclusive"
    assert outcome.state == "open"


@played
async def test_all_together_keep_to_the_budget() -> None:
    """D-09: nobody is given what another may spend."""

    def spends(task: Task) -> Look:
        return Look(verdict="approve", summary="read it", cost=Cost(usd_micro=task.bounds.usd_micro))

    many = [agent(f"agent{number}", spends, family=f"f{number}") for number in range(4)]
    outcome = await reviewed(solo(*many), change(CLEAN))
    assert outcome.usd_micro is not None
    assert outcome.usd_micro <= 1_000_000


@played
async def test_who_has_no_answer_is_asked_once() -> None:
    """D-03, D-09: a hang costs its time once."""

    def fails(_: Task) -> Look:
        raise Inconclusive(Failure.CRASHED, "gone")

    codex = agent("codex", fails)
    await reviewed(solo(codex), change(CLEAN))
    assert len(codex.tasks) == 1


@played
async def test_a_layer_that_could_not_judge_has_not_approved() -> None:
    """D-03: unknown is not clear, in a chain either."""
    unclear = Look(unclear=True, summary="it is only known when it runs", findings=())
    desk = Desk(
        reviewers={"seldon": (program("format"),), "hardin": (program("security", lambda _: unclear),)},
        policy=shipped("chains").policy,
    )
    outcome = await reviewed(desk, change(BAD, kind="security_change"))
    assert outcome.state == "open"
    assert outcome.result is Result.BLOCKED


@played
async def test_an_unclear_command_stays_unclear_when_it_is_asked_again() -> None:
    """D-03."""
    found = Draft(severity="minor", text=f"{UNJUDGED}only known when it runs", place=Place(path="a.py", start=1, end=1))
    desk = solo(security=lambda _: Look(unclear=True, findings=(found,)))
    for _ in range(2):
        assert (await reviewed(desk, change(CLEAN, kind="command"))).result is Result.INCONCLUSIVE


@played
async def test_a_line_without_end_is_no_way_past_the_lines_beside_it() -> None:
    """D-15: it is left out and said, the others are read under their own numbers, and nothing reads as fine."""
    codex = agent("codex")
    text = "a" * 1_000_001 + "\nx = bad\n"
    desk = solo(codex, security=marks("bad"))
    outcome = await reviewed(desk, change(text))
    assert [(one.path, one.line) for one in outcome.blocking] == [("a.py", 2)]
    assert [one.why for one in outcome.unread] == ["line 1 has 1,000,001 bytes: too long to read"]
    fine = await reviewed(solo(agent("codex")), change(text))
    assert (fine.state, fine.result) == ("open", Result.INCONCLUSIVE)
