"""Events about a review as a whole and about its revisions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from foureyes.core.values import (
    Changed,
    ChangeKind,
    ClearedBy,
    KnownBase,
    Origin,
    Outcome,
    Pairs,
    Requirement,
    Severity,
    Step,
    Who,
    WorkPart,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOpened:
    """A piece of work asks to go live."""

    review: str
    kind: str
    title: str
    author: Who
    contributors: tuple[Who, ...]
    trigger: str
    rules: str
    origin: Origin
    context: Pairs = ()
    questions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionSubmitted:
    """The work has these bytes now; the protocols that apply may only grow."""

    number: int
    digest: str
    by: Who
    base: str = ""
    change: ChangeKind = ChangeKind.CONTENT
    parts: tuple[WorkPart, ...] = ()
    changed: tuple[Changed, ...] = ()
    kinds: tuple[str, ...] = ()
    protocols: tuple[str, ...] = ()
    risk: str = ""
    note: str = ""
    confidence: int | None = None
    turns: int | None = None
    aliases: tuple[str, ...] = ()
    #: The base it was compared with, if known to the gate; otherwise the whole work counted as new.
    known_base: KnownBase = KnownBase()
    #: The files before the change: those of the known base, else as stated by the author.
    before: tuple[WorkPart, ...] = ()
    #: True if the author was asked for it; only then does it use up an attempt.
    prompted: bool = True
    #: Findings of earlier revisions whose text is still in this one, as the shell found in the bytes.
    keeps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RevisionRequested:
    """The author owes new bytes, an answer to findings, or a clarification."""

    request: str
    stage: str
    revision: int
    due: datetime
    reasons: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    answers: bool = False
    clarify: bool = False
    remaining: int = 0
    ordered_by: str = ""
    by_clock: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLapsed:
    """What was asked for is no longer needed."""

    request: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadlinePassed:
    """A due time went by; it moves to the next one, or the request ends."""

    request: str
    step: Step
    due: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StagesSkipped:
    """A rule or a trusted record stands in for reviewers, on this revision only."""

    stages: tuple[str, ...]
    revision: int
    rule: str
    reason: str
    pattern: str = ""
    enabled_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCleared:
    """Exactly these bytes may go live."""

    digest: str
    revision: int
    by: ClearedBy
    level: int
    flags: tuple[str, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    single_use: bool = False
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewClosed:
    """The review ended without letting the work through."""

    outcome: Outcome
    reason: str
    requirements: tuple[Requirement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewReopened:
    """The review goes on after an end."""

    reason: str
    undoes: Outcome
    by: Who
    #: True if the same bytes are submitted again because nobody had reviewed them.
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyNoted:
    """Another policy came into force while this review was open; a stricter one must be met too."""

    digest: str
    stricter: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EscapeReported:
    """A defect was found in work that had been cleared."""

    text: str
    severity: Severity
    found_in: str
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteAdded:
    """Somebody wrote something beside the review."""

    by: str
    text: str
