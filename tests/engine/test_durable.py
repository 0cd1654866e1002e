"""Behaviour only of a multi-process engine: other processes die, cancel, or have free capacity."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from dbos import DBOS

from foureyes.core.values import WhoKind
from foureyes.engine import durable
from foureyes.engine.durable import DEATHS_MAX, DurableEngine
from foureyes.engine.port import Run
from foureyes.engine.workers import Workers, offers_of
from tests.app.house import played
from tests.engine.cluster import begin, begun, tables
from tests.engine.engines import ended, opened, until
from tests.engine.hall import Hall, Scripted, program
from tests.postgres.server import Server


@pytest.fixture
def url(postgres: Server) -> Iterator[str]:
    with tables(postgres) as url:
        yield url
        DBOS.destroy(destroy_registry=True)


@dataclass
class Floor:
    """A worker here, called `here`; others are rows and nothing more."""

    play: Hall
    run: Run
    engine: DurableEngine
    workers: Workers

    async def another(self, name: str) -> Workers:
        """Another process that announces the same reviewers."""
        other = Workers(self.play.home.store, self.play.now, name)
        await sign(self.play, other)
        await self.workers.look()
        return other


async def sign(play: Hall, workers: Workers) -> None:
    pool = await play.hosted.follow(play.home.store)
    await workers.sign(offers_of(pool, await play.home.store.read(pool.pool), {}))


@asynccontextmanager
async def floor(url: str, one: Scripted) -> AsyncIterator[Floor]:
    play, run = await opened(one)
    workers = Workers(play.home.store, play.now, "here")
    await sign(play, workers)
    await workers.look()
    engine = DurableEngine(url, workers, own=play.steps, all_=play.steps)
    await engine.start()
    try:
        yield Floor(play, run, engine, workers)
    finally:
        await engine.close()


def test_what_a_dead_worker_had_is_done_by_another_once(url: str) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex")
        async with floor(url, one) as here:
            dead = await here.another("a")
            assert await here.engine.hand_over(here.run), "`a` comes before `here`, and has as little to do"
            begin(url, here.run, "a")
            await here.engine.take_up()
            assert not one.tasks, "it is not dead yet"
            await dead.leave()
            await here.workers.look()
            await here.engine.take_up()
            await ended(here.engine)
            log = await here.play.log(f"review/{here.run.review}")
            assert (len(one.tasks), log.count("ReportSubmitted")) == (1, 1)
            await here.engine.take_up()
            assert await DBOS.list_workflows_async() == [], "nothing is left of what was said"

    story()


def test_whoever_has_the_least_to_do_gets_the_next(url: str) -> None:
    @played
    async def story() -> None:
        async with floor(url, Scripted("codex", holds=True)) as here:
            await here.another("z")
            for number in range(4):
                run = Run(review=here.run.review, seat=f"s{number}", revision=1, reviewer="codex")
                assert await here.engine.hand_over(run)
            load = Counter(one.worker for one in await here.engine._flows())
            assert load == {"here": 2, "z": 2}

    story()


def test_two_that_dispatch_at_once_begin_a_run_once_and_lose_none_of_its_calls(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex", holds=True)
        async with floor(url, one) as here:
            assert await here.engine.hand_over(here.run)
            await until(lambda: len(one.tasks) == 1)

            async def nothing() -> list[object]:
                return []

            # The other has looked before this one was there.
            monkeypatch.setattr(here.engine, "_flows", nothing)
            monkeypatch.setattr(here.engine._local, "under_way", nothing)
            assert not await here.engine.hand_over(here.run)
            monkeypatch.undo()
            one.go.set()
            await ended(here.engine)
            log = await here.play.log(f"review/{here.run.review}")
            assert (len(one.tasks), log.count("ReportSubmitted")) == (1, 1)

    story()


def test_what_waits_in_the_queues_and_what_runs_here_is_counted(url: str) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex", holds=True)
        async with floor(url, one) as here:
            other = await here.another("a")
            assert await here.engine.hand_over(here.run)
            await here.engine.under_way()
            assert (here.engine.queued, await here.engine.here()) == (1, 0), "`a` is a row and never begins"
            await other.leave()
            await here.workers.look()
            await here.engine.take_up()
            await until(lambda: bool(one.tasks))
            await here.engine.under_way()
            assert (here.engine.queued, await here.engine.here()) == (0, 1)

    story()


def test_a_run_that_kills_its_workers_is_told_as_a_failure(url: str) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex")
        async with floor(url, one) as here:
            dead = await here.another("a")
            await here.engine.hand_over(here.run)
            await DBOS.update_workflow_attributes_async(here.run.id, {"deaths": DEATHS_MAX})
            await dead.leave()
            await here.workers.look()
            await here.engine.take_up()
            assert await here.engine.under_way() == ()
            review = await here.play.home.review(f"review/{here.run.review}")
            assert review.failures == {(here.run.seat, 1): 1}
            assert not one.tasks

    story()


def test_what_somebody_else_cancelled_ends_here_and_says_nothing(url: str) -> None:
    """Whoever dispatches may be another process."""

    @played
    async def story() -> None:
        one = Scripted("codex", holds=True)
        async with floor(url, one) as here:
            await here.engine.hand_over(here.run)
            await until(lambda: bool(one.tasks))
            assert begun(url) == {here.run.id: "here"}
            await DBOS.cancel_workflows_async([here.run.id])
            await here.engine.heartbeat()
            assert one.ended == ["CancelledError"]
            assert "ReportSubmitted" not in await here.play.log(f"review/{here.run.review}")

    story()


def test_a_run_elsewhere_is_cancelled_at_the_second_look(url: str) -> None:
    """At the first one its worker may just have handed in."""

    @played
    async def story() -> None:
        async with floor(url, Scripted("codex")) as here:
            await here.another("a")
            await here.engine.hand_over(here.run)
            begin(url, here.run, "a")
            await here.engine.cancel(here.run.id)
            assert await here.engine.under_way() == (here.run,)
            await here.engine.cancel(here.run.id)
            assert await here.engine.under_way() == ()

    story()


def test_a_run_that_lost_its_seat_does_not_stay_in_the_tables(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "COMPARE_SECONDS", 0)

    @played
    async def story() -> None:
        one = Scripted("codex", holds=True)
        async with floor(url, one) as here:
            await here.engine.hand_over(here.run)
            await until(lambda: bool(one.tasks))
            here.play.home.wait(minutes=10)
            for _ in range(durable.ASTRAY_LOOKS_MAX):
                await here.engine.heartbeat()
            assert one.ended == ["CancelledError"]
            assert await here.engine.under_way() == ()

    story()


def test_programs_run_where_they_are_dispatched(url: str) -> None:
    @played
    async def story() -> None:
        one = program("codex")
        async with floor(url, one) as here:
            await here.another("a")
            assert await here.engine.hand_over(here.run)
            assert begun(url) == {}
            await until(lambda: bool(one.tasks))
            await ended(here.engine)

    story()


def test_nobody_is_free_where_nobody_hosts_the_reviewer(url: str) -> None:
    @played
    async def story() -> None:
        async with floor(url, Scripted("codex")) as here:
            stranger = Run(review=here.run.review, seat="eyes.1", revision=1, reviewer="nobody")
            assert not await here.engine.hand_over(stranger)

    story()


def test_what_was_promised_is_known_to_whoever_dispatches_next(url: str) -> None:
    """D-09: two workers together stay within a budget, because one of them gives the money out."""

    @played
    async def story() -> None:
        async with floor(url, Scripted("codex", sends="somebody", holds=True)) as here:
            await here.engine.hand_over(here.run)
            promised = dict(here.play.steps.promised)
            assert promised[here.run.id] > 0
            here.play.steps.promised.clear()
            await here.engine.under_way()
            assert here.play.steps.promised == promised
            await DBOS.cancel_workflows_async([here.run.id])
            await here.engine.under_way()
            assert here.play.steps.promised == {}

    story()


def test_what_a_run_was_promised_is_what_it_may_spend(url: str) -> None:
    @played
    async def story() -> None:
        one = Scripted("codex", sends="somebody")
        async with floor(url, one) as here:
            await here.engine.hand_over(here.run)
            promised = here.play.steps.promised[here.run.id]
            await until(lambda: bool(one.tasks))
            assert one.tasks[0].bounds.usd_micro == promised
            await ended(here.engine)

    story()


def test_money_promised_to_a_run_that_has_handed_in_is_not_kept_from_the_next(url: str) -> None:
    """D-09: its cost is counted already; with both, the second round of a panel had no money, and a human was asked."""

    @played
    async def story() -> None:
        async with floor(url, Scripted("codex", sends="somebody")) as here:
            steps, mine = here.play.steps, f"{here.run.review}:"
            whole = await steps.purse(here.run)
            steps.promised[f"{mine}eyes.9:1:1"] = whole
            assert await steps.purse(here.run) == whole, "nobody asks that seat for this version any more"
            steps.promised[f"{mine}eyes.1:1:9"] = whole
            assert await steps.purse(here.run) == 0, "one that is asked has its money"
            steps.promised.clear()
            steps.promised[f"{mine}eyes.1:0:1"] = whole
            assert await steps.purse(here.run) == 0, "so has one of another version that never handed in"
            assert await here.engine.hand_over(here.run)
            assert set(steps.promised) == {here.run.id}, "by the runs there are now, not by those of the last look"

    story()


def test_a_command_that_was_given_to_the_one_worker_who_hosts_it_is_not_taken_for_astray(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-17: whoever gives the runs out need not have been allowed to run it."""
    monkeypatch.setattr(durable, "COMPARE_SECONDS", 0)

    @played
    async def story() -> None:
        one = Scripted("tests", kind=WhoKind.PROGRAM, holds=True)
        async with floor(url, one) as here:
            # Whoever dispatches does not host it, and so does not know it for a program.
            with monkeypatch.context() as elsewhere:
                elsewhere.setattr(here.engine, "_is_program", lambda _: False)
                assert await here.engine.hand_over(here.run)
            await until(lambda: bool(one.tasks))
            for _ in range(durable.ASTRAY_LOOKS_MAX + 1):
                await here.engine.heartbeat()
            assert (await here.engine.under_way(), one.ended) == ((here.run,), [])
            one.go.set()
            await ended(here.engine)
            assert (await here.play.log(f"review/{here.run.review}")).count("ReportSubmitted") == 1

    story()
