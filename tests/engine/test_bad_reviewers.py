"""Dead, slow, flooding and lying reviewers delay only their own seat, and never let anything pass."""

from __future__ import annotations

from dataclasses import replace

from foureyes.app.asks import Ask
from foureyes.app.ports import Unavailable
from foureyes.app.reviewers import Look, Say, Task
from foureyes.core.commands import Draft, SubmitReport
from foureyes.core.values import Outcome
from foureyes.engine.local import OFFERS_MAX, SAID_CHARS_MAX, SAID_LINES_MAX
from foureyes.policy.policy import EachRun, sealed_policy
from tests.app.house import played, policy
from tests.cast import DEV, rules_with
from tests.engine.hall import READ, Hall, Scripted, hall, style


async def failure_of(play: Hall, stream: str) -> str:
    """Why the first reviewer had no answer."""
    events = await play.home.store.read(lambda reading: list(reading.events(stream)))
    return next((one.body for one in events if one.type == "ReportFailed"), "")


@played
async def test_a_reviewer_that_dies_of_a_surprise_has_no_answer() -> None:
    """D-03."""

    def dies(task: Task) -> Look:
        raise ZeroDivisionError(str(task.revision))

    play = await hall({"agent": (Scripted("codex", says=dies),)})
    stream = await play.open()
    await play.quiet()
    assert '"crashed"' in await failure_of(play, stream)
    assert "ZeroDivisionError" in await failure_of(play, stream)
    assert (await play.home.review(stream)).outcome is None


@played
async def test_a_slow_reviewer_is_ended_when_its_time_is_over() -> None:
    """D-03: timed out; nobody else waits for it."""
    slow = Scripted("codex", holds=True)
    quick = sealed_policy(replace(policy(rules_with(style("agent"))), each_run=EachRun(seconds=1)))
    play = Hall({"agent": (slow,)}, policy=quick)
    await play.enrol(DEV)
    stream = await play.open()
    await play.dispatcher.once()
    while await play.engine.under_way():
        await play.turn(0.01)
    assert '"timed_out"' in await failure_of(play, stream)
    assert slow.ended == ["CancelledError"]


@played
async def test_a_flood_is_cut_to_what_a_report_may_hold() -> None:
    found = tuple(Draft(severity="minor", text=f"thing {number}", evidence="it is there") for number in range(10_000))
    many = Look(verdict="approve", summary="x" * 1_000_000, findings=found, evidence=READ)

    class Loud(Scripted):
        async def look(self, task: Task, say: Say) -> Look:
            for number in range(10_000):
                say(f"{number} " + "z" * 10_000)
            return await super().look(task, say)

    one = Loud("codex", says=lambda _: many, holds=True)
    play = await hall({"agent": (one,)})
    stream = await play.open()
    await play.dispatcher.once()
    await play.until(lambda: bool(one.tasks))
    play.home.wait(minutes=1, seconds=30)
    await play.engine.heartbeat()
    seat = (await play.home.review(stream)).seats["eyes.1"]
    assert 0 < len(seat.draft) <= SAID_CHARS_MAX < SAID_LINES_MAX * 10_000
    one.go.set()
    await play.quiet()
    review = await play.home.review(stream)
    assert len(review.findings) == 150
    (report,) = review.reports.values()
    assert len(report.summary) == 4_000


@played
async def test_an_answer_that_the_gate_cannot_take_is_no_answer() -> None:
    """D-03: malformed, not approved."""
    huge = Draft(severity="critical", text="y" * 100_000, evidence="it is there")
    play = await hall({"agent": (Scripted("codex", says=lambda _: Look(findings=(huge,), evidence=READ)),)})
    stream = await play.open()
    await play.quiet()
    assert '"malformed"' in await failure_of(play, stream)
    assert (await play.home.review(stream)).outcome is None


@played
async def test_a_reviewer_that_says_yes_beside_its_own_grave_finding_does_not_say_yes() -> None:
    lie = Look(
        verdict="approve",
        summary="all good",
        findings=(Draft(severity="critical", text="it deletes everything", evidence="line 1"),),
        evidence=READ,
        confidence=100,
    )
    play = await hall({"agent": (Scripted("codex", says=lambda _: lie),)})
    stream = await play.open()
    await play.quiet()
    review = await play.home.review(stream)
    (report,) = review.reports.values()
    assert report.verdict == "concerns"
    assert review.outcome is None


@played
async def test_an_answer_waits_for_a_store_that_is_away_and_is_handed_in_once() -> None:
    one = Scripted("codex")
    play = await hall({"agent": (one,)})
    stream = await play.open()
    away = [3]
    takes = play.hand

    async def hand(ask: Ask) -> object:
        if isinstance(ask.command, SubmitReport) and away[0]:
            away[0] -= 1
            raise Unavailable("The store sleeps.", "Wake it.")
        return await takes(ask)

    object.__setattr__(play.steps, "hand", hand)
    await play.quiet()
    assert (await play.home.review(stream)).outcome is Outcome.CLEARED
    assert (len(one.tasks), play.paused) == (1, [0.5, 1.0, 2.0])
    away[0] = OFFERS_MAX
    other = await play.open({"other.py": b"print(2)\n"})
    await play.quiet()
    assert (await play.home.review(other)).outcome is Outcome.CLEARED, "a lost answer is asked for again"
    assert len(one.tasks) == 3


@played
async def test_an_objection_that_comes_after_the_end_is_reported_and_a_yes_is_not() -> None:
    grave = Draft(severity="critical", text="it deletes everything", evidence="line 1")
    one = Scripted("codex", holds=True, says=lambda _: Look(findings=(grave,), evidence=READ))
    play = await hall({"agent": (one,)})
    stream = await play.open()
    await play.dispatcher.once()
    await play.until(lambda: bool(one.tasks))
    await play.overridden(stream, "eyes")
    one.go.set()
    await play.until(lambda: one.ended == ["said"])
    while await play.engine.under_way():
        await play.turn()
    review = await play.home.review(stream)
    assert review.outcome is Outcome.CLEARED
    assert "EscapeReported" in await play.log(stream)
