"""The checker's model of one review."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.sim.checker.shapes import Json, ProtocolPolicy, StagePolicy, Who


@dataclass(slots=True)
class Seat:
    """A place for a reviewer."""

    id: str
    stage: str
    part: str
    scope: str
    veto: bool
    required: bool
    candidates: list[str]
    holder: Who | None = None
    lease: str = ""
    reported: int = 0
    reported_before: int = 0
    findings: int = 0
    left: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Finding:
    """A finding and its standing."""

    id: str
    seat: str
    stage: str
    raiser: str
    severity: int
    advisory: str
    suppressed: str
    revision: int
    standing: str = "open"
    refuted: bool = False
    reopened: int = 0
    #: The number and the digest of the version it was resolved on.
    resolved_on: tuple[int, str] = (0, "")
    #: The path it names, and the review and the finding it was inherited from.
    path: str = ""
    origin: tuple[str, str] = ("", "")
    #: An inherited finding that ended because its origin was lifted.
    lifted: bool = False
    text: str = ""


@dataclass(slots=True)
class Request:
    """A pending request."""

    id: str
    kind: str
    revision: int
    due: str
    stage: str = ""
    seat: str = ""
    limit: str = ""
    queued: bool = False
    about: list[str] = field(default_factory=list)
    ordered_by: str = ""
    clarify: bool = False
    answers: bool = False
    needs: int = 1
    group: str = ""
    veto: bool = False
    reason: str = ""
    asked_by: str = ""
    votes: dict[str, set[str]] = field(default_factory=dict)


@dataclass(slots=True)
class Counted:
    """A report that counts for one seat and revision."""

    who: Who
    verdict: str | None
    digest: str
    blocking: list[str]
    count: int = 1
    confidence: int | None = None
    coverage: int = 100
    passed: frozenset[str] = frozenset()


@dataclass(slots=True)
class Revision:
    """Bytes that the author submitted."""

    number: int
    digest: str
    change: str
    changed: list[Json]
    protocols: list[str]
    keeps: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Review:
    """Everything the log says of one review."""

    id: str
    kind: str = ""
    author: Who = field(default_factory=dict)
    contributors: set[str] = field(default_factory=set)
    makers: set[str] = field(default_factory=set)
    policy: str = ""
    policies: list[str] = field(default_factory=list)
    context: dict[str, str] = field(default_factory=dict)
    revisions: list[Revision] = field(default_factory=list)
    seats: dict[str, Seat] = field(default_factory=dict)
    counted: dict[tuple[str, int], Counted] = field(default_factory=dict)
    failed: dict[tuple[str, int], int] = field(default_factory=dict)
    findings: dict[str, Finding] = field(default_factory=dict)
    requests: dict[str, Request] = field(default_factory=dict)
    vetoes: set[tuple[str, str]] = field(default_factory=set)
    overridden: dict[tuple[str, int], Json] = field(default_factory=dict)
    skipped: dict[tuple[str, int], Json] = field(default_factory=dict)
    outcome: str = ""
    cleared: dict[str, Json] = field(default_factory=dict)
    closed: list[str] = field(default_factory=list)
    resubmissions: int = 0
    unprompted: int = 0
    reopened: int = 0
    ruled: set[tuple[str, int]] = field(default_factory=set)
    fired: set[tuple[str, str]] = field(default_factory=set)
    length: int = 0
    load: dict[str, int] = field(default_factory=dict)
    tokens: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)
    contradicted: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    stages: dict[str, tuple[ProtocolPolicy, StagePolicy]] = field(default_factory=dict)
    known_for: object = None

    @property
    def number(self) -> int:
        return len(self.revisions)

    @property
    def digest(self) -> str:
        return self.revisions[-1].digest if self.revisions else ""

    @property
    def protocols(self) -> list[str]:
        return self.revisions[-1].protocols if self.revisions else []

    def ruling(self) -> Request | None:
        return next((one for one in self.requests.values() if one.kind == "ruling"), None)

    def revision_request(self) -> Request | None:
        return next((one for one in self.requests.values() if one.kind == "revision"), None)

    def request_of(self, seat: str) -> Request | None:
        return next((one for one in self.requests.values() if one.kind == "report" and one.seat == seat), None)
