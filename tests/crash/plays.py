"""Plays for a driven process: whole reviews through the gate, on the shipped store, command by command."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Coroutine, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from foureyes.app.asks import Ask
from foureyes.app.ports import Unavailable
from foureyes.app.work import work_of
from foureyes.codec.commands import Command
from foureyes.core import commands as c
from foureyes.core.live import RecordLive
from foureyes.core.refusals import Refusal
from foureyes.core.values import Who, WhoKind
from foureyes.store.sqlite import SqliteStore
from tests.app.house import FIRST, SECOND, House
from tests.cast import CODEX, DEV, HUGO, LINTER

FILE = "store.sqlite"
PUBLISHER = Who(name="publisher", kind=WhoKind.SERVICE)
LARGE = {"large.txt": b"".join(b"line %d of the work\n" % number for number in range(2_000))}
TRIES_MAX = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Purge:
    """Remove a blob, which also empties SQLite's journal."""

    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopen:
    """Close the store and open it again, as a restart does."""


Act = Ask | Purge | Reopen
Mark = Callable[[str], None]
Tables = dict[str, list[tuple[object, ...]]]


@dataclass
class Scribe(House):
    """A house that records the commands sent to it."""

    asked: list[Act] = field(default_factory=list)

    def ask(self, actor: Who, command: Command, stream: str = "", **fields: object) -> Ask:
        made = super().ask(actor, command, stream, **fields)
        self.asked.append(made)
        return made


async def reviews(house: Scribe) -> None:
    """One review to the end and live; one with a no, a note and a withdrawal; one of large bytes that are purged."""
    one = await house.open()
    await house.object_to(one, "Nobody is greeted by name", "No test", "No docstring")
    findings = (await house.review(one)).findings
    await house.revise(one, answers=tuple(c.Answer(finding=name, text="Mended") for name in findings))
    await house.approve(one, settled=tuple(c.Settlement(finding=name, resolved=True, note="Seen") for name in findings))
    await cleared(house, one)
    live = RecordLive(target="production", review=one.removeprefix("review/"), digest=work_of(SECOND).digest)
    await house.do(PUBLISHER, live, "target/production")
    house.asked.append(Reopen())
    two = await house.open({"other.py": b"print(1)\n"})
    await house.refused(DEV, c.SubmitReport(revision=1, verdict="approve"), two)
    await house.do(HUGO, c.AddNote(text="Is this needed?"), two)
    await house.do(DEV, c.WithdrawReview(reason="not needed"), two)
    three = await house.open(LARGE)
    house.asked.append(Purge(digest=work_of(LARGE).parts[0].digest))
    await house.object_to(three, "Too large", actor=CODEX)
    await house.do(DEV, c.WithdrawReview(reason="too large"), three)


def own(house: House, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files made unique to this house, so that an objection to one house's bytes does not apply to another's."""
    return {path: content + f"# {house.name}\n".encode() for path, content in files.items()}


async def quick(house: House) -> None:
    """One review to the end."""
    one = await house.open(own(house, FIRST))
    await house.object_to(one, "No test")
    (found,) = (await house.review(one)).findings
    await house.revise(one, own(house, SECOND), answers=(c.Answer(finding=found, text="Mended"),))
    await house.approve(one, settled=(c.Settlement(finding=found, resolved=True, note="Seen"),))
    await cleared(house, one)


async def cleared(house: House, stream: str) -> None:
    """Clear a review; the last report is the program's."""
    if (await house.review(stream)).outcome is None:
        await house.approve(stream, actor=LINTER)
    assert (await house.review(stream)).outcome == "cleared"


def rehearsed(play: Callable[[Scribe], Coroutine[None, None, None]] = reviews) -> tuple[Act, ...]:
    """The acts of a play, with fixed keys and bodies, so that they can be repeated."""
    house = Scribe()
    asyncio.run(play(house))
    return tuple(house.asked)


async def perform(path: Path, acts: tuple[Act, ...], mark: Mark) -> bool:
    """Do all acts on a store's file, each retried by its key while the store fails; False if it keeps failing."""
    stage = Stage(path, acts)
    try:
        for number, act in enumerate(acts, start=1):
            mark(f"ask {number}")
            if not await stage.tried(act, number, mark):
                return False
        return True
    finally:
        await stage.close()


class Stage:
    """A gate on the shipped store, opened when it is needed."""

    def __init__(self, path: Path, acts: tuple[Act, ...]) -> None:
        self._path = path
        openings = [act.key for act in acts if isinstance(act, Ask) and isinstance(act.command, c.OpenReview)]
        # The gate must mint the names of the rehearsal, also on a retry.
        self._ids = {key: before for before, key in enumerate(openings)}
        self._house: House | None = None
        self._store: SqliteStore | None = None

    async def tried(self, act: Act, number: int, mark: Mark) -> bool:
        """Do one act with retries; an acknowledgement is marked."""
        for _ in range(TRIES_MAX):
            try:
                await self._do(act)
            except Unavailable as error:
                mark(f"no {number} {'unknown' if error.unknown else 'known'} {error}")
            else:
                mark(f"ack {number}")
                return True
        return False

    async def close(self) -> None:
        store, self._store = self._store, None
        if store:
            await store.close()

    async def _do(self, act: Act) -> None:
        match act:
            case Ask():
                house = self._open()
                house.ids = self._ids.get(act.key, house.ids)
                with suppress(Refusal):
                    await house.gate.handle(act)
            case Purge():
                self._open()
                assert self._store
                await self._store.write(lambda tx: tx.purge(act.digest, "purged by a test"))
            case Reopen():
                await self.close()
                self._open()

    def _open(self) -> House:
        if self._store is None:
            self._store = SqliteStore.open(self._path)
            self._house = House(store=self._store)
        assert self._house
        return self._house


def tables_of(path: Path) -> Tables:
    """All tables of a store's file, without the order of rows."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        found = {name: sorted(map(_short, database.execute(f'SELECT * FROM "{name}"'))) for name in sorted(names)}  # noqa: S608 - names from the schema
        # The note that the journal must still be emptied after a purge is transient, so it is left out.
        return {**found, "meta": [one for one in found.get("meta", []) if one[0] != repr("scrub")]}


def _short(row: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(sha256(one).hexdigest() if isinstance(one, bytes) and len(one) > 64 else repr(one) for one in row)
