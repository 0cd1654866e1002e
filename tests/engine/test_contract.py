"""The contract of every engine, in one process or in many; each test gets one by `engines`."""

from __future__ import annotations

import pytest

from foureyes.core.values import Outcome
from foureyes.engine.steps import LEASE
from tests.app.house import played
from tests.engine.engines import Make, ended, opened, until
from tests.engine.hall import Scripted, fails


def test_a_run_that_is_handed_over_comes_to_one_report(engines: Make) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex", holds=True)
        play, run = await opened(one)
        engine = await engines(play)
        assert await engine.hand_over(run)
        assert await engine.under_way() == (run,)
        await until(lambda: bool(one.tasks))
        one.go.set()
        await ended(engine)
        review = await play.home.review(f"review/{run.review}")
        assert review.outcome is Outcome.CLEARED
        assert len(review.reports) == 1
        await engine.close()

    story()


def test_a_seat_has_one_run_at_a_time(engines: Make) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex", holds=True)
        play, run = await opened(one)
        engine = await engines(play)
        assert await engine.hand_over(run)
        assert not await engine.hand_over(run)
        await until(lambda: bool(one.tasks))
        one.go.set()
        await ended(engine)
        assert len(one.tasks) == 1
        assert (await play.log(f"review/{run.review}")).count("ReportSubmitted") == 1
        await engine.close()

    story()


def test_a_run_that_is_cancelled_ends_and_says_nothing(engines: Make) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex", holds=True)
        play, run = await opened(one)
        engine = await engines(play)
        await engine.hand_over(run)
        await until(lambda: bool(one.tasks))
        await engine.cancel(run.id)
        assert one.ended == ["CancelledError"]
        assert await engine.under_way() == ()
        log = await play.log(f"review/{run.review}")
        assert "ReportFailed" not in log
        assert "ReportSubmitted" not in log
        await engine.cancel(run.id)
        await engine.cancel("nobody:knows:1:1")
        await engine.close()

    story()


@pytest.mark.parametrize("end", ["cancel", "close"])
def test_a_run_that_is_ended_before_it_begins_leaves_its_seat_to_the_next(engines: Make, end: str) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex")
        play, run = await opened(one)
        engine = await engines(play)
        await engine.hand_over(run)
        await (engine.cancel(run.id) if end == "cancel" else engine.close())
        assert await engine.under_way() == ()
        after = engine if end == "cancel" else await engines(play)
        assert await after.hand_over(run)
        await ended(after)
        assert len((await play.home.review(f"review/{run.review}")).reports) == 1
        await after.close()

    story()


def test_signs_of_life_are_given_while_it_looks_and_a_lost_seat_ends_it(engines: Make) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex", holds=True)
        play, run = await opened(one)
        stream = f"review/{run.review}"
        engine = await engines(play)
        await engine.hand_over(run)
        await until(lambda: bool(one.tasks))
        for _ in range(3):
            play.home.wait(seconds=0.6 * LEASE.total_seconds())
            await engine.heartbeat()
            seat = (await play.home.review(stream)).seats[run.seat]
            assert seat.lease == play.now() + LEASE
            assert seat.draft == "codex reads", "a successor sees how far it came"
        renewed = (await play.log(stream)).count("SeatRenewed")
        await engine.heartbeat()
        assert (await play.log(stream)).count("SeatRenewed") == renewed, "not more often than it must"
        play.home.wait(hours=-49)
        await engine.heartbeat()
        assert (await play.home.review(stream)).seats[run.seat].lease == play.now() + LEASE, "by the clock as it is"
        play.home.wait(minutes=10)
        await engine.heartbeat()
        assert one.ended == ["CancelledError"]
        await engine.close()

    story()


def test_who_has_no_answer_is_told_to_the_gate_and_clears_nothing(engines: Make) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex", says=fails())
        play, run = await opened(one)
        engine = await engines(play)
        await engine.hand_over(run)
        await ended(engine)
        review = await play.home.review(f"review/{run.review}")
        assert review.outcome is None
        assert review.failures == {(run.seat, 1): 1}
        await engine.close()

    story()


def test_what_is_closed_leaves_its_seats_to_the_next(engines: Make) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex", holds=True)
        play, run = await opened(one)
        engine = await engines(play)
        await engine.hand_over(run)
        await until(lambda: bool(one.tasks))
        await engine.close()
        assert one.ended == ["CancelledError"]
        assert await play.steps.is_wanted(run)
        one.go.set()
        after = await engines(play)
        assert await play.steps.claim(run)
        assert await after.hand_over(run)
        await ended(after)
        assert len((await play.home.review(f"review/{run.review}")).reports) == 1
        await after.close()

    story()
