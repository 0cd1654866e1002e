"""While a server runs, deadlines pass, projections follow and programs look; one that fails stops nobody else."""

from __future__ import annotations

import asyncio
import logging

import pytest

from foureyes.app.accounts import Enrolled, stream_of
from foureyes.app.bell import Bell
from foureyes.app.gate import Gate
from foureyes.app.ports import Unavailable
from foureyes.app.reviewers import AtHand, Inconclusive, Look, Say, Task
from foureyes.app.reviewing.jobs import Pool
from foureyes.app.reviewing.programs import TRIES_MAX, Everybody, Later, Programs
from foureyes.app.rows import Listing
from foureyes.app.tending import Deadlines, Tending
from foureyes.core import protocols
from foureyes.core.commands import Draft
from foureyes.core.principals import EnrolPrincipal
from foureyes.core.values import Evidence, Failure, Who, WhoKind
from tests.app.house import FIRST, SECOND, House, played, policy
from tests.calls.counter import SUE
from tests.cast import CODEX, DEV, rules_with

SOLO = policy(rules_with(protocols.solo(programs=("security",), agents=("agent",))))


class Program:
    """A program that says what it was told to say."""

    who = Who(name="security", kind=WhoKind.PROGRAM)
    sends = ""

    def __init__(self, *findings: Draft, fails: bool = False) -> None:
        self.findings, self.fails = findings, fails
        self.seen: list[Task] = []

    async def look(self, task: Task, say: Say) -> Look:
        del say
        self.seen.append(task)
        if self.fails:
            raise Inconclusive(Failure.CRASHED, "it fell over")
        return Look(findings=self.findings, evidence=(Evidence(what="all of it", why="read"),))


def shop(program: Program) -> tuple[House, Programs]:
    """A house whose directory knows the enrolled and the program."""
    house, pool = House(policy=SOLO), Pool(AtHand(reviewers={"security": (program,)}))
    house.gate = Gate(house.store, Everybody((pool, Enrolled())), policy=SOLO)
    return house, Programs(store=house.store, gate=house.gate, here=Later(lambda: pool), bell=Bell())


async def enrol(house: House, *people: Who) -> None:
    for one in people:
        command = EnrolPrincipal(kind=one.kind.value, operator=one.operator or f"{one.name}-co", roles=("agent",))
        await house.do(SUE, command, stream_of(one.name))


@played
async def test_a_program_looks_at_work_that_came_in_at_the_server_once_per_version() -> None:
    program = Program()
    house, programs = shop(program)
    await enrol(house, DEV, CODEX)
    stream = await house.open(FIRST)
    assert await programs.look() == 1
    assert await programs.look() == 0
    (task,) = program.seen
    (file,) = task.change.files
    assert (file.path, file.content, file.changed) == ("hello.py", FIRST["hello.py"], ((1, 2),))
    await house.revise(stream, SECOND)
    assert await programs.look() == 1
    assert program.seen[-1].change.files[0].content == SECOND["hello.py"]


@played
async def test_what_a_terminal_opened_is_left_to_its_own_round() -> None:
    """There it is known which lines are old; here it would be judged whole."""
    program = Program()
    house, programs = shop(program)
    await enrol(house, CODEX)
    await house.open(FIRST)
    assert await programs.look() == 0
    assert program.seen == []


@played
async def test_a_program_that_fails_clears_nothing_and_is_not_asked_for_ever() -> None:
    """I9."""
    program = Program(fails=True)
    house, programs = shop(program)
    await enrol(house, DEV, CODEX)
    await house.open(FIRST)
    for _ in range(TRIES_MAX + 5):
        await programs.look()
    assert 0 < len(program.seen) <= TRIES_MAX
    (row,) = await house.store.read(lambda reading: reading.reviews(Listing(state="", limit=5)))
    assert row.state == "open"


@played
async def test_a_program_at_work_is_ended_with_the_server() -> None:
    """Otherwise the server would wait for it beyond its time."""
    house, programs = shop(Program())
    await enrol(house, DEV, CODEX)
    await house.open(FIRST)
    begun = asyncio.Event()

    async def endless(task: Task, say: Say) -> Look:
        del task, say
        begun.set()
        await asyncio.Event().wait()
        return Look()

    found = programs.here.found.named("security")
    assert isinstance(found, Program)
    found.look = endless  # type: ignore[method-assign] # this one never comes back
    one = Tending((("programs", programs.look),))
    running = asyncio.create_task(one.forever(asyncio.Event().wait))
    await begun.wait()
    running.cancel()
    await asyncio.wait([running], timeout=10)
    assert running.cancelled()


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
