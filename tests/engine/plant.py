"""A database, a model that delays its second answer, and the processes that execute runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from foureyes.app.ports import Store
from foureyes.core.values import Outcome
from foureyes.policy.load import load
from tests.agents.model import ScriptedModel, scripted_model
from tests.answers.samples import AFTER, answer
from tests.app.house import House, Pool
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
#: The first answer of the model is invalid, so each run makes two calls.
FIRST: dict[str, Any] = {"text": "I would rather talk about something else."}


@dataclass
class Plant:
    """The parts of a story; the file `holds` delays the second answer of the model."""

    folder: Path
    url: str
    model: ScriptedModel

    def __post_init__(self) -> None:
        self.policy = load(self.folder / "foureyes.yaml").policy

    @property
    def holds(self) -> Path:
        return self.folder / "holds"

    def house(self, store: Store) -> House:
        """The gate in this process, with an empty pool."""
        return House(store=store, policy=self.policy, pool=Pool(()), now=datetime.now(UTC))

    def calls(self) -> list[int]:
        """The requested answer of each request."""
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
