"""The engines for contracts and stories, and how a test waits for them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

import pytest
from dbos import DBOS

from foureyes.engine import durable as durable_engine
from foureyes.engine.dispatching import Dispatcher
from foureyes.engine.durable import DurableEngine
from foureyes.engine.local import LocalEngine
from foureyes.engine.port import Engine, Run
from foureyes.engine.workers import Workers, offers_of
from tests.engine.cluster import tables
from tests.engine.hall import Hall, Scripted, hall
from tests.postgres.server import Server

Make = Callable[[Hall], Awaitable[Engine]]
SECONDS_MAX = 30
#: How often a worker polls its queue, short because tests wait for it.
POLL_SECONDS = 0.05


async def local(play: Hall) -> Engine:
    return LocalEngine(play.steps)


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so; engines with threads of their own need more than turns of our loop."""
    async with asyncio.timeout(SECONDS_MAX):
        while not is_so():  # noqa: ASYNC110 - it is seen in what a reviewer was given
            await asyncio.sleep(0.005)


@contextmanager
def durables(server: Server) -> Iterator[Make]:
    """Makes engines of many processes, each as the next process; one at a time."""
    names = (f"worker-{number}" for number in itertools.count(1))
    with tables(server) as url, pytest.MonkeyPatch.context() as patch:
        patch.setattr(durable_engine, "POLL_SECONDS", POLL_SECONDS)

        async def durable(play: Hall) -> Engine:
            workers = Workers(play.home.store, play.now, next(names))
            pool = await play.hosted.follow(play.home.store)
            people = await play.home.store.read(pool.pool)
            await workers.sign(offers_of(pool, people, {}))
            await workers.look()
            engine = DurableEngine(url, workers, own=play.steps, all_=play.steps)
            await engine.start()
            return engine

        yield durable
        DBOS.destroy(destroy_registry=True)


async def opened(one: Scripted) -> tuple[Hall, Run]:
    """A review that waits for this reviewer, whose seat is claimed."""
    play = await hall({"agent": (one,)})
    stream = await play.open()
    await play.hosted.follow(play.home.store)
    run = Run(review=stream.removeprefix("review/"), seat="eyes.1", revision=1, reviewer=one.name)
    assert await play.steps.claim(run)
    return play, run


async def ended(engine: Engine) -> None:
    """Wait until no run is active."""
    async with asyncio.timeout(SECONDS_MAX):
        while await engine.under_way():  # noqa: ASYNC110 - an engine says it, and calls nobody
            await asyncio.sleep(0.005)


async def quiet(dispatcher: Dispatcher) -> None:
    """Dispatch and run until nothing more starts; no reviewer may be blocked."""
    async with asyncio.timeout(SECONDS_MAX):
        while await dispatcher.once():
            await ended(dispatcher.engine)
