"""While a server runs, deadlines pass and projections follow; a failing task does not stop the others."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

import pytest

from foureyes.app.asks import Ask
from foureyes.app.ports import Damaged, Unavailable
from foureyes.app.tending import Deadlines, Jumps, Tending
from foureyes.core.refusals import Code, Refusal
from tests.app.house import FIRST, House, played


@played
async def test_a_deadline_passes_when_its_time_is_over_and_not_before() -> None:
    house = House()
    stream = await house.open(FIRST)
    one = Deadlines(store=house.store, gate=house.gate, clock=lambda: house.now)
    assert await one.passed() == 0
    house.wait(hours=49)
    assert await one.passed() > 0
    events = await house.store.read(lambda reading: tuple(reading.events(stream)))
    assert events[-1].actor == "clock"
    assert "ReviewCleared" not in {event.type for event in events}


@played
async def test_a_review_that_was_altered_keeps_no_other_from_being_on_time() -> None:
    """I29: it stands still alone."""
    house = House()
    streams = [await house.open({"a.py": b"number %d\n" % number}) for number in range(3)]
    one = Deadlines(store=house.store, gate=house.gate, clock=lambda: house.now)
    handle = house.gate.handle

    async def altered(ask: Ask) -> object:
        if ask.stream == streams[0]:
            raise Damaged("It was altered.")
        return await handle(ask)

    object.__setattr__(house.gate, "handle", altered)
    house.wait(hours=49)
    assert await one.passed() == 2


@played
async def test_what_is_due_in_several_reviews_at_once_passes_in_all_of_them() -> None:
    """I29: seats have the same names in every review, and none of them has to wait for another's minute."""
    house = House()
    streams = [await house.open({"a.py": b"number %d\n" % number}) for number in range(3)]
    one = Deadlines(store=house.store, gate=house.gate, clock=lambda: house.now)
    house.wait(hours=49)
    assert await one.passed() == 3
    assert ["DeadlinePassed" in await house.log(stream) for stream in streams] == [True, True, True]


@played
async def test_a_deadline_that_was_not_taken_is_tried_again_though_the_clock_was_set_back() -> None:
    """I29: whatever the wall clock does."""
    house = House()
    stream = await house.open(FIRST)
    one = Deadlines(store=house.store, gate=house.gate, clock=lambda: house.now + ahead)
    # The gate's own clock is behind this time.
    ahead = timedelta(hours=49)
    assert await one.passed() == 0
    ahead = timedelta(0)
    house.wait(hours=48)
    assert await one.passed() == 1
    assert "DeadlinePassed" in await house.log(stream)


@played
async def test_a_deadline_that_was_refused_is_not_left_alone_longer_when_the_clock_is_set_back() -> None:
    """F9: what was noted 49 hours ahead is forgotten with them."""
    house = House()
    await house.open(FIRST)
    one = Deadlines(store=house.store, gate=house.gate, clock=lambda: house.now)
    takes, away = house.gate.handle, [True]

    async def handle(ask: Ask) -> object:
        if away[0]:
            raise Refusal(Code.NOT_DUE, "Not now.", "Later.")
        return await takes(ask)

    object.__setattr__(house.gate, "handle", handle)
    house.wait(hours=49)
    assert await one.passed() == 0
    away[0] = False
    house.wait(hours=-48)
    assert await one.passed() > 0


def test_a_clock_that_is_set_is_told_once_and_one_that_goes_is_not(caplog: pytest.LogCaptureFixture) -> None:
    """F9: by how much, forward and back; the watch says how long it really was."""
    house, watch = House(), [0.0]
    one = Jumps(clock=lambda: house.now, watch=lambda: watch[0])

    def look(*, shown: timedelta, really: float = 1) -> list[object]:
        house.now += shown
        watch[0] += really
        caplog.clear()
        asyncio.run(one.noticed())
        return [(record.getMessage(), record.__dict__["fields"]) for record in caplog.records]

    assert look(shown=timedelta(hours=1)) == [], "nothing is known before the first look"
    assert look(shown=timedelta(hours=1), really=3600) == []
    assert look(shown=timedelta(minutes=5), really=0) == []
    for hours in (49, -49):
        assert look(shown=timedelta(hours=hours), really=0) == [("the clock was set", {"by_seconds": hours * 3600})]
        assert look(shown=timedelta(seconds=1)) == []


@played
async def test_what_fails_is_told_once_and_keeps_nobody_from_their_work() -> None:
    told, ran = list[str](), list[str]()

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            told.append(record.getMessage())

    async def unavailable() -> None:
        raise Unavailable("The store sleeps.", "Wake it.")

    async def surprised() -> None:
        raise ZeroDivisionError

    async def fine() -> None:
        ran.append("fine")

    one = Tending((("a", unavailable), ("b", surprised), ("c", fine)))
    log = logging.getLogger("foureyes.tending")
    keep = Keep()
    log.addHandler(keep)
    log.propagate = False
    try:
        await one.once()
        await one.once()
    finally:
        log.removeHandler(keep)
        log.propagate = True
    assert ran == ["fine", "fine"]
    assert told == ["a: The store sleeps. Wake it.", "b failed"]


@played
async def test_it_goes_on_until_it_is_cancelled() -> None:
    rounds = list[int]()

    async def pause() -> None:
        rounds.append(1)
        if len(rounds) == 3:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await Tending(()).forever(pause)
    assert len(rounds) == 3
