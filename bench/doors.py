"""Processor time of a lifecycle on a server, compared with a server without credentials, policy or audit.

Usage: python -m bench.doors [--rounds N] [--count N] [--only http,mcp,many]. `foureyes up` on SQLite (FULL), the
floor's four commits behind Starlette and the MCP SDK's own echo, each in its own process, take short turns in the same
run. The figure is the processor time of the server's process; the wall-clock time is kept too. Every answer is
checked, afterwards the events are counted and the log is verified.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bench.callers import API, REQUESTS, OnFloor, OnHttp, OnMcp, Player
from bench.lines import Figure, keep, middle
from bench.servers import Failed, Line, Server, enrolled, floor, ours
from bench.story import gate_on, lifecycle, opened
from foureyes.app.rows import Listing
from foureyes.app.turns import OTHERS_SECONDS
from tests.mcp.desk import LEGACY, MODERN

COMMAND = "python -m bench.doors"
WARM = 30
#: A round has so many more single calls than lifecycles, because a call is cheap.
CALLS = 5
SOME, MANY = 16, 64
#: Pause before single calls, which use one account, so that the fair queue does not slow it for earlier accounts.
ALONE_SECONDS = 2 * OTHERS_SECONDS
#: Fewer rounds with many callers, because each turn is long.
ROUNDS_OF_MANY = 5
ERAS = {"": MODERN, ".older": LEGACY}


@dataclass(slots=True)
class Costs:
    """Milliseconds of each player in each round: processor time of its server and wall-clock time."""

    cpu: dict[str, list[float]] = field(default_factory=dict)
    wall: dict[str, list[float]] = field(default_factory=dict)

    async def take(self, name: str, server: Server, act: Callable[[int], Awaitable[object]], count: int) -> None:
        """Run one round of so many calls and add its times."""
        cpu, wall = server.cpu_seconds(), time.perf_counter()
        for number in range(count):
            await act(number)
        self.add(name, (server.cpu_seconds() - cpu) / count, (time.perf_counter() - wall) / count)

    def add(self, name: str, cpu: float, wall: float) -> None:
        """Add the times of one round."""
        self.cpu.setdefault(name, []).append(1000 * cpu)
        self.wall.setdefault(name, []).append(1000 * wall)

    def ratio(self, name: str, beside: str) -> float:
        """Ratio of processor times, as the median of the rounds."""
        return _ratio(self.cpu[name], self.cpu[beside])

    def more(self, name: str, beside: str) -> dict[str, object]:
        """The figures behind a ratio."""
        return {
            "cpu_ms": {name: middle(self.cpu[name]), beside: middle(self.cpu[beside])},
            "wall_ms": {name: middle(self.wall[name]), beside: middle(self.wall[beside])},
            "wall_ratio": _ratio(self.wall[name], self.wall[beside]),
        }


def _ratio(ones: Sequence[float], others: Sequence[float]) -> float:
    return middle(one / max(other, 0.001) for one, other in zip(ones, others, strict=True))


@dataclass(slots=True)
class Bench:
    """The servers, the enrolled accounts and the number of lifecycles played."""

    folder: Path
    tokens: dict[str, str]
    ours: Server
    floor: Server
    echo: Server
    numbers: itertools.count[int] = field(default_factory=itertools.count)
    #: Lifecycles completed on foureyes.
    played: int = 0

    def http(self, line: Line, pair: int = 0) -> OnHttp:
        """An author and a reviewer over HTTP."""
        return OnHttp(line, *self._pair(pair))

    def mcp(self, line: Line, era: str = MODERN) -> OnMcp:
        """An author and a reviewer over MCP."""
        return OnMcp(line, *self._pair(0), era=era)

    def _pair(self, pair: int) -> tuple[str, str]:
        return self.tokens[f"dev{pair}"], self.tokens["codex"]

    async def play(self, player: Player, _: int = 0) -> None:
        """Play one lifecycle on new bytes in exactly seven requests."""
        sent = player.line.sent
        await player.lifecycle(next(self.numbers))
        self.played += 1
        if player.line.sent - sent != REQUESTS:
            raise Failed(f"{player.line.sent - sent} requests for a lifecycle")


async def over_http(bench: Bench, rounds: int, count: int) -> None:
    """One caller: a lifecycle and the gate, in turns with the floor."""
    costs = Costs()
    async with Line(bench.ours.port) as here, Line(bench.floor.port) as there:
        player, least = bench.http(here), OnFloor(there)
        for number in range(WARM):
            await bench.play(player)
            await least.lifecycle(number)
        last = next(bench.numbers)
        await player.lifecycle(last)
        bench.played += 1
        cpu = bench.ours.cpu_seconds()
        for _ in range(rounds):
            await costs.take("ours", bench.ours, lambda _: bench.play(player), count)
            await costs.take("floor", bench.floor, least.lifecycle, count)
        await asyncio.sleep(ALONE_SECONDS)
        # Projections follow once a second, also outside this server's turns, so the whole run is counted.
        whole = 1000 * (bench.ours.cpu_seconds() - cpu) / (rounds * count)
        for _ in range(rounds):
            await costs.take("gate", bench.ours, lambda _: player.gate(last), CALLS * count)
            await costs.take("floor's gate", bench.floor, lambda _: least.gate(), CALLS * count)
    keep(
        _lifecycle("doors.http.1", "a lifecycle over HTTP, one caller", costs, rounds * count),
        Figure(
            figure="doors.http.whole",
            what="a lifecycle over HTTP, one caller, with all that follows from it: projections, checkpoints",
            measured=round(whole / middle(costs.cpu["floor"]), 3),
            unit="×",
            demand=6.0,
            aim=4.0,
            correct=True,
            command=COMMAND,
            more={"cpu_ms": {"ours": round(whole, 3), "floor": middle(costs.cpu["floor"])}},
        ),
        Figure(
            figure="doors.http.gate",
            what="the gate's yes over HTTP, server's processor time against the floor's",
            measured=costs.ratio("gate", "floor's gate"),
            unit="×",
            demand=4.0,
            correct=True,
            command=COMMAND,
            more=costs.more("gate", "floor's gate"),
        ),
    )


def _lifecycle(name: str, what: str, costs: Costs, count: int) -> Figure:
    """Build a figure. The demand applies to one caller; with many callers only failures count."""
    return Figure(
        figure=name,
        what=f"{what}: server's processor time against the least four commits behind Starlette",
        measured=costs.ratio("ours", "floor"),
        unit="×",
        correct=True,
        command=COMMAND,
        more={**costs.more("ours", "floor"), "lifecycles": count},
    )


Acts = Sequence[Callable[[], Awaitable[None]]]


@dataclass(slots=True)
class Crowd:
    """Concurrent callers, their results and the milliseconds of each lifecycle."""

    costs: Costs = field(default_factory=Costs)
    failures: list[str] = field(default_factory=list)
    took: list[float] = field(default_factory=list)
    per_s: list[float] = field(default_factory=list)

    async def turn(self, name: str, server: Server, acts: Acts, count: int) -> None:
        """Play so many lifecycles, shared among all callers."""
        self.took.clear()
        numbers = iter(range(count))
        cpu, wall = server.cpu_seconds(), time.perf_counter()
        await asyncio.gather(*(self._caller(act, numbers) for act in acts))
        good, seconds = max(len(self.took), 1), time.perf_counter() - wall
        self.costs.add(name, (server.cpu_seconds() - cpu) / good, seconds / good)
        self.per_s.append(good / seconds)

    async def _caller(self, act: Callable[[], Awaitable[None]], numbers: Iterator[int]) -> None:
        for _ in numbers:
            begun = time.perf_counter()
            try:
                await act()
            except (Failed, OSError, EOFError) as error:
                self.failures.append(f"{type(error).__name__}: {error}"[:200])
            else:
                self.took.append(1000 * (time.perf_counter() - begun))


async def many(bench: Bench, callers: int, rounds: int, count: int) -> None:
    """Measure concurrent callers, each with its own connection; the first turn is a warm-up."""
    crowd, warming = Crowd(), Crowd()
    async with AsyncExitStack() as stack:
        here = [await stack.enter_async_context(Line(bench.ours.port)) for _ in range(callers)]
        there = [await stack.enter_async_context(Line(bench.floor.port)) for _ in range(callers)]
        mine = [partial(bench.play, bench.http(line, number % SOME)) for number, line in enumerate(here)]
        least = [partial(OnFloor(line).lifecycle, 0) for line in there]
        for one in (warming, *([crowd] * rounds)):
            await one.turn("floor", bench.floor, least, count)
            await one.turn("ours", bench.ours, mine, count)
    failures, took = warming.failures + crowd.failures, sorted(crowd.took) or [0.0]
    keep(
        _lifecycle(f"doors.http.{callers}", f"a lifecycle over HTTP, {callers} callers", crowd.costs, rounds * count),
        Figure(
            figure=f"doors.failures.{callers}",
            what=f"failures of {callers} callers over HTTP",
            measured=len(failures),
            unit="",
            demand=0.0,
            correct=not failures,
            command=COMMAND,
            more={
                "lifecycles": (rounds + 1) * count,
                "per_s": middle(crowd.per_s[1::2]),
                "p50_ms": middle(took),
                "p99_ms": round(took[int(len(took) * 0.99)], 3),
                "failures": failures[:3],
            },
        ),
    )


async def over_mcp(bench: Bench, rounds: int, count: int) -> None:
    """Single calls in turns with the SDK's echo, in both eras; and a lifecycle in seven calls."""
    for suffix, era in ERAS.items():
        costs = await _called(bench, era, rounds, count)
        words = "an MCP call" if era == MODERN else "an MCP call of the older era"
        keep(
            *(_call(f"doors.mcp{suffix}.{name}", f"{words}, {what}", costs, name) for name, what in _CALLED),
            Figure(
                figure=f"doors.mcp{suffix}.lifecycle",
                what=f"a lifecycle in seven calls ({era}): server's processor time against seven echos",
                measured=round(costs.ratio("lifecycle", "echo") / REQUESTS, 3),
                unit="×",
                correct=True,
                command=COMMAND,
                more=costs.more("lifecycle", "echo"),
            ),
        )


async def _called(bench: Bench, era: str, rounds: int, count: int) -> Costs:
    costs = Costs()
    async with Line(bench.ours.port) as here, Line(bench.echo.port) as there:
        player, echo = bench.mcp(here, era), bench.mcp(there, era)
        last = next(bench.numbers)
        await player.lifecycle(last)
        bench.played += 1
        review = await _newest(bench, here)
        for number in range(WARM):
            await player.read(review)
            await echo.echo(number)
        await asyncio.sleep(ALONE_SECONDS)
        for _ in range(rounds):
            await costs.take("echo", bench.echo, echo.echo, CALLS * count)
            await costs.take("read", bench.ours, lambda _: player.read(review), CALLS * count)
            await costs.take("gate", bench.ours, lambda _: player.gate(last), CALLS * count)
            await costs.take("inbox", bench.ours, lambda _: player.inbox(), CALLS * count)
        for _ in range(rounds):
            await costs.take("lifecycle", bench.ours, lambda _: bench.play(player), count)
    return costs


#: Event that some lifecycles have more: a busy reviewer is not asked by name and takes the seat with the report.
_TAKEN = "SeatTaken"
_CALLED = (
    ("read", "a whole review as its author sees it"),
    ("gate", "the gate's yes"),
    ("inbox", "an empty inbox"),
)


def _call(figure: str, what: str, costs: Costs, name: str) -> Figure:
    return Figure(
        figure=figure,
        what=f"{what}: server's processor time against the SDK's own echo",
        measured=costs.ratio(name, "echo"),
        unit="×",
        demand=1.5,
        correct=True,
        command=COMMAND,
        more=costs.more(name, "echo"),
    )


async def _newest(bench: Bench, line: Line) -> str:
    author = {"Authorization": f"Bearer {bench.tokens['dev0']}"}
    found = await line.ask("GET", f"{API}/reviews?state=cleared&limit=1", headers=author)
    return str(found["reviews"][0]["review"])


async def check(home: Path, played: int) -> None:
    """Every lifecycle is in the store with all of its events, and the log verifies."""
    async with opened("memory") as store:
        reply = await lifecycle(gate_on(store), 0)
    each = reply.version
    async with opened(str(home / "foureyes.db")) as store:
        found = await store.read(lambda reading: reading.reviews(Listing(state="cleared", limit=played + 1)))
        events = await store.read(
            lambda reading: sum(
                event.type != _TAKEN for one in found for event in reading.events(f"review/{one.review}")
            )
        )
    assert len(found) == played, f"{len(found)} reviews are cleared, and {played} were played"
    assert events == played * each, f"{events} events of {played} reviews, and not {each} each"
    await asyncio.to_thread(_verify, home)


def _verify(home: Path) -> None:
    program = str(Path(sys.executable).with_name("foureyes"))
    subprocess.run([program, "--home", str(home), "log", "verify"], check=True, capture_output=True)  # noqa: S603 - our own


async def measure(rounds: int, count: int, only: Sequence[str]) -> None:
    """Measure everything on one set of servers."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder, ExitStack() as stack:
        home = Path(folder, "home")
        tokens = await enrolled(home, ["codex", *(f"dev{number}" for number in range(SOME))])
        with ours(home) as server:
            bench = Bench(
                folder=home,
                tokens=tokens,
                ours=server,
                floor=stack.enter_context(floor("http", Path(folder))),
                echo=stack.enter_context(floor("echo", Path(folder))),
            )
            if "http" in only:
                await over_http(bench, rounds, count)
            if "many" in only:
                for callers in (SOME, MANY):
                    await many(bench, callers, ROUNDS_OF_MANY, max(count, 4 * callers))
            if "mcp" in only:
                await over_mcp(bench, rounds, count)
        await check(home, bench.played)


def main() -> None:
    """Measure and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--only", default="http,many,mcp")
    given = parser.parse_args()
    asyncio.run(measure(given.rounds, given.count, given.only.split(",")))


if __name__ == "__main__":
    main()
