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

#: Commands between two saves of the position; after a crash these are repeated, which is harmless by their keys.
CURSOR_EVERY = 32
#: Most rounds of one replay; commands that arrive during a round are replayed in the next.
ROUNDS_MAX = 100
#: Rows (asker/hash of key and request) about spooled commands that were refused later.
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
        """Store a command and return its position; it is on the disk then.

        Raises Unavailable if it cannot be stored.
        """

    def waiting(self) -> Iterator[Waiting]:
        """Yield the commands that are not done, in order."""

    def done(self, position: int) -> None:
        """Mark everything up to this position as done."""


class Asked(Protocol):
    """The two things a gate does that matter here."""

    async def handle(self, ask: Ask) -> Reply:
        """Decide and store; raises Refusal, or Unavailable if the store cannot write."""

    async def may_go_live(self, name: str, target: str = "", viewer: Who | None = None) -> Live:
        """Check whether these bytes may go live; never a yes if the store cannot answer."""


def _anybody(_: Who) -> bool:
    return True


async def _silent(_: Replayed) -> None:
    """Notify nobody."""


@dataclass(slots=True)
class _Index:
    """The spooled commands by position, by key and by stream; bounded by the size of the spool."""

    guard: threading.Lock = field(default_factory=threading.Lock)
    places: set[int] = field(default_factory=set)
    keys: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)
    streams: Counter[str] = field(default_factory=Counter)

    def add(self, position: int, ask: Ask) -> None:
        self.places.add(position)
        self.keys[ask.actor.name, ask.key] = (position, ask.body_hash())
        self.streams[ask.stream] += 1

    def remove(self, one: Waiting) -> bool:
        """Remove a record once, as an unsaved position makes it come again. Returns whether it was still here."""
        if one.position not in self.places:
            return False
        self.places.remove(one.position)
        name = (one.ask.actor.name, one.ask.key)
        # One key has two positions if the disk kept a record that was reported as lost.
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
        """Load the commands that are spooled already."""
        self.gate = gate
        self._spool, self._clock, self._may_spool, self._tell = spool, clock, may_spool, tell
        self._replaying = asyncio.Lock()
        self._index = _Index()
        for one in spool.waiting():
            self._index.add(one.position, one.ask)

    @property
    def waiting(self) -> int:
        """Number of spooled commands."""
        return len(self._index.places)

    async def handle(self, ask: Ask) -> Reply | Spooled:
        """Hand in a command; spool it while the database is down, or while others wait before it on its stream."""
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
            # If the write may have happened, the caller must retry with its key; if the disk is full, the spool has no
            # room either. A database that is only busy is asked again. A go-live needs its answer now, not later.
            if error.unknown or error.full or not error.down or isinstance(ask.command, RecordLive):
                raise
            return await self._kept(ask)

    async def handle_now(self, ask: Ask) -> Reply:
        """Hand in a command that cannot wait.

        It is refused while others wait on its stream; a go-live is refused while any command waits.
        """
        if self.waiting and isinstance(ask.command, RecordLive):
            raise Unavailable(_shut(self.waiting), ASK_LATER)
        if count := self._index.streams.get(ask.stream, 0):
            raise Unavailable(f"{_commands(count)} in the spool before this.", ASK_LATER)
        return await self.gate.handle(ask)

    async def may_go_live(self, name: str, target: str = "", viewer: Who | None = None) -> Live:
        """Check whether these bytes may go live: never while the database is down, or while a command waits."""
        if count := self.waiting:
            return Live(state=UNAVAILABLE, digest=name, reason=f"{_shut(count)} {ASK_LATER}")
        return await self.gate.may_go_live(name, target, viewer)

    async def look(self, reading: Awaitable[T]) -> T:
        """Await a read of the gate; if the store cannot answer, the error also says what waits in the spool."""
        try:
            return await reading
        except Unavailable as error:
            if not self.waiting:
                raise
            sentence = f"{error.sentence} Meanwhile {_commands(self.waiting)} in the spool."
            flags = {"full": error.full, "unknown": error.unknown, "down": error.down}
            raise Unavailable(sentence, error.next_step, **flags) from error

    async def replay(self, progress: Callable[[Progress], None] = lambda _: None) -> Progress:
        """Hand in the spooled commands in order; by its key each acts once, however often the replay is restarted."""
        async with self._replaying:
            now = Progress(left=self.waiting)
            for _ in range(ROUNDS_MAX):
                if not self.waiting or now.stopped:
                    break
                now = await self._round(now, progress)
            return now

    async def tend(self, pause: Callable[[], Awaitable[None]]) -> None:
        """Replay whenever the database is back, until cancelled; `pause` is the wait between attempts."""
        while True:
            await pause()
            if self.waiting:
                await self.replay()

    async def hand_in(self) -> Progress:
        """Replay once, for a background task; raises Unavailable if commands are left."""
        now = await self.replay() if self.waiting else Progress()
        if now.stopped:
            raise Unavailable(f"{_commands(now.left)} in the spool: {now.stopped}", ASK_LATER)
        return now

    def _known(self, ask: Ask) -> Spooled | None:
        """Return the position of a spooled command with the same key."""
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
        """Store and index in one thread: a caller that goes away does not leave the index behind the disk."""
        with self._index.guard:
            if found := self._known(ask):
                return found
            position = self._spool.append(ask, self._clock())
            self._index.add(position, ask)
        return Spooled(position=position, key=ask.key, stream=ask.stream)

    async def _round(self, now: Progress, progress: Callable[[Progress], None]) -> Progress:
        """Hand in what is spooled now; what arrives meanwhile is left for the next round."""
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
            # Commands handed in but not marked as done are repeated by key, which is harmless.
            with suppress(Unavailable):
                await asyncio.to_thread(self._spool.done, last)
            stopped = str(error) or type(error).__name__
            return Progress(done=now.done, refused=now.refused, left=self.waiting, stopped=stopped)
        return now

    async def _handed_in(self, one: Waiting) -> bool:
        """Hand in one command; a refusal is an answer too, kept by the gate under its key.

        A command that the gate cannot decide at all must not block the others for ever: it is reported as refused, and
        given up only when that report is stored.
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
    """Store each late refusal for its asker and put it into the outbox; once, however often it is reported."""

    async def tell(told: Replayed) -> None:
        if told.refusal is None:
            return
        await store.write(lambda tx: _write_refusal(tx, told, told.refusal))

    return tell


def _write_refusal(tx: Writing, told: Replayed, refusal: Refusal | None) -> None:
    ask = told.waiting.ask
    # Positions are counted per server, so they do not distinguish commands.
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
    """Refuse at once what no store can keep: at the replay nobody would be there to hear it."""
    ask.body_hash()
    if not ask.stream.isprintable():
        raise refuse(Code.BAD_VALUE, what="the name of the stream has a character that cannot be printed")
    for text in (ask.actor.name, *ask.aliases, *ask.blobs, *(part.name for part in ask.before)):
        if "\0" in text or any("\ud800" <= one <= "\udfff" for one in text):
            raise refuse(Code.BAD_VALUE, what=f"{text!r} is no text")


def _undecided(error: Exception) -> Refusal:
    """Return the refusal of a command that the gate failed on; details of foreign errors are not shown."""
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
