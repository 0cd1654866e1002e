"""The spool keeps only commands that must wait, and nothing in it shuts the gate for good."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import psycopg
import pytest
from psycopg import errors

from foureyes.app.asks import Ask, Reply
from foureyes.app.live import Live
from foureyes.app.ports import START, Conflict, Damaged, Unavailable, Writing
from foureyes.app.spooling import (
    REFUSED_LATER,
    SPOOLED_REFUSED,
    Progress,
    Replayed,
    Spooled,
    SpoolingGate,
    Waiting,
    telling,
)
from foureyes.app.work import work_of
from foureyes.core import commands as c
from foureyes.core.live import RecordLive
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Outcome, Who
from foureyes.store.pg_connecting import Limits
from foureyes.store.pg_errors import told
from foureyes.store.postgres import PostgresStore
from foureyes.store.spool import FileSpool
from tests.app.house import FIRST, House, played
from tests.app.test_spooling import AT, Pluggable, Site
from tests.cast import DEV, HUGO
from tests.postgres.server import Server

T = TypeVar("T")

DIGEST = work_of(FIRST).digest


def going_live(site: Site, stream: str) -> Ask:
    command = RecordLive(target="production", review=stream.removeprefix("review/"), digest=DIGEST)
    return site.house.ask(HUGO, command, "target/production")


@played
async def test_nothing_is_recorded_as_live_while_anything_waits(tmp_path: Path) -> None:
    """B27: what waits may speak against these bytes; with the database back the answer is still no, until it is in."""
    site = Site(tmp_path)
    stream = await site.house.cleared()
    live = going_live(site, stream)
    site.store.down = True
    await site.gate.handle(site.house.ask(HUGO, c.ReopenReview(reason="Poisoned", undoes=Outcome.CLEARED), stream))
    site.store.down = False
    with pytest.raises(Unavailable, match="The gate is shut while 1 command waits in the spool"):
        await site.gate.handle(live)
    assert site.gate.waiting == 1
    assert await site.gate.replay() == Progress(done=1)
    reply = await site.gate.handle(live)
    assert isinstance(reply, Reply)
    assert reply.events == ("LiveRefused",)


@played
async def test_going_live_is_never_spooled(tmp_path: Path) -> None:
    """B27: a publisher needs the answer before it publishes."""
    site = Site(tmp_path)
    live = going_live(site, await site.house.cleared())
    site.store.down = True
    with pytest.raises(Unavailable, match="cannot be reached"):
        await site.gate.handle(live)
    assert site.gate.waiting == 0
    site.store.down = False
    assert isinstance(await site.gate.handle(live), Reply)


class Failing:
    """A gate that fails with an unexpected error on some texts."""

    def __init__(self, gate: SpoolingGate, failures: dict[str, Exception]) -> None:
        self._gate, self._failures = gate.gate, failures

    async def handle(self, ask: Ask) -> Reply:
        text = getattr(ask.command, "text", "")
        if text in self._failures:
            raise self._failures[text]
        return await self._gate.handle(ask)

    async def may_go_live(self, name: str, target: str = "", viewer: Who | None = None) -> Live:
        return await self._gate.may_go_live(name, target, viewer)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            ValueError("A text with a NUL character cannot be stored."),
            "back: A text with a NUL",
        ),
        (Damaged("review/r1 was altered"), "back: review/r1 was altered."),
        (RuntimeError("secret"), "back: RuntimeError."),
    ],
    ids=["value", "damaged", "bug"],
)
@played
async def test_a_command_the_gate_fails_on_is_told_as_refused_and_the_others_go_on(
    tmp_path: Path, error: Exception, sentence: str
) -> None:
    """001-76: one of them must not shut the gate for good; its asker finds what became of it."""
    site = Site(tmp_path)
    stream = await site.house.open()
    site.store.down = True
    await site.note(stream, "bad", key="bad")
    await site.note(stream, "good")
    site.store.down = False
    site.gate.gate = Failing(site.gate, {"bad": error})
    # It is not given up until its refusal is stored.
    site.store.writes_left = 0
    assert (await site.gate.replay()).stopped
    assert site.gate.waiting == 2
    site.store.writes_left = 1_000
    assert await site.gate.replay() == Progress(done=2, refused=1)
    assert await site.notes(stream) == ["good"]
    rows = await site.store.read(lambda reading: reading.rows(REFUSED_LATER, f"{HUGO.name}/"))
    (kept,) = [json.loads(body) for _, body in rows]
    assert kept["key"] == "bad"
    assert sentence in kept["sentence"]
    parcels = await site.store.write(lambda tx: tx.claim("w", AT, AT))
    assert [one.row.type for one in parcels].count(SPOOLED_REFUSED) == 1


@played
async def test_one_altered_review_does_not_shut_the_gate_for_the_others(tmp_path: Path) -> None:
    """001-76: the whole way, with a tampered log."""
    site = Site(tmp_path)
    altered, good = await site.house.open(), await site.house.cleared({"g.py": b"g\n"})
    streams = site.store._tables.streams
    streams[altered] = tuple(replace(one, body=one.body.replace("A piece", "A forged")) for one in streams[altered])
    site.restart()
    site.store.down = True
    await site.note(altered, "x")
    await site.note(good, "y")
    site.store.down = False
    assert await site.gate.replay() == Progress(done=2, refused=1)
    assert (await site.gate.may_go_live(work_of({"g.py": b"g\n"}).digest)).allowed


@pytest.mark.parametrize(
    "wrong",
    [{"stream": "review/a\0b"}, {"stream": "review/a\ud800"}, {"stream": "review/a\nb"}, {"aliases": ("git:\0",)}],
    ids=["NUL", "half", "line", "alias"],
)
@played
async def test_texts_no_store_can_keep_are_refused_before_they_are_spooled(
    tmp_path: Path, wrong: dict[str, object]
) -> None:
    """The caller can be told now, but not once the database is back."""
    site = Site(tmp_path)
    site.store.down = True
    ask = Ask(**{"actor": HUGO, "key": "k", "command": c.AddNote(text="x"), "stream": "review/r1", **wrong})  # type: ignore[arg-type]
    with pytest.raises(Refusal) as refused:
        await site.gate.handle(ask)
    assert refused.value.code is Code.BAD_VALUE
    assert site.gate.waiting == 0


class Hot(Pluggable):
    """A store in which every write meets a conflict."""

    hot = False

    async def write(self, work: Callable[[Writing], T]) -> T:
        if self.hot:
            raise Conflict("Somebody else was faster.")
        return await super().write(work)


@played
async def test_a_busy_database_is_not_down_and_the_gate_stays_open(tmp_path: Path) -> None:
    """B27: only who finds no database waits in the spool; who finds a busy one asks again."""
    site = Site(tmp_path)
    site.store = store = Hot()
    site.house = House(store=store)
    site.restart()
    stream = await site.house.cleared()
    store.hot = True
    with pytest.raises(Unavailable, match="too busy"):
        await site.note(stream, "hello")
    store.hot = False
    assert site.gate.waiting == 0
    assert (await site.gate.may_go_live(DIGEST)).allowed


def test_a_lock_of_postgresql_that_lasts_is_no_reason_to_spool(postgres: Server, tmp_path: Path) -> None:
    """B27: the caller hears that it took too long, from the server or because we hung up; the gate stays open."""

    async def scenario(url: str, limits: Limits, sentence: str) -> None:
        async with PostgresStore.open(url, limits, durable=False) as store:
            house = House(store=store)
            gate = SpoolingGate(house.gate, FileSpool(tmp_path / sentence), lambda: AT)
            stream = await house.open()
            with psycopg.connect(url) as other:
                other.execute("LOCK TABLE log")
                with pytest.raises(Unavailable, match=sentence):
                    await gate.handle(house.ask(HUGO, c.AddNote(text="x"), stream))
            assert gate.waiting == 0

    slow, cut = Limits(lock_seconds=0.1), Limits(wait_seconds=0.2, write_seconds=0.2)
    for limits, sentence in ((slow, "took too long"), (cut, "be reached|ended")):
        with postgres.fresh() as url:
            asyncio.run(scenario(url, limits, sentence))


@pytest.mark.parametrize(
    ("error", "down"),
    [
        (psycopg.OperationalError("connection refused"), True),
        (psycopg.InterfaceError("the connection is closed"), True),
        (psycopg.DatabaseError("server closed the connection unexpectedly"), True),
        (errors.AdminShutdown(), True),
        (errors.CrashShutdown(), True),
        (errors.CannotConnectNow(), True),
        (errors.ConnectionFailure(), True),
        (errors.LockNotAvailable(), False),
        (errors.QueryCanceled(), False),
        (errors.TooManyConnections(), False),
        (errors.DiskFull(), False),
        (errors.ReadOnlySqlTransaction(), False),
        (errors.IdleInTransactionSessionTimeout(), False),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, Exception) else "",
)
def test_which_errors_of_postgresql_mean_that_it_is_down(error: psycopg.Error, down: bool) -> None:
    """B27: out of reach, lost, or going; not slow, full, or a standby."""
    said = told(error, broken=True)
    assert isinstance(said, Unavailable)
    assert said.down is down


@played
async def test_other_names_of_the_bytes_wait_with_their_command(tmp_path: Path) -> None:
    """001-76: after the replay the work is found by them."""
    site = Site(tmp_path)
    work = work_of(FIRST)
    site.store.down = True
    await site.gate.handle(site.house.ask(DEV, site.house.opening(work), blobs=work.blobs, aliases=("git-commit:abc",)))
    site.restart()
    site.store.down = False
    assert await site.gate.replay() == Progress(done=1)
    assert (await site.gate.may_go_live("git-commit:abc")).state == "pending"


@played
async def test_late_refusals_of_two_servers_are_both_kept(tmp_path: Path) -> None:
    """001-76: each server counts its places for itself."""
    one, two = Site(tmp_path / "one"), Site(tmp_path / "two")
    two.store = one.store
    two.house = House(store=one.store, ids=50, name="b")
    two.restart()
    one.store.down = True
    for site in (one, two):
        assert isinstance(await site.note("review/nowhere", "x"), Spooled)
    one.store.down = False
    for site in (one, two):
        assert await site.gate.replay() == Progress(done=1, refused=1)
    rows = await one.store.read(lambda reading: reading.rows(REFUSED_LATER, f"{HUGO.name}/"))
    assert sorted(json.loads(body)["key"] for _, body in rows) == ["b1", "k1"]


@played
async def test_what_the_disk_did_not_hear_as_done_is_counted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """001-76: handed in again it takes no place from one that waits, and the order stays."""
    site = Site(tmp_path)
    stream = await site.house.open()
    site.store.down = True
    await site.note(stream, "first")
    site.store.down = False
    with monkeypatch.context() as patch:
        patch.setattr(FileSpool, "done", _failing)
        assert "disk" in (await site.gate.replay()).stopped
    site.store.down = True
    await site.note(stream, "second")
    site.store.down = False
    # The first is replayed again, then the database goes: the second still waits, and the third waits behind it.
    site.store.writes_left = 1
    assert (await site.gate.replay()).stopped
    site.store.writes_left = 1_000
    assert site.gate.waiting == 1
    assert isinstance(await site.note(stream, "third"), Spooled)
    assert await site.gate.replay() == Progress(done=2)
    assert await site.notes(stream) == ["first", "second", "third"]


def _failing(_: FileSpool, position: int) -> None:
    raise Unavailable(f"The disk does not take {position}.", "Look at it.")


@played
async def test_one_command_on_two_places_leaves_nothing_behind(tmp_path: Path) -> None:
    """A record reported as lost may be on the disk after all, while its caller has sent it again."""
    site = Site(tmp_path)
    stream = await site.house.open()
    ask = site.house.ask(HUGO, c.AddNote(text="twice"), stream)
    for _ in range(2):
        site.spool.append(ask, AT)
    site.restart()
    assert await site.gate.replay() == Progress(done=2)
    assert site.gate.waiting == 0
    assert await site.notes(stream) == ["twice"]
    assert isinstance(await site.note(stream, "next"), Reply)


@played
async def test_who_may_not_spool_may_not_behind_others_either(tmp_path: Path) -> None:
    """A credential that could not be checked spools nothing, whatever waits already."""
    site = Site(tmp_path)
    stream = await site.house.open()
    site.store.down = True
    gate = SpoolingGate(site.house.gate, site.spool, lambda: AT, may_spool=lambda who: who.name == DEV.name)
    assert isinstance(await gate.handle(site.house.ask(DEV, c.AddNote(text="x"), stream)), Spooled)
    with pytest.raises(Unavailable, match="cannot say who you are"):
        await gate.handle(site.house.ask(HUGO, c.AddNote(text="y"), stream))
    assert gate.waiting == 1


@played
async def test_what_waits_is_known_by_its_key_whichever_token_it_comes_with(tmp_path: Path) -> None:
    """I22: a new token of the same account while it waits, and when it was handed in."""
    site = Site(tmp_path)
    stream = await site.house.open()
    ask = site.house.ask(replace(HUGO, session="token-1"), c.AddNote(text="text"), stream)
    anew = replace(ask, actor=replace(HUGO, session="token-2"))
    site.store.down = True
    first = await site.gate.handle(ask)
    assert isinstance(first, Spooled)
    assert await site.gate.handle(anew) == first
    site.store.down = False
    await site.gate.replay()
    reply = await site.gate.handle(anew)
    assert isinstance(reply, Reply)
    assert reply.repeated
    assert await site.notes(stream) == ["text"]


@played
async def test_a_refusal_that_an_earlier_release_told_is_not_told_again(tmp_path: Path) -> None:
    """001-76: it named it by the session too."""
    site = Site(tmp_path)
    ask = site.house.ask(replace(HUGO, session="token-1"), c.AddNote(text="text"), "review/r1")
    said = json.dumps([HUGO.name, ask.key, ask.body_hash_before()])
    key = f"{HUGO.name}/{hashlib.sha256(said.encode()).hexdigest()}"
    await site.store.write(lambda tx: tx.follow(REFUSED_LATER, {key: "{}"}, START))
    refusal = Refusal(Code.BAD_VALUE, "No.", "Do something else.")
    await telling(site.store)(Replayed(waiting=Waiting(position=1, at=AT, ask=ask), refusal=refusal))
    rows = await site.store.read(lambda reading: reading.rows(REFUSED_LATER))
    assert rows == ((key, "{}"),)
