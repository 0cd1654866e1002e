"""Start-up delay of a reviewer hosted by a worker, and the throughput gained by a second server.

Usage: python -m bench.cluster [--starts N] [--seconds N]. On a test PostgreSQL that syncs its commits to disk. First
a worker built as `foureyes worker` builds it, with a scripted reviewer, and the gate of a server, all in one process;
then one and two `foureyes up`, called by the same number of connections over HTTP.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.callers import API
from bench.engine import Scripted, Starting
from bench.lines import Figure, keep
from bench.servers import Line, Server, folder_of, ours, people
from bench.story import AUTHOR, POLICY
from foureyes import config
from foureyes.app.accounts import Enrolled
from foureyes.app.gate import Gate, new_key
from foureyes.app.policies import Policies
from foureyes.app.reviewers import AtHand
from foureyes.bootstrap.assembly import Assembly
from foureyes.bootstrap.working import made
from foureyes.engine.hosting import Everybody, Hosted
from foureyes.engine.tables import migrate
from foureyes.engine.workers import Crew, Workers
from foureyes.store.postgres import PostgresStore
from tests.postgres.server import own

COMMAND = "python -m bench.cluster"
START_MS_MAX = 1_000
#: Connections that ask at the same time, over all servers.
CONNECTIONS = 16
#: Notes to one review.
NOTES = 9


def _now() -> datetime:
    return datetime.now(UTC)


async def starts(url: str, home: Path, count: int) -> Figure:
    """Time from the request until the reviewer starts; the worker learns of it only from the database."""
    begun = asyncio.Event()
    what = "from a request to the start of a reviewer that a worker hosts"
    starting = Starting(figure="cluster.start", what=what, demand=START_MS_MAX, command=COMMAND)
    assembly = Assembly(config.read({"home": str(home), "database": url}, {}))
    async with AsyncExitStack() as stack:
        store, other = [await stack.enter_async_context(PostgresStore.open(url)) for _ in range(2)]
        await people(store, [AUTHOR.name])
        hosted = Hosted(lambda _: AtHand(reviewers={"agent": (Scripted(begun.set),)}), Policies(POLICY), _now)
        worker = made(assembly, store, hosted)
        await worker.begin()
        beside = [asyncio.create_task(one) for one in (worker.forever(), worker.listen())]
        workers = Workers(other, _now)
        await workers.look()
        gate = Gate(other, Everybody((Crew(workers), Enrolled())), policy=POLICY)
        await worker.dispatcher.looked.wait()
        figure = await starting.measured(gate, begun, count)
        for one in beside:
            one.cancel()
        await asyncio.gather(*beside, return_exceptions=True)
        await worker.end()
    return figure


async def _written(servers: Sequence[Server], tokens: Sequence[str], seconds: int) -> float:
    """Commands a second: each connection belongs to an author, who opens reviews and writes notes to them."""
    done, ends = 0, time.perf_counter() + seconds

    async def caller(server: Server, token: str) -> None:
        nonlocal done
        async with Line(server.port) as line:

            async def post(path: str, body: dict[str, object]) -> Any:
                headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
                data = json.dumps({**body, "key": new_key()}).encode()
                return await line.ask("POST", f"{API}{path}", data, headers)

            while time.perf_counter() < ends:
                files = [{"path": "a.py", "text": new_key()}]
                review = (await post("/reviews", {"kind": "code", "title": "Work", "files": files}))["review"]
                for _ in range(NOTES):
                    await post(f"/reviews/{review}/notes", {"text": "Still at it."})
                done += 1 + NOTES

    began = time.perf_counter()
    await asyncio.gather(*(caller(servers[at % len(servers)], one) for at, one in enumerate(tokens)))
    return done / (time.perf_counter() - began)


def servers(url: str, folder: Path, seconds: int) -> Figure:
    """Compare one server with two on the same database and machine."""

    async def enrol() -> tuple[str, ...]:
        async with PostgresStore.open(url) as store:
            return tuple((await people(store, [f"dev{number}" for number in range(CONNECTIONS)])).values())

    tokens, rates = asyncio.run(enrol()), [0.0, 0.0]
    for many in (1, 2):
        with ExitStack() as stack:
            homes = [folder / f"up{many}{number}" for number in range(many)]
            for one in homes:
                folder_of(one)
            up = [stack.enter_context(ours(one, "--database", url)) for one in homes]
            rates[many - 1] = asyncio.run(_written(up, tokens, seconds))
    alone, both = rates
    return Figure(
        figure="cluster.servers",
        what=f"as many commands a second through two servers as through one, by {CONNECTIONS} authors at once",
        measured=round(both / alone, 2),
        unit="×",
        correct=alone > 0,
        command=COMMAND,
        more={"one": round(alone, 1), "two": round(both, 1)},
    )


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=20)
    given = parser.parse_args()
    with own(durable=True) as server, tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        folder_of(place / "worker")
        with server.fresh() as url:
            migrate(url)
            keep(asyncio.run(starts(url, place / "worker", given.starts)))
        with server.fresh() as url:
            keep(servers(url, place, given.seconds))


if __name__ == "__main__":
    main()
