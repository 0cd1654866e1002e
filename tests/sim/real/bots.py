"""The hosted reviewers of the simulated world, which answer, take their time, fail, hang, and lie."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from foureyes.app.reviewers import AtHand, Checked, Inconclusive, Look, Say, Task
from foureyes.core.commands import Draft, Settlement
from foureyes.core.values import Cost, Criterion, Evidence, Failure, Who, WhoKind
from tests.sim.counts import Counts
from tests.sim.people import ROLES
from tests.sim.works import Bytes

#: The weights of the ways in which a look ends.
MANNERS = {"answers": 50, "takes its time": 26, "fails": 7, "crashes": 5, "hangs": 7, "lies": 5}
MINDS = 5
FINDINGS_MANY = 200
VERIFIED = ("confirmed", "confirmed", "plausible", "refuted")
Truth = Callable[[bytes], Bytes | None]


class Crash(Exception):  # noqa: N818 - what befalls a reviewer
    """An unexpected error of a reviewer."""


@dataclass(slots=True)
class Bots:
    """All hosted reviewers; they outlive a process, but their running looks do not."""

    rng: random.Random
    truth: Truth
    now: Callable[[], datetime]
    counts: Counts
    everybody: dict[str, Bot] = field(init=False)
    roles: dict[str, set[str]] = field(init=False)
    #: The slow looks, which wait until they are released.
    slow: list[asyncio.Event] = field(default_factory=list)
    said: int = 0

    def __post_init__(self) -> None:
        minds = [
            Bot(
                bots=self,
                who=Who(
                    name=f"bot-{number}",
                    kind=WhoKind.AGENT,
                    operator=("north", "house")[number % 2],
                    model_family=("gpt", "claude", "gemini")[number % 3],
                    session=f"bot-s{number}",
                ),
            )
            for number in range(MINDS)
        ]
        programs = [
            Bot(bots=self, who=Who(name=f"{name}-bot", kind=WhoKind.PROGRAM, operator="house"))
            for name in ("linter", "tests")
        ]
        self.everybody = {one.who.name: one for one in (*minds, *programs)}
        self.roles = {one.who.name: {"agent", *self.rng.sample(ROLES, 8)} for one in minds}
        self.roles |= {one.who.name: {one.who.name.removesuffix("-bot")} for one in programs}

    def at_hand(self) -> AtHand:
        """All bots by their roles."""
        every = sorted({role for roles in self.roles.values() for role in roles})
        return AtHand(
            reviewers={
                role: tuple(one for name, one in self.everybody.items() if role in self.roles[name]) for role in every
            }
        )

    def go_on(self) -> bool:
        """Release one slow look, if there is one; a cancelled one is ignored."""
        if not self.slow:
            return False
        self.slow.pop(self.rng.randrange(len(self.slow))).set()
        return True

    def words(self, what: str) -> str:
        """A unique text."""
        self.said += 1
        return f"bots say {what} number {self.said:06d}"


@dataclass(eq=False, slots=True)
class Bot:
    """One hosted reviewer."""

    bots: Bots
    who: Who
    sends: str = ""

    async def look(self, task: Task, say: Say) -> Look:
        bots = self.bots
        manner = bots.rng.choices(list(MANNERS), list(MANNERS.values()))[0]
        bots.counts.add("engine", f"a reviewer {manner}")
        say(bots.words("reading"))
        if manner in ("takes its time", "hangs"):
            event = asyncio.Event()
            if manner != "hangs":
                bots.slow.append(event)
            await event.wait()
        if manner == "crashes":
            raise Crash
        if manner == "fails":
            until = bots.now() + timedelta(hours=1) if bots.rng.random() < 0.3 else None
            reason = bots.rng.choice(list(Failure))
            raise Inconclusive(reason, bots.words("no answer"), found=self._found(task, likes=False), until=until)
        if task.verify:
            return self._checked(task)
        return self._lie(task) if manner == "lies" else self._found(task, likes=self._likes(task))

    def _likes(self, task: Task) -> bool:
        work = self._work(task)
        good = work is None or not work.bad
        return good if self.bots.rng.random() < 0.9 else not good

    def _work(self, task: Task) -> Bytes | None:
        return next((self.bots.truth(one.content) for one in task.change.files if one.content), None)

    def _found(self, task: Task, *, likes: bool) -> Look:
        rng, words, work = self.bots.rng, self.bots.words, self._work(task)
        severity = rng.choice(("critical", "important", "minor"))
        place = work.flaw if work and rng.random() < 0.7 else None
        evidence = words("seen it happen")
        draft = Draft(severity=severity, text=words("it does not work"), place=place, evidence=evidence)
        return Look(
            verdict="approve" if likes else rng.choice(("reject", "concerns")),
            summary=words("a summary"),
            findings=() if likes else (draft,),
            settled=tuple(
                Settlement(finding=one.finding, resolved=likes or rng.random() < 0.5, note=words("note"))
                for one in task.earlier
            ),
            evidence=(Evidence(what=words("the whole work: all of it"), why=words("it holds up")),),
            checklist=tuple(Criterion(name=name, passed=likes) for name in task.checklist),
            answers=tuple(words("answer") for _ in task.questions),
            confidence=rng.choice((95, 92, 85)) if likes else rng.choice((90, 70)),
            cost=Cost(usd_micro=rng.choice((0, 20_000)), tokens=1_000),
        )

    def _checked(self, task: Task) -> Look:
        rng = self.bots.rng
        asked = [number for number, _ in enumerate(task.verify) if rng.random() < 0.9]
        words = (Checked(index=one, result=rng.choice(VERIFIED), evidence=self.bots.words("checked")) for one in asked)
        return Look(checked=tuple(words), summary=self.bots.words("a second look"))

    def _lie(self, task: Task) -> Look:
        """An invalid answer: settling its own findings, unknown words, far too much, or nothing at all."""
        rng, words = self.bots.rng, self.bots.words
        draft = Draft(severity="critical", text=words("it burns"), evidence=words("seen it"))
        many = tuple(
            Draft(severity="minor", text=words("small thing"), evidence="it is there") for _ in range(FINDINGS_MANY)
        )
        evidence = (Evidence(what="the whole work", why="it holds up"),)
        lies = (
            Look(verdict="approve", summary=words("fine"), findings=(draft,), evidence=evidence, confidence=99),
            Look(verdict="looks fine to me", summary=words("fine"), evidence=evidence),
            Look(verdict="approve", summary="x" * 100_000, findings=many, evidence=evidence),
            Look(verdict="approve", settled=(Settlement(finding="nowhere.1-F1", resolved=True),), evidence=evidence),
            Look(verdict="approve", confidence=1_000),
            Look(),
        )
        del task
        return rng.choice(lies)
