"""Time until `foureyes up` answers, compared with a bare Starlette, and its memory while idle.

Usage: python -m bench.starts [--rounds N]. Both start cold in turns; the clock stops at the first answer over
HTTP. Afterwards the memory of a server that has played lifecycles over HTTP and MCP is measured while it is idle.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from bench.callers import OnHttp, OnMcp
from bench.lines import Figure, keep, middle
from bench.servers import Line, Server, enrolled, floor, ours

COMMAND = "python -m bench.starts"
ROUNDS = 9
PLAYED = 40
REST_SECONDS = 3
#: A library that the MCP SDK requires: if it is not loaded, the SDK is not either.
SDK = "pydantic_core"
ALIVE = "/health"


@dataclass(slots=True)
class Starts:
    """Wall-clock and processor seconds from a cold start to the first answer."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    #: Megabytes, and whether the SDK was loaded, right after the first answer.
    megabytes: list[float] = field(default_factory=list)
    has_sdk: bool = False

    async def once(self, start: Callable[[], AbstractContextManager[Server]]) -> None:
        """Start a server, send one request and end it."""
        begun = time.perf_counter()
        with start() as server:
            async with Line(server.port) as line:
                await line.ask("GET", ALIVE)
            self.wall.append(time.perf_counter() - begun)
            self.cpu.append(server.cpu_seconds())
            self.megabytes.append(server.megabytes())
            self.has_sdk = self.has_sdk or server.has(SDK)


async def starting(home: Path, folder: Path, rounds: int) -> None:
    """Measure a cold start to the first answer."""
    bare, mine = Starts(), Starts()
    for _ in range(rounds + 1):
        await bare.once(lambda: floor("bare", folder))
        await mine.once(lambda: ours(home))
    walls = [one / other for one, other in list(zip(mine.wall, bare.wall, strict=True))[1:]]
    cpus = [one / other for one, other in list(zip(mine.cpu, bare.cpu, strict=True))[1:]]
    keep(
        Figure(
            figure="starts.first",
            what="`foureyes up` from nothing to the first answer over HTTP, against a bare Starlette; MCP comes later",
            measured=middle(walls),
            unit="×",
            demand=8.0,
            aim=3.0,
            correct=not mine.has_sdk,
            command=COMMAND,
            more={
                "wall_ms": {"ours": 1000 * middle(mine.wall[1:]), "bare": 1000 * middle(bare.wall[1:])},
                "cpu_ratio": middle(cpus),
            },
        ),
        _memory("starts.memory", "memory of a server that was just started", middle(mine.megabytes), is_right=True),
    )


def _memory(figure: str, what: str, measured: float, *, is_right: bool) -> Figure:
    return Figure(
        figure=figure,
        what=what,
        measured=round(measured, 1),
        unit="MB",
        demand=150.0,
        aim=100.0,
        correct=is_right,
        command=COMMAND,
    )


async def resting(home: Path, tokens: dict[str, str]) -> None:
    """Measure the memory of an idle server after it has worked."""
    with ours(home) as server:
        async with Line(server.port) as line:
            over_http = OnHttp(line, tokens["dev"], tokens["codex"])
            over_mcp = OnMcp(line, tokens["dev"], tokens["codex"])
            for number in range(PLAYED):
                await over_http.lifecycle(2 * number)
                await over_mcp.lifecycle(2 * number + 1)
        await asyncio.sleep(REST_SECONDS)
        what = f"memory of a server at rest after {PLAYED} lifecycles over HTTP and as many over MCP"
        keep(_memory("starts.memory.used", what, server.megabytes(), is_right=server.has(SDK)))


async def measure(rounds: int) -> None:
    """Measure everything."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-") as folder:
        home = Path(folder, "home")
        tokens = await enrolled(home, ["codex", "dev"])
        await starting(home, Path(folder), rounds)
        await resting(home, tokens)


def main() -> None:
    """Measure and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asyncio.run(measure(parser.parse_args().rounds))


if __name__ == "__main__":
    main()
