"""Throughput gained by group commits, and a check that nothing fails when very many callers wait.

Usage: python -m bench.groups [--seconds N] [--rounds N]. 32 callers keep appending small events: once
with groups as shipped, once with one commit per command; both take turns. On PostgreSQL one commit per command means
one connection too, as the server flushes the commits of several together; "lines" measures the gain of that alone.
Then the comparison is repeated with whole lifecycles through the gate. Then 64 callers play lifecycles on SQLite for
`--seconds`, and none may fail.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from unittest import mock

from bench.lifecycle import NAMES, places_of
from bench.lines import LEAST, Figure, keep, middle
from bench.story import gate_on, lifecycle, opened
from foureyes.app.chain import ROOT, appended
from foureyes.app.ports import Quick, Store, Writing
from foureyes.app.rows import Answered, Changes
from foureyes.core.events import WentLive
from foureyes.store import pg_groups, pg_lines, sqlite_writer
from foureyes.store.pg_connecting import Limits
from foureyes.store.postgres import PostgresStore
from foureyes.store.sqlite_store import SqliteStore

CALLERS = 32
SWARM = 64
COMMANDS = 640
LIFECYCLES = 64
COMMAND = "python -m bench.groups"
SHARED, ALONE, LINES = "shared", "alone", "lines"
AT = "2026-01-05T09:00:00.000000Z"

Turn = Callable[[], Awaitable[object]]


def small(number: int, tx: Writing) -> None:
    """The smallest command: look up its key, append one event, keep the reply."""
    stream, key = f"target/{number}", f"key-{number}"
    known = tx.known(stream, "bench", key)
    event = WentLive(target=str(number), review="r", digest="0" * 64)
    log = appended(stream, (known.version, known.chain or ROOT), (event,), at=AT, actor="bench", cause=key)
    answered = Answered(asker="bench", key=key, body_hash="0" * 64, reply="{}", at=AT)
    tx.apply(Changes(appends=(log,), answered=answered))


@dataclass(slots=True)
class Crowd:
    """Concurrent callers of one store, with a count of what they do."""

    store: Store
    way: str
    numbers: itertools.count[int]

    async def appends(self) -> float:
        """Small commands per second."""
        return await self._rate(lambda number: self.store.write(Quick(partial(small, number))), COMMANDS)

    async def lifecycles(self) -> float:
        """Lifecycles per second."""
        gate = gate_on(self.store)
        return await self._rate(partial(lifecycle, gate), LIFECYCLES)

    async def _rate(self, act: Callable[[int], Awaitable[object]], count: int) -> float:
        waiting = iter([next(self.numbers) for _ in range(count)])

        async def caller() -> None:
            for number in waiting:
                await act(number)

        begun = time.perf_counter()
        with going(self.way):
            await asyncio.gather(*(caller() for _ in range(CALLERS)))
        return count / (time.perf_counter() - begun)


@contextmanager
def going(way: str) -> Iterator[None]:
    """Run the stores as shipped, or with one transaction per command."""
    with ExitStack() as stack:
        if way != SHARED:
            for module in (sqlite_writer, pg_groups):
                stack.enter_context(mock.patch.object(module, "GROUP_MAX", 1))
        if way == LINES:
            stack.enter_context(mock.patch.object(pg_lines, "SHARING_MAX", Limits().writers))
        yield


def crowded(kind: str, place: str, way: str) -> SqliteStore | PostgresStore:
    """A store as shipped; for single commits, PostgreSQL gets one command after the other."""
    if kind == "sqlite":
        return SqliteStore.open(place)
    return PostgresStore.open(place, Limits(writers=1) if way == ALONE else None)


async def compare(kind: str, rounds: int) -> None:
    """Ratio of throughput with and without groups, at the store and at the gate."""
    ways = (SHARED, ALONE) if kind == "sqlite" else (SHARED, ALONE, LINES)
    with places_of(kind) as places:
        async with AsyncExitStack() as stack:
            crowds = [
                Crowd(
                    store=await stack.enter_async_context(crowded(kind, places(), way)),
                    way=way,
                    numbers=itertools.count(),
                )
                for way in ways
            ]
            appends = [{crowd.way: await crowd.appends() for crowd in crowds} for _ in range(rounds)]
            lives = [{crowd.way: await crowd.lifecycles() for crowd in crowds} for _ in range(rounds)]
    for name, found, demand in (("append", appends, 3.0), ("gate", lives, None)):
        what = "small appends" if name == "append" else "lifecycles"
        figure = Figure(
            figure=f"groups.{kind}.{name}",
            what=f"{what} with {CALLERS} waiting callers on {NAMES[kind]}: shared commits against one per command",
            measured=middle(one[SHARED] / one[ALONE] for one in found),
            unit="×",
            bound=LEAST,
            demand=demand,
            correct=True,
            command=COMMAND,
            more={f"{way}_per_s": middle(one[way] for one in found) for way in ways},
        )
        keep(figure)


async def swarm(seconds: float) -> None:
    """Run very many callers for a while; every lifecycle must end with the gate's yes."""
    failed: list[str] = []
    times: list[float] = []
    numbers = itertools.count()
    with places_of("sqlite") as places:
        async with opened(places()) as store:
            gate = gate_on(store)
            begun = time.perf_counter()

            async def caller() -> None:
                while time.perf_counter() - begun < seconds:
                    since = time.perf_counter()
                    try:
                        await lifecycle(gate, next(numbers))
                    except Exception as error:  # noqa: BLE001 - a failed lifecycle is what is counted here
                        failed.append(repr(error)[:200])
                    else:
                        times.append(1000 * (time.perf_counter() - since))

            await asyncio.gather(*(caller() for _ in range(SWARM)))
            took = time.perf_counter() - begun
            streams = await store.read(lambda look: len(look.heads(after="review/", limit=10_000_000)))
    times.sort()
    figure = Figure(
        figure="groups.sqlite.swarm",
        what=f"failed lifecycles with {SWARM} callers on SQLite (FULL) for {seconds:.0f} s",
        measured=len(failed),
        unit="failed",
        demand=0,
        correct=bool(times) and streams >= len(times),
        command=COMMAND,
        more={
            "lifecycles": len(times),
            "per_s": round(len(times) / took, 1),
            "p50_ms": middle(times),
            "p99_ms": round(times[int(len(times) * 0.99)], 3),
            "errors": sorted(set(failed))[:3],
        },
    )
    keep(figure)


def main() -> None:
    """Measure and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    for kind in ("sqlite", "postgres"):
        asyncio.run(compare(kind, given.rounds))
    asyncio.run(swarm(given.seconds))


if __name__ == "__main__":
    main()
