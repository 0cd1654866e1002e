"""Slowdown of the server for other callers while one account floods it.

Usage: python -m bench.flood [--kinds reads,writes,…] [--rounds N] [--seconds N]. The shipped server runs in a process
of its own. Well-behaved agents, four authors in turns and a reviewer, play ten lifecycles a second over HTTP; each
lifecycle and its last request, the gate's answer, are timed. They do so alone and then beside a flooder, in
turns. The figure is how many times longer it took beside the flooder, at the 95th percentile of all rounds; no
lifecycle may fail, and the flooder must have received the expected statuses.

The subject is the fairness of the server, not the spare capacity of the machine. The store is in memory where there is
a memory-backed folder. The server has one processor for itself. The flooder and the measured agents share the other,
where the flooder has the lowest priority (nice 19) and sends at most 2,000 requests a second, a hundred times as many
as the busiest of the others.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.lines import Figure, keep, middle
from bench.servers import Failed, Line, Server, enrolled, ours
from bench.story import CHECKED, FINDINGS, FOUND, work
from bench.story import text as text_of

API = "/api/v1"
COMMAND = "python -m bench.flood"
DEMAND = 1.5
DEMANDED = "lifecycle 95 %"
#: A lifecycle begins this often, if the one before it has ended.
PERIOD_SECONDS = 0.1
SETTLE_SECONDS = 0.25
MEMORY = next((one for one in ("/dev/shm",) if os.path.isdir(one)), None)  # noqa: S108, PTH112 - ours is made in it
#: One reviewer: among several the gate would draw one and wait for that one alone.
AUTHORS, REVIEWER = tuple(f"dev{number}" for number in range(4)), "codex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One way to flood: its name, the number of connections and the answers it must get."""

    says: str
    #: Expected at least once each: a status, with a plus when it has a Retry-After header.
    told: tuple[str, ...]
    #: Also allowed; any other status is a failure.
    also: tuple[str, ...] = ()
    connections: int = 32
    rate: int = 2_000


KINDS = {
    "reads": Kind(says="reads with a token", told=("200",), also=("429+",)),
    "gate": Kind(says="questions to the gate with a token", told=("200",), also=("429+",)),
    "writes": Kind(says="reviews opened with a token", told=("201",), also=("429+",)),
    "over": Kind(says="more live feeds than one account may have", told=("429+",), also=("200",)),
    "wrong": Kind(says="tokens that nobody has", told=("401",), also=("429+",)),
    "nowhere": Kind(says="places that there are not", told=("404",), also=("429+",)),
    "claimed": Kind(says="bodies said to have 50 MB", told=("413",), also=("429+",), rate=500),
    "fat": Kind(says="bodies of 4 MiB of JSON that is no work", told=("413",), also=("429+",), connections=8),
    "slow": Kind(says="bodies that come byte by byte", told=(), also=("408", "422", "429+"), connections=200),
    "churn": Kind(says="a new connection for every request, without a token", told=("401",), also=("429+",), rate=500),
    "mcp": Kind(says="tool calls over MCP", told=("200",), also=("429+",)),
}


@dataclass(slots=True)
class Times:
    """Milliseconds of each lifecycle and of each answer of the gate."""

    lifecycle: list[float] = field(default_factory=list)
    gate: list[float] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)


class Players:
    """Authors and a reviewer, each with a connection and a token."""

    def __init__(self, port: int, tokens: dict[str, str], numbers: Iterator[int]) -> None:
        """Connect to a port; `numbers` makes each work new."""
        self._lines = {name: Line(port=port) for name in (*AUTHORS, REVIEWER)}
        self._headers = {name: {"Authorization": f"Bearer {tokens[name]}"} for name in self._lines}
        self._numbers, self._authors = numbers, itertools.cycle(AUTHORS)

    async def ask(self, who: str, method: str, path: str, **body: Any) -> Any:
        """Send one request."""
        content = json.dumps(body).encode() if body else b""
        return await self._lines[who].ask(method, f"{API}{path}", content, self._headers[who])

    async def lifecycle(self, times: Times) -> None:
        """Play one lifecycle and time it."""
        author = next(self._authors)
        begun = time.perf_counter()
        number = next(self._numbers)
        done = await self.ask(author, "POST", "/reviews", kind="code", title="Transfer", files=_files(number, 1))
        review = f"/reviews/{done['review']}"
        found = [{"severity": one, "text": text, "category": "bug", "evidence": "Seen."} for one, text in FOUND]
        await self.ask(REVIEWER, "GET", f"{review}/work")
        await self.ask(REVIEWER, "POST", f"{review}/reports", revision=1, verdict="reject", findings=found)
        answers = [{"finding": one, "text": "Done as you say."} for one in FINDINGS]
        await self.ask(author, "POST", f"{review}/revisions", files=_files(number, 2), answers=answers)
        settled = [{"finding": one, "resolved": True} for one in FINDINGS]
        await self.ask(REVIEWER, "GET", f"{review}/work")
        checked = [{"what": CHECKED.what, "why": CHECKED.why}]
        said = {"verdict": "approve", "evidence": checked, "settled": settled}
        await self.ask(REVIEWER, "POST", f"{review}/reports", revision=2, **said)
        asked = time.perf_counter()
        answer = await self.ask(author, "GET", f"/gate/{work(number, 2).digest}?target=production")
        if not answer["allowed"]:
            raise Failed(f"the gate said {answer}")
        ended = time.perf_counter()
        times.gate.append(1000 * (ended - asked))
        times.lifecycle.append(1000 * (ended - begun))

    async def play(self, seconds: float) -> Times:
        """Play lifecycles at a steady pace for so many seconds."""
        times, end = Times(), time.perf_counter() + seconds
        while (now := time.perf_counter()) < end:
            try:
                await self.lifecycle(times)
            except (Failed, OSError, EOFError) as error:
                times.failed[str(error)[:200]] += 1
            await asyncio.sleep(max(0.0, now + PERIOD_SECONDS - time.perf_counter()))
        return times


def _files(number: int, revision: int) -> list[dict[str, str]]:
    text = text_of(number, revision).decode()
    return [{"path": "transfer.py", "text": text}]


def pin(server: Server) -> None:
    """Pin the server to the first processor and this process to the others."""
    cores = os.cpu_count() or 1
    if cores > 1:
        for task in Path(f"/proc/{server.process.pid}/task").iterdir():
            os.sched_setaffinity(int(task.name), {0})
        os.sched_setaffinity(0, set(range(1, cores)))


@contextmanager
def flooding(name: str, server: Server, token: str, told: dict[str, Any]) -> Iterator[None]:
    """Run the flooder; the statuses it received are in `told` afterwards."""
    kind = KINDS[name]
    words = [sys.executable, "-m", "bench.flooder", name, str(server.port), token]
    words += ["--rate", str(kind.rate), "--connections", str(kind.connections)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603 - our own
    try:
        assert process.stdout
        process.stdout.readline()
        yield
        said, _ = process.communicate("", timeout=60)
        found = json.loads(said.splitlines()[-1])
        told["told"].update(found["told"])
        told["per_s"].append(found["per_s"])
        told["cpu"].append(found["cpu"])
    finally:
        process.kill()
        process.wait()


async def measure(name: str, rounds: int, seconds: float) -> None:
    """Measure one kind of flood on a new store."""
    with tempfile.TemporaryDirectory(prefix="foureyes-bench-", dir=MEMORY) as folder:
        home = Path(folder, "home")
        names = [*AUTHORS, REVIEWER, "eve", *(f"eve{number}" for number in range(rounds))]
        tokens = await enrolled(home, names)
        with ours(home) as server:
            pin(server)
            numbers = itertools.count()
            await Players(server.port, tokens, numbers).play(seconds)
            # Warm up: the server loads some modules at the first request of a kind.
            with flooding(name, server, tokens["eve"], {"told": Counter(), "per_s": [], "cpu": []}):
                await asyncio.sleep(seconds)
            await asyncio.sleep(SETTLE_SECONDS)
            pairs = list[tuple[Times, Times]]()
            told: dict[str, Any] = {"told": Counter(), "per_s": [], "cpu": [], "server": []}
            for number in range(rounds):
                players = Players(server.port, tokens, numbers)
                alone = await players.play(seconds)
                with flooding(name, server, tokens[f"eve{number}"], told):
                    await asyncio.sleep(SETTLE_SECONDS)
                    cpu = server.cpu_seconds()
                    beside = await players.play(seconds)
                    told["server"].append((server.cpu_seconds() - cpu) / seconds)
                pairs.append((alone, beside))
                await asyncio.sleep(SETTLE_SECONDS)
            _keep(name, pairs, told)


def _keep(name: str, pairs: list[tuple[Times, Times]], told: dict[str, Any]) -> None:
    kind, statuses = KINDS[name], told["told"]
    failed = sum((one.failed for pair in pairs for one in pair), Counter[str]())
    as_told = all(statuses[one] for one in kind.told) and statuses.keys() <= {*kind.told, *kind.also}
    if failed or not as_told:
        print(f"{name}: failed {dict(failed)}, told {dict(statuses)}", file=sys.stderr)
    alone, beside = ({what: _all(pairs, index, what) for what in ("lifecycle", "gate")} for index in (0, 1))
    shares = ("median", 0.5), ("95 %", 0.95)
    ratios = {
        f"{what} {word}": round(at(beside[what], share) / at(alone[what], share), 3)
        for what in alone
        for word, share in shares
    }
    more = {
        "flood_per_s": round(middle(told["per_s"]), 1),
        "server_busy": round(100 * middle(told["server"])),
        "times": {name: times for name, times in ratios.items() if name != DEMANDED},
        "alone_ms": at(alone["lifecycle"], 0.95),
        "beside_ms": at(beside["lifecycle"], 0.95),
        "told": dict(sorted(statuses.items())),
        "lifecycles": len(beside["lifecycle"]),
    }
    figure = Figure(
        figure=f"flood.{name}",
        what=f"a lifecycle beside {kind.says}, against alone, 95 %",
        measured=ratios[DEMANDED],
        unit="×",
        demand=DEMAND,
        correct=not failed and as_told,
        command=COMMAND,
        more=more,
    )
    keep(figure)


def _all(pairs: list[tuple[Times, Times]], index: int, what: str) -> list[float]:
    return [one for pair in pairs for one in getattr(pair[index], what)]


def at(values: list[float], share: float) -> float:
    """The percentile of the values."""
    ordered = sorted(values) or [math.inf]
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def main() -> None:
    """Measure and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0)
    given = parser.parse_args()
    for name in given.kinds.split(","):
        asyncio.run(measure(name, given.rounds, given.seconds))


if __name__ == "__main__":
    main()
