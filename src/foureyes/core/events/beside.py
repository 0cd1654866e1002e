"""Events outside reviews: targets, trust, sessions, policies, lessons and the store itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from foureyes.core.values import Severity, Who, WorkPart


class SignalType(StrEnum):
    """What an agent at work tells its session."""

    MILESTONE = "milestone"
    BLOCKER = "blocker"
    REQUEST_REVIEW = "request_review"
    USER_MANUAL = "user_manual"
    PROGRESS = "progress"


class LessonKind(StrEnum):
    """What sort of thing was learned."""

    RULE = "rule"
    PATTERN = "pattern"
    FALSE_POSITIVE = "false_positive"
    REJECTED_APPROACH = "rejected_approach"
    MISSED = "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class WentLive:
    """Cleared bytes were published, by the clearance that is this event of the review's stream."""

    target: str
    review: str
    digest: str
    commit: str = ""
    clearance: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveRefused:
    """Somebody tried to publish bytes that may not go live."""

    target: str
    digest: str
    actor: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseAttested:
    """A publisher said that these files are on the target now, whoever put them there."""

    target: str
    digest: str
    parts: tuple[WorkPart, ...]
    by: str
    commit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipSuggested:
    """A track record is good enough that a human might enable the fast lane."""

    kind: str
    author: str
    successes: int
    confidence_percent: int
    minutes_saved: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipEnabled:
    """A human enabled the fast lane for one kind of work of one author."""

    kind: str
    author: str
    by: str
    expires: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipDisabled:
    """The fast lane is shut again."""

    kind: str
    author: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalReceived:
    """An agent of a session said something."""

    session: str
    agent: str
    type: SignalType
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SilenceDetected:
    """Nobody in the session said anything for too long."""

    session: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPaused:
    """A human paused the session."""

    session: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionResumed:
    """A human resumed the session."""

    session: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEnded:
    """The session is over."""

    session: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyActivated:
    """A human put another policy into force."""

    digest: str
    name: str
    replaces: str
    by: str
    applies_in_flight: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonRecorded:
    """Something was learned, with where it comes from."""

    lesson: str
    scope: str
    kind: LessonKind
    text: str
    fingerprint: str
    context_hash: str
    severity: Severity
    source: str
    by: Who
    example: str = ""
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonRetired:
    """A lesson no longer holds."""

    lesson: str
    scope: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobPurged:
    """A human had bytes removed for good; what the record says about them stays."""

    digest: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRotated:
    """Checkpoints and receipts are signed by another key from here on."""

    old: str
    new: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreRestored:
    """A human put a backup in the store's place: whatever came after that checkpoint was given up."""

    checkpoint: int
    taken: datetime
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeSeen:
    """A human saw by right what no report of their own had unlocked; once for each version of the work."""

    review: str
    revision: int
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HooksSilenced:
    """A human had the hooks of one place stop nothing until then; the gate answers as ever."""

    machine: str
    place: str
    until: datetime
    by: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HooksResumed:
    """The hooks of that place stop things again, before the time was over."""

    machine: str
    place: str
    by: str


BesideEvent = (
    WentLive
    | LiveRefused
    | BaseAttested
    | SkipSuggested
    | SkipEnabled
    | SkipDisabled
    | SignalReceived
    | SilenceDetected
    | SessionPaused
    | SessionResumed
    | SessionEnded
    | PolicyActivated
    | LessonRecorded
    | LessonRetired
    | BlobPurged
    | KeyRotated
    | StoreRestored
    | WholeSeen
    | HooksSilenced
    | HooksResumed
)
