"""A machine to review on: a store in memory, a policy, and scripted reviewers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from foureyes.app.books import BOOKS
from foureyes.app.gate import Gate
from foureyes.app.ports import Directory, Store
from foureyes.app.reviewers import AtHand, Change, File, Look, Missing, Reviewer, Say, Task
from foureyes.app.reviewing.dismissals import suppressions
from foureyes.app.reviewing.outcome import Looked, Options, Outcome
from foureyes.app.reviewing.rounds import Chosen, Questions, Rounds
from foureyes.app.reviewing.rulebook import RuleEntry
from foureyes.app.world import World
from foureyes.core.commands import Draft
from foureyes.core.values import Evidence, Place, Who, WhoKind
from foureyes.home.questions import Questions as HomeQuestions
from foureyes.policy.load import shipped
from foureyes.policy.policy import Policy
from foureyes.store.memory import MemoryStore

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
AUTHOR = Who(name="anna's agent", operator="anna", session="s-anna", model_family="claude")
ANNA = Who(name="anna", kind=WhoKind.PERSON, operator="anna")
PROGRAMS = ("format", "security", "injection", "factual", "python")


READ = (Evidence(what="the whole work", why="read every line of it"),)


@dataclass
class Scripted:
    """A reviewer whose look is a function of its task."""

    who: Who
    does: Callable[[Task], Look]
    sends: str = ""
    tasks: list[Task] = field(default_factory=list)

    async def look(self, task: Task, say: Say) -> Look:
        self.tasks.append(task)
        say("reading")
        found = self.does(task)
        # Every look has evidence, unless a test overrides it.
        return replace(found, evidence=found.evidence or READ)


def program(name: str, does: Callable[[Task], Look] | None = None) -> Scripted:
    """A program reviewer; it finds nothing unless a test scripts it."""
    return Scripted(who=Who(name=name, kind=WhoKind.PROGRAM, operator="foureyes"), does=does or nothing)


def agent(name: str, does: Callable[[Task], Look] | None = None, family: str = "gpt") -> Scripted:
    """An agent with a model of its own."""
    who = Who(name=name, operator="anna", session=f"s-{name}", model_family=family)
    return Scripted(who=who, does=does or nothing, sends=f"the provider of {name}")


def nothing(task: Task) -> Look:
    """Approve, with something to show for it."""
    del task
    return Look(verdict="approve", summary="read it all")


def issue(text: str, severity: str = "important", path: str = "a.py", line: int = 1, rule: str = "") -> Draft:
    """A finding with evidence."""
    return Draft(severity=severity, text=text, place=Place(path=path, start=line, end=line), evidence="seen", rule=rule)


def finds(*drafts: Draft) -> Callable[[Task], Look]:
    """Find these, always."""
    return lambda _: Look(verdict="reject", summary="found something", findings=drafts)


def marks(word: str, severity: str = "important", rule: str = "r") -> Callable[[Task], Look]:
    """Find every changed line that contains a word."""

    def look(task: Task) -> Look:
        found = tuple(
            issue(f"{word} stands here", severity, one.path, number, rule)
            for one in task.change.files
            for number, line in enumerate(one.lines, start=1)
            if word in line and one.is_changed(number)
        )
        return Look(verdict="reject" if found else "approve", summary="looked for a word", findings=found)

    return look


def change(*texts: str, place: str = "here", kind: str = "code", **fields: object) -> Change:
    """A change of a.py, b.py …, all of it new."""
    files = tuple(
        File(path=f"{chr(97 + index)}.py", content=text.encode(), changed=((1, max(text.count("\n"), 1)),))
        for index, text in enumerate(texts)
    )
    return Change(title="a change", kind=kind, files=files, place=place, **fields)  # type: ignore[arg-type]


@dataclass
class Watching:
    """Records its messages."""

    heard: list[str] = field(default_factory=list)
    ends: dict[str, asyncio.Event] = field(default_factory=dict)

    def started(self, name: str) -> None:
        self.heard.append(f"{name} begins")

    def said(self, name: str, text: str) -> None:
        self.heard.append(f"{name}: {text}")

    def ended(self, looked: Looked) -> None:
        self.heard.append(f"{looked.reviewer} ends")
        self.ends.setdefault(looked.reviewer, asyncio.Event()).set()

    async def until_ended(self, name: str) -> None:
        await self.ends.setdefault(name, asyncio.Event()).wait()


@dataclass
class Desk:
    """Everything a round needs, as a test configures it."""

    reviewers: dict[str, tuple[Reviewer, ...]]
    policy: Policy = field(default_factory=lambda: shipped("solo").policy)
    missing: tuple[Missing, ...] = ()
    notes: tuple[str, ...] = ()
    kept: Store = field(default_factory=MemoryStore)
    now: datetime = NOW
    #: Without a folder, runs do not know of each other.
    questions: Callable[[], Questions] = lambda: HomeQuestions("/dev/null")

    @asynccontextmanager
    async def store(self) -> AsyncIterator[Store]:
        yield self.kept

    looking = store

    def gate(self, store: Store, policy: Policy, directory: Directory) -> Gate:
        books = replace(BOOKS, suppressions=partial(suppressions, where=self.repository()))
        world = World(clock=lambda: self.now)
        return Gate(store, directory, policy=policy, books=books, world=world, tells=False, local=True)

    def policy_for(self, change: Change, options: Options) -> Chosen:
        del change, options
        return Chosen(policy=self.policy, came_from="built in")

    def own_policy(self) -> Policy:
        return self.policy

    def at_hand(self, policy: Policy, options: Options) -> AtHand:
        del policy
        kept = {
            role: tuple(one for one in who if not options.only or one.who.name in options.only)
            for role, who in self.reviewers.items()
        }
        return AtHand(reviewers=kept, missing=self.missing, notes=self.notes)

    def rulebook(self) -> dict[str, RuleEntry]:
        return {}

    def here(self) -> str:
        return "anna's shop"

    def repository(self) -> str:
        return self.here()

    def moment(self) -> datetime:
        return self.now

    def today(self) -> str:
        return self.now.date().isoformat()


def solo(*agents: Scripted, **programs: Callable[[Task], Look]) -> Desk:
    """The solo policy with these agents; programs find nothing unless scripted."""
    people: dict[str, tuple[Reviewer, ...]] = {name: (program(name, programs.get(name)),) for name in PROGRAMS}
    if agents:
        people["agent"] = agents
    return Desk(reviewers=people)


async def reviewed(desk: Desk, work: Change, **options: object) -> Outcome:
    """Run one round."""
    return await rounds(desk).run(work, options=Options(**options), watch=Watching())  # type: ignore[arg-type]


def rounds(desk: Desk) -> Rounds:
    """Anna's reviews on this machine."""
    return Rounds(desk=desk, author=AUTHOR, person=ANNA, redact=lambda text, _: text)
