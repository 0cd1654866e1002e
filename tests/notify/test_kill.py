"""A worker killed during a delivery is followed by another, which delivers again under the same id."""

from __future__ import annotations

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from foureyes.notify.leaving import CLAIMED_FOR
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House
from tests.cast import DEV
from tests.notify.receiving import HANGS, receiving
from tests.notify.worker import deliver
from tests.shape import ROOT


@pytest.mark.timeout(120)
def test_a_worker_killed_between_taking_and_telling_loses_nothing(tmp_path: Path) -> None:
    """At least once, with a stable id, also over a SIGKILL."""
    database = tmp_path / "a.db"

    async def story() -> None:
        store = SqliteStore.open(str(database))
        house = House(store=store)
        await house.open(actor=DEV)
        await store.close()
        async with receiving() as receiver:
            receiver.refusing["/in"] = HANGS
            arguments = ("-m", "tests.notify.worker", str(database), f"{receiver.url}/in", house.now.isoformat())
            first = await asyncio.create_subprocess_exec(sys.executable, *arguments, cwd=ROOT)
            await receiver.came.wait()
            first.kill()
            await first.wait()
            del receiver.refusing["/in"]
            for later in (timedelta(seconds=1), CLAIMED_FOR + timedelta(seconds=1)):
                await deliver(str(database), f"{receiver.url}/in", house.now + later)
            told = [(one.headers["webhook-id"], one.body) for one in receiver.got]
            assert told.count(told[0]) == 2, "the one that hung was told again, as the same"
            assert len(set(told)) == len(told) - 1
        store = SqliteStore.open(str(database))
        assert await store.read(lambda reading: reading.queued()) == ()
        await store.close()

    asyncio.run(story())
