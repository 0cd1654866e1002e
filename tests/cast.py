"""The cast of the core's tests: named people, rules like the shipped ones, and a play that runs one review."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import pytest

from foureyes.core import chains, commands, protocols
from foureyes.core.decide import decide
from foureyes.core.events import ReviewEvent
from foureyes.core.evolve import fold
from foureyes.core.facts import Facts, Principal
from foureyes.core.model import Review
from foureyes.core.peer_data import CRITERIA, DEFAULT_CRITERIA, REQUIRED_KINDS, TRIVIAL_KINDS
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import KindRule, Protocol, Rules, SkipRule
from foureyes.core.values import (
    CLOCK,
    BaseSource,
    Criterion,
    Evidence,
    KnownBase,
    Proof,
    Risk,
    RiskLevel,
    Who,
    WhoKind,
)

E = TypeVar("E")

START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)


def agent(name: str, *, operator: str = "", family: str = "", session: str = "") -> Who:
    """An agent; its facts are unknown unless a test says them."""
    return Who(name=name, operator=operator, model_family=family, session=session)


DEV = agent("dev", operator="acme", family="claude", session="s-dev")
ANN = agent("ann", operator="bolt", family="gpt", session="s-ann")
BOB = agent("bob", operator="cray", family="gemini", session="s-bob")
EVE = agent("eve", operator="bolt", family="gpt", session="s-eve")
AUDITOR = agent("auditor", operator="bolt", family="gpt", session="s-auditor")
TESTER = agent("tester", operator="cray", family="gemini", session="s-tester")
ARCHITECT = agent("architect", operator="bolt", family="gpt", session="s-architect")
HAIKU = agent("haiku", family="claude-small", session="s-haiku")
SONNET = agent("sonnet", family="claude-large", session="s-sonnet")
CODEX = agent("codex", family="gpt", session="s-codex")
GEMINI = agent("gemini", family="gemini", session="s-gemini")
HUGO = Who(name="hugo", kind=WhoKind.HUMAN, operator="acme")
HANNA = Who(name="hanna", kind=WhoKind.HUMAN, operator="acme")
REACTOR = Who(name="reactor", kind=WhoKind.SERVICE)
LINTER = Who(name="linter", kind=WhoKind.PROGRAM)
CRITICS = {
    name: Who(name=name, kind=WhoKind.AGENT, session=f"s-{name}")
    for name in ("seldon", "hardin", "gaal", "daneel", "mallow", "magnifico", "amaryl")
}
SELDON, HARDIN, GAAL = CRITICS["seldon"], CRITICS["hardin"], CRITICS["gaal"]


def holds(who: Who, *roles: str) -> Principal:
    """A member of the pool with these roles."""
    return Principal(who=who, roles=frozenset(roles))


def paid(*people: Principal) -> tuple[Principal, ...]:
    """The people as hosted by this installation; the agents among them cost it money."""
    return tuple(replace(one, hosted=True, paid=one.who.kind is WhoKind.AGENT) for one in people)


POOL = (
    holds(DEV, "core_developer"),
    holds(ANN),
    holds(BOB),
    holds(EVE),
    holds(AUDITOR, "auditor"),
    holds(TESTER, "tester"),
    holds(ARCHITECT, "architect"),
    holds(HAIKU, "haiku"),
    holds(SONNET, "sonnet"),
    holds(CODEX, "reviewer", "agent"),
    holds(GEMINI, "reviewer"),
    holds(LINTER, "program"),
    *(holds(who, name) for name, who in CRITICS.items()),
)

PROTOCOLS: tuple[Protocol, ...] = (
    protocols.resolve(),
    protocols.peer(),
    protocols.session(),
    protocols.panel(),
    protocols.solo(),
    *chains.CHAINS,
)

RULES = Rules(
    digest="rules-1",
    protocols=PROTOCOLS,
    kinds=(
        KindRule(kind="story", protocols=("resolve",)),
        KindRule(kind="task", protocols=("panel",)),
        KindRule(kind="milestone", protocols=("session",)),
        *(KindRule(kind=kind, protocols=("peer",)) for kind in (*REQUIRED_KINDS, *TRIVIAL_KINDS)),
        *(KindRule(kind=f"{one.name}_step", protocols=(one.name,)) for one in chains.CHAINS),
    ),
    default=("solo",),
    skips=(
        SkipRule(name="trivial", kinds=TRIVIAL_KINDS),
        SkipRule(name="autonomy", autonomy="aggressive", except_for=("security_change", "breaking_change")),
        SkipRule(name="learned", learned=True),
    ),
)

#: A base that the gate knows from the repository.
BASE = KnownBase(source=BaseSource.REPOSITORY, name="shop refs/heads/main", digest="base-1")
TRIVIAL = Risk(level=RiskLevel.LOW, trivial=True)
CHECKED = (Evidence(what="the whole work: every sentence", why="it follows from the premises"),)
#: The checklist of a create_core work with every required criterion passed.
FULL = tuple(Criterion(name=name, passed=True) for name, _ in CRITERIA[0].required)
FULL_DEFAULT = tuple(Criterion(name=name, passed=True) for name, _ in DEFAULT_CRITERIA.required)


def rules_with(*changed: Protocol, **fields: object) -> Rules:
    """The usual rules with some protocols replaced by name, and other fields set."""
    by_name = {one.name: one for one in (*PROTOCOLS, *changed)}
    return replace(RULES, protocols=tuple(by_name.values()), **fields)  # type: ignore[arg-type]


def proven(digest: str = "d1", risk: Risk = TRIVIAL) -> dict[str, object]:
    """The facts about a work of this risk that a program proved harmless against a base the gate knows."""
    proof = Proof(base=BASE.digest, digest=digest, why="only prose changed", is_small=True)
    return {"risk": risk, "base": BASE, "proof": proof}


class Play:
    """One review on its way through the gate; every command goes through `decide`, every state through `fold`."""

    def __init__(self, rules: Rules = RULES, facts: Facts | None = None, author: Who = DEV) -> None:
        """Start without events."""
        self.rules = rules
        self.facts = replace(facts or Facts(pool=POOL), signed_in_anew=True)
        self.author = author
        #: Whether every actor has been served the current version; a test may override it with `know(served=…)`.
        self.reads = True
        self.now = START
        self.log: list[ReviewEvent] = []

    @property
    def review(self) -> Review:
        """The state, folded again from the whole log."""
        return fold(self.log)

    def do(self, actor: Who, command: commands.ReviewCommand) -> tuple[ReviewEvent, ...]:
        """Run a command that must be accepted."""
        past = self.review if self.log else None
        new = decide(self.rules, past, self.meant(command), actor=actor, facts=self.facts_at(past), now=self.now)
        self.log.extend(new)
        return new

    def meant(self, command: commands.ReviewCommand) -> commands.ReviewCommand:
        """Fill in the usual evidence: an approval without any is taken to have checked all of the work."""
        if self.reads and isinstance(command, commands.SubmitReport) and command.verdict == "approve":
            return replace(command, evidence=command.evidence or CHECKED)
        return command

    def facts_at(self, review: Review | None) -> Facts:
        """The facts, with the current version as served if `reads` is set."""
        served = self.facts.served or (review.digest if review and self.reads else "")
        return replace(self.facts, served=served)

    def refused(self, actor: Who, command: commands.ReviewCommand) -> Code:
        """Run a command that must be refused and leave the state as it is."""
        before = list(self.log)
        with pytest.raises(Refusal) as caught:
            self.do(actor, command)
        assert self.log == before
        assert caught.value.sentence
        assert caught.value.next_step
        return caught.value.code

    def open(self, kind: str = "story", digest: str = "d1", **fields: object) -> tuple[ReviewEvent, ...]:
        """The author opens the review; one about other agents' work is opened by the session's own service."""
        command = commands.OpenReview(review="r1", kind=kind, title="A piece of work", digest=digest, **fields)  # type: ignore[arg-type]
        if command.origin.targets:
            return self.do(REACTOR, replace(command, on_behalf_of=self.author))
        return self.do(self.author, command)

    def revise(self, digest: str, **fields: object) -> tuple[ReviewEvent, ...]:
        """The author hands in new bytes."""
        return self.do(self.author, commands.SubmitRevision(digest=digest, **fields))  # type: ignore[arg-type]

    def report(self, actor: Who, **fields: object) -> tuple[ReviewEvent, ...]:
        """A reviewer reports on the current revision."""
        return self.do(actor, self.a_report(**fields))

    def a_report(self, **fields: object) -> commands.SubmitReport:
        """A report on the current revision."""
        return commands.SubmitReport(**{"revision": self.review.revision, **fields})  # type: ignore[arg-type]

    def know(self, **fields: object) -> None:
        """Change the facts outside the review."""
        self.facts = replace(self.facts, **fields)  # type: ignore[arg-type]

    def wait(self, **span: float) -> None:
        """Let time pass without a command."""
        self.now += timedelta(**span)

    def tick(self, request: str) -> tuple[ReviewEvent, ...]:
        """Report to the gate that a request's due time is over."""
        return self.do(CLOCK, commands.PassDeadline(request=request))

    def wait_out(self, request: str) -> tuple[ReviewEvent, ...]:
        """Wait until a request is due and report it."""
        self.now = max(self.now, self.review.requests[request].due)
        return self.tick(request)

    def last(self, kind: type[E]) -> E:
        """The newest event of a kind."""
        return next(one for one in reversed(self.log) if isinstance(one, kind))

    def count(self, kind: type) -> int:
        """How many events of a kind there are."""
        return sum(isinstance(one, kind) for one in self.log)


def finding(text: str, severity: str = "important", **fields: object) -> commands.Draft:
    """A finding with evidence, so that it may stop the work in every style."""
    return commands.Draft(**{"severity": severity, "text": text, "evidence": "seen in the code", **fields})  # type: ignore[arg-type]
