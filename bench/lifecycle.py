"""Cost of a lifecycle in one process compared with the bare driver's commits, with one caller and with sixteen.

Usage: python -m bench.lifecycle [--rounds N] [--count N] [--stores sqlite,postgres,memory]. Foureyes, its
statements replayed by the bare driver, and the floor take turns in the same second; a ratio is that of the medians of
a round, the figure the median of all rounds.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.floor import Floor, LeastPostgres, LeastSqlite
from bench.lines import Figure, keep, middle
from bench.recording import OwnPostgres, OwnSqlite, empty, recorded
from bench.story import gate_on, lifecycle, opened
from tests.postgres.server import Server, own

WARM = 10
CALLERS = 16
OURS, OWN, WRITES, LEAST = "ours", "own", "writes", "least"

Player = Callable[[], Awaitable[object]]


@dataclass(slots=True)
class Times:
    """Wall-clock and processor milliseconds of each turn of each player."""

    wall: dict[str, list[float]] = field(default_factory=dict)
    cpu: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, wall: float, cpu: float) -> None:
        """Add one turn."""
        self.wall.setdefault(name, []).append(wall * 1000)
        self.cpu.setdefault(name, []).append(cpu * 1000)


async def take_turns(players: dict[str, Player], count: int) -> Times:
    """Let each player play so many turns."""
    times = Times()
    for _ in range(count):
        for name, play in players.items():
            cpu, wall = time.process_time(), time.perf_counter()
            await play()
            times.add(name, time.perf_counter() - wall, time.process_time() - cpu)
    return times


@asynccontextmanager
async def table(kind: str, places: Callable[[], str], turns: int) -> AsyncIterator[dict[str, Player]]:
    """Foureyes and both floors on new stores, ready for so many turns."""
    script = await recorded(places(), turns)
    replay, least = (OwnSqlite, LeastSqlite) if kind == "sqlite" else (OwnPostgres, LeastPostgres)
    floors: dict[str, Floor] = {LEAST: least(places())}
    for name, played in ((OWN, script), (WRITES, [one.only_writes() for one in script])):
        place = places()
        await empty(place)
        floors[name] = replay(place, played)
    numbers = itertools.count()
    async with opened(places()) as store:
        gate = gate_on(store)
        yield {OURS: lambda: lifecycle(gate, next(numbers)), **{name: _awaitable(one) for name, one in floors.items()}}
    for one in floors.values():
        one.close()


def _awaitable(floor: Floor) -> Player:
    async def play() -> None:
        floor.lifecycle()

    return play


async def beside_the_floors(kind: str, places: Callable[[], str], rounds: int, count: int) -> None:
    """The ratios of one store."""
    async with table(kind, places, WARM + rounds * count) as players:
        await take_turns(players, WARM)
        found = [await take_turns(players, count) for _ in range(rounds)]
    wall = {name: middle(middle(one.wall[name]) for one in found) for name in players}
    cpu = {name: middle(middle(one.cpu[name]) for one in found) for name in players}

    def ratio(floor: str) -> float:
        return middle(middle(one.wall[OURS]) / middle(one.wall[floor]) for one in found)

    def ratio_cpu(floor: str) -> float:
        return middle(middle(one.cpu[OURS]) / max(middle(one.cpu[floor]), 0.001) for one in found)

    more = {"wall_ms": wall, "cpu_ms": cpu, "lifecycles": rounds * count}
    command = "python -m bench.lifecycle"
    keep(
        Figure(
            figure=f"lifecycle.{kind}.own",
            what=f"a lifecycle on {NAMES[kind]}, against its own bare commits",
            measured=ratio(OWN),
            unit="×",
            demand=4.0,
            aim=2.0,
            correct=True,
            command=command,
            more={**more, "cpu_ratio": ratio_cpu(OWN)},
        ),
        Figure(
            figure=f"lifecycle.{kind}.writes",
            what=f"a lifecycle on {NAMES[kind]}, against its own bare commits without what they read",
            measured=ratio(WRITES),
            unit="×",
            correct=True,
            command=command,
            more={"cpu_ratio": ratio_cpu(WRITES)},
        ),
        Figure(
            figure=f"lifecycle.{kind}.least",
            what=f"a lifecycle on {NAMES[kind]}, against the least four commits",
            measured=ratio(LEAST),
            unit="×",
            correct=True,
            command=command,
            more={"cpu_ratio": ratio_cpu(LEAST)},
        ),
    )


NAMES = {"sqlite": "SQLite (FULL)", "postgres": "PostgreSQL (fsync on)", "memory": "the store in memory"}


async def many_callers(kind: str, place: str, callers: int, count: int) -> None:
    """Measure concurrent callers, each with its own lifecycles."""
    numbers, times = itertools.count(), list[float]()
    async with opened(place) as store:
        gate = gate_on(store)

        async def caller() -> None:
            while (number := next(numbers)) < count:
                begun = time.perf_counter()
                await lifecycle(gate, number)
                times.append(1000 * (time.perf_counter() - begun))

        cpu, wall = time.process_time(), time.perf_counter()
        await asyncio.gather(*(caller() for _ in range(callers)))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    times.sort()
    figure = Figure(
        figure=f"lifecycle.{kind}.{callers}",
        what=f"lifecycles a second on {NAMES[kind]}, {callers} caller{'s' if callers > 1 else ''}",
        measured=round(len(times) / wall, 1),
        unit="/s",
        correct=len(times) == count,
        command="python -m bench.lifecycle",
        more={
            "p50_ms": middle(times),
            "p99_ms": round(times[int(len(times) * 0.99)], 3),
            "cpu_ms": round(1000 * cpu / count, 3),
        },
    )
    keep(figure)


@contextmanager
def places_of(kind: str) -> Iterator[Callable[[], str]]:
    """Yield a maker of new places for stores, which are deleted afterwards."""
    if kind != "postgres":
        with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder:
            numbers = itertools.count()
            yield lambda: "memory" if kind == "memory" else str(Path(folder) / f"{next(numbers)}.db")
        return
    with own(durable=True) as server:
        yield from _databases(server)


def _databases(server: Server) -> Iterator[Callable[[], str]]:
    lent = []

    def new() -> str:
        lent.append(server.fresh())
        return lent[-1].__enter__()

    try:
        yield new
    finally:
        for one in lent:
            one.__exit__(None, None, None)


async def measure(kind: str, rounds: int, count: int) -> None:
    """Measure one kind of store."""
    with places_of(kind) as places:
        if kind != "memory":
            await beside_the_floors(kind, places, rounds, count)
        for callers in (1, CALLERS):
            await many_callers(kind, places(), callers, rounds * count)


def main() -> None:
    """Measure and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--stores", default="sqlite,postgres,memory")
    given = parser.parse_args()
    for kind in given.stores.split(","):
        asyncio.run(measure(kind, given.rounds, given.count))


if __name__ == "__main__":
    main()
