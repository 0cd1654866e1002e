"""Whether hooks are switched off here, the only thing a hook asks; in doubt they are on."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from foureyes.app import silent_places
from foureyes.app.chain import appended
from foureyes.app.ports import Writing
from foureyes.app.rows import Changes, Stored
from foureyes.app.silences import Silence, _read, silence, stream_of
from foureyes.app.silencing import write_silence
from foureyes.app.silent_places import PAGE, silences
from foureyes.core.events import HooksSilenced
from foureyes.core.refusals import Refusal
from foureyes.core.silence import ResumeHooks, SilenceCommand, SilenceHooks
from foureyes.store.memory import MemoryStore
from tests.app.house import FIRST, SECOND, House, played
from tests.cast import DEV, HUGO, START

WHY = "The generated client has a thousand false alarms."
OFF = SilenceHooks(machine="laptop", place="/work", seconds=7_200, reason=WHY)
ON = ResumeHooks(machine="laptop", place="/work")
HOUR = timedelta(hours=1)


class Laptop:
    """A store, and a human who silences hooks."""

    def __init__(self) -> None:
        self.store = MemoryStore()

    async def say(self, command: SilenceCommand, now: datetime = START) -> Silence | None:
        return await self.store.write(lambda tx: write_silence(tx, command, HUGO, now))

    async def off(self, now: datetime, machine: str = "laptop", place: str = "/work") -> bool:
        found = await self.store.read(lambda reading: silence(reading, machine, place, now))
        return found is not None


@played
async def test_it_is_off_here_until_the_time_is_over_and_nowhere_else() -> None:
    """D-12."""
    laptop = Laptop()
    said = await laptop.say(OFF)
    assert said == Silence(machine="laptop", place="/work", by="hugo", reason=WHY, since=START, until=START + 2 * HOUR)
    assert await laptop.off(START)
    assert await laptop.off(START + 2 * HOUR - timedelta(seconds=1))
    assert not await laptop.off(START + 2 * HOUR)
    assert not await laptop.off(START, place="/work/below")
    assert not await laptop.off(START, machine="another")


@played
async def test_a_clock_that_is_set_back_does_not_prolong_it() -> None:
    laptop = Laptop()
    await laptop.say(OFF)
    assert not await laptop.off(START - timedelta(seconds=1))
    assert not await laptop.off(START - timedelta(hours=49))
    assert not await laptop.off(START + timedelta(hours=49))


@played
async def test_it_ends_early_and_begins_anew_with_the_new_time() -> None:
    laptop = Laptop()
    assert await laptop.say(ON) is None
    assert await laptop.store.read(lambda reading: reading.heads()) == ()
    await laptop.say(OFF)
    assert await laptop.say(ON, START + HOUR) is None
    assert not await laptop.off(START + HOUR)
    await laptop.say(replace(OFF, seconds=60), START + HOUR)
    assert await laptop.off(START + HOUR)
    assert not await laptop.off(START + HOUR + timedelta(minutes=1))
    await laptop.say(OFF, START + HOUR)
    assert await laptop.off(START + 2 * HOUR)


@played
async def test_every_place_where_it_is_off_is_listed_the_one_that_ends_first_first() -> None:
    laptop = Laptop()
    for place, seconds in (("/late", 7_200), ("/soon", 600), ("/over", 60)):
        await laptop.say(replace(OFF, place=place, seconds=seconds))
    await laptop.say(replace(ON, place="/late"))
    await laptop.say(replace(OFF, place="/late", machine="another", seconds=3_600))
    await House(store=laptop.store).open(FIRST)
    now = START + timedelta(minutes=2)
    found = await laptop.store.read(lambda reading: silences(reading, now))
    assert [(one.machine, one.place) for one in found] == [("laptop", "/soon"), ("another", "/late")]


@played
async def test_none_is_missing_however_many_places_there_were() -> None:
    """D-12."""
    laptop = Laptop()

    def say(tx: Writing) -> None:
        for number in range(2 * PAGE + 1):
            write_silence(tx, replace(OFF, place=f"/{number}", seconds=60 + number), HUGO, START)

    await laptop.store.write(say)
    found = await laptop.store.read(lambda reading: silences(reading, START + timedelta(seconds=61)))
    assert [one.place for one in found] == [f"/{number}" for number in range(2, 2 * PAGE + 1)]


@pytest.mark.parametrize(("count", "warned"), [(4, 0), (5, 1)])
def test_where_too_many_are_to_be_looked_at_that_is_said(
    count: int, warned: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(silent_places, "PAGE", 2)
    monkeypatch.setattr(silent_places, "PLACES_MAX", 4)

    @played
    async def story() -> None:
        laptop = Laptop()
        for number in range(count):
            await laptop.say(replace(OFF, place=f"/{number}"))
        assert len(await laptop.store.read(lambda reading: silences(reading, START))) == 4
        assert len(caplog.records) == warned

    story()


@played
async def test_the_gate_answers_as_ever_while_hooks_are_off() -> None:
    """D-03: no error, no time-out and nobody's way out clears work."""
    laptop = Laptop()
    house = House(store=laptop.store)
    await house.open(SECOND)
    digest = (await house.gate.read("r1", DEV)).view.review.digest
    before = await house.gate.may_go_live(digest)
    await laptop.say(OFF)
    assert await house.gate.may_go_live(digest) == before
    assert not before.allowed


@played
async def test_what_is_refused_writes_nothing() -> None:
    laptop = Laptop()
    with pytest.raises(Refusal):
        await laptop.say(replace(OFF, reason="test"))
    assert await laptop.store.read(lambda reading: reading.heads()) == ()


@played
async def test_what_was_said_of_another_place_or_cannot_be_read_silences_nothing() -> None:
    """Swapped streams, or an event that is no silence, leave the hooks on."""
    laptop = Laptop()
    other = HooksSilenced(machine="laptop", place="/other", until=START + HOUR, by="hugo", reason=WHY)

    def swapped(tx: Writing) -> None:
        at = "2026-01-05T09:00:00.000000Z"
        stream = stream_of("laptop", "/work")
        tx.apply(Changes(appends=(appended(stream, (0, b""), (other,), at=at, actor="hugo", cause="x"),)))

    await laptop.store.write(swapped)
    assert not await laptop.off(START)


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"until": 1}', json.dumps({"machine": "m", "until": "soon"})])
def test_a_body_that_is_none_is_no_silence(body: str) -> None:
    stored = Stored(
        seq=1,
        stream="silence/x",
        version=1,
        type="HooksSilenced",
        schema=1,
        at="2026-01-05T09:00:00.000000Z",
        actor="hugo",
        cause="x",
        body=body,
        chain=b"",
    )
    assert _read(stored) is None
