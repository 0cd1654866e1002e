"""A house on a real SQLite file, with a signing key, a checkpoint journal outside it, and an attacker with the file."""

# ruff: noqa: S608 - a forger builds his statements as he likes

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from foureyes.app.book import Checkpoint, Line, parsed
from foureyes.app.chain import ROOT, link_of
from foureyes.app.checkpoints import AT_ONCE, checkpoint_if_due, last_line
from foureyes.app.damages import Inspection
from foureyes.app.keys import Signer, new_key
from foureyes.app.rows import Stored
from foureyes.app.verify import verify
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import House, tamper, unguarded

COLUMNS = "l.seq, s.name, l.version, l.type, l.schema, l.at, l.actor, l.cause, l.body, l.chain"


@dataclass
class Desk:
    """Everything the record consists of, in one folder of a test."""

    folder: Path
    house: House
    signer: Signer
    keys: list[Signer] = field(default_factory=list)

    @property
    def file(self) -> Path:
        return self.folder / "foureyes.db"

    @property
    def book(self) -> Path:
        return self.folder / "checkpoints"

    async def sign(self) -> Checkpoint | None:
        """A minute passes, and a checkpoint is made if anything has grown."""
        self.house.wait(seconds=60)
        return await checkpoint_if_due(self.house.store, self.book, self.signer, self.house.now)

    async def sign_at_once(self) -> Checkpoint | None:
        return await checkpoint_if_due(self.house.store, self.book, self.signer, self.house.now, AT_ONCE)

    async def look(self, **fields: object) -> Inspection:
        """Verify everything with the first public key."""
        key = self.keys[0].public
        return await verify(self.house.store, self.book, key, now=self.house.now, **fields)  # type: ignore[arg-type]

    async def places(self, **fields: object) -> dict[str, str]:
        """The places of errors, with the first word of each."""
        found = await self.look(**fields)
        return {one.place: one.what.partition(":")[0] for one in found.damages}

    def signed(self, number: int) -> dict[str, int]:
        """Sign, and return the length of each stream that had grown."""
        return {head.stream: head.version for head in parsed(self.lines()[number - 1]).heads}

    def last(self) -> Line:
        line = last_line(self.book)
        assert line
        return line

    def tamper(self, *statements: str) -> None:
        tamper(self.file, *statements)

    def edit(self, stream: str, version: int, change: str) -> None:
        """Change one event directly in the database."""
        self.tamper(f"UPDATE log SET {change} WHERE {_of(stream, version)}")

    def delete(self, stream: str, version: int) -> None:
        """Delete one event directly in the database."""
        self.tamper(f"DELETE FROM log WHERE {_of(stream, version)}")

    def rewrite(self, stream: str) -> None:
        """Make all links of a stream agree again, and the table of heads too, as a careful forger would."""
        with unguarded(self.file) as database:
            query = f"SELECT {COLUMNS} FROM log l JOIN streams s ON s.id = l.stream WHERE s.name = ? ORDER BY l.version"
            link, version = ROOT, 0
            for row in database.execute(query, (stream,)).fetchall():
                names = ("seq", "stream", "version", "type", "schema", "at", "actor", "cause", "body", "chain")
                one = Stored(**dict(zip(names, row, strict=True)))
                link, version = link_of(link, one), one.version
                database.execute("UPDATE log SET chain = ? WHERE seq = ?", (link, one.seq))
            database.execute("UPDATE streams SET version = ?, chain = ? WHERE name = ?", (version, link, stream))

    def lines(self) -> list[bytes]:
        return (self.book / "checkpoints.jsonl").read_bytes().splitlines(keepends=True)

    def write_lines(self, lines: Iterable[bytes]) -> None:
        (self.book / "checkpoints.jsonl").write_bytes(b"".join(lines))


@asynccontextmanager
async def desk(folder: Path) -> AsyncIterator[Desk]:
    """Three reviews: r1 cleared under checkpoint 1, r2 half way under it and further under 2, r3 under 2."""
    async with SqliteStore.open(folder / "foureyes.db") as store:
        signer = new_key(folder / "keys")
        made = Desk(folder=folder, house=House(store=store), signer=signer, keys=[signer])
        house = made.house
        await house.cleared({"one.py": b"1\n"})
        await house.open({"two.py": b"2\n"})
        await made.sign()
        await house.object_to("review/r2", "It is wrong.")
        await house.cleared({"three.py": b"3\n"})
        await made.sign()
        yield made


def _of(stream: str, version: int) -> str:
    return f"stream = (SELECT id FROM streams WHERE name = '{stream}') AND version = {version}"


def text_of(line: Line) -> bytes:
    """A line as written in the journal."""
    rows = [[head.stream, head.version, head.chain.hex()] for head in line.heads]
    return json.dumps({"envelope": line.envelope, "heads": rows}).encode() + b"\n"
