"""Start-up delay of a hosted reviewer, and the processor time of an idle server.

Usage: python -m bench.engine [--starts N] [--open N] [--seconds N]. On SQLite (FULL). Delay: in one process, the
gate, the dispatcher and the engine as `foureyes up` builds them; the reviewer is scripted and says yes at once.
Idle cost: `foureyes up` itself, on a store with so many open reviews.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.lines import Figure, keep
from bench.servers import Server, enrolled, ours, people
from bench.story import AUTHOR, POLICY, REVIEWER, opening
from foureyes.app.accounts import Enrolled
from foureyes.app.bell import Bell
from foureyes.app.gate import Gate
from foureyes.app.policies import Policies
from foureyes.app.reviewers import AtHand, Look, Say, Task
from foureyes.app.tending import Deadlines, Tending
from foureyes.core.values import Evidence
from foureyes.engine.dispatching import Dispatcher
from foureyes.engine.hosting import Everybody, Hosted
from foureyes.engine.local import LocalEngine
from foureyes.engine.steps import Steps
from foureyes.store.sqlite_store import SqliteStore

COMMAND = "python -m bench.engine"
CALLERS = 32
START_MS_MAX = 250
START_SECONDS_MAX = 60
IDLE_PERCENT_MAX = 5
SETTLE_SECONDS_MAX = 300


class Scripted:
    """A reviewer that says yes at once, and calls back when it starts."""

    who = REVIEWER
    sends = ""

    def __init__(self, started: Callable[[], None]) -> None:
        """Call `started` whenever a review starts."""
        self._started = started

    async def look(self, task: Task, say: Say) -> Look:
        """Approve."""
        del task, say
        self._started()
        return Look(verdict="approve", summary="fine", evidence=(Evidence(what="all of it", why="read line by line"),))


def _now() -> datetime:
    return datetime.now(UTC)


@asynccontextmanager
async def server(started: Callable[[], None]) -> AsyncIterator[tuple[Gate, Bell, Dispatcher, Deadlines]]:
    """The parts of a server without its doors."""
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteStore.open(Path(folder) / "foureyes.db", readers=4)
        hosted = Hosted(lambda _: AtHand(reviewers={"agent": (Scripted(started),)}), Policies(POLICY), _now)
        gate = Gate(store, Everybody((hosted, Enrolled())), policy=POLICY)
        bell = Bell()
        steps = Steps(gate=gate, store=store, hosted=hosted, hand=gate.handle, clock=_now)
        engine = LocalEngine(steps, ended=bell.ring)
        dispatcher = Dispatcher(steps=steps, engine=engine, bell=bell, clock=_now)
        bell.heard_by(dispatcher.woken.set)
        try:
            yield gate, bell, dispatcher, Deadlines(store=store, gate=gate, clock=_now)
        finally:
            await engine.close()
            await store.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Starting:
    """Measures the time from a request until the reviewer starts."""

    figure: str
    what: str
    demand: int
    command: str

    async def measured(
        self, gate: Gate, begun: asyncio.Event, count: int, told: Callable[[], None] = lambda: None
    ) -> Figure:
        """Request so many reviews and notify the dispatcher; `begun` is set when a reviewer starts."""
        times: list[float] = []
        for number in range(count):
            begun.clear()
            asked = time.perf_counter()
            await gate.handle(opening(number))
            told()
            async with asyncio.timeout(START_SECONDS_MAX):
                await begun.wait()
            times.append(1000 * (time.perf_counter() - asked))
            await asyncio.sleep(0.05)
        return Figure(
            figure=self.figure,
            what=f"{self.what}, 95th percentile of {count}",
            measured=round(statistics.quantiles(times, n=20)[-1], 1),
            unit="ms",
            demand=self.demand,
            correct=len(times) == count,
            command=self.command,
            more={"median": round(statistics.median(times), 1)},
        )


async def starts(count: int) -> Figure:
    """Measure the time from the request until the reviewer starts."""
    begun = asyncio.Event()
    what = "from a request to the start of its hosted reviewer"
    starting = Starting(figure="engine.start", what=what, demand=START_MS_MAX, command=COMMAND)
    async with server(begun.set) as (gate, bell, dispatcher, _):
        await people(dispatcher.steps.store, [AUTHOR.name])
        beside = asyncio.create_task(Tending((("reviewers", dispatcher.once),)).forever(dispatcher.pause))
        await dispatcher.looked.wait()
        figure = await starting.measured(gate, begun, count, bell.ring)
        beside.cancel()
        await asyncio.gather(beside, return_exceptions=True)
    return figure


async def idle(count: int, seconds: int) -> Figure:
    """Processor time of an idle `foureyes up` with so many open reviews, none of which is due."""
    numbers = itertools.count()
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder:
        home = Path(folder, "home")
        await enrolled(home, [AUTHOR.name, REVIEWER.name])
        async with SqliteStore.open(home / "foureyes.db") as store:
            gate = Gate(store, Enrolled(), policy=POLICY)

            async def caller() -> None:
                while (number := next(numbers)) < count:
                    await gate.handle(opening(number))

            await asyncio.gather(*(caller() for _ in range(CALLERS)))
            there = await store.read(lambda reading: sum(one.requests for one in reading.pending(_now().isoformat())))
        with ours(home) as server:
            await _settled(server)
            cpu, wall = server.cpu_seconds(), time.perf_counter()
            await asyncio.sleep(seconds)
            percent = 100 * (server.cpu_seconds() - cpu) / (time.perf_counter() - wall)
    return Figure(
        figure="engine.idle",
        what=f"of one processor, `foureyes up` while {count:,} reviews are open and none is due",
        measured=round(percent, 2),
        unit="%",
        demand=IDLE_PERCENT_MAX,
        correct=there >= count,
        command=COMMAND,
    )


async def _settled(server: Server) -> None:
    """Wait until the projections have caught up: two seconds that use hardly any processor time."""
    async with asyncio.timeout(SETTLE_SECONDS_MAX):
        last = server.cpu_seconds()
        while True:
            await asyncio.sleep(2)
            now = server.cpu_seconds()
            if now - last < 2 * IDLE_PERCENT_MAX / 100:
                return
            last = now


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--starts", type=int, default=300)
    parser.add_argument("--open", type=int, default=10_000)
    parser.add_argument("--seconds", type=int, default=20)
    given = parser.parse_args()
    keep(asyncio.run(starts(given.starts)), asyncio.run(idle(given.open, given.seconds)))


if __name__ == "__main__":
    main()
