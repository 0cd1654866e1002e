"""One process of a race: it embeds the gate and does what it can on reviews that others work on too.

`python -m tests.races.racer STORE NAME COUNT SEED PLANT`: STORE is a path or a PostgreSQL address, PLANT the name of a
planted bug, or nothing. Prints one JSON line per acknowledged command, so that the test can look for each in the log.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from dataclasses import dataclass
from datetime import UTC, datetime

from foureyes.app.asks import Ask, Reply
from foureyes.app.chain import appended
from foureyes.app.gate import Gate
from foureyes.app.ports import Conflict, Store, Unavailable, Writing
from foureyes.app.rows import Changes, Listing
from foureyes.app.work import work_of
from foureyes.codec.commands import Command
from foureyes.core import commands as c
from foureyes.core import protocols
from foureyes.core.events import WentLive
from foureyes.core.facts import Principal
from foureyes.core.live import RecordLive
from foureyes.core.model import Review
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.values import Outcome, Who, WhoKind
from foureyes.policy.policy import Policy, sealed_policy
from foureyes.store.sqlite_store import SqliteStore
from tests.cast import DEV, HUGO, finding, holds, rules_with

REVIEWERS = tuple(Who(name=f"reviewer-{number}", session=f"s{number}") for number in range(4))
PUBLISHER = Who(name="publisher", kind=WhoKind.SERVICE)
POLICY = sealed_policy(Policy(name="races", rules=rules_with(protocols.solo(programs=(), agents=("agent",)), skips=())))
TARGETS = ("production", "staging")
#: What is done on an open review and on a cleared one, by chance.
OPEN = ("approve",) * 5 + ("reject",) * 2 + ("revise",) * 2 + ("publish",)
CLEARED = ("publish",) * 3 + ("revise",) * 2


class Pool:
    """Everybody of the race."""

    def pool(self) -> tuple[Principal, ...]:
        return tuple(holds(one, "agent") for one in REVIEWERS)


def open_store(place: str) -> Store:
    """The store of a race: a file, or a PostgreSQL database."""
    if place.startswith("postgresql:"):
        from foureyes.store.postgres import PostgresStore  # noqa: PLC0415 - only where it is raced on

        return PostgresStore.open(place, durable=False)
    return SqliteStore.open(place)


@dataclass
class Racer:
    """Does one thing after the other on one of the reviews, as it saw them a moment ago."""

    gate: Gate
    name: str
    lot: random.Random
    reviews: tuple[str, ...]
    done: int = 0

    async def step(self) -> None:
        """Look at a review, then act on what was seen; others may have been faster."""
        stream = self.lot.choice(self.reviews)
        review = (await self.gate.read(stream.removeprefix("review/"), HUGO)).view.review
        ended = review.outcome and review.outcome is not Outcome.CLEARED
        chances = CLEARED if review.outcome else OPEN
        match "reopen" if ended else "decide" if review.ruling() else self.lot.choice(chances):
            case "reopen":
                await self.do(HUGO, c.ReopenReview(reason="Again", undoes=Outcome(review.outcome or "")), stream)
            case "decide":
                await self.decide(stream, review)
            case "revise":
                await self.revise(stream, review)
            case "publish":
                target = self.lot.choice(TARGETS)
                live = RecordLive(target=target, review=review.id, digest=review.digest)
                await self.do(PUBLISHER, live, f"target/{target}")
            case verdict:
                await self.report(stream, review, verdict)

    async def report(self, stream: str, review: Review, verdict: str) -> None:
        """Whoever sits there judges, mostly; somebody else tries it too."""
        holders = [seat.reviewer for seat in review.seats.values() if seat.reviewer]
        reviewer = self.lot.choice((*holders * 3, self.lot.choice(REVIEWERS)))
        settled: tuple[c.Settlement, ...] = ()
        found: tuple[c.Draft, ...] = (finding(f"Something is wrong with {review.digest[:8]}"),)
        if verdict == "approve":
            unsettled = [one.id for one in review.findings.values() if not one.is_settled]
            settled, found = tuple(c.Settlement(finding=one, resolved=True) for one in unsettled), ()
        command = c.SubmitReport(revision=review.revision, verdict=verdict, settled=settled, findings=found)
        await self.do(reviewer, command, stream)

    async def decide(self, stream: str, review: Review) -> None:
        """A human gives the word that is waited for."""
        ruling = review.ruling()
        if ruling:
            option = self.lot.choice([one.id for one in ruling.options])
            await self.do(HUGO, c.GiveRuling(request=ruling.id, option=option, reason="So be it"), stream)

    async def revise(self, stream: str, review: Review) -> None:
        """The author hands in a version nobody has seen."""
        self.done += 1
        work = work_of({"a.py": f"{self.name} {self.done}\n".encode()})
        answers = tuple(
            c.Answer(finding=one.id, text="Mended") for one in review.findings.values() if one.standing == "open"
        )
        command = c.SubmitRevision(digest=work.digest, parts=work.parts, answers=answers)
        await self.do(DEV, command, stream, dict(work.blobs))

    async def do(self, actor: Who, command: Command, stream: str, blobs: dict[str, bytes] | None = None) -> None:
        """Ask, and tell the test what was acknowledged; a reply that got lost is asked for again with the same key."""
        key = f"{self.name}-{self.lot.getrandbits(64):x}"
        ask = Ask(actor=actor, key=key, command=command, stream=stream, blobs=blobs or {})
        for _ in range(20):
            try:
                reply = await self.gate.handle(ask)
            except Refusal as refusal:
                print(json.dumps({"key": key, "no": refusal.code}), flush=True)
                return
            except (Conflict, Unavailable):
                continue
            said = {"key": key, "stream": reply.stream, "version": reply.version, "events": reply.events}
            print(json.dumps(said), flush=True)
            return
        raise SystemExit(f"{key} was never answered")


async def prepare(store: Store, count: int) -> tuple[str, ...]:
    """Open the reviews that are raced on."""
    gate = Gate(store, Pool(), policy=POLICY)
    streams: list[str] = []
    for number in range(count):
        work = work_of({"a.py": f"begin {number}\n".encode()})
        opening = c.OpenReview(
            review="",
            kind="script",
            title="Raced on",
            digest=work.digest,
            parts=work.parts,
            context=(("n", str(number)),),
        )
        reply = await gate.handle(Ask(actor=DEV, key=f"open-{number}", command=opening, blobs=work.blobs))
        streams.append(reply.stream)
    return tuple(streams)


class CheckThenAct(Gate):
    """A planted bug: whether it may go live is asked first and believed later, when it need not be true any more."""

    async def handle(self, ask: Ask) -> Reply:
        live = ask.command
        if not isinstance(live, RecordLive):
            return await super().handle(ask)
        answer = await self.may_go_live(live.digest, live.target)
        if not answer.allowed:
            raise refuse(Code.REVIEW_MISSING)
        event = WentLive(target=live.target, review=live.review, digest=live.digest)

        def write(tx: Writing) -> int:
            end = tx.known(ask.stream, "", "")
            at, actor = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}", ask.actor.name
            log = appended(ask.stream, (end.version, end.chain), (event,), at=at, actor=actor, cause=ask.key)
            tx.apply(Changes(appends=(log,)))
            return end.version + 1

        version = await self._store.write(write)
        return Reply(stream=ask.stream, version=version, events=("WentLive",))


GATES: dict[str, type[Gate]] = {"": Gate, "check-then-act": CheckThenAct}


async def race(place: str, name: str, count: int, seed: int, plant: str) -> None:
    store = open_store(place)
    gate = GATES[plant](store, Pool(), policy=POLICY)
    rows = await store.read(lambda reading: reading.reviews(Listing(limit=100)))
    reviews = tuple(sorted(f"review/{one.review}" for one in rows))
    racer = Racer(gate=gate, name=name, lot=random.Random(seed), reviews=reviews)
    for _ in range(count):
        await racer.step()
    await store.close()


if __name__ == "__main__":
    asyncio.run(race(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]))
