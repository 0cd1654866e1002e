"""`foureyes status` shows how work is going: what waits, who works, undelivered notifications, the last signature."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from foureyes.app.rows import ENGINE, START, Changes, OutboxRow
from foureyes.app.workers import Offer, Worker, key_of, written
from foureyes.core import commands as c
from foureyes.core.values import Who
from foureyes.store.sqlite_store import SqliteStore
from tests.cast import CODEX
from tests.cli.desk import Desk

FILES = {"more.py": b"x = 1\n"}


def busy(desk: Desk) -> None:
    """A store with a running reviewer, a dead one, a worker, and an old undelivered notification."""
    now = datetime.now(UTC)

    async def play() -> None:
        async with SqliteStore.open(desk.database) as store:
            house = desk.house(store, start=700)
            house.now = now
            stream = await house.open(FILES)
            seat = next(iter((await house.gate.read(stream.removeprefix("review/"), CODEX)).view.review.seats))
            await house.do(CODEX, c.TakeSeat(seat=seat), stream)
            hosted = Offer(who=Who(name="hardin"), roles=("hardin",))
            alive = Worker(name="one", until=now + timedelta(seconds=19), offers=(hosted,), runs=2, queued=1)
            dead = Worker(name="gone", until=now - timedelta(seconds=1))
            rows = {key_of(one.name): written(one) for one in (alive, dead)}
            letter = OutboxRow(stream="s", version=1, type="letter t1 human", at="2026-01-05T09:00:00.000000Z")
            await store.write(lambda tx: tx.follow(ENGINE, rows, START))
            await store.write(lambda tx: tx.apply(Changes(outbox=(letter,))))

    asyncio.run(play())


def test_queues_leases_workers_outbox_and_the_checkpoint_are_told(desk: Desk) -> None:
    desk.run("log", "checkpoint")
    busy(desk)
    told = desk.run("status")
    words = " ".join(told.out.split())
    assert told.code == 0
    assert "Waiting 2 reports: 2 held, 1 overdue" in words
    assert "Seats 1 with a reviewer at work" in words
    assert "one: hardin; 2 runs under way" in words
    assert "1 letter" in words
    data = desk.run("status", "--json").data
    assert data["leases"] == {"held": 1, "lapsed": 0}
    assert data["workers"] == [{"worker": "one", "reviewers": ["hardin"], "runs": 2, "queued": 1}]
    assert {one["kind"]: (one["requests"], one["held"], one["overdue"]) for one in data["pending"]} == {
        "report": (2, 2, 1),
        "revision": (0, 0, 0),
        "ruling": (0, 0, 0),
    }
    letters = next(one for one in data["outbox"]["types"] if one["type"] == "letter")
    assert (letters["waiting"], letters["oldest_seconds"] > 86_400) == (1, True)
    assert 0 <= data["checkpoint"]["age_seconds"] < 600


def test_where_nobody_is_at_work_nothing_is_said_of_it(desk: Desk) -> None:
    told = desk.run("status")
    for word in ("Seats", "Hooks", "Workers", "Outbox"):
        assert word not in told.out
    assert desk.run("status", "--json").data["checkpoint"] is None
