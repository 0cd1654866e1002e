"""On PostgreSQL servers and workers die or restart one after the other; agents continue, and all is done once."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.agents.test_process import is_gone
from tests.app.house import played
from tests.cli.running import Running
from tests.engine.cluster import begun
from tests.postgres.server import Server
from tests.stories.process import HAND_OVER, OPENED
from tests.stories.test_deaths import BODY, END_SECONDS_MAX, GONE, asked_and_killed, gone_on
from tests.stories.theatre import API, Headers, Theatre, theatre

pytestmark = pytest.mark.timeout(300)
#: Seconds after which a dead worker is noticed.
HELD_SECONDS = 8
AGENTS, WORKS_MIN = 3, 6
#: Statuses of a stopping server.
TRY_AGAIN = (429, 500, 502, 503)
TRIES_MAX = 500


def test_a_server_and_then_the_worker_that_dispatches_die_and_others_go_on(
    durable_postgres: Server, tmp_path: Path
) -> None:
    """F1, F17: the server behind the commit of a command, the worker before it hands over; on PostgreSQL."""

    @played
    async def story(here: Theatre) -> None:
        here.serve("first", dies=OPENED)
        (one,) = here.hire("one", dies=HAND_OVER)
        dev = {**await here.agent("dev", "agent"), "idempotency-key": "once"}
        await asked_and_killed(here, dev)
        assert await asyncio.to_thread(one.process.wait, END_SECONDS_MAX) == -signal.SIGKILL
        here.serve("second")
        here.hire("two")
        await gone_on(here, dev)

    with theatre(tmp_path / "place", durable_postgres, HELD_SECONDS) as made:
        story(made)


def test_a_worker_killed_while_its_agent_looks_takes_it_along_and_another_asks_anew(
    durable_postgres: Server, tmp_path: Path
) -> None:
    """F17: the agent does not go on beside its successor; one report comes of it."""

    @played
    async def story(here: Theatre) -> None:
        here.serve()
        here.hire("one", "two")
        dev = {**await here.agent("dev", "agent"), "idempotency-key": "once"}
        holds, starts = here.agents.folder / "holds", here.agents.folder / "starts"
        holds.touch()
        await here.post(dev, "/validate", **BODY)
        await here.until(lambda: asyncio.to_thread(starts.exists), bool)
        (name,) = begun(here.url).values()
        killed = next(one for one in here.workers if f"-{one.process.pid}-" in name)
        killed.process.kill()
        (agent,) = starts.read_text(encoding="utf-8").split()
        assert await asyncio.to_thread(is_gone, int(agent))
        holds.unlink()
        await gone_on(here, dev)
        assert len(starts.read_text(encoding="utf-8").split()) == 2

    with theatre(tmp_path / "place", durable_postgres, HELD_SECONDS) as made:
        story(made)


def test_two_servers_restarted_one_after_the_other_lose_and_double_nothing(
    durable_postgres: Server, tmp_path: Path
) -> None:
    """F17: agents continue, and retry with the same key at any running server."""

    @played
    async def story(here: Theatre) -> None:
        servers = [here.serve("a"), here.serve("b")]
        crowd = [await here.agent(f"dev-{number}", "agent") for number in range(AGENTS)]
        is_over = asyncio.Event()
        at_work = [asyncio.create_task(works(servers, who, number, is_over)) for number, who in enumerate(crowd)]
        for index, name in enumerate(("a-again", "b-again")):
            assert await asyncio.to_thread(servers[index].end) == 0
            servers[index] = await asyncio.to_thread(here.serve, name)
        is_over.set()
        opened = [one for each in await asyncio.gather(*at_work) for one in each]
        assert len(set(opened)) == len(opened) >= AGENTS * WORKS_MIN, "each key has its review"
        for review in opened:
            await here.shows(crowd[0], f"/validate/{review}", status="approved")
            types = await here.types(f"review/{review}")
            once = ("ReviewOpened", "ReportSubmitted", "NoteAdded", "ReviewCleared")
            assert [types.count(one) for one in once] == [1, 1, 1, 1], types
        async with here.store() as store:
            heads = await store.read(lambda reading: [one.stream for one in reading.heads()])
        assert {f"review/{one}" for one in opened} == {one for one in heads if one.startswith("review/")}

    with theatre(tmp_path / "place", durable_postgres, HELD_SECONDS) as made:
        story(made)


async def works(servers: list[Running], who: Headers, agent: int, is_over: asyncio.Event) -> list[str]:
    """Have one work after the other validated, with a note on each, until the restarts are over."""
    opened = list[str]()
    while not is_over.is_set() or len(opened) < WORKS_MIN:
        key = f"{agent}-{len(opened)}"
        body = {"output": f"Work {key}.\n", "step": "write", "chain": "default", "task_id": key}
        found = await insisted(servers, {**who, "idempotency-key": key}, "/validate", body)
        note = {**who, "idempotency-key": f"{key}-note"}
        await insisted(servers, note, f"{API}/reviews/{found['review']}/notes", {"text": "Mine."})
        opened.append(found["review"])
    return opened


async def insisted(servers: list[Running], who: Headers, path: str, body: dict[str, Any]) -> Any:
    """Try the servers in turn until one answers."""
    headers = {**who, "content-type": "application/json"}
    for server in in_turn(servers):
        with suppress(*GONE):
            sent = server.send("POST", path, headers, json.dumps(body).encode())
            answer = await asyncio.to_thread(asyncio.run, sent)
            if answer.status not in TRY_AGAIN:
                assert answer.status < 300, answer.body
                return answer.data
        await asyncio.sleep(0.05)
    raise AssertionError("nobody answers")


def in_turn(servers: list[Running]) -> Iterator[Running]:
    """Cycle through the servers that run at the moment."""
    for _ in range(TRIES_MAX):
        yield from tuple(servers)
