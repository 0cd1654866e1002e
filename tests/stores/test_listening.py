"""Listeners are notified on every store, and the audit trail and figures are the same on each."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

from foureyes.app.bell import Bell, end_of
from foureyes.app.calls.call import Caller
from foureyes.app.calls.office import Office
from foureyes.app.feeding import Following, News, feed
from foureyes.app.rows import START
from foureyes.app.work import blob_digest
from tests.app.house import House
from tests.calls.counter import Counter
from tests.calls.test_governing import cleared, sue
from tests.stores.making import Box

SECONDS_MAX = 20
AHEAD = b"sent ahead\n"


def counter_on(box: Box) -> Counter:
    counter = Counter(house=House(store=box.store))
    house = counter.house
    counter.office = Office(gate=house.gate, store=house.store, clock=lambda: house.now, bell=Bell(poll_seconds=0.01))
    return counter


async def always() -> bool:
    return True


async def first(counter: Counter, caller: Caller, last: str = "") -> News:
    """The next notification of the caller."""
    async with asyncio.timeout(SECONDS_MAX):
        async for one in feed(counter.office, caller, Following(last=last), always):
            if one is not None:
                return one
    raise AssertionError


def test_the_end_of_the_log_is_found(box: Box) -> None:
    house = House(store=box.store)
    assert box.read(end_of) == START
    for _ in range(5):
        box.runner.run(house.open())
        assert box.read(end_of) == box.read(lambda reading: reading.tail(START))[-1].cursor


def test_a_listener_is_told_and_goes_on_where_they_stopped(box: Box) -> None:
    async def story() -> None:
        counter = counter_on(box)
        dev = await counter.agent("dev")
        waiting = asyncio.create_task(first(counter, dev))
        while not counter.office.bell._listeners:  # noqa: ASYNC110 - it begins to listen in its own time
            await asyncio.sleep(0.01)
        stream = await counter.house.open()
        told = await waiting
        assert f"review/{told.review}" == stream
        later = await counter.house.open()
        assert f"review/{(await first(counter, dev, told.id)).review}" == later

    box.runner.run(story())


def test_the_trail_and_the_figures_come_from_every_store(box: Box) -> None:
    async def story() -> None:
        counter = counter_on(box)
        human = await sue(counter)
        review, _ = await cleared(counter)
        # That a human sees everything is recorded once; a concurrent read may see that record or not.
        await counter.call(human, "audit", review=review)
        asked: list[tuple[str, dict[str, Any]]] = [("audit", {}), ("audit", {"review": review}), ("metrics", {})]
        found = await asyncio.gather(*(counter.call(human, name, **body) for name, body in asked))
        assert [one.type for one in found[1].rows] == [one.type for one in reversed(found[0].rows)]
        assert (found[2].totals.cleared, found[2].reviewers[0].reviewer) == (1, "codex")
        body = {"digest": blob_digest(AHEAD), "base64": base64.b64encode(AHEAD).decode()}
        dev = await counter.agent("dev")
        assert (await counter.call(dev, "put_blob", **body)) == (await counter.call(dev, "put_blob", **body))

    box.runner.run(story())
