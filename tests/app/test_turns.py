"""A caller who uses much of the server's time lets others go first; a lone caller is not slowed down."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter

import pytest

from foureyes.app.limits import Quotas
from foureyes.app.turns import OTHERS_SECONDS, PAUSE_SECONDS_MAX, QUIET_SECONDS, Time, now_in, step_aside
from foureyes.core.values import Who
from tests.app.house import played
from tests.cast import START

EVE, ANN = Who(name="eve", operator="bolt"), Who(name="ann", operator="acme")
BOB = Who(name="bob", operator="acorn")


@dataclass
class Clock:
    """A manual clock with scheduled callbacks."""

    now: float = 1_000.0
    later: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

    def quotas(self) -> Quotas:
        return Quotas(
            time=Time(
                now=lambda: self.now,
                later=lambda seconds, work: self.later.append((self.now + seconds, work)),
            )
        )

    def passes(self, seconds: float) -> None:
        """Let time pass, and run the callbacks that are due."""
        until = self.now + seconds
        while self.later and min(self.later, key=itemgetter(0))[0] <= until:
            self.later.sort(key=itemgetter(0))
            at, work = self.later.pop(0)
            self.now = max(self.now, at)
            work()
        self.now = until


async def asks(quotas: Quotas, clock: Clock, who: Who, seconds: float = 0.001) -> None:
    """A request that takes so long."""
    async with quotas.asked(who, START):
        clock.now += seconds


async def comes_between(quotas: Quotas, clock: Clock, who: Who) -> None:
    """A request that arrives while another caller's is answered."""
    async with quotas.asked(BOB, START):
        await asks(quotas, clock, who)


async def settled() -> None:
    """Run all tasks until they wait."""
    for _ in range(20):
        await asyncio.sleep(0)


@played
async def test_who_is_alone_has_all_of_the_server() -> None:
    clock = Clock()
    quotas = clock.quotas()
    for _ in range(2_000):
        await asks(quotas, clock, EVE)
    clock.now += OTHERS_SECONDS
    under_way = [quotas.asked(EVE, START) for _ in range(4)]
    for one in under_way:
        await asyncio.wait_for(one.__aenter__(), 1)
    for one in under_way:
        one.leave()
    assert clock.later == []


@played
async def test_who_has_much_of_the_servers_time_has_one_request_at_a_time_and_pauses_while_others_ask() -> None:
    """T18: the pause is a multiple of what the request took, so that the others have the larger part."""
    clock = Clock()
    quotas = clock.quotas()
    for _ in range(1_000):
        await asks(quotas, clock, EVE)
    await comes_between(quotas, clock, ANN)
    order, go = list[str](), asyncio.Event()

    async def ask() -> None:
        async with quotas.asked(EVE, START):
            order.append("eve")
            await go.wait()

    flood = [asyncio.create_task(ask()) for _ in range(2)]
    await settled()
    await asks(quotas, clock, ANN, 0.01)
    order.append("ann")
    go.set()
    await settled()
    assert order == ["eve", "ann"]
    # Half of those ten milliseconds were the other's; of her operator's pause a little is left when hers is over.
    for _ in range(87):
        clock.passes(0.001)
        await settled()
        await asks(quotas, clock, ANN, 0.0)
    assert order == ["eve", "ann"]
    clock.passes(0.002)
    await asyncio.gather(*flood)
    assert order == ["eve", "ann", "eve"]


@played
async def test_a_pause_is_over_when_nobody_else_wants_anything() -> None:
    """T18: for a reviewer of a whole team the team waits; the server must not stand idle meanwhile."""
    clock = Clock()
    quotas = clock.quotas()
    for _ in range(1_000):
        await asks(quotas, clock, EVE)
    await comes_between(quotas, clock, ANN)
    await asks(quotas, clock, EVE)
    turn = asyncio.create_task(asks(quotas, clock, EVE))
    await settled()
    clock.passes(QUIET_SECONDS / 2)
    under_way = quotas.asked(ANN, START)
    await under_way.__aenter__()
    clock.passes(2 * QUIET_SECONDS)
    await settled()
    assert not turn.done()
    under_way.leave()
    clock.passes(QUIET_SECONDS / 2)
    await settled()
    assert not turn.done()
    clock.passes(2 * QUIET_SECONDS)
    await asyncio.wait_for(turn, 1)


@played
async def test_two_who_take_turns_do_not_slow_each_other_down() -> None:
    """T18: an author and a reviewer, each of whom asks when the other has been answered, keep nobody waiting."""
    clock = Clock()
    quotas = clock.quotas()
    for number in range(2_000):
        await asks(quotas, clock, ANN if number % 2 else EVE)
    turns = [quotas.asked(EVE, START) for _ in range(2)]
    for one in turns:
        await asyncio.wait_for(one.__aenter__(), 1)
    for one in turns:
        one.leave()
    assert clock.later == []


@played
async def test_a_flood_that_is_answered_in_one_go_each_time_is_one_though_nobody_is_seen_waiting() -> None:
    """T18: who comes behind a hundred such requests comes when none is answered, and has waited all the same."""
    clock = Clock()
    quotas = clock.quotas()
    for _ in range(1_000):
        await asks(quotas, clock, EVE)
    came = clock.now
    await asks(quotas, clock, EVE)
    quotas.asked(ANN, START, came).leave()
    await asks(quotas, clock, EVE)
    assert clock.later != []


@played
async def test_who_waited_for_nobody_but_themselves_slows_nobody_down() -> None:
    """T18: several requests of one account come at once."""
    clock = Clock()
    quotas = clock.quotas()
    for _ in range(1_000):
        await asks(quotas, clock, EVE)
    came = clock.now
    await asks(quotas, clock, ANN)
    quotas.asked(ANN, START, came).leave()
    await asks(quotas, clock, EVE)
    assert clock.later == []


@played
async def test_the_agents_of_one_operator_may_have_half_of_the_time_together() -> None:
    """T18: most teams are one operator."""
    clock = Clock()
    quotas = clock.quotas()
    team = [Who(name=f"dev{number}", operator="acme") for number in range(20)]
    for number in range(1_000):
        await asks(quotas, clock, team[number % 20])
        clock.now += 0.003
    await comes_between(quotas, clock, EVE)
    await asks(quotas, clock, team[0])
    assert clock.later == []


@played
async def test_a_team_that_keeps_the_server_busy_together_is_no_crowd() -> None:
    """T18: a caller who waits while others are answered has used none of the server's time."""
    clock = Clock()
    quotas = clock.quotas()
    team = [Who(name=f"dev{number}", operator=f"co{number}") for number in range(20)]
    for _ in range(20):
        turns = [quotas.asked(one, START) for one in team]
        for one in turns:
            await one.__aenter__()
        clock.now += 0.05
        for one in turns:
            one.leave()
    turns = [quotas.asked(team[0], START) for _ in range(2)]
    for one in turns:
        await asyncio.wait_for(one.__aenter__(), 1)
    for one in turns:
        one.leave()
    assert clock.later == []


@pytest.mark.parametrize(("hundredths", "pauses"), [(8, 0), (12, 1)])
def test_a_tenth_of_the_time_is_what_somebody_at_work_may_have_beside_others(hundredths: int, pauses: int) -> None:
    """T18: an account; its operator may have more, with all of its agents."""

    @played
    async def story() -> None:
        clock = Clock()
        quotas = clock.quotas()
        await comes_between(quotas, clock, ANN)
        await asks(quotas, clock, EVE, hundredths / 100)
        await asks(quotas, clock, EVE)
        assert len(clock.later) == pauses

    story()


@played
async def test_a_pause_has_an_end_and_there_is_none_once_the_others_are_gone() -> None:
    """T18: waiting is bounded."""
    clock = Clock()
    quotas = clock.quotas()
    await asks(quotas, clock, EVE, 5)
    await comes_between(quotas, clock, ANN)
    await asks(quotas, clock, EVE, 0.9)
    ended = clock.now
    while clock.later:
        quotas.asked(ANN, START).leave()
        clock.passes(0.001)
    assert clock.now - ended == pytest.approx(PAUSE_SECONDS_MAX, abs=0.002)
    await comes_between(quotas, clock, ANN)
    await asks(quotas, clock, EVE, OTHERS_SECONDS + 1)
    assert clock.later == []
    await asyncio.wait_for(asks(quotas, clock, EVE), 1)


@played
async def test_who_was_a_crowd_is_none_after_a_while() -> None:
    clock = Clock()
    quotas = clock.quotas()
    await asks(quotas, clock, EVE, 5)
    clock.now += 10
    await comes_between(quotas, clock, ANN)
    await asks(quotas, clock, EVE)
    assert clock.later == []


@played
async def test_many_accounts_of_one_operator_crowd_as_one() -> None:
    """T2, T18."""
    clock = Clock()
    quotas = clock.quotas()
    for number in range(2_000):
        await asks(quotas, clock, Who(name=f"eve{number % 20}", operator="bolt"))
    await comes_between(quotas, clock, ANN)
    await asks(quotas, clock, Who(name="eve0", operator="bolt"))
    assert len(clock.later) == 1


@played
async def test_what_is_asked_in_the_course_of_a_request_belongs_to_it() -> None:
    """A request holds its place once, however many calls it makes; and none when it only waits."""
    clock = Clock()
    quotas = clock.quotas()
    async with quotas.asked(EVE, START):
        async with quotas.asked(EVE, START) as within:
            assert within is None
        quotas.asked(EVE, START).leave()
        line = quotas._lines["account/eve"]
        assert (line.there, now_in(line)) == (1, True)
        step_aside()
        assert (line.there, now_in(line)) == (0, False)
    assert line.there == 0


@played
async def test_a_request_that_is_left_before_its_turn_leaves_nothing_behind() -> None:
    """T18: bodies that never come hold no place."""
    quotas = Clock().quotas()
    turn = quotas.asked(EVE, START)
    line = quotas._lines["account/eve"]
    assert line.there == 1
    turn.leave()
    turn.leave()
    assert (line.there, line.had) == (0, 0.0)
