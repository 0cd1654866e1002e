"""Latency of a server under steady load, and its recovery after an overload.

Usage: python -m bench.sustained [--seconds N]. `foureyes up` on SQLite (FULL); authors and reviewers play lifecycles
over HTTP at a fixed pace, four commands each, whether or not earlier ones have been answered. Afterwards every
lifecycle must be in the store once, with all of its events, and the log verifies. Then one account sends on so many
connections that it is refused, and the lifecycles of others are timed from the moment it stops.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.callers import OnHttp
from bench.doors import Bench, check
from bench.lines import Figure, keep
from bench.servers import Failed, Line, Server, enrolled, ours

COMMAND = "python -m bench.sustained"
COMMANDS_A_SECOND = 200
#: A lifecycle is four commands and one query of the gate.
COMMANDS_EACH = 4
PAIRS = 16
CALLERS = 64
P99_MS_MAX = 500
GROWTH_MAX = 1.1
#: The share of the run after which the caches are warm.
WARM_SHARE = 0.2
LATE_SECONDS_MAX = 5.0
#: More connections than one account may have running and queued.
CONNECTIONS = 400
TOO_MANY_SECONDS = 5
NORMAL_SECONDS_MAX = 10
#: Recovered once so many lifecycles in a row are as fast as before.
NORMAL = 3


@dataclass(slots=True)
class Timed(Line):
    """A connection that notes how long each answer took, in milliseconds."""

    took: list[float] = field(default_factory=list)

    async def ask(self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None) -> Any:
        """Send a request as `Line` does, and time it."""
        begun = time.perf_counter()
        found = await Line.ask(self, method, path, body, headers)
        self.took.append(1000 * (time.perf_counter() - begun))
        return found


@dataclass(slots=True)
class Pace:
    """The schedule of lifecycles, shared by all callers."""

    count: int
    begun: float = field(default_factory=time.perf_counter)
    given: int = 0
    #: The longest delay of a start, in seconds.
    late: float = 0.0

    async def wait(self) -> bool:
        """Wait for the next start; False when there is none."""
        if self.given == self.count:
            return False
        due = self.begun + self.given * COMMANDS_EACH / COMMANDS_A_SECOND
        self.given += 1
        if (ahead := due - time.perf_counter()) > 0:
            await asyncio.sleep(ahead)
        self.late = max(self.late, time.perf_counter() - due)
        return True


async def play(bench: Bench, line: Line, caller: int) -> None:
    """Play one lifecycle; the reviewer that the gate asks reviews it."""
    number, names = next(bench.numbers), (f"dev{caller % PAIRS}", f"codex{caller % PAIRS}")
    player = OnHttp(line, *(bench.tokens[one] for one in names))
    review = await player.opened(number)
    asked = await player.seats(review)
    player.reviewer = bench.tokens[asked[0]] if asked else player.reviewer
    await player.reviewed(review, number)
    bench.played += 1


async def steady(bench: Bench, seconds: int) -> None:
    """Keep the pace for so many seconds."""
    pace, sizes = Pace(seconds * COMMANDS_A_SECOND // COMMANDS_EACH), list[float]()
    failures, lines = list[str](), list[Timed]()

    async def caller(number: int, line: Timed) -> None:
        while await pace.wait():
            try:
                await play(bench, line, number)
            except (Failed, OSError, EOFError) as error:
                failures.append(str(error)[:200])

    async def weigh() -> None:
        while True:
            sizes.append(bench.ours.megabytes())
            await asyncio.sleep(seconds / 40)

    async with AsyncExitStack() as stack:
        lines += [await stack.enter_async_context(Timed(bench.ours.port)) for _ in range(CALLERS)]
        cpu, weighing = bench.ours.cpu_seconds(), asyncio.create_task(weigh())
        await asyncio.gather(*(caller(number, line) for number, line in enumerate(lines)))
        took = time.perf_counter() - pace.begun
        cpu = bench.ours.cpu_seconds() - cpu
        weighing.cancel()
    times = sorted(one for line in lines for one in line.took)
    warm = sizes[int(len(sizes) * WARM_SHARE)]
    correct = not failures and pace.late <= LATE_SECONDS_MAX
    more = {
        "seconds": round(took, 1),
        "lifecycles": bench.played,
        "late_seconds": round(pace.late, 3),
        "p50_ms": round(times[len(times) // 2], 2),
        "cpu_share": round(cpu / took, 3),
        "failures": failures[:3],
    }
    keep(
        Figure(
            figure="sustained.p99",
            what=f"an answer at {COMMANDS_A_SECOND} commands a second for {seconds:,} s, 99th percentile",
            measured=round(times[int(len(times) * 0.99)], 1),
            unit="ms",
            demand=P99_MS_MAX,
            correct=correct,
            command=COMMAND,
            more=more,
        ),
        Figure(
            figure="sustained.memory",
            what="memory at the end of that, against what it was after a fifth of the time",
            measured=round(sizes[-1] / warm, 3),
            unit="×",
            demand=GROWTH_MAX,
            correct=correct,
            command=COMMAND,
            more={"megabytes": [round(one, 1) for one in (sizes[0], warm, sizes[-1])]},
        ),
    )


async def too_much(bench: Bench) -> None:
    """Overload with one account; afterwards others are as fast as before."""
    refused, answered = 0, 0
    ends = time.perf_counter() + TOO_MANY_SECONDS
    headers = {"Authorization": f"Bearer {bench.tokens['dev0']}"}

    async def crowd(line: Line) -> None:
        nonlocal refused, answered
        while time.perf_counter() < ends:
            try:
                await line.ask("GET", "/api/v1/inbox", headers=headers)
                answered += 1
            except (Failed, EOFError, OSError) as error:
                refused += ": 429 " in str(error)

    async with AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(Line(bench.ours.port)) for _ in range(CONNECTIONS)]
        await asyncio.gather(*map(crowd, lines))
    over, quick = time.perf_counter(), 0
    async with Timed(bench.ours.port) as line:
        while quick < NORMAL and time.perf_counter() < over + 3 * NORMAL_SECONDS_MAX:
            line.took.clear()
            await play(bench, line, 1)
            quick = quick + 1 if max(line.took) < P99_MS_MAX else 0
        back = time.perf_counter() - over
    keep(
        Figure(
            figure="sustained.back",
            what=f"until lifecycles of others are quick again after {CONNECTIONS} connections of one account",
            measured=round(back, 2),
            unit="s",
            demand=NORMAL_SECONDS_MAX,
            correct=refused > 0 and answered > 0 and quick == NORMAL,
            command=COMMAND,
            more={"refused": refused, "answered": answered},
        )
    )


async def measure(seconds: int) -> None:
    """Measure both on one server."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder:
        home = Path(folder, "home")
        tokens = await enrolled(home, [f"{name}{number}" for name in ("codex", "dev") for number in range(PAIRS)])
        with ours(home) as server:
            bench = _bench(home, tokens, server)
            await steady(bench, seconds)
            await too_much(bench)
        await check(home, bench.played)


def _bench(home: Path, tokens: dict[str, str], server: Server) -> Bench:
    return Bench(folder=home, tokens=tokens, ours=server, floor=server, echo=server)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=600)
    asyncio.run(measure(parser.parse_args(arguments).seconds))


if __name__ == "__main__":
    main()
