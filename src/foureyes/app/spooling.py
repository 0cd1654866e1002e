"""The outage spool: keeps commands while the database is down and replays them in order when it is back.

A spooled command is not accepted; it may still be refused. `SpoolingGate` stands before a gate on PostgreSQL. On SQLite
there is none: a command that cannot be written is refused with a reason, and nothing of it is kept.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from foureyes.app.asks import Ask, Reply, check_key
from foureyes.app.live import Live
from foureyes.app.ports import START, Conflict, Damaged, Store, Unavailable, Writing
from foureyes.app.rows import Changes, OutboxRow
from foureyes.core.live import RecordLive
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Who

#: How many replayed commands may be repeated after a crash; by their keys that does no harm.
CURSOR_EVERY = 32
#: Commands that come during a replay wait behind it; so many times it looks again.
ROUNDS_MAX = 100
#: Rows (asker/hash of key and request) that say what became of a spooled command that was refused at last.
REFUSED_LATER = "refused_later"
SPOOLED_REFUSED = "SpooledRefused"
UNAVAILABLE = "unavailable"
ASK_LATER = "Ask again when they are done."

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A command in the spool, and since when."""

    position: int
    at: str
    ask: Ask


@dataclass(frozen=True, slots=True, kw_only=True)
class Spooled:
    """The command is safe and waits for the database. It is not accepted: the gate may still refuse it."""

    position: int
    key: str
    stream: str = ""


class IsSpooled(Exception):  # noqa: N818 - neither a yes nor a no, told to whoever asked
    """A command waits in the spool, so there is no answer yet."""

    def __init__(self, spooled: Spooled) -> None:
        """Keep what a door shows."""
        super().__init__(spooled.key)
        self.spooled = spooled
        self.sentence = "The database is down: this is spooled, and not accepted. It may still be refused."
        self.next_step = f"Send the same with the key {spooled.key} when the database is back, to hear the answer."


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What the gate said to a command that had waited."""

    waiting: Waiting
    reply: Reply | None = None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a replay is; `stopped` says why it ended early."""

    done: int = 0
    refused: int = 0
    left: int = 0
    stopped: str = ""


class Spool(Protocol):
    """Where commands wait. Its calls block."""

    def append(self, ask: Ask, at: str) -> int:
        """Keep a command; on the disk when its place is returned. Raises Unavailable when it cannot be kept."""

    def waiting(self) -> Iterator[Waiting]:
        """What is not done, in order."""

    def done(self, position: int) -> None:
        """Everything up to here has happened."""


class Asked(Protocol):
    """The two things a gate does that matter here."""

    async def handle(self, ask: Ask) -> Reply:
        """Decide and keep; raises Refusal, or Unavailable when the store cannot write."""

    async def may_go_live(self, name: str, target: str = "", viewer: Who | None = None) -> Live:
        """Whether these bytes may go live; no yes when the store cannot answer."""


def _anybody(_: Who) -> bool:
    return True


async def _silent(_: Replayed) -> None:
    """Tell nobody."""


@dataclass(slots=True)
class _Index:
    """What waits, by place, by key and by stream; as large as the spool allows."""

    guard: threading.Lock = field(default_factory=threading.Lock)
    places: set[int] = field(default_factory=set)
    keys: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    streams: Counter[str] = field(default_factory=Counter)

    def add(self, position: int, ask: Ask) -> None:
        self.places.add(position)
        self.keys[ask.actor.name, ask.key] = (position, ask.body_hash())
        self.streams[ask.stream] += 1

    def remove(self, one: Waiting) -> bool:
        """Once a record: where the disk did not hear that it is done, it comes again. Whether it was still here."""
        if one.position not in self.places:
            return False
        self.places.remove(one.position)
        name = (one.ask.actor.name, one.ask.key)
        # One key has two places when the disk kept a record that was told as lost.
        if self.keys[name][0] == one.position:
            del self.keys[name]
        self.streams[one.ask.stream] -= 1
        if not self.streams[one.ask.stream]:
            del self.streams[one.ask.stream]
        return True


class SpoolingGate:
    """A gate that keeps commands while its database is down, and gives them to it in order when it is back.

    `may_spool` is asked before anything is kept: a door that cannot check a credential against the database answers
    from what it checked in the last minute. `tell` hears of every command a replay handed in.
    """

    def __init__(
        self,
        gate: Asked,
        spool: Spool,
        clock: Callable[[], str],
        *,
        may_spool: Callable[[Who], bool] = _anybody,
        tell: Callable[[Replayed], Awaitable[None]] = _silent,
    ) -> None:
        """Read through what waits from before."""
        self.gate = gate
        self._spool, self._clock, self._may_spool, self._tell = spool, clock, may_spool, tell
        self._replaying = asyncio.Lock()
        self._index = _Index()
        for one in spool.waiting():
            self._index.add(one.position, one.ask)

    @property
    def waiting(self) -> int:
        """How many commands wait."""
        return len(self._index.places)

    async def handle(self, ask: Ask) -> Reply | Spooled:
        """Hand a command in; while the database is down, or others wait before it on its stream, it waits too."""
        check_key(ask.key)
        if found := self._known(ask):
            return found
        if self.waiting and isinstance(ask.command, RecordLive):
            raise Unavailable(_shut(self.waiting), ASK_LATER)
        if self._index.streams.get(ask.stream) and ask.stream:
            return await self._kept(ask)
        try:
            return await self.gate.handle(ask)
        except Unavailable as error:
            # What may have happened already is asked for again by its key; what is too much does not fit here either. A
            # database that is only busy is asked again. Who puts bytes on a target needs the answer before, not later.
            if error.unknown or error.full or not error.down or isinstance(ask.command, RecordLive):
                raise
            return await self._kept(ask)

    async def handle_now(self, ask: Ask) -> Reply:
        """Hand in what cannot wait: not past those that wait before it, and never live while anything waits."""
        if self.waiting and isinstance(ask.command, RecordLive):
            raise Unavailable(_shut(self.waiting), ASK_LATER)
        if count := self._index.streams.get(ask.stream, 0):
            raise Unavailable(f"{_commands(count)} in the spool before this.", ASK_LATER)
        return await self.gate.handle(ask)

    async def may_go_live(self, name: str, target: str = "", viewer: Who | None = None) -> Live:
        """Whether these bytes may go live: never while the database is down, or while a command waits."""
        if count := self.waiting:
            return Live(state=UNAVAILABLE, digest=name, reason=f"{_shut(count)} {ASK_LATER}")
        return await self.gate.may_go_live(name, target, viewer)

    async def look(self, reading: Awaitable[T]) -> T:
        """Wait for a read of the gate; when the store cannot answer, say also what waits for it."""
        try:
            return await reading
        except Unavailable as error:
            if not self.waiting:
                raise
            sentence = f"{error.sentence} Meanwhile {_commands(self.waiting)} in the spool."
            flags = {"full": error.full, "unknown": error.unknown, "down": error.down}
            raise Unavailable(sentence, error.next_step, **flags) from error

    async def replay(self, progress: Callable[[Progress], None] = lambda _: None) -> Progress:
        """Hand in what waits, in order; by key each acts once, however often this is begun anew."""
        async with self._replaying:
            now = Progress(left=self.waiting)
            for _ in range(ROUNDS_MAX):
                if not self.waiting or now.stopped:
                    break
                now = await self._round(now, progress)
            return now

    async def tend(self, pause: Callable[[], Awaitable[None]]) -> None:
        """Look again and again whether the database is back, until cancelled; `pause` is the wait between."""
        while True:
            await pause()
            if self.waiting:
                await self.replay()

    async def hand_in(self) -> Progress:
        """Hand in what waits, for whoever does so again and again; raises Unavailable where some of it must go on."""
        now = await self.replay() if self.waiting else Progress()
        if now.stopped:
            raise Unavailable(f"{_commands(now.left)} in the spool: {now.stopped}", ASK_LATER)
        return now

    def _known(self, ask: Ask) -> Spooled | None:
        """The same key again while it waits has the same place."""
        found = self._index.keys.get((ask.actor.name, ask.key))
        if found is None:
            return None
        position, body_hash = found
        if body_hash != ask.body_hash():
            raise refuse(Code.KEY_REUSED, key=ask.key)
        return Spooled(position=position, key=ask.key, stream=ask.stream)

    async def _kept(self, ask: Ask) -> Spooled:
        if not self._may_spool(ask.actor):
            raise Unavailable("The database is down, and cannot say who you are.", "Ask again when it is back.")
        _check_texts(ask)
        return await asyncio.to_thread(self._keep, ask)

    def _keep(self, ask: Ask) -> Spooled:
        """In a thread, whole: a caller that goes away does not leave the index behind the disk."""
        with self._index.guard:
            if found := self._known(ask):
                return found
            position = self._spool.append(ask, self._clock())
            self._index.add(position, ask)
        return Spooled(position=position, key=ask.key, stream=ask.stream)

    async def _round(self, now: Progress, progress: Callable[[Progress], None]) -> Progress:
        """Hand in what waits at this moment; what comes meanwhile is for the next round."""
        queue, last = self._spool.waiting(), 0
        try:
            while (one := await asyncio.to_thread(next, queue, None)) is not None:
                refused = await self._handed_in(one)
                with self._index.guard:
                    first = self._index.remove(one)
                last = one.position
                now = Progress(done=now.done + first, refused=now.refused + (first and refused), left=self.waiting)
                progress(now)
                if now.done % CURSOR_EVERY == 0:
                    await asyncio.to_thread(self._spool.done, last)
            await asyncio.to_thread(self._spool.done, last)
        except Exception as error:  # noqa: BLE001 - whatever it was, what waits is kept, and tried again
            # What was handed in and is not noted as done is handed in again by its key, which does no harm.
            with suppress(Unavailable):
                await asyncio.to_thread(self._spool.done, last)
            stopped = str(error) or type(error).__name__
            return Progress(done=now.done, refused=now.refused, left=self.waiting, stopped=stopped)
        return now

    async def _handed_in(self, one: Waiting) -> bool:
        """The gate's word on one command; a no is an answer too, kept by the gate under its key.

        One that the gate cannot decide at all must not hold up the others for good: it is told as refused, and given
        up only when that is kept.
        """
        try:
            reply = await self.gate.handle(replace(one.ask, asked_at=one.at))
        except (Unavailable, Conflict):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it was, it is told
            refusal = error if isinstance(error, Refusal) else _undecided(error)
            await self._tell(Replayed(waiting=one, refusal=refusal))
            return True
        await self._tell(Replayed(waiting=one, reply=reply))
        return False


def telling(store: Store) -> Callable[[Replayed], Awaitable[None]]:
    """Keep each late refusal where its asker finds it, and put it on its way out; once, however often it is told."""

    async def tell(told: Replayed) -> None:
        if told.refusal is None:
            return
        await store.write(lambda tx: _write_refusal(tx, told, told.refusal))

    return tell


def _write_refusal(tx: Writing, told: Replayed, refusal: Refusal | None) -> None:
    ask = told.waiting.ask
    # Places are counted by each server for itself, so they would not tell two commands from each other.
    key, before = (_refused_key(ask, one) for one in (ask.body_hash(), ask.body_hash_before()))
    if refusal is None or any(tx.row(REFUSED_LATER, one) is not None for one in {key, before}):
        return
    said = {
        "at": told.waiting.at,
        "code": refusal.code.value,
        "key": ask.key,
        "next_step": refusal.next_step,
        "sentence": refusal.sentence,
        "stream": ask.stream,
    }
    tx.follow(REFUSED_LATER, {key: json.dumps(said, sort_keys=True)}, START)
    stream = ask.stream if ask.stream and ask.stream.isprintable() else f"asker/{ask.actor.name}"
    row = OutboxRow(stream=stream, version=0, type=SPOOLED_REFUSED, at=told.waiting.at)
    tx.apply(Changes(outbox=(row,)))


def _refused_key(ask: Ask, body_hash: str) -> str:
    asked = json.dumps([ask.actor.name, ask.key, body_hash])
    return f"{ask.actor.name}/{hashlib.sha256(asked.encode()).hexdigest()}"


def _check_texts(ask: Ask) -> None:
    """Refuse at once what no store can keep: later nobody is there to hear it."""
    ask.body_hash()
    if not ask.stream.isprintable():
        raise refuse(Code.BAD_VALUE, what="the name of the stream has a character that cannot be printed")
    for text in (ask.actor.name, *ask.aliases, *ask.blobs, *(part.name for part in ask.before)):
        if "\0" in text or any("\ud800" <= one <= "\udfff" for one in text):
            raise refuse(Code.BAD_VALUE, what=f"{text!r} is no text")


def _undecided(error: Exception) -> Refusal:
    """What to say of a command that the gate failed on; only our own words are for those outside."""
    why = str(error) if isinstance(error, (ValueError, Damaged)) else type(error).__name__
    return Refusal(
        Code.BAD_VALUE,
        f"The gate could not decide this when the database was back: {why}".rstrip(".") + ".",
        "Have the cause looked at, then send it again with a new key.",
    )


def _shut(count: int) -> str:
    return f"The gate is shut while {_commands(count)} in the spool: one of them may speak against this."


def _commands(count: int) -> str:
    return "1 command waits" if count == 1 else f"{count} commands wait"
