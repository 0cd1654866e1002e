"""A server killed between a command and its consequences: the next one continues, and nothing is done twice."""

from __future__ import annotations

import asyncio
import http.client
import signal
from contextlib import suppress
from pathlib import Path

import pytest

from tests.app.house import played
from tests.conftest import EFFORT
from tests.stories.process import CLAIM, HAND_OVER, OPENED
from tests.stories.theatre import API, Headers, Theatre, theatre

pytestmark = pytest.mark.timeout(300)
END_SECONDS_MAX = 30
BODY = {"output": "echo hello\n", "step": "greet", "task_id": "t-1", "kind": "security_change"}
GONE = (ConnectionError, http.client.HTTPException)


async def asked_and_killed(here: Theatre, who: Headers) -> None:
    """Send a command that kills the server; the answer may or may not arrive."""
    dying = here.server.process
    with suppress(*GONE):
        await here.post(who, "/validate", **BODY)
    assert await asyncio.to_thread(dying.wait, END_SECONDS_MAX) == -signal.SIGKILL


async def gone_on(here: Theatre, who: Headers) -> None:
    """Retry with the same key and check that there is one review, with one run per critic, which ends."""
    review = (await here.done(who, "/validate", **BODY))["review"]
    seen = await here.shows(who, f"/validate/{review}", status="approved")
    assert [one["critic_agent_id"] for one in seen["layers"]] == ["seldon", "claude"]
    await here.one_report_each(review)
    assert (await here.types(f"review/{review}")).count("ReportSubmitted") == 2
    assert len((await here.found(who, f"{API}/reviews"))["reviews"]) == 1


@pytest.mark.parametrize("dies", [OPENED, CLAIM, HAND_OVER] if EFFORT == "all" else [HAND_OVER])
def test_a_server_killed_between_a_command_and_the_hand_over_is_gone_on_by_the_next(dies: str, tmp_path: Path) -> None:
    """F1, F17, 001-77: behind the commit, before the seat is taken, before the run is handed over; on SQLite."""

    @played
    async def story(here: Theatre) -> None:
        here.serve("first", dies=dies)
        dev = {**await here.agent("dev", "agent"), "idempotency-key": "once"}
        await asked_and_killed(here, dev)
        here.serve("second")
        await gone_on(here, dev)

    with theatre(tmp_path / "place") as made:
        story(made)
