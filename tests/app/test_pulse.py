"""The health figures: what waits, who is at work, what is late, computed from open requests alone."""

from __future__ import annotations

from datetime import timedelta

from foureyes.app.pulse import Pulse, Type, age_seconds, pulse
from foureyes.app.rows import ENGINE, START, Changes, OutboxRow, Pending
from foureyes.app.silencing import write_silence
from foureyes.app.workers import Offer, Worker, key_of, written
from foureyes.core import commands as c
from foureyes.core.silence import SilenceHooks
from tests.app.house import FIRST, House, played
from tests.cast import CODEX, HUGO
from tests.cast import START as NOW


async def taken(house: House) -> Pulse:
    return await house.store.read(lambda reading: pulse(reading, house.now))


@played
async def test_where_nothing_is_open_nothing_is_counted() -> None:
    found = await taken(House())
    assert [(one.kind, one.requests) for one in found.pending] == [("report", 0), ("revision", 0), ("ruling", 0)]
    assert (found.leased, found.lapsed, found.workers, found.types, found.off) == (0, 0, (), (), ())


@played
async def test_what_is_owed_held_and_late_is_counted_as_the_review_goes_on() -> None:
    house = House()
    stream = await house.open(FIRST)
    (report, _, _) = (await taken(house)).pending
    assert (report.requests, report.overdue, report.leased) == (1, 0, 0)
    seat = next(iter((await house.gate.read("r1", HUGO)).view.review.seats))
    await house.do(CODEX, c.TakeSeat(seat=seat, lease=timedelta(minutes=5)), stream)
    assert (await taken(house)).leased == 1
    house.now += timedelta(minutes=6)
    found = await taken(house)
    assert (found.leased, found.lapsed) == (0, 1)
    house.now += timedelta(days=3)
    assert (await taken(house)).pending[0] == Pending(kind="report", requests=1, held=1, overdue=1, lapsed=1)


@played
async def test_workers_that_live_are_counted_and_dead_ones_are_not() -> None:
    house = House()
    alive = Worker(name="one", until=NOW + timedelta(seconds=10), offers=(Offer(who=CODEX, roles=()),), runs=2)
    dead = Worker(name="two", until=NOW - timedelta(seconds=1))
    wrong = Worker(name="three", until=NOW + timedelta(hours=49))
    rows = {key_of(one.name): written(one) for one in (alive, dead, wrong)}
    await house.store.write(lambda tx: tx.follow(ENGINE, rows, START))
    assert (await taken(house)).workers == (alive,)


@played
async def test_what_is_still_to_be_told_is_counted_by_type_with_the_age_of_the_oldest() -> None:
    house = House()
    rows = (("RulingRequested", "08:59:00"), ("letter t1 human", "08:00:00"), ("letter t2 creator", "08:30:00"))
    made = (OutboxRow(stream="s", version=1, type=kind, at=f"2026-01-05T{at}.000000Z") for kind, at in rows)
    await house.store.write(lambda tx: tx.apply(Changes(outbox=tuple(made))))
    found = await taken(house)
    assert found.types == (
        Type(type="RulingRequested", waiting=1, oldest_seconds=60),
        Type(type="letter", waiting=2, oldest_seconds=3_600),
    )
    assert found.outbox.waiting == 3


@played
async def test_places_where_hooks_are_off_are_in_it() -> None:
    house = House()
    command = SilenceHooks(machine="laptop", place="/work", seconds=600, reason="Rebasing vendored code.")
    await house.store.write(lambda tx: write_silence(tx, command, HUGO, house.now))
    assert [one.place for one in (await taken(house)).off] == ["/work"]


def test_what_lies_ahead_was_told_by_another_clock_and_has_no_age() -> None:
    assert age_seconds(NOW, NOW + timedelta(seconds=90.5)) == 90
    assert age_seconds(NOW + timedelta(hours=49), NOW) == 0
