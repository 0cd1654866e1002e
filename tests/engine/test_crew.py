"""Where reviewers are hosted: workers announce it, and servers believe it while they live."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from foureyes.app.policies import Policies
from foureyes.app.reviewers import AtHand, Inconclusive
from foureyes.app.reviewing.jobs import Pool
from foureyes.app.workers import HELD, Offer
from foureyes.engine.hosting import Hosted
from foureyes.engine.workers import Crew, Workers, offers_of
from tests.answers.samples import task
from tests.app.house import House, played
from tests.engine.hall import Scripted, program


def offers(*people: Scripted, rests: datetime | None = None) -> tuple[Offer, ...]:
    pool = Pool(AtHand(reviewers={"agent": people}))
    return tuple(
        Offer(who=one.who, roles=("agent",), sends=one.sends, rests=rests) for one in people if pool.named(one.name)
    )


def workers(house: House, name: str = "") -> Workers:
    return Workers(house.store, lambda: house.now, name)


@played
async def test_a_worker_is_there_until_it_gives_no_sign_of_life() -> None:
    house = House()
    one, looking = workers(house, "one"), workers(house)
    await one.sign(offers(Scripted("codex", sends="somebody")))
    for _ in range(3):
        house.wait(seconds=0.6 * HELD.total_seconds())
        await one.sign(offers(Scripted("codex", sends="somebody")))
        assert await looking.look()
    assert looking.pool().minds() == ["codex"]
    reviewer = looking.pool().named("codex")
    assert reviewer is not None
    assert reviewer.sends == "somebody"
    house.wait(seconds=1.1 * HELD.total_seconds())
    assert not await looking.look()
    assert looking.pool().names() == []


@played
async def test_a_worker_whose_clock_is_a_little_ahead_or_behind_is_there() -> None:
    """Machines never agree about the time; nobody is taken for dead because of that, and nobody is paid twice."""
    house = House()
    for seconds in (-8, 0.5, 5, 15):
        ahead = Workers(house.store, lambda seconds=seconds: house.now + timedelta(seconds=seconds), "one")  # type: ignore[misc]
        await ahead.sign(offers(Scripted("codex")))
        looking = workers(house)
        assert await looking.look(), seconds
        house.wait(seconds=0.5 * HELD.total_seconds())
        assert await looking.look(), seconds
        await ahead.leave()


@played
async def test_how_much_a_worker_has_to_do_is_said_when_it_changes() -> None:
    house = House()
    one, looking = workers(house, "one"), workers(house)
    await one.sign(())
    for runs, queued in ((2, 0), (2, 3), (0, 0)):
        await one.sign((), runs=runs, queued=queued)
        await looking.look()
        assert [(each.runs, each.queued) for each in looking.alive()] == [(runs, queued)]


@played
async def test_who_leaves_is_gone_at_once_and_who_is_long_dead_is_forgotten() -> None:
    house = House()
    one, two = workers(house, "one"), workers(house, "two")
    await one.sign(())
    await two.sign(())
    await two.leave()
    await one.look()
    assert [worker.name for worker in one.alive()] == ["one"]
    house.wait(minutes=5)
    await two.sign(())
    rows = await house.store.read(lambda reading: reading.rows("engine", "worker/"))
    assert [name for name, _ in rows] == ["worker/two"]


@played
async def test_a_clock_that_jumped_keeps_no_dead_worker_alive() -> None:
    """F9."""
    house = House()
    one, looking = workers(house, "one"), workers(house)
    house.wait(hours=49)
    await one.sign(offers(Scripted("codex")))
    house.wait(hours=-49)
    assert not await looking.look()
    await one.sign(offers(Scripted("codex")))
    assert await looking.look(), "its next sign is by the clock that is right"


@played
async def test_a_server_asks_those_of_its_workers_and_its_own_when_there_is_none() -> None:
    house = House()
    own = Hosted(
        lambda _: AtHand(reviewers={"agent": (Scripted("claude"),)}), Policies(house.policy), lambda: house.now
    )
    one = workers(house, "one")
    crew = Crew(workers(house), own)
    assert (await crew.follow(house.store)).names() == ["claude"]
    await one.sign(offers(Scripted("codex"), program("format")))
    pool = await crew.follow(house.store)
    assert pool.names() == ["codex", "format"]
    assert crew.named("claude") is None
    people = await house.store.read(crew.pool)
    assert [who.who.name for who in people] == ["codex", "format"]
    await one.leave()
    assert (await crew.follow(house.store)).names() == ["claude"]
    assert crew.named("claude") is not None


@played
async def test_who_is_over_a_limit_everywhere_is_not_free() -> None:
    house = House()
    later = house.now + timedelta(seconds=15)
    one, two, looking = workers(house, "one"), workers(house, "two"), workers(house)
    crew = Crew(looking)
    await one.sign(offers(Scripted("codex"), rests=later))
    await two.sign(offers(Scripted("codex")))
    await crew.follow(house.store)
    assert [who.available for who in await house.store.read(crew.pool)] == [True]
    await two.leave()
    await crew.follow(house.store)
    assert [who.available for who in await house.store.read(crew.pool)] == [False]
    house.wait(seconds=16)
    assert [who.available for who in await house.store.read(crew.pool)] == [True]


@played
async def test_somebody_elsewhere_is_not_asked_here() -> None:
    house = House()
    one, looking = workers(house, "one"), workers(house)
    await one.sign(offers(Scripted("codex")))
    await looking.look()
    reviewer = looking.pool().named("codex")
    assert reviewer is not None
    with pytest.raises(Inconclusive, match="not hosted by this process"):
        await reviewer.look(task(), lambda _: None)


@played
async def test_what_is_hosted_is_said_with_its_roles_and_its_rest() -> None:
    house = House()
    codex = Scripted("codex", sends="somebody")
    pool = Pool(AtHand(reviewers={"agent": (codex,), "auditor": (codex,)}))
    people = await house.store.read(pool.pool)
    later = house.now + timedelta(hours=1)
    (offer,) = offers_of(pool, people, {"codex": later})
    assert offer == Offer(who=codex.who, roles=("agent", "auditor"), sends="somebody", rests=later)
