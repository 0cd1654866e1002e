"""Workers in processes of their own, on a real PostgreSQL, with a scripted model at the other end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest

from foureyes.app.ports import Store
from foureyes.core.values import Outcome
from foureyes.policy.load import load
from foureyes.store.postgres import PostgresStore
from tests.agents.model import ScriptedModel, scripted_model
from tests.answers.samples import AFTER, answer
from tests.app.house import House, Pool, played
from tests.cast import DEV
from tests.engine.cluster import Worker, begun
from tests.mcp.desk import Desk
from tests.postgres.server import Server

POLICY = """
version: 1
mode: enforce
reviewers:
  agent: {model: endpoint:tiny}
kinds:
  default: solo
solo:
  programs: []
  agents: [agent]
  quorum: 1
  max_revisions: 2
"""
#: A loaded machine is slow, not wrong.
SECONDS_MAX = 240
#: What a model says first does not count, so each run makes two calls.
FIRST = {"text": "I would rather talk about something else."}


@dataclass
class Plant:
    """A database, a model whose second answer waits while a file is there, and workers."""

    folder: Path
    url: str
    model: ScriptedModel
    workers: dict[str, Worker] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.policy = load(self.folder / "foureyes.yaml").policy

    @property
    def holds(self) -> Path:
        return self.folder / "holds"

    def house(self, store: Store) -> House:
        """The gate in this process, which knows nobody whom it could draw."""
        return House(store=store, policy=self.policy, pool=Pool(()), now=datetime.now(UTC))

    def calls(self) -> list[int]:
        """Which answer was asked for, request by request."""
        bodies = [one["body"] for one in self.model.requests() if one["body"]]
        return [sum(said["role"] == "assistant" for said in one["messages"]) + 1 for one in bodies]

    async def until(self, is_so: Callable[[], bool]) -> None:
        async with asyncio.timeout(SECONDS_MAX):
            while not is_so():  # noqa: ASYNC110 - other processes tell by files and tables
                await asyncio.sleep(0.05)

    async def cleared(self, house: House, *streams: str) -> None:
        """Wait until all of these are; each has one report."""
        async with asyncio.timeout(SECONDS_MAX):
            for one in streams:
                while (await house.review(one)).outcome is None:  # noqa: ASYNC110 - another process ends it
                    await asyncio.sleep(0.05)
        for one in streams:
            assert (await house.review(one)).outcome is Outcome.CLEARED
            assert (await house.log(one)).count("ReportSubmitted") == 1


def work(number: int) -> dict[str, bytes]:
    """A file that the model's answer speaks of."""
    return {"shop/cart.py": b"%s\nNUMBER = %d\n" % (AFTER, number)}


@contextmanager
def plant(server: Server, folder: Path) -> Iterator[Plant]:
    (folder / "foureyes.yaml").write_text(POLICY, encoding="utf-8")
    (folder / "holds").touch()
    turns = [FIRST, {"hang_while": str(folder / "holds"), "answer": answer()}]
    with server.fresh() as url, scripted_model(folder, turns) as model:
        yield Plant(folder, url, model)


@pytest.mark.timeout(600)
def test_a_worker_killed_in_a_model_call_is_replaced_and_the_finished_call_is_not_paid_twice(
    durable_postgres: Server, tmp_path: Path
) -> None:
    """F17: two workers share the runs; one dies without a word; each seat has one report in the end."""

    @played
    async def story(here: Plant) -> None:
        with (
            Worker(tmp_path / "one", here.url, here.model) as one,
            Worker(tmp_path / "two", here.url, here.model) as two,
        ):
            workers = {one.name(): one, two.name(): two}
            async with PostgresStore.open(here.url) as store:
                house = here.house(store)
                await Desk(house=house).agent(DEV.name)
                streams = [await house.open(work(number)) for number in range(4)]
                await here.until(lambda: here.calls().count(2) == 3)
                who = begun(here.url)
                assert len(who) == 3, "so many has one reviewer at once"
                assert set(who.values()) == workers.keys(), "both have something to do"
                assert here.calls().count(1) == 3
                name = next(iter(who.values()))
                workers[name].process.kill()
                here.holds.unlink()
                await here.cleared(house, *streams)
            lost = list(who.values()).count(name)
            assert here.calls().count(1) == 4, "no finished call was made again"
            assert here.calls().count(2) == 4 + lost, "those it died in were"

    with plant(durable_postgres, tmp_path) as here:
        story(here)
