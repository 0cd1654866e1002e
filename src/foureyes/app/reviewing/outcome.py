"""The outcome of a round of review: one value that every output format reads.

Every text in it that comes from the work or from a reviewer is untrusted, but has no secrets any more: the code that
makes an Outcome redacts it, and the code that shows it makes it harmless.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from foureyes.app.reviewers import Unread
from foureyes.core.commands import Answer
from foureyes.core.situation import Result, Situation, Weighed, weigh
from foureyes.core.values import Severity, Standing, Verification


class Agreement(StrEnum):
    """What the reviewers make of one finding together; agreement ranks, it never dismisses."""

    AGREED = "agreed"
    ONLY_ONE = "only one"
    CONTRADICTED = "contradicted"
    UNCERTAIN = "uncertain"


class LookedState(StrEnum):
    """What one reviewer's look came to, in the words that people read."""

    FOUND_NOTHING = "found nothing"
    HAS_FINDINGS = "has findings"
    REJECTS = "rejects"
    #: It was asked about findings of others, and answered on each.
    VERIFIED = "verified"
    INCONCLUSIVE = "inconclusive"


class LookedKind(StrEnum):
    """What sort of reviewer looked."""

    PROGRAM = "program"
    AGENT = "agent"
    MODEL = "model"
    HUMAN = "human"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One issue: the findings of all reviewers that are this issue, as one."""

    #: The ids of all findings that are this issue, like `solo.1-F2`; people use the first one.
    ids: tuple[str, ...]
    severity: Severity
    #: What is wrong here, in one sentence.
    text: str
    category: str = "other"
    rule: str = ""
    path: str = ""
    #: First and last line; 0 if it is about the file, or about the whole work.
    line: int = 0
    end: int = 0
    #: The line of the work, with secrets cut out; empty if it cannot be shown.
    quote: str = ""
    #: Why it matters: the reason of its rule; empty if the text says it.
    why: str = ""
    evidence: str = ""
    suggestion: str = ""
    raised_by: tuple[str, ...] = ()
    agreement: Agreement = Agreement.ONLY_ONE
    verification: Verification | None = None
    #: The evidence of the second look, or why there is none.
    verified_because: str = ""
    blocking: bool = False
    #: Why it does not block: an old line, raised late, dismissed, refuted, below the floor.
    why_not_blocking: str = ""
    standing: Standing = Standing.OPEN
    #: Stays the same when lines move; changes when the code around it does.
    fingerprint: str = ""
    #: Findings with the same cause are shown as one with its places; empty: shown individually.
    cause: str = ""
    #: Raised in this round for the first time.
    is_new: bool = True

    @property
    def id(self) -> str:
        """The id that people use for it."""
        return self.ids[0] if self.ids else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What one reviewer did in this round."""

    reviewer: str
    kind: LookedKind
    state: LookedState
    #: Where it was asked: a stage, or the seat of a verifier.
    stage: str = ""
    summary: str = ""
    seconds: float = 0.0
    #: Millionths of a dollar; None if the cost is not known, as with a subscription.
    usd_micro: int | None = None
    tokens: int = 0
    unread: tuple[Unread, ...] = ()
    #: Why it has no answer, in a sentence; with `until` if a limit ends by itself.
    reason: str = ""
    until: datetime | None = None
    #: What it examined, in words: "12 shell commands, 3 SQL statements".
    looked_at: str = ""
    #: Number of findings it raised.
    findings: int = 0
    #: Number of further findings: on older lines, which are not judged, and of the same kind as those listed.
    older: int = 0
    more: int = 0

    @property
    def answered(self) -> bool:
        """True if there is an answer at all."""
        return self.state is not LookedState.INCONCLUSIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class NotLooked:
    """Somebody who could have looked and did not, why, and what would change that."""

    who: str
    why: str
    next_step: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Somebody owes the next answer."""

    who: str
    what: str
    how: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """An earlier finding that no longer stands, and how that came: fixed, withdrawn, refuted."""

    id: str
    text: str
    path: str = ""
    line: int = 0
    how: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissed:
    """A finding that a person waived; in force until the code around it changes."""

    found: Found
    by: str
    because: str
    at: datetime | None = None
    #: True if the person had signed in.
    proven: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What one reviewer says to a question of the author."""

    question: str
    by: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Independence:
    """How far from the author the nearest counted reviewer stands: 0 nobody, 1 session, 2 model, 3 operator."""

    level: int = 0
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command to type next, and what it does."""

    line: str
    does: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a round came to."""

    review: str
    revision: int = 1
    #: Most revisions before a person is asked; 0: no limit.
    revisions_max: int = 0
    digest: str
    title: str
    kind: str
    #: True for a review of this machine alone. A server's review is shown as the server tells everybody.
    is_local: bool = True
    #: `open`, or how the review ended: `cleared`, `rejected` …
    state: str = "open"
    #: What the gate says, in one sentence: why it is open or shut.
    gate: str = ""
    #: What is still wrong and why, whose turn it is and what comes next: the same words as at every door.
    situation: Situation = Situation()
    #: Whose turn it is.
    waits: tuple[Waiting, ...] = ()
    #: A person other than the author owes an answer without which nothing goes on, such as a ruling.
    pending: bool = False
    #: A reviewer owes a report without which it is not cleared.
    owed: bool = False
    #: Why the work cannot be judged as it is, such as a command that no program can parse; empty: it can.
    unclear: str = ""
    #: What a reviewer found after exactly these bytes were cleared; they may go live, but they should not.
    late: str = ""
    #: Why these bytes were not taken in, so that nobody looked at them; everything else here is about the version
    #: before.
    held_up: str = ""
    #: There was no change to review, so nobody was asked and nothing was stored.
    nothing: bool = False
    #: A person stopped it before all reviewers were done.
    interrupted: bool = False
    #: The issues on the changed lines, worst first.
    found: tuple[Found, ...] = ()
    #: Number of findings on older lines, which are not judged.
    older: int = 0
    looked: tuple[Looked, ...] = ()
    not_looked: tuple[NotLooked, ...] = ()
    unread: tuple[Unread, ...] = ()
    #: Paths that the policy excludes from reading.
    ignored: tuple[str, ...] = ()
    #: Languages of the work that no program judges, if no other reviewer looked either: "TypeScript: 3 files".
    unjudged: tuple[str, ...] = ()
    independence: Independence = Independence()
    #: The sum of the known costs; None if no reviewer's cost is known.
    usd_micro: int | None = None
    tokens: int = 0
    seconds: float = 0.0
    files: int = 0
    #: Changed lines that were judged.
    lines: int = 0
    next: tuple[Command, ...] = ()
    #: The command line arguments that named the work, such as `main..HEAD`; None if they are not known.
    named: str | None = None
    policy: str = "solo"
    #: Where the policy came from: "built in", "foureyes.yaml at 1a2b3c".
    policy_from: str = ""
    settled: tuple[Settled, ...] = ()
    dismissed: tuple[Dismissed, ...] = ()
    #: The answers of agents and models to the author's questions.
    answers: tuple[Answered, ...] = ()
    #: Further notes: a retired rule, an answer that was not taken.
    notes: tuple[str, ...] = ()
    #: The report of a panel as Markdown with the work's text escaped; empty if no panel judges it.
    report: str = ""

    @property
    def blocking(self) -> tuple[Found, ...]:
        """What must be fixed, or decided by a person."""
        return tuple(one for one in self.found if one.blocking)

    @property
    def minds_failed(self) -> tuple[Looked, ...]:
        """The agents and models that were asked, if none of them answered."""
        asked = tuple(one for one in self.looked if one.kind is not LookedKind.PROGRAM)
        return () if any(one.answered for one in asked) else asked

    @property
    def result(self) -> Result:
        """The result; what is not known never counts as nothing found."""
        if not self.is_local:
            return self.situation.result
        if self.nothing and not self.interrupted:
            return Result.NOTHING_BLOCKS
        if self.interrupted or self.held_up:
            return Result.PENDING if self.pending and not self.interrupted else Result.INCONCLUSIVE
        stops = self.situation.result is Result.BLOCKED and self.state == "open"
        return weigh(
            Weighed(
                stops=stops or bool(self.blocking) or self.state not in ("open", "cleared"),
                late=bool(self.late),
                cleared=self.state == "cleared",
                decides=self.pending,
                silent=bool(self.unclear or self.minds_failed),
                owed=self.owed,
                answered=any(one.answered for one in self.looked),
            )
        )


#: Asks whether the work may be sent outside: the reviewer's name, and who will receive what, in words.
MaySend = Callable[[str, str], bool]


def nobody_may_receive(name: str, sends: str) -> bool:
    """Refuse: nothing leaves this machine."""
    del name, sends
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the person asked for beside the work itself."""

    #: The review style; empty: the policy's style for this kind.
    style: str = ""
    #: Only these reviewers; empty: everybody at hand.
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    #: Only programs: no agent and no model is asked.
    critics_only: bool = False
    #: Only reviewers whom the policy names: a role that it gives to nobody stays open to volunteers.
    named_only: bool = False
    #: Less than the policy allows for this review; None: what the policy allows.
    usd_micro_max: int | None = None
    #: Seconds for each reviewer; None: what the policy allows.
    seconds_max: float | None = None
    #: Asked before anything is sent out; it blocks while a person decides, so it is asked before any reviewer starts.
    may_send: MaySend = nobody_may_receive
    #: The author's answers to findings of earlier rounds: fixed, or wrong and why.
    answers: tuple[Answer, ...] = ()
    #: The author's questions; every agent and model answers each.
    questions: tuple[str, ...] = ()
    #: Leave the open review of this place and start over.
    anew: bool = False


class Watch(Protocol):
    """Somebody watches the round; called from the loop that runs it, and returns at once."""

    def started(self, name: str) -> None:
        """A reviewer begins."""

    def said(self, name: str, text: str) -> None:
        """A reviewer reports its progress; the text is untrusted."""

    def ended(self, looked: Looked) -> None:
        """A reviewer is done, with or without an answer."""
