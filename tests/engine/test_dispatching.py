"""Every request to a hosted reviewer in the inbox starts a run, which ends when nobody waits for it any more."""

from __future__ import annotations

from datetime import timedelta

import pytest

from foureyes.app.policies import POLICY_STREAM
from foureyes.app.ports import Damaged, Reading
from foureyes.app.reviewers import Look, Task
from foureyes.core import commands as c
from foureyes.core import protocols
from foureyes.core.commands import Draft
from foureyes.core.model import Review
from foureyes.core.policies import ActivatePolicy
from foureyes.core.rules import Budget
from foureyes.core.values import Cost, Failure, Outcome
from foureyes.engine import dispatching
from foureyes.engine.dispatching import AGAIN_AFTER, AGAIN_FACTOR
from foureyes.engine.port import Run
from foureyes.engine.steps import LEASE
from foureyes.policy.policy import policy_text
from tests.app.house import FIRST, SECOND, played, policy
from tests.calls.counter import SUE
from tests.cast import CODEX, DEV, START, rules_with
from tests.engine.hall import READ, Hall, Scripted, fails, hall, program, style

GRAVE = Draft(severity="critical", text="it deletes everything", evidence="line 1 says so")


def rejects(task: Task) -> Look:
    del task
    return Look(verdict="reject", summary="no", findings=(GRAVE,), evidence=READ)


@played
async def test_a_program_looks_at_work_that_came_in_once_per_version() -> None:
    """D-17."""
    one = program("security")
    solo = protocols.solo(programs=("security",), agents=("agent",))
    play = await hall({"security": (one,)}, solo)
    stream = await play.open()
    await play.quiet()
    await play.quiet()
    (task,) = one.tasks
    (file,) = task.change.files
    assert (file.path, file.content, file.changed) == ("hello.py", FIRST["hello.py"], ((1, 2),))
    await play.home.revise(stream, SECOND)
    await play.quiet()
    assert [one.change.files[0].content for one in one.tasks] == [FIRST["hello.py"], SECOND["hello.py"]]
    assert (await play.log(stream)).count("ReportSubmitted") == 2


@played
async def test_an_agent_sits_down_looks_and_clears() -> None:
    one = Scripted("codex", holds=True)
    play = await hall({"agent": (one,)})
    stream = await play.open()
    await play.dispatcher.once()
    await play.until(lambda: bool(one.tasks))
    review = await play.home.review(stream)
    assert review.seats["eyes.1"].lease == play.now() + LEASE, "others see who looks"
    one.go.set()
    await play.quiet()
    assert (await play.home.review(stream)).outcome is Outcome.CLEARED
    assert (await play.log(stream)).count("ReportSubmitted") == 1


@played
async def test_however_many_looked_before_the_next_one_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered of runs has a limit; it must never be one of how many a process begins."""
    monkeypatch.setattr(dispatching, "KNOWN_MAX", 2)
    one = Scripted("codex")
    play = await hall({"agent": (one,)})
    for number in range(5):
        stream = await play.open({"hello.py": f"print({number})\n".encode()})
        await play.quiet()
        assert (await play.home.review(stream)).outcome is Outcome.CLEARED
    assert len(one.tasks) == 5


@played
async def test_a_clock_that_is_set_back_keeps_nobody_waiting() -> None:
    """A pause after a failure is as long as it was, by whichever clock."""
    first = Scripted("codex", says=fails())
    play = await hall({"agent": (first,)})
    await play.open()
    await play.quiet()
    assert len(first.tasks) == 1
    play.home.wait(hours=-49)
    await play.quiet()
    assert len(first.tasks) == 2


@played
async def test_who_was_refused_a_seat_is_tried_again_though_the_clock_was_set_back() -> None:
    one = Scripted("codex")
    play = await hall({"agent": (one,)})
    stream = await play.open()
    seat = "eyes.1"
    play.dispatcher._refused[stream.removeprefix("review/"), seat, "codex"] = play.now() + dispatching.REFUSED_FOR
    await play.quiet()
    assert one.tasks == []
    play.home.wait(hours=-49)
    await play.quiet()
    assert len(one.tasks) == 1


@played
async def test_what_a_terminal_opened_is_left_to_its_own_round() -> None:
    """There it is known which lines are old; here it would be judged whole."""
    one = Scripted("codex")
    play = await hall({"agent": (one,)})
    await play.open(actor=CODEX)
    await play.quiet()
    assert one.tasks == []


@played
async def test_who_fails_is_asked_twice_more_after_longer_and_longer_pauses_and_then_the_next() -> None:
    """D-03: no answer is neither yes nor no, and the author's attempts are not counted."""
    first, second = Scripted("codex", says=fails()), Scripted("gemini", family="gemini")
    play = await hall({"agent": (first,), "backup": (second,)}, style("agent", "backup"))
    stream = await play.open()
    for number in range(3):
        await play.quiet()
        assert len(first.tasks) == number + 1
        play.home.wait(seconds=0.9 * (AGAIN_AFTER * AGAIN_FACTOR**number).total_seconds())
        await play.quiet()
        assert len(first.tasks) == min(number + 1, 3), "it rests a while"
        play.home.wait(seconds=0.2 * (AGAIN_AFTER * AGAIN_FACTOR**number).total_seconds())
    await play.quiet()
    assert len(first.tasks) == 3
    assert len(second.tasks) == 1
    review = await play.home.review(stream)
    assert (review.outcome, review.resubmissions) == (Outcome.CLEARED, 0)
    assert (await play.log(stream)).count("ReportFailed") == 3


@played
async def test_where_everybody_fails_a_human_is_asked_and_nothing_is_cleared() -> None:
    """D-03, I9."""
    one, other = Scripted("codex", says=fails(Failure.MALFORMED)), Scripted("gemini", says=fails(), family="gemini")
    play = await hall({"agent": (one,), "backup": (other,)}, style("agent", "backup"))
    stream = await play.open()
    for _ in range(10):
        await play.quiet()
        play.home.wait(minutes=1)
    review = await play.home.review(stream)
    assert (len(one.tasks), len(other.tasks)) == (3, 3)
    assert review.outcome is None
    asked = review.ruling()
    assert asked is not None
    assert asked.text.endswith("; last asked: gemini (crashed): it fell over")


@played
async def test_ten_requests_at_once_all_succeed_and_nobody_has_more_than_three_at_hand() -> None:
    """001-82, 001-25: three at once and five in the queue of each."""
    one, other = Scripted("codex", holds=True), Scripted("gemini", family="gemini", holds=True)
    play = await hall({"agent": (one,), "backup": (other,)}, style("agent", "backup"))
    began = play.now()
    streams = [await play.open({"hello.py": f"print({number})\n".encode()}) for number in range(10)]
    await play.quiet()
    assert (len(one.tasks), len(other.tasks)) == (3, 3)
    counts = await play.home.store.read(lambda reading: reading.counts(["codex", "gemini"]))
    assert sum(one.queued for one in counts.values()) == 4
    one.go.set()
    other.go.set()
    await play.quiet()
    assert {(await play.home.review(stream)).outcome for stream in streams} == {Outcome.CLEARED}
    assert len(one.tasks) + len(other.tasks) == 10
    assert play.now() - began < timedelta(minutes=30)


@pytest.mark.parametrize("how", ["withdrawn", "revised"])
def test_a_run_ends_with_everything_it_started_when_nobody_waits_for_it(how: str) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex", holds=True)
        play = await hall({"agent": (one,)})
        stream = await play.open()
        await play.dispatcher.once()
        await play.until(lambda: bool(one.tasks))
        if how == "withdrawn":
            await play.home.do(DEV, c.WithdrawReview(reason="a mistake"), stream)
        else:
            await play.home.revise(stream, SECOND)
        await play.dispatcher.once()
        assert one.ended == ["CancelledError"]
        assert "ReportFailed" not in await play.log(stream), "it was ended, it did not fail"
        one.go.set()
        await play.quiet()
        assert len(one.tasks) == (1 if how == "withdrawn" else 2)

    story()


@played
async def test_the_next_process_goes_on_where_the_last_one_died_inside_a_look() -> None:
    """001-77: the seat is still held, by a lease that has not ended, and one report comes of it."""
    one = Scripted("codex", holds=True)
    play = await hall({"agent": (one,)})
    stream = await play.open()
    await play.dispatcher.once()
    await play.until(lambda: bool(one.tasks))
    await play.engine.close()  # a process that dies reports nothing to the gate
    again = Scripted("codex")
    after = Hall({"agent": (again,)}, policy=play.policy, house=play.house)
    after.home.wait(seconds=5)
    await after.quiet()
    assert (await after.home.review(stream)).outcome is Outcome.CLEARED
    log = await after.log(stream)
    assert (log.count("ReportSubmitted"), log.count("SeatTaken"), log.count("SeatLeft")) == (1, 1, 0)


@played
async def test_what_was_asked_while_nobody_was_there_is_done_by_whoever_comes() -> None:
    """001-77: killed between the command and the hand-over, and away for longer than a lease."""
    one = Scripted("codex", holds=True)
    play = await hall({"agent": (one,)})
    streams = [await play.open(), await play.open(SECOND)]
    await play.dispatcher.once()
    await play.engine.close()
    streams.append(await play.open({"third.py": b"print(3)\n"}))
    after = Hall({"agent": (Scripted("codex"),)}, policy=play.policy, house=play.house)
    after.home.wait(minutes=10)
    await after.quiet()
    await after.clock.passed()
    assert {(await after.home.review(one)).outcome for one in streams} == {Outcome.CLEARED}


@played
async def test_a_successor_sees_what_was_written_before_it() -> None:
    """001-78: a reviewer whose signs of life end is replaced, and the next one is given the draft."""
    partial = Look(summary="I had read the first half; it is fine", evidence=READ)
    first = Scripted("codex", says=fails(Failure.TIMED_OUT, found=partial))
    second = Scripted("gemini", family="gemini")
    play = await hall({"agent": (first,), "backup": (second,)}, style("agent", "backup"))
    await play.open()
    for _ in range(6):
        await play.quiet()
        play.home.wait(minutes=1)
    assert first.tasks[1].draft == "", "its own words are no draft of somebody else's"
    assert [one.draft for one in second.tasks] == [partial.summary]


@played
async def test_signs_of_life_keep_a_seat_and_without_them_it_goes_to_the_backup() -> None:
    """F12, F17: what the first one says afterwards is kept as findings, and is no vote."""
    first, second = Scripted("codex", holds=True, says=rejects), Scripted("gemini", family="gemini", holds=True)
    play = await hall({"agent": (first,), "backup": (second,)}, style("agent", "backup"))
    stream = await play.open()
    await play.dispatcher.once()
    for _ in range(4):
        play.home.wait(minutes=1)
        await play.dispatcher.once()
        await play.clock.passed()
    review = await play.home.review(stream)
    assert review.seats["eyes.1"].reviewer is not None
    assert review.seats["eyes.1"].reviewer.name == "codex"
    play.home.wait(minutes=3)  # the whole process stood still
    await play.clock.passed()
    review = await play.home.review(stream)
    assert review.seats["eyes.1"].reviewer is not None
    assert review.seats["eyes.1"].reviewer.name == "gemini"
    first.go.set()
    await play.until(lambda: first.ended == ["said"])
    await play.dispatcher.once()
    second.go.set()
    await play.quiet()
    review = await play.home.review(stream)
    (finding,) = review.findings.values()
    assert finding.is_advisory
    assert review.outcome is Outcome.CLEARED
    assert [one.reviewer.name for one in review.reports.values()] == ["gemini"]


@played
async def test_money_is_shared_by_those_who_are_asked_and_none_of_it_left_is_no_approval() -> None:
    """D-09: per review; what a run costs is counted, and the next one hears how much there is left."""
    cost = Cost(usd_micro=70, tokens=7)
    spends = Look(verdict="approve", summary="fine", evidence=READ, cost=cost)
    one = Scripted("codex", sends="far away", says=lambda _: spends, holds=True)
    other = Scripted("gemini", sends="far away", family="gemini", says=fails(Failure.CRASHED, cost=Cost(usd_micro=40)))
    both = style("agent", seats=2, quorum=2)
    play = await hall({"agent": (one, other)}, both, budget=Budget(review_usd_micro=100, day_usd_micro=1_000))
    stream = await play.open()
    await play.quiet()
    assert [task.bounds.usd_micro for task in (*one.tasks, *other.tasks)] == [50, 50], "an equal part each"
    one.go.set()
    for _ in range(3):
        play.home.wait(minutes=1)
        await play.quiet()
    review = await play.home.review(stream)
    assert review.usd_micro == 110
    assert len(other.tasks) == 1, "what is spent is spent"
    assert review.outcome is None
    ruling = review.ruling()
    assert ruling is not None
    assert ruling.reason == "out_of_budget"


@played
async def test_money_that_another_run_was_promised_is_not_promised_twice() -> None:
    """D-09: per day, and across everything that is under way."""
    one, other = Scripted("codex", sends="far", holds=True), Scripted("gemini", sends="far", holds=True)
    play = await hall({"agent": (one, other)}, style("agent"), budget=Budget(review_usd_micro=60, day_usd_micro=100))
    for files in (FIRST, SECOND):
        await play.open(files)
        await play.dispatcher.once()
    await play.until(lambda: len(one.tasks) + len(other.tasks) == 2)
    assert sorted(task.bounds.usd_micro for task in (*one.tasks, *other.tasks)) == [40, 60]
    await play.engine.close()


@played
async def test_what_was_spent_a_moment_ago_is_spent_though_nobody_has_counted_it_yet() -> None:
    """D-09: a worker alone, with no server that keeps the counts; the day has its limit all the same."""
    spends = Look(verdict="approve", summary="fine", evidence=READ, cost=Cost(usd_micro=90, tokens=7))
    one = Scripted("codex", sends="far", says=lambda _: spends)
    play = await hall({"agent": (one,)}, style("agent"), budget=Budget(review_usd_micro=100, day_usd_micro=100))
    for files in (FIRST, SECOND):
        await play.open(files)
        await play.quiet()
    assert [task.bounds.usd_micro for task in one.tasks] == [100, 10]


@played
async def test_a_review_that_was_altered_keeps_nobody_from_the_others() -> None:
    """It stands still alone."""
    one = Scripted("codex")
    play = await hall({"agent": (one,)}, style("agent"))
    streams = [await play.open(files) for files in (FIRST, SECOND)]
    whole = play.gate.whole

    def altered(reading: Reading, review: str) -> Review:
        if streams[0].endswith(review):
            raise Damaged("It was altered.")
        return whole(reading, review)

    object.__setattr__(play.gate, "whole", altered)
    await play.quiet()
    outcomes = [(await play.home.review(stream)).outcome for stream in streams]
    assert outcomes == [None, Outcome.CLEARED]


@played
async def test_no_seat_is_claimed_for_a_run_that_could_not_begin() -> None:
    """Others may take it meanwhile, and it is begun as soon as there is room."""
    one = Scripted("codex")
    play = await hall({"agent": (one,)}, style("agent"))
    stream = await play.open()
    has_room = [False]

    async def room(_: Run) -> bool:
        return has_room[0]

    object.__setattr__(play.engine, "has_room", room)
    for _ in range(5):
        await play.dispatcher.once()
    assert "SeatTaken" not in await play.home.log(stream)
    has_room[0] = True
    await play.quiet()
    assert (await play.home.review(stream)).outcome is Outcome.CLEARED


@played
async def test_who_is_over_a_limit_makes_room_and_is_not_drawn_before_it_ends() -> None:
    until = START + timedelta(hours=5)
    one = Scripted("codex", says=fails(until=until))
    other = Scripted("gemini", family="gemini")
    play = await hall({"agent": (one,), "backup": (other,)}, style("agent", "backup"))
    for files in (FIRST, SECOND):
        stream = await play.open(files)
        await play.quiet()
        play.home.wait(seconds=3)
        await play.quiet()
        assert (await play.home.review(stream)).outcome is Outcome.CLEARED
    assert (len(one.tasks), len(other.tasks)) == (1, 2)
    play.home.wait(hours=6)
    await play.open({"third.py": b"print(3)\n"})
    await play.quiet()
    assert len(one.tasks) == 2


@played
async def test_a_seat_nobody_can_hold_is_a_human_s_matter_at_once() -> None:
    play = await hall({"other": (Scripted("codex"),)}, style("agent"))
    stream = await play.open()
    await play.quiet()
    ruling = (await play.home.review(stream)).ruling()
    assert ruling is not None
    assert ruling.reason == "nobody_can_hold"


@played
async def test_an_open_seat_is_taken_by_agents_and_not_by_programs_and_by_two_of_them_for_two_seats() -> None:
    one, other, prog = Scripted("codex"), Scripted("gemini", family="gemini"), program("security")
    play = await hall({"x": (one, other), "security": (prog,)}, protocols.resolve(), default=("resolve",))
    stream = await play.open()
    await play.quiet()
    assert (len(one.tasks), len(other.tasks), len(prog.tasks)) == (1, 1, 0)
    assert (await play.home.review(stream)).outcome is Outcome.CLEARED


@played
async def test_a_policy_put_into_force_brings_its_own_reviewers() -> None:
    """F14: what is under way is judged by the rules it was opened with."""
    one, other = Scripted("codex", holds=True), Scripted("gemini", family="gemini")
    play = await hall({"agent": (one,)})
    first = await play.open()
    await play.dispatcher.once()
    await play.until(lambda: bool(one.tasks))
    new = policy(rules_with(style("second")))
    play.reviewers = {"agent": (one,), "second": (other,)}
    text = policy_text(new)
    activate = ActivatePolicy(digest=new.digest, name="new")
    await play.home.do(SUE, activate, POLICY_STREAM, blobs={new.digest: text}, signed_in=play.now())
    await play.dispatcher.once()
    second = await play.open(SECOND)
    one.go.set()
    await play.quiet()
    assert {(await play.home.review(stream)).outcome for stream in (first, second)} == {Outcome.CLEARED}
    assert (len(one.tasks), len(other.tasks)) == (1, 1)


@played
async def test_a_jump_of_the_clock_clears_nothing_and_loses_no_deadline() -> None:
    """F9: the clock jumps 49 hours ahead while somebody looks."""
    one = Scripted("codex", holds=True)
    play = await hall({"agent": (one,)})
    stream = await play.open()
    await play.dispatcher.once()
    await play.until(lambda: bool(one.tasks))
    play.home.wait(hours=49)
    await play.clock.passed()
    await play.dispatcher.once()
    one.go.set()
    await play.quiet()
    review = await play.home.review(stream)
    assert review.outcome is None
    assert review.requests, "somebody owes an answer"
    play.home.wait(hours=-49)
    await play.quiet()
    assert (await play.home.review(stream)).outcome is None
