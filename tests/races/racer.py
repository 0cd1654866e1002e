"""One process of a race: it embeds the gate and works on the one review that all other processes work on.

`python -m tests.races.racer STORE PROCESSES CALLERS STEPS PLANT`: STORE is a path or a PostgreSQL address, PLANT the
name of a planted bug, or nothing. One process loads the program and splits into PROCESSES; each lets CALLERS take STEPS
in all. Prints one JSON line per answer, so that the test can compare each with the log.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from foureyes.app.asks import Ask
from foureyes.app.gate import Gate
from foureyes.app.ports import Conflict, Reading, Store, Unavailable, Writing
from foureyes.app.work import work_of
from foureyes.codec.commands import Command
from foureyes.core import commands as c
from foureyes.core import gates
from foureyes.core.facts import Principal
from foureyes.core.live import RecordLive
from foureyes.core.model import Review
from foureyes.core.refusals import Refusal
from foureyes.core.rules import Options, Protocol, SeatRule, Stage, Style
from foureyes.core.values import Outcome, Severity, Who, WhoKind
from foureyes.policy.policy import Policy, sealed_policy
from foureyes.store.sqlite_store import SqliteStore
from tests.cast import CHECKED, DEV, HUGO, finding, holds, rules_with
from tests.races.plants import PLANTS

T = TypeVar("T")

STAGE = "raced"
JUDGES = tuple(Who(name=f"judge-{number}", session=f"j{number}") for number in range(2))
GUARDS = tuple(Who(name=f"guard-{number}", session=f"g{number}") for number in range(2))
PUBLISHER = Who(name="publisher", kind=WhoKind.SERVICE)
TARGETS = ("production", "staging")
#: A reviewer who approves and one who may veto review the same bytes at the same time.
PROTOCOL = Protocol(
    name="solo",
    stages=(
        Stage(
            name=STAGE,
            seats=(SeatRule(roles=("judge",)), SeatRule(roles=("guard",), scope="safety", veto=True)),
            gates=(gates.Unanimous(), gates.Resolved(at_least=Severity.IMPORTANT)),
            options=Options(style=Style.SOLO, waits=True, reports_max=20),
        ),
    ),
    revisions_max=20,
)
POLICY = sealed_policy(Policy(name="races", rules=rules_with(PROTOCOL, skips=())))
#: A review with so many events is withdrawn, or left if it is cleared, and all move to the next one.
EVENTS_MAX = 60
TRIES_MAX = 20
#: Weighted actions on an open review, on one that waits for an answer, and on a cleared one.
OPEN = (
    *("judge approves",) * 6,
    *("guard approves",) * 6,
    *("guard vetoes",) * 3,
    *("judge finds",) * 2,
    *("settle",) * 2,
    *("waive", "revise"),
    *("ask",) * 5,
    *("publish",) * 2,
)
STUCK = (*("revise",) * 4, *("decide",) * 4, *OPEN)
CLEARED = (*("ask",) * 4, *("publish",) * 4, *("revise",) * 3, *("guard vetoes",) * 2, "reopen")
WITHDRAWN = 0.01

#: The current review as this caller knows it, and its version at this caller's last read.
RACED: ContextVar[str] = ContextVar("RACED", default="")
SEEN: ContextVar[int] = ContextVar("SEEN", default=0)


class Pool:
    """The pool of all racers."""

    def pool(self, _: Reading) -> tuple[Principal, ...]:
        return (*(holds(one, "judge") for one in JUDGES), *(holds(one, "guard") for one in GUARDS))


class Noting:
    """A store that records at every read the length of the raced review's stream."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def read(self, work: Callable[[Reading], T]) -> T:
        stream = RACED.get()
        version, result = await self._store.read(lambda tx: (tx.known(stream, "", "").version, work(tx)))
        SEEN.set(version)
        return result

    async def write(self, work: Callable[[Writing], T]) -> T:
        return await self._store.write(work)

    async def close(self) -> None:
        await self._store.close()


def open_store(place: str) -> Store:
    """The store of a race: a file, or a PostgreSQL database."""
    if place.startswith("postgresql:"):
        from foureyes.store.postgres import PostgresStore  # noqa: PLC0415 - only where it is raced on

        return PostgresStore.open(place, durable=False)
    return SqliteStore.open(place)


@dataclass
class Racer:
    """Takes one step after the other on the current review as last read; others may be faster."""

    gate: Gate
    name: str
    lot: random.Random
    number: int = 0
    stream: str = ""
    done: int = 0
    said: list[dict[str, Any]] = field(default_factory=list)

    @property
    def review(self) -> str:
        return self.stream.removeprefix("review/")

    async def step(self) -> None:
        """Read the review, then act on what was read."""
        review = await self._raced()
        match self._choice(review):
            case "withdraw":
                await self.do("withdraw", DEV, c.WithdrawReview(reason="Enough"))
            case "ask":
                await self.ask(review)
            case "publish":
                target = self.lot.choice(TARGETS)
                live = RecordLive(target=target, review=review.id, digest=review.digest)
                await self.do("publish", PUBLISHER, live, stream=f"target/{target}")
            case "reopen":
                await self.do("reopen", HUGO, c.ReopenReview(reason="Again", undoes=Outcome.CLEARED))
            case "decide":
                await self.decide(review)
            case "revise":
                await self.revise(review)
            case "settle" | "waive" as what:
                await self.end_finding(what, review)
            case what:
                await self.report(what, review)

    async def _raced(self) -> Review:
        """The open review. A racer that finds it ended opens the next; only the first one succeeds."""
        while True:
            if not self.stream:
                await self.open()
            RACED.set(self.stream)
            review = (await self.gate.read(self.review, HUGO)).view.review
            cleared = review.outcome is Outcome.CLEARED
            if (review.outcome and not cleared) or (cleared and SEEN.get() >= EVENTS_MAX):
                self.number, self.stream = self.number + 1, ""
                continue
            return review

    def _choice(self, review: Review) -> str:
        if review.outcome:
            return self.lot.choice(CLEARED)
        if SEEN.get() >= EVENTS_MAX or self.lot.random() < WITHDRAWN:
            return "withdraw"
        return self.lot.choice(STUCK if review.ruling() or review.is_vetoed(STAGE) else OPEN)

    async def open(self) -> None:
        """Open with the same key as all others: one review is opened, and all get its name."""
        work = work_of({"a.py": f"begin {self.number}\n".encode()})
        opening = c.OpenReview(review="", kind="script", title="Raced on", digest=work.digest, parts=work.parts)
        self.stream = await self.do("open", DEV, opening, blobs=dict(work.blobs), key=f"open-{self.number}", stream="")

    async def ask(self, review: Review) -> None:
        """Ask the gate about these or older bytes, and record the review's version at the answer."""
        began, older = time.monotonic_ns(), self.lot.choice(review.revisions).digest
        digest = self.lot.choice((review.digest, older))
        answer = await self.gate.may_go_live(digest, self.lot.choice(TARGETS))
        said = {"what": "ask", "began": began, "ended": time.monotonic_ns(), "review": self.review}
        self.said.append({**said, "state": answer.state, "digest": answer.digest, "seen": SEEN.get()})

    async def report(self, what: str, review: Review) -> None:
        """Report as the holder of the seat, mostly, and now and then as another account."""
        who, does = what.split()
        seat = f"{STAGE}.{1 if who == 'judge' else 2}"
        holder = review.seats[seat].reviewer if seat in review.seats else None
        reviewer = holder or self.lot.choice(JUDGES if who == "judge" else GUARDS)
        settled: tuple[c.Settlement, ...] = ()
        found: tuple[c.Draft, ...] = (finding(f"Something is wrong with {review.digest[:8]}"),)
        if does == "approves":
            mine = [one.id for one in review.findings.values() if one.seat == seat and not one.is_settled]
            settled, found = tuple(c.Settlement(finding=one, resolved=True, note="I looked again") for one in mine), ()
        verdict = {"approves": "approve", "vetoes": "reject", "finds": "concerns"}[does]
        command = c.SubmitReport(revision=review.revision, seat=seat, verdict=verdict, settled=settled, findings=found)
        if does == "approves":
            command = replace(command, evidence=CHECKED)
        await self.do(does, reviewer, command, loaded=review.digest)

    async def end_finding(self, what: str, review: Review) -> None:
        """Settle a finding as its raiser, or waive it as a human."""
        unsettled = [one for one in review.findings.values() if not one.is_settled]
        if not unsettled:
            await self.ask(review)
            return
        one = self.lot.choice(unsettled)
        if what == "waive":
            await self.do(what, HUGO, c.WaiveFinding(finding=one.id, reason="It does not matter here"))
            return
        command = c.SettleFinding(
            finding=one.id, revision=review.revision, resolved=self.lot.random() < 0.8, note="I looked again"
        )
        await self.do(what, review.seats[one.seat].reviewer or JUDGES[0], command, loaded=review.digest)

    async def decide(self, review: Review) -> None:
        """As a human, give the requested ruling or override the stage."""
        ruling = review.ruling()
        if ruling and self.lot.random() < 0.5:
            option = self.lot.choice([one.id for one in ruling.options])
            await self.do("decide", HUGO, c.GiveRuling(request=ruling.id, option=option, reason="So be it"))
            return
        passing = c.OverrideStage(stage=STAGE, revision=review.revision, digest=review.digest, reason="I looked")
        await self.do("override", HUGO, passing)

    async def revise(self, review: Review) -> None:
        """Submit a new version as the author."""
        self.done += 1
        work = work_of({"a.py": f"{self.name} {self.done}\n".encode()})
        answers = tuple(
            c.Answer(finding=one.id, text="Mended") for one in review.findings.values() if one.standing == "open"
        )
        command = c.SubmitRevision(digest=work.digest, parts=work.parts, answers=answers)
        await self.do("revise", DEV, command, blobs=dict(work.blobs))

    async def do(
        self,
        what: str,
        actor: Who,
        command: Command,
        *,
        blobs: dict[str, bytes] | None = None,
        key: str = "",
        stream: str | None = None,
        loaded: str = "",
    ) -> str:
        """Send a command and record the answer; a lost reply is requested again with the same key."""
        key = key or f"{self.name}-{self.lot.getrandbits(64):x}"
        on = self.stream if stream is None else stream
        signed_in = datetime.now(UTC) if actor is HUGO else None
        ask = Ask(actor=actor, key=key, command=command, stream=on, blobs=blobs or {}, signed_in=signed_in)
        ask = replace(ask, loaded=loaded)
        said: dict[str, Any] = {"what": what, "key": key, "review": self.review, "began": time.monotonic_ns()}
        for _ in range(TRIES_MAX):
            try:
                reply = await self.gate.handle(ask)
            except Refusal as refusal:
                self.said.append({**said, "no": refusal.code, "ended": time.monotonic_ns()})
                return ""
            except (Conflict, Unavailable):
                continue
            told = {"stream": reply.stream, "version": reply.version, "events": reply.events}
            self.said.append({**said, **told, "ended": time.monotonic_ns()})
            return reply.stream
        raise SystemExit(f"{key} was never answered")


async def race(place: str, name: str, *, callers: int, steps: int, plant: str) -> list[dict[str, Any]]:
    """Let some callers of one gate take so many steps in all."""
    store = open_store(place)
    gate = PLANTS[plant](Noting(store), Pool(), policy=POLICY)
    racers = [Racer(gate=gate, name=f"{name}.{one}", lot=random.Random(f"{name}.{one}")) for one in range(callers)]
    left = iter(range(steps))

    async def run(racer: Racer) -> None:
        for _ in left:
            await racer.step()

    await asyncio.gather(*map(run, racers))
    await store.close()
    return [one for racer in racers for one in racer.said]


def main(place: str, processes: int, callers: int, steps: int, plant: str) -> int:
    """Fork the racing processes and return how many failed."""
    children = []
    for number in range(processes):
        child = os.fork()
        if not child:
            share = steps // processes + (number < steps % processes)
            said = asyncio.run(race(place, f"racer{number}", callers=callers, steps=share, plant=plant))
            sys.stdout.writelines(json.dumps(one) + "\n" for one in said)
            sys.stdout.flush()
            os._exit(0)
        children.append(child)
    return sum(os.waitpid(child, 0)[1] != 0 for child in children)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]))
