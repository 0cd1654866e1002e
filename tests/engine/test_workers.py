"""Workers in their own processes, on a real PostgreSQL, with a scripted model."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.store.postgres import PostgresStore
from tests.app.house import played
from tests.cast import DEV
from tests.engine.cluster import Worker, begun
from tests.engine.plant import Plant, plant, work
from tests.mcp.desk import Desk
from tests.postgres.server import Server


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
