"""A gate with a store, a pool, a clock and a policy, as a program would embed it."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import ParamSpec

import pytest

from foureyes.app.asks import Ask, Reply
from foureyes.app.bases import Bases, KnownFiles
from foureyes.app.deciding import JUDGING, Deciding, Moment
from foureyes.app.gate import Gate
from foureyes.app.ports import Reading, Store, Writing
from foureyes.app.rows import SERVED, Known
from foureyes.app.work import Work, work_of
from foureyes.app.world import World
from foureyes.codec.commands import Command
from foureyes.core import commands as c
from foureyes.core import protocols
from foureyes.core.facts import Principal
from foureyes.core.model import Review
from foureyes.core.refusals import Refusal
from foureyes.core.rules import Rules
from foureyes.core.values import BaseSource, KnownBase, Proof, Who
from foureyes.policy.policy import Policy, sealed_policy
from foureyes.store.memory import MemoryStore
from tests.cast import CHECKED, CODEX, DEV, POOL, START, finding, rules_with

P = ParamSpec("P")

#: The usual rules; the default style needs one agent other than the author, and no program.
RULES = rules_with(protocols.solo(programs=(), agents=("agent",)))

FIRST = {"hello.py": b"print('hello')\n"}
SECOND = {"hello.py": b"print('hello, world')\n"}


def played(test: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """Run a test that awaits."""

    @wraps(test)
    def run(*args: P.args, **named: P.kwargs) -> None:
        asyncio.run(test(*args, **named))

    return run


def policy(rules: Rules = RULES, **fields: object) -> Policy:
    """A policy with these rules, bearing its own digest."""
    return sealed_policy(Policy(name="tests", rules=rules, **fields))  # type: ignore[arg-type]


@dataclass
class Pool:
    """The pool, as a test defines it."""

    people: tuple[Principal, ...] = POOL

    def pool(self, _: Reading) -> tuple[Principal, ...]:
        return self.people


class Readers(Gate):
    """A gate whose reviewers have read all of the current version before they approve, as long as `reads` says so.

    A reviewer who was served bytes by a call has read those, and no others.
    """

    reads = True

    def _deciding(self, tx: Writing, ask: Ask, stream: str, known: Known, moment: Moment) -> Deciding:
        review = stream.removeprefix("review/")
        if self.reads and isinstance(ask.command, JUDGING) and not tx.row(SERVED, f"{review}/{ask.actor.name}"):
            row = tx.review(review)
            ask = replace(ask, loaded=ask.loaded or (row.digest if row else ""))
        if self.reads and isinstance(ask.command, c.SubmitReport) and ask.command.verdict == "approve":
            ask = replace(ask, command=replace(ask.command, evidence=ask.command.evidence or CHECKED))
        return super()._deciding(tx, ask, stream, known, moment)


@dataclass
class Mirror:
    """A repository that the gate reads itself, by the name of a commit; and what a program proves of prose."""

    commits: dict[str, Mapping[str, bytes]] = field(default_factory=dict)

    async def files(self, base: str, paths: tuple[str, ...]) -> KnownFiles | None:
        if base not in self.commits:
            return None
        work = work_of({path: text for path, text in self.commits[base].items() if path in paths})
        known = KnownBase(source=BaseSource.REPOSITORY, name=f"shop refs/heads/main {base}", digest=work.digest)
        return KnownFiles(base=known, parts=work.parts, blobs=work.blobs)

    @staticmethod
    async def prove(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Proof:
        prose = before.keys() == after.keys() and all(path.endswith(".md") for path in after)
        return Proof(why="only prose changed", is_small=True) if prose else Proof()

    def bases(self) -> Bases:
        return Bases(repositories=self, prove=self.prove)


@dataclass
class House:
    """The gate and everything around it."""

    store: Store = field(default_factory=MemoryStore)
    policy: Policy = field(default_factory=policy)
    pool: Pool = field(default_factory=Pool)
    now: datetime = START
    keys: int = 0
    ids: int = 0
    name: str = "k"
    mirror: Mirror = field(default_factory=Mirror)

    def __post_init__(self) -> None:
        self.gate = self.another_gate()

    def another_gate(self) -> Readers:
        """Another gate on the same store, as in another process."""
        return Readers(
            self.store,
            self.pool,
            policy=self.policy,
            world=World(clock=lambda: self.now, draw=lambda: 7, mint=self.mint),
            bases=self.mirror.bases(),
        )

    def mint(self) -> str:
        self.ids += 1
        return f"r{self.ids}"

    def key(self) -> str:
        self.keys += 1
        return f"{self.name}{self.keys}"

    def ask(self, actor: Who, command: Command, stream: str = "", **fields: object) -> Ask:
        """An ask with a unique key, unless the test gives one."""
        return Ask(**{"actor": actor, "key": self.key(), "command": command, "stream": stream, **fields})  # type: ignore[arg-type]

    async def do(self, actor: Who, command: Command, stream: str = "", **fields: object) -> Reply:
        """Run a command that must be accepted."""
        return await self.gate.handle(self.ask(actor, command, stream, **fields))

    async def refused(self, actor: Who, command: Command, stream: str = "", **fields: object) -> Refusal:
        """Run a command that must be refused."""
        with pytest.raises(Refusal) as caught:
            await self.do(actor, command, stream, **fields)
        return caught.value

    def opening(self, work: Work, kind: str = "script", **fields: object) -> c.OpenReview:
        """A command that opens a review of these bytes."""
        return c.OpenReview(
            **{  # type: ignore[arg-type]
                "review": "",
                "kind": kind,
                "title": "A piece of work",
                "digest": work.digest,
                "parts": work.parts,
                **fields,
            }
        )

    async def open(
        self, files: Mapping[str, bytes] = FIRST, kind: str = "script", actor: Who = DEV, **fields: object
    ) -> str:
        """Open a review of these files; its stream."""
        work = work_of(files)
        reply = await self.do(actor, self.opening(work, kind, **fields), blobs=work.blobs)
        return reply.stream

    async def revise(
        self, stream: str, files: Mapping[str, bytes] = SECOND, actor: Who = DEV, **fields: object
    ) -> Reply:
        """Hand in new bytes."""
        work = work_of(files)
        command = c.SubmitRevision(digest=work.digest, parts=work.parts, **fields)  # type: ignore[arg-type]
        return await self.do(actor, command, stream, blobs=work.blobs)

    async def approve(self, stream: str, actor: Who = CODEX, **fields: object) -> Reply:
        """Approve the current version."""
        review = await self.review(stream)
        command = c.SubmitReport(**{"revision": review.revision, "verdict": "approve", "evidence": CHECKED, **fields})  # type: ignore[arg-type]
        return await self.do(actor, command, stream)

    async def object_to(self, stream: str, *texts: str, actor: Who = CODEX) -> Reply:
        """Report findings that stop the work."""
        review = await self.review(stream)
        found = tuple(finding(text) for text in texts)
        return await self.do(actor, c.SubmitReport(revision=review.revision, verdict="reject", findings=found), stream)

    async def review(self, stream: str) -> Review:
        """The review as it is, nothing hidden."""
        return await self.store.read(lambda reading: self._review(reading, stream))

    async def digest(self, stream: str) -> str:
        """The digest of the current version."""
        return (await self.review(stream)).digest

    async def log(self, stream: str) -> list[str]:
        """The types of a stream's events."""
        return await self.store.read(lambda reading: [one.type for one in reading.events(stream)])

    async def cleared(self, files: Mapping[str, bytes] = FIRST) -> str:
        """A review of these files that is cleared."""
        stream = await self.open(files)
        await self.approve(stream)
        assert (await self.review(stream)).outcome == "cleared"
        return stream

    def wait(self, **span: float) -> None:
        """Let time pass."""
        self.now += timedelta(**span)

    def _review(self, reading: Reading, stream: str) -> Review:
        held = self.gate._load(reading, stream)
        assert held
        return held.review


def with_rules(house: House, **fields: object) -> Policy:
    """The house's policy with other rules."""
    return sealed_policy(replace(house.policy, rules=replace(house.policy.rules, **fields)))  # type: ignore[arg-type]


@contextmanager
def unguarded(path: Path) -> Iterator[sqlite3.Connection]:
    """The database without its triggers, as an attacker with the file has it; they are restored afterwards."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        triggers = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            database.execute(f'DROP TRIGGER "{name}"')
        yield database
        for _, made in triggers:
            database.execute(made)


def tamper(path: Path, *statements: str) -> None:
    """Change a database directly, bypassing the store."""
    with unguarded(path) as database:
        for statement in statements:
            assert database.execute(statement).rowcount


def tree_by_git(files: Mapping[str, bytes], folder: Path) -> str:
    """The name git itself gives to a tree of these files."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    done = subprocess.run(["git", "write-tree"], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()
