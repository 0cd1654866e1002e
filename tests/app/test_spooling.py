"""While the database is down commands wait and nothing goes live; on its return each runs once, in order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from foureyes.app.asks import Ask, Reply
from foureyes.app.ports import Reading, Unavailable, Writing
from foureyes.app.spooling import REFUSED_LATER, SPOOLED_REFUSED, Progress, Replayed, Spooled, SpoolingGate, telling
from foureyes.app.work import work_of
from foureyes.core import commands as c
from foureyes.core.refusals import Code, Refusal
from foureyes.store.memory import MemoryStore
from foureyes.store.pg_connecting import Limits
from foureyes.store.postgres import PostgresStore
from foureyes.store.spool import FileSpool
from tests.app.house import FIRST, House, played
from tests.cast import ANN, CODEX, DEV, HUGO
from tests.postgres.server import Server

T = TypeVar("T")

AT = "2026-01-05T09:00:00.000000Z"
DOWN = ("The database cannot be reached.", "Ask again with the same key.")


class Pluggable(MemoryStore):
    """A store that can be disconnected: before the write, or (`torn`) right after it, when the answer is lost."""

    down = False
    torn = False
    writes_left = 1_000

    async def read(self, work: Callable[[Reading], T]) -> T:
        if self.down:
            raise Unavailable(*DOWN, down=True)
        return await super().read(work)

    async def write(self, work: Callable[[Writing], T]) -> T:
        self.writes_left -= 1
        if self.down or self.writes_left < 0:
            raise Unavailable(*DOWN, down=True)
        result = await super().write(work)
        if self.torn:
            raise Unavailable("The connection was lost while it committed.", DOWN[1], unknown=True)
        return result


class Site:
    """A house whose database can go down, with a spool before it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = Pluggable()
        self.house = House(store=self.store)
        self.heard: list[Replayed] = []
        self.start()

    def start(self) -> None:
        """Restart the server: only what is on the disk and in the database is left."""
        self.spool = FileSpool(self.folder)
        self.gate = SpoolingGate(self.house.another_gate(), self.spool, lambda: AT, tell=self._tell)

    def restart(self) -> None:
        self.spool.close()
        self.start()

    async def note(self, stream: str, text: str, key: str = "") -> Reply | Spooled:
        ask = self.house.ask(HUGO, c.AddNote(text=text), stream)
        return await self.gate.handle(ask if not key else Ask(actor=HUGO, key=key, command=ask.command, stream=stream))

    async def notes(self, stream: str) -> list[str]:
        events = await self.store.read(lambda reading: list(reading.events(stream)))
        return [json.loads(one.body)["text"] for one in events if one.type == "NoteAdded"]

    async def _tell(self, told: Replayed) -> None:
        self.heard.append(told)
        await telling(self.store)(told)


@played
async def test_a_command_waits_while_the_database_is_down_and_acts_when_it_is_back(tmp_path: Path) -> None:
    """001-76, B27: spooled is not accepted; the gate stays shut and says why; on return nothing is lost."""
    site = Site(tmp_path)
    stream = await site.house.open()
    site.store.down = True
    answer = await site.note(stream, "during")
    assert answer == Spooled(position=1, key=site.house.name + str(site.house.keys), stream=stream)
    site.restart()
    assert site.gate.waiting == 1
    site.store.down = False
    shut = await site.gate.may_go_live(work_of(FIRST).digest)
    assert not shut.allowed
    assert "1 command waits in the spool" in shut.reason
    seen: list[Progress] = []
    assert await site.gate.replay(seen.append) == Progress(done=1)
    assert seen == [Progress(done=1)]
    assert await site.notes(stream) == ["during"]
    assert (await site.gate.may_go_live(work_of(FIRST).digest)).state == "pending"


@played
async def test_the_gate_is_shut_while_the_database_is_down_even_for_cleared_work(tmp_path: Path) -> None:
    """B27: a store that cannot answer is no yes, whether commands wait or not; reads say what is going on."""
    site = Site(tmp_path)
    stream = await site.house.cleared()
    digest = work_of(FIRST).digest
    assert (await site.gate.may_go_live(digest)).allowed
    site.store.down = True
    assert not (await site.gate.may_go_live(digest)).allowed
    with pytest.raises(Unavailable, match=r"^The database cannot be reached. Ask"):
        await site.gate.look(site.house.gate.read(stream.removeprefix("review/"), DEV))
    await site.note(stream, "one")
    await site.note(stream, "two")
    with pytest.raises(Unavailable, match="Meanwhile 2 commands wait in the spool"):
        await site.gate.look(site.house.gate.read(stream.removeprefix("review/"), DEV))
    site.store.down = False
    assert not (await site.gate.may_go_live(digest)).allowed, "one of the two may speak against it"
    await site.gate.replay()
    assert (await site.gate.may_go_live(digest)).allowed


@played
async def test_what_waits_is_handed_in_in_order_and_later_commands_wait_behind_it(tmp_path: Path) -> None:
    """001-76: also when the database is back before the replay; other reviews need not wait."""
    site = Site(tmp_path)
    one, two = await site.house.open(), await site.house.open({"b.py": b"2\n"})
    site.store.down = True
    await site.note(one, "first")
    await site.note(one, "second")
    site.store.down = False
    assert isinstance(await site.note(one, "third"), Spooled)
    assert isinstance(await site.note(two, "elsewhere"), Reply)
    await site.gate.replay()
    assert await site.notes(one) == ["first", "second", "third"]
    assert isinstance(await site.note(one, "fourth"), Reply)


@played
async def test_each_command_acts_once_however_often_the_replay_is_cut_off(tmp_path: Path) -> None:
    """001-76: the database goes down again after any number of commands, and the server restarts each time."""
    site = Site(tmp_path)
    stream = await site.house.open()
    site.store.down = True
    for number in range(7):
        await site.note(stream, f"note {number}")
    site.store.down = False
    for cut in (0, 2, 1, 3, 9):
        site.store.writes_left = cut
        now = await site.gate.replay()
        assert bool(now.stopped) == (cut < 9)
        site.store.writes_left = 1_000
        site.restart()
    assert site.gate.waiting == 0
    assert await site.notes(stream) == [f"note {number}" for number in range(7)]


@played
async def test_a_reply_lost_in_the_replay_does_not_make_the_command_act_twice(tmp_path: Path) -> None:
    """001-76: it had committed; by its key it is found."""
    site = Site(tmp_path)
    stream = await site.house.open()
    site.store.down = True
    await site.note(stream, "once")
    site.store.down, site.store.torn = False, True
    assert "while it committed" in (await site.gate.replay()).stopped
    site.store.torn = False
    site.restart()
    assert (await site.gate.replay()).done == 1
    assert await site.notes(stream) == ["once"]


@played
async def test_a_refusal_at_replay_is_kept_by_its_key_and_told(tmp_path: Path) -> None:
    """001-76, B27: the asker finds it, those outside hear of it once, and the same key gets the same no."""
    site = Site(tmp_path)
    stream = await site.house.open()
    site.store.down = True
    ask = site.house.ask(ANN, c.WithdrawReview(reason="not mine to withdraw"), stream)
    assert isinstance(await site.gate.handle(ask), Spooled)
    await site.note(stream, "and on")
    site.store.down = False
    # The second write stores the refusal: it fails once, and the next replay repeats it.
    site.store.writes_left = 1
    assert (await site.gate.replay()).stopped
    site.store.writes_left = 1_000
    assert await site.gate.replay() == Progress(done=2, refused=1)
    rows = await site.store.read(lambda reading: reading.rows(REFUSED_LATER, f"{ANN.name}/"))
    (told,) = [json.loads(body) for _, body in rows]
    assert (told["code"], told["key"], told["stream"]) == ("not_the_author", ask.key, stream)
    parcels = await site.store.write(lambda tx: tx.claim("w", AT, AT))
    assert [one.row.type for one in parcels].count(SPOOLED_REFUSED) == 1
    with pytest.raises(Refusal) as again:
        await site.gate.handle(ask)
    assert again.value.code is Code.NOT_THE_AUTHOR
    assert [bool(one.refusal) for one in site.heard] == [True, True, False]


@played
async def test_the_same_key_while_it_waits_has_the_same_place(tmp_path: Path) -> None:
    """Also after a restart; another body under that key is refused at once."""
    site = Site(tmp_path)
    stream = await site.house.open()
    site.store.down = True
    first = await site.note(stream, "text", key="k")
    site.restart()
    assert await site.note(stream, "text", key="k") == first
    with pytest.raises(Refusal) as refused:
        await site.note(stream, "another text", key="k")
    assert refused.value.code is Code.KEY_REUSED
    site.store.down = False
    await site.gate.replay()
    assert await site.notes(stream) == ["text"]
    reply = await site.note(stream, "text", key="k")
    assert isinstance(reply, Reply)
    assert reply.repeated


@played
async def test_what_may_have_happened_or_has_no_room_or_no_credential_is_not_spooled(tmp_path: Path) -> None:
    """The caller is told; asking again with the same key finds out."""
    site = Site(tmp_path)
    stream = await site.house.open()
    site.store.torn = True
    with pytest.raises(Unavailable) as lost:
        await site.note(stream, "perhaps", key="k")
    assert lost.value.unknown
    site.store.torn = False
    site.store.down = True
    wary = SpoolingGate(site.house.gate, site.spool, lambda: AT, may_spool=lambda who: who.name != HUGO.name)
    with pytest.raises(Unavailable, match="cannot say who you are"):
        await wary.handle(site.house.ask(HUGO, c.AddNote(text="who?"), stream))
    assert wary.waiting == 0
    with pytest.raises(Refusal):
        await wary.handle(Ask(actor=HUGO, key="", command=c.AddNote(text="x"), stream=stream))
    site.store.down = False
    again = await site.note(stream, "perhaps", key="k")
    assert isinstance(again, Reply)
    assert again.repeated


@played
async def test_many_callers_at_once_are_all_kept(tmp_path: Path) -> None:
    """One that goes away in the middle leaves nothing in disorder."""
    site = Site(tmp_path)
    streams = [await site.house.open({f"{number}.py": b"x"}) for number in range(4)]
    site.store.down = True
    asks = [site.house.ask(HUGO, c.AddNote(text=f"{number}"), streams[number % 4]) for number in range(40)]
    callers = [asyncio.ensure_future(site.gate.handle(ask)) for ask in asks]
    await asyncio.sleep(0)
    callers[5].cancel()
    answers = await asyncio.gather(*callers, return_exceptions=True)
    assert sum(isinstance(one, Spooled) for one in answers) == 39
    site.store.down = False
    now = await site.gate.replay()
    assert now.done in (39, 40)
    assert site.gate.waiting == 0
    assert sum([len(await site.notes(one)) for one in streams]) == now.done


@played
async def test_somebody_tends_the_spool(tmp_path: Path) -> None:
    """It is looked after again and again; what waits is handed in when the database is back."""
    site = Site(tmp_path)
    stream = await site.house.open()
    site.store.down = True
    await site.note(stream, "late")
    rounds = iter(range(3))

    async def pause() -> None:
        site.store.down = next(rounds) == 0

    with pytest.raises(RuntimeError):
        await site.gate.tend(pause)
    assert await site.notes(stream) == ["late"]


def test_a_real_postgresql_that_crashes_and_comes_back(durable_postgres: Server, tmp_path: Path) -> None:
    """001-76, B27: stopped at once, as a crash does; what was spooled meanwhile acts once, in order."""

    async def scenario(url: str) -> None:
        async with PostgresStore.open(url, Limits(writers=2, readers=1)) as store:
            house = House(store=store)
            gate = SpoolingGate(house.gate, FileSpool(tmp_path), lambda: AT, tell=telling(store))
            stream = await house.open()
            durable_postgres.stop_immediately()
            asks = [house.ask(HUGO, c.AddNote(text=f"note {number}"), stream) for number in range(5)]
            asks.append(house.ask(CODEX, c.WithdrawReview(reason="not mine"), stream))
            try:
                answers = [await _asked(gate, ask) for ask in asks]
                assert all(isinstance(one, Spooled) for one in answers)
                assert not (await gate.may_go_live(work_of(FIRST).digest)).allowed
                with pytest.raises(Unavailable):
                    await gate.look(house.log(stream))
            finally:
                durable_postgres.start()
            assert (await gate.replay()).stopped == ""
            events = await store.read(lambda reading: list(reading.events(stream)))
            notes = [json.loads(one.body)["text"] for one in events if one.type == "NoteAdded"]
            assert notes == [f"note {number}" for number in range(5)]
            rows = await store.read(lambda reading: reading.rows(REFUSED_LATER, f"{CODEX.name}/"))
            assert len(rows) == 1

    with durable_postgres.fresh() as url:
        asyncio.run(scenario(url))


async def _asked(gate: SpoolingGate, ask: Ask) -> Reply | Spooled:
    """Send a command, and retry with the same key if the connection was cut during the commit."""
    try:
        return await gate.handle(ask)
    except Unavailable as error:
        if not error.unknown:
            raise
        return await gate.handle(ask)
