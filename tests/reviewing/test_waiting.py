"""A quick approval does not end the review while another reviewer is still running."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import pytest

from foureyes.app.ports import Reading
from foureyes.app.reviewers import Look, Say, Task
from foureyes.app.reviewing.outcome import LookedKind, LookedState
from foureyes.app.rows import Stored
from foureyes.core.commands import Answer, Settlement
from foureyes.core.situation import Result
from tests.app.house import played
from tests.reviewing.desk import Desk, Scripted, agent, change, finds, issue, nothing, reviewed, solo

PLAYS = 12


@dataclass
class Slow(Scripted):
    """Answers when the others have been given every chance to be first."""

    async def look(self, task: Task, say: Say) -> Look:
        for _ in range(200):
            await asyncio.sleep(0)
        return await super().look(task, say)


@dataclass
class Overtaken(Scripted):
    """A reviewer during whose look another run finishes."""

    beside: Desk = field(default_factory=solo)

    async def look(self, task: Task, say: Say) -> Look:
        await reviewed(self.beside, change("x = 1\n"))
        return await super().look(task, say)


def logged(stream: str, reading: Reading) -> tuple[Stored, ...]:
    return tuple(reading.events(stream))


def slow(name: str, does: Callable[[Task], Look]) -> Slow:
    quick = agent(name, does, family=name)
    return Slow(who=quick.who, does=does, sends=quick.sends)


@played
async def test_a_late_objection_counts_though_the_first_answer_was_a_yes() -> None:
    """D-03, D-23: the holder of the seat approves at once; the volunteer finds something critical later."""
    for _ in range(PLAYS):  # who holds the seat and who is the volunteer is drawn
        late = slow("gemini", finds(issue("a leak", "critical")))
        outcome = await reviewed(solo(agent("codex"), late), change("x = 1\n"))
        assert (outcome.result, outcome.state) == (Result.BLOCKED, "open")
        assert [one.text for one in outcome.blocking] == ["a leak"]
        states = {one.reviewer: one.state for one in outcome.looked}
        assert (states["codex"], states["gemini"]) == (LookedState.FOUND_NOTHING, LookedState.REJECTS)


@played
async def test_two_who_find_nothing_clear_it_together() -> None:
    """Both are on record: neither yes comes after the end."""
    for _ in range(PLAYS):
        outcome = await reviewed(solo(agent("codex"), slow("gemini", nothing)), change("x = 1\n"))
        assert outcome.result is Result.CLEARED
        minds = {one.reviewer: (one.state, one.reason) for one in outcome.looked if one.kind is not LookedKind.PROGRAM}
        assert set(minds.values()) == {(LookedState.FOUND_NOTHING, "")}
        assert minds.keys() == {"codex", "gemini"}


@played
async def test_who_stops_us_clears_nothing_by_a_yes_that_waited() -> None:
    """Ctrl-C, while one has said yes and another is still looking."""
    begun = asyncio.Event()

    class Endless(Scripted):
        async def look(self, task: Task, say: Say) -> Look:
            begun.set()
            await asyncio.Event().wait()
            return await super().look(task, say)

    for _ in range(PLAYS):
        late = agent("gemini", family="gemini")
        desk = solo(agent("codex"), Endless(who=late.who, does=late.does, sends=late.sends))
        running = asyncio.create_task(reviewed(desk, change("x = 1\n")))
        await begun.wait()
        for _ in range(300):
            await asyncio.sleep(0)
        running.cancel()
        outcome = await running
        assert (outcome.interrupted, outcome.state) == (True, "open")
        begun.clear()


@pytest.mark.parametrize("first", [True, False])
def test_a_yes_that_waits_for_one_who_fails_is_handed_in(first: bool) -> None:
    @played
    async def story() -> None:
        def fails(task: Task) -> Look:
            raise ValueError(task.revision)

        late = slow("gemini", fails if first else nothing)
        quick = agent("codex", nothing if first else fails)
        outcome = await reviewed(solo(quick, late), change("x = 1\n"))
        assert outcome.result is Result.CLEARED

    story()


@played
async def test_what_somebody_finds_after_another_run_has_cleared_it_is_told_and_recorded() -> None:
    """D-03: a second run without the slow one ends the review under its eyes."""
    told = 0
    for _ in range(PLAYS):
        desk = solo(agent("codex"))
        late = agent("gemini", finds(issue("a leak", "critical")), family="gemini")
        both = solo(agent("codex"), Overtaken(who=late.who, does=late.does, sends=late.sends, beside=desk))
        both.kept = desk.kept
        outcome = await reviewed(both, change("x = 1\n"))
        assert outcome.result not in (Result.CLEARED, Result.NOTHING_BLOCKS)
        if outcome.state == "cleared":
            told += 1
            assert "a leak" in outcome.late
            assert "gemini" in (await reviewed(desk, change("x = 1\n"))).late
            stream = f"review/{outcome.review}"
            log = await desk.kept.read(partial(logged, stream))
            assert [one.actor for one in log if one.type == "EscapeReported"] == ["gemini"]
    assert told


@played
async def test_who_found_something_as_a_volunteer_closes_it_from_the_same_seat() -> None:
    """The one who was asked crashed; in the next round the other is not set on the empty seat."""

    def crashes(task: Task) -> Look:
        raise ValueError(task.revision)

    def second(task: Task) -> Look:
        if task.revision == 1:
            return Look(verdict="reject", summary="found it", findings=(issue("a gap"),))
        settled = tuple(Settlement(finding=one.finding, resolved=True) for one in task.earlier)
        return Look(verdict="approve", summary="gone", settled=settled)

    for _ in range(PLAYS):
        desk = solo(agent("codex", crashes), agent("gemini", second, family="gemini"))
        first = await reviewed(desk, change("x = 1\n"))
        assert first.result is Result.BLOCKED
        again = await reviewed(desk, change("x = 2\n"), answers=(Answer(finding=first.blocking[0].id, text="done"),))
        assert (again.result, again.found) == (Result.CLEARED, ())
