"""Small value types shared by commands, events and the review."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

Pairs = tuple[tuple[str, str], ...]


class WhoKind(StrEnum):
    """What sort of being acts."""

    AGENT = "agent"
    PROGRAM = "program"
    HUMAN = "human"
    #: A person at a terminal, whose identity is not proven and who therefore has few rights.
    PERSON = "person"
    SERVICE = "service"
    CLOCK = "clock"


class Severity(IntEnum):
    """How grave a finding is; ordered."""

    MINOR = 1
    IMPORTANT = 2
    CRITICAL = 3


class Verdict(StrEnum):
    """A reviewer's claim about a revision, which the gates check."""

    APPROVE = "approve"
    CONCERNS = "concerns"
    REJECT = "reject"


class Standing(StrEnum):
    """Where a finding stands; only resolved and waived are clear."""

    OPEN = "open"
    ANSWERED = "answered"
    RESOLVED = "resolved"
    WAIVED = "waived"


class Verification(StrEnum):
    """What a verifying seat says of somebody's finding."""

    CONFIRMED = "confirmed"
    PLAUSIBLE = "plausible"
    REFUTED = "refuted"


class Part(StrEnum):
    """What a seat is for."""

    JUDGE = "judge"
    VERIFY = "verify"
    TIE_BREAK = "tie_break"
    COUNSEL = "counsel"


class Outcome(StrEnum):
    """How a review ended."""

    CLEARED = "cleared"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    SHELVED = "shelved"
    RETURNED = "returned"


class ChangeKind(StrEnum):
    """What sort of change a revision is, as the shell computed it from the bytes."""

    CONTENT = "content"
    REBASE = "rebase"
    MESSAGE = "message"
    CLARIFICATION = "clarification"


class Effect(StrEnum):
    """What a ruling does."""

    PASS_STAGE = "pass_stage"
    WAIVE = "waive"
    REVISE = "revise"
    RETRY = "retry"
    REJECT = "reject"
    SHELVE = "shelve"
    RETURN = "return"


#: Effects that open the gate: these need M of N humans, the others act at once.
OPENING = frozenset({Effect.PASS_STAGE, Effect.WAIVE})


class RiskLevel(IntEnum):
    """How much harm these bytes could do; ordered."""

    LOW = 1
    MEDIUM = 2
    HIGH = 3


class BaseSource(StrEnum):
    """From where it is known what a work is compared with."""

    UNKNOWN = "unknown"
    #: The files that are live on a target now.
    LIVE = "live"
    #: Read by the server from a protected ref of a configured repository.
    REPOSITORY = "repository"
    #: A publisher attested what is on a target now.
    ATTESTED = "attested"
    #: Read on the caller's machine, and valid there only.
    LOCAL = "local"


#: Sources that the gate knows itself or from a publisher; any other base is the author's claim.
KNOWN_SOURCES = frozenset({BaseSource.LIVE, BaseSource.REPOSITORY, BaseSource.ATTESTED})
#: Sources that can change on a target while a work is being reviewed against them.
ON_TARGET = frozenset({BaseSource.LIVE, BaseSource.ATTESTED})


class ClearedBy(StrEnum):
    """What let the work through."""

    GATES = "gates"
    POLICY = "policy"
    TRUST = "trust"
    HUMAN = "human"


class LeftBecause(StrEnum):
    """Why a reviewer no longer holds a seat."""

    DECLINED = "declined"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"
    OVERLOADED = "overloaded"
    #: The reviewer's account was removed.
    REMOVED = "removed"


class Failure(StrEnum):
    """Why a report is inconclusive: neither an approval nor a rejection."""

    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    REFUSED = "refused"
    MALFORMED = "malformed"
    OUT_OF_BUDGET = "out_of_budget"
    INCOMPLETE = "incomplete"


class Step(StrEnum):
    """What a passed deadline did."""

    REMINDED = "reminded"
    REASSIGNED = "reassigned"
    OVERDUE = "overdue"
    RENOTIFIED = "renotified"


class KeptBy(StrEnum):
    """Who carried a report over to a new revision."""

    REVIEWER = "reviewer"
    RULE = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Who:
    """Somebody who acts; an empty fact is unknown, and unknown is never distinct."""

    name: str
    kind: WhoKind = WhoKind.AGENT
    operator: str = ""
    model_family: str = ""
    provider: str = ""
    session: str = ""

    @property
    def is_human(self) -> bool:
        """True if the account may give rulings, overrides and waivers."""
        return self.kind is WhoKind.HUMAN


CLOCK = Who(name="clock", kind=WhoKind.CLOCK)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPart:
    """One named piece of the work, by the digest of its bytes."""

    name: str
    media_type: str = "text/plain"
    digest: str
    size: int = 0
    mode: str = "100644"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in the work a finding lies; the hash covers the text around it."""

    path: str
    start: int = 0
    end: int = 0
    context_hash: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """Lines that differ from the previous revision, computed by the shell from the bytes."""

    path: str
    start: int = 1
    end: int = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """The risk computed from the bytes; trivial means that a program proved the change harmless."""

    level: RiskLevel = RiskLevel.MEDIUM
    trivial: bool = False
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBase:
    """What a work was compared with, and from where that is known; by default with nothing."""

    source: BaseSource = BaseSource.UNKNOWN
    #: The target, or the repository with its ref and commit.
    name: str = ""
    #: The digest of the base's files.
    digest: str = ""

    @property
    def is_known(self) -> bool:
        """True if the gate knows the base, and not only the author."""
        return self.source in KNOWN_SOURCES


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A program's proof that the work of this digest changes nothing that matters against this base; none if empty."""

    base: str = ""
    digest: str = ""
    why: str = ""
    #: True if only the spelling or layout of words differs, and no word or sentence was replaced.
    is_small: bool = False


#: Key in the context of a review: the chat thread about its task.
THREAD = "thread"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where the work comes from."""

    ref: str = ""
    task: str = ""
    session: str = ""
    step: str = ""
    targets: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was checked, where, and why it holds up."""

    what: str
    why: str
    place: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One line of a checklist as a reviewer filled it in."""

    name: str
    passed: bool
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a reviewer's run cost; money in millionths of a dollar, so that sums are exact."""

    usd_micro: int = 0
    tokens: int = 0
    seconds: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatSpec:
    """A place for one reviewer, as it was asked for."""

    id: str
    stage: str
    part: Part = Part.JUDGE
    scope: str = ""
    model: str = ""
    veto: bool = False
    required: bool = True
    candidates: tuple[str, ...] = ()
    reviewer: Who | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One of the decisions a human may take."""

    id: str
    label: str
    effect: Effect
    time: str = ""
    risk: str = ""
    pros: tuple[str, ...] = ()
    cons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recommendation:
    """Which option this human would likely take, with the reasons; a hint, never a decision."""

    option: str
    confidence: int
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What one party says in a disagreement, for the human who decides."""

    party: str
    name: str
    confidence: int | None = None
    says: str = ""
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One gate's answer about one stage, kept in the record of a clearance or an end."""

    stage: str
    gate: str
    status: str
    move: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Findings of several seats that are one issue, or contradict each other, and why that was said."""

    findings: tuple[str, ...]
    why: str
