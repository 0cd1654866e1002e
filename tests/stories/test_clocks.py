"""The clock of all processes jumps by 49 hours and back during a review: nothing is cleared or blocked."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.app.house import played
from tests.conftest import EFFORT
from tests.postgres.server import Server
from tests.stories.test_deaths import BODY
from tests.stories.test_rolling import HELD_SECONDS
from tests.stories.theatre import Theatre, theatre

pytestmark = pytest.mark.timeout(300)


@played
async def jumps(here: Theatre) -> None:
    dev = await here.agent("dev", "agent")
    holds, starts = here.agents.folder / "holds", here.agents.folder / "starts"
    holds.touch()
    first = (await here.done(dev, "/validate", **BODY))["review"]
    await here.until(lambda: asyncio.to_thread(starts.exists), bool)
    here.wait(hours=49)
    await here.shows(dev, f"/validate/{first}", status="escalated_to_human")
    here.wait(hours=-49)
    holds.unlink()
    other = (await here.done(dev, "/validate", **{**BODY, "output": "echo bye\n", "task_id": "t-2"}))["review"]
    await here.shows(dev, f"/validate/{other}", status="approved")
    types = await here.types(f"review/{first}")
    assert (types.count("DeadlinePassed"), types.count("RulingRequested"), types.count("ReviewCleared")) == (1, 1, 0)
    for one in (first, other):
        await here.one_report_each(one)


@pytest.mark.parametrize("together", [True, False] if EFFORT == "all" else [True])
def test_a_jump_there_and_back_stops_nobody(together: bool, durable_postgres: Server, tmp_path: Path) -> None:
    """F9, I29: two workers, whose signs of life go by the same clock; in the long helping also a server alone."""
    with theatre(tmp_path / "place", durable_postgres if together else None, HELD_SECONDS) as here:
        here.serve()
        if together:
            here.hire("one", "two")
        jumps(here)
        assert '"message": "the clock was set"' in here.server.logged()
