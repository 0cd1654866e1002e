"""Two servers and three workers on one PostgreSQL, which die one after the other."""

from __future__ import annotations

import asyncio
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.work import work_of
from foureyes.store.postgres import PostgresStore
from tests.app.house import House, played
from tests.cast import DEV
from tests.cli.running import Running
from tests.engine.cluster import Worker, begun
from tests.engine.plant import Plant, plant, work
from tests.mcp.desk import Desk
from tests.postgres.server import Server

END_SECONDS_MAX = 60


def server(here: Plant, name: str) -> Running:
    running = Running(here.folder / name, arguments=("--database", here.url))
    running.environment["FOUREYES_POLICY"] = str(here.folder / "foureyes.yaml")
    return running


def opening(number: int) -> dict[str, Any]:
    (path, content), *_ = work(number).items()
    files = [{"path": path, "text": content.decode()}]
    return {"kind": "script", "title": f"work {number}", "files": files, "key": f"k{number}"}


@pytest.mark.timeout(900)
def test_reviews_end_once_though_a_server_and_a_worker_are_killed_and_another_worker_is_ended(
    durable_postgres: Server, tmp_path: Path
) -> None:
    """F17: kill -9 of the server that took the command, of a worker in a call; SIGTERM gives a run back."""

    @played
    async def story(here: Plant, stack: ExitStack) -> None:
        first, second = (stack.enter_context(server(here, name)) for name in ("up1", "up2"))
        async with PostgresStore.open(here.url) as store:
            people = Desk(house=House(store=store, policy=here.policy))
            token = (await people.agent(DEV.name))["authorization"].removeprefix("Bearer ")
        opened = [await first.ask(token, "POST", "/reviews", **opening(number)) for number in range(3)]
        # No process executes the run yet: the server dies between the command and the hand-over.
        first.process.kill()
        started = [
            stack.enter_context(Worker(tmp_path / name, here.url, here.model)) for name in ("one", "two", "three")
        ]
        workers = {one.name(): one for one in started}
        await here.until(lambda: here.calls().count(2) == 3)
        who = begun(here.url)
        # Whoever starts first may have two of them.
        killed, ended, *_ = dict.fromkeys([*who.values(), *workers])
        workers[killed].process.kill()
        workers[ended].process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(workers[ended].process.wait, END_SECONDS_MAX) == 0
        assert here.holds.exists(), "it did not wait for the model"
        here.holds.unlink()
        async with PostgresStore.open(here.url) as store:
            await here.cleared(here.house(store), *(f"review/{one['review']}" for one in opened))
        for number in range(3):
            told = await second.ask(token, "GET", f"/gate/{work_of(work(number)).digest}")
            assert told["allowed"], "whatever server is left says the same"
        assert here.calls().count(1) == 3, "no finished call was made again"
        lost = sum(one in (killed, ended) for one in who.values())
        assert here.calls().count(2) == 3 + lost, "those that they were in when they went were"
        assert not any("a run failed" in one.logged() for one in started)

    with plant(durable_postgres, tmp_path) as here, ExitStack() as stack:
        story(here, stack)
