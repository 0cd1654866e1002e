"""Only one process at a time hosts reviewers on a store."""

from __future__ import annotations

from foureyes.app.workers import HELD
from foureyes.engine.place import Place
from tests.app.house import House, played
from tests.engine.hall import Scripted, hall


@played
async def test_the_first_has_the_place_until_it_gives_no_sign_of_life() -> None:
    house = House()
    first, second = (Place(house.store, lambda: house.now) for _ in range(2))
    assert await first.is_ours()
    assert not await second.is_ours()
    for _ in range(5):
        house.wait(seconds=0.8 * HELD.total_seconds())
        assert await first.is_ours()
        assert not await second.is_ours()
    house.wait(seconds=1.1 * HELD.total_seconds())
    assert await second.is_ours()
    assert not await first.is_ours(), "whoever stood still does not find its place again"
    await second.leave()
    assert await first.is_ours(), "given up, nobody waits for it"
    await second.leave()
    assert await first.is_ours(), "who has lost it takes it from nobody"


@played
async def test_a_clock_that_jumped_keeps_nobody_out() -> None:
    """F9."""
    house = House()
    first, second = (Place(house.store, lambda: house.now) for _ in range(2))
    house.wait(hours=49)
    assert await first.is_ours()
    house.wait(hours=-49)
    assert await second.is_ours()
    assert not await first.is_ours()


@played
async def test_who_lost_the_place_ends_its_runs_and_hands_nothing_in() -> None:
    """F17: the process stood still, another has begun; one report comes of it."""
    one = Scripted("codex", holds=True)
    play = await hall({"agent": (one,)})
    mine = [True]

    async def is_here() -> bool:
        return mine[0]

    object.__setattr__(play.steps, "is_here", is_here)
    stream = await play.open()
    await play.dispatcher.once()
    await play.until(lambda: bool(one.tasks))
    mine[0] = False
    one.go.set()
    while await play.engine.under_way():
        await play.turn()
    assert "ReportSubmitted" not in await play.log(stream)
    mine[0] = True
    await play.quiet()
    assert (await play.log(stream)).count("ReportSubmitted") == 1
    second = await play.open({"b.py": b"print()\n"})
    one.go.clear()
    await play.dispatcher.once()
    await play.until(lambda: len(one.tasks) == 3)
    mine[0] = False
    assert await play.dispatcher.once() == 0
    assert await play.engine.under_way() == ()
    assert "ReportSubmitted" not in await play.log(second)
