"""The Review aggregate: the state that decides about one piece of work, and nothing else.

These values are frozen but not slotted: every event makes a changed copy, and copying a dict is many times cheaper
than setting forty slots (docs/decisions/0005).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from foureyes.core.values import (
    Changed,
    ChangeKind,
    Criterion,
    Effect,
    Evidence,
    Group,
    KnownBase,
    Option,
    Origin,
    Outcome,
    Pairs,
    Part,
    Place,
    Severity,
    Standing,
    Step,
    Verdict,
    Verification,
    Who,
    WorkPart,
)


@dataclass(frozen=True, kw_only=True)
class Revision:
    """A numbered state of the work: exactly these bytes."""

    number: int
    digest: str
    by: Who
    base: str
    change: ChangeKind
    parts: tuple[WorkPart, ...]
    changed: tuple[Changed, ...]
    kinds: tuple[str, ...]
    risk: str
    note: str
    confidence: int | None
    turns: int | None
    aliases: tuple[str, ...] = ()
    known_base: KnownBase = KnownBase()
    before: tuple[WorkPart, ...] = ()
    #: Findings of earlier revisions whose text is still in this one.
    keeps: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Seat:
    """A place for one reviewer; it lives as long as the review."""

    id: str
    stage: str
    part: Part
    scope: str
    model: str
    veto: bool
    required: bool
    candidates: tuple[str, ...]
    reviewer: Who | None = None
    lease: datetime | None = None
    until: datetime | None = None
    draft: str = ""
    left: tuple[str, ...] = ()
    reported: int = 0
    reported_before: int = 0
    findings: int = 0


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a seat says of one revision; the latest one replaces the verdict."""

    seat: str
    revision: int
    reviewer: Who
    verdict: Verdict | None
    grounds: tuple[str, ...]
    blocking: tuple[str, ...]
    contradicts: tuple[str, ...]
    summary: str
    strengths: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    checklist: tuple[Criterion, ...]
    answers: tuple[str, ...]
    confidence: int | None
    coverage: int
    flags: tuple[str, ...]
    count: int = 1
    kept: bool = False


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One specific issue and where it stands."""

    id: str
    seat: str
    stage: str
    raiser: str
    revision: int
    severity: Severity
    severity_word: str
    category: str
    scope: str
    text: str
    fingerprint: str
    place: Place | None
    evidence: str
    suggestion: str
    advisory: str
    suppressed_by: str
    demand: bool
    rule: str = ""
    standing: Standing = Standing.OPEN
    answer: str = ""
    rebuttal: bool = False
    answers: int = 0
    reopened: int = 0
    reopened_in: int = 0
    note: str = ""
    settled_in: int = 0
    verification: Verification | None = None
    #: The review and finding it was raised as, if inherited; `lifted` if it ended here without a reviewer's answer.
    review: str = ""
    source: str = ""
    lifted: bool = False
    veto: bool = False

    @property
    def is_settled(self) -> bool:
        """True if nothing remains to be done about it: it is resolved or waived."""
        return self.standing in (Standing.RESOLVED, Standing.WAIVED)

    @property
    def is_advisory(self) -> bool:
        """True if the finding is shown but never stops the work."""
        return bool(self.advisory or self.suppressed_by) or self.verification is Verification.REFUTED

    def blocks(self, at_least: Severity) -> bool:
        """True if the finding stops the work under a rule that blocks from this severity on."""
        return self.severity >= at_least and not self.is_settled and not self.is_advisory


@dataclass(frozen=True, kw_only=True)
class ReportRequest:
    """A report, or a word about findings, is owed by a seat."""

    id: str
    seat: str
    revision: int
    due: datetime
    limit: datetime
    about: tuple[str, ...] = ()
    queued: bool = False
    step: Step | None = None


@dataclass(frozen=True, kw_only=True)
class RevisionRequest:
    """New bytes, answers or a clarification are owed by the author."""

    id: str
    stage: str
    revision: int
    due: datetime
    reasons: tuple[str, ...]
    findings: tuple[str, ...]
    answers: bool
    clarify: bool
    remaining: int
    ordered_by: str
    by_clock: bool


@dataclass(frozen=True, kw_only=True)
class Vote:
    """One human's word on a ruling that needs several."""

    by: str
    option: str


@dataclass(frozen=True, kw_only=True)
class RulingRequest:
    """A decision is owed by a human."""

    id: str
    stage: str
    revision: int
    reason: str
    text: str
    due: datetime
    options: tuple[Option, ...]
    findings: tuple[str, ...]
    needs: int
    group: str
    fallback: Effect | None
    veto: bool
    #: Who asked for it and their argument; both are empty if a gate asked.
    by: str = ""
    argument: str = ""
    votes: tuple[Vote, ...] = ()
    notified: int = 0


Request = ReportRequest | RevisionRequest | RulingRequest
StageRevision = tuple[str, int]
#: An escalation a human has answered: stage, revision, the reason it was requested for, and its findings.
Ruled = tuple[str, int, str, tuple[str, ...]]


@dataclass(frozen=True, kw_only=True)
class Skip:
    """A stage passed without reviewers, by which rule, and whose word made that possible."""

    rule: str
    reason: str
    pattern: str
    enabled_by: str


@dataclass(frozen=True, kw_only=True)
class Matched:
    """How the findings of several seats relate."""

    groups: tuple[Group, ...]
    contradictions: tuple[Group, ...]
    uncertain: tuple[Group, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A word beside the review; it judges nothing."""

    by: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Review:
    """One piece of work asking to go live."""

    id: str
    kind: str
    title: str
    author: Who
    contributors: tuple[Who, ...]
    trigger: str
    rules: str
    origin: Origin
    context: Pairs
    questions: tuple[str, ...]
    protocols: tuple[str, ...] = ()
    revisions: tuple[Revision, ...] = ()
    resubmissions: int = 0
    #: How many resubmissions were not asked for: the version before had not been judged.
    unprompted: int = 0
    seats: Mapping[str, Seat] = field(default_factory=dict)
    reports: Mapping[StageRevision, Report] = field(default_factory=dict)
    failures: Mapping[StageRevision, int] = field(default_factory=dict)
    #: The last failure on a seat, in words: the reviewer and the reason.
    failed: Mapping[StageRevision, str] = field(default_factory=dict)
    findings: Mapping[str, Finding] = field(default_factory=dict)
    #: Names of the findings that come from other reviews.
    inherited: tuple[str, ...] = ()
    matched: Mapping[StageRevision, Matched] = field(default_factory=dict)
    overridden: Mapping[StageRevision, str] = field(default_factory=dict)
    skipped: Mapping[StageRevision, Skip] = field(default_factory=dict)
    ruled: frozenset[Ruled] = frozenset()
    retried: frozenset[StageRevision] = frozenset()
    vetoes: frozenset[tuple[str, str]] = frozenset()
    requests: Mapping[str, Request] = field(default_factory=dict)
    rulings: int = 0
    asked: frozenset[tuple[str, int]] = frozenset()
    clock_revisions: int = 0
    outcome: Outcome | None = None
    reason: str = ""
    cleared: str = ""
    cleared_digests: frozenset[str] = frozenset()
    #: Digests this review was closed on as rejected. Only a human undoes that, by reopening or overriding a stage.
    rejected: frozenset[str] = frozenset()
    reopenings: int = 0
    bound: bool = False
    stricter: str = ""
    policies: frozenset[str] = frozenset()
    usd_micro: int = 0
    #: The number of notes per author, and the notes themselves.
    notes: Mapping[str, int] = field(default_factory=dict)
    noted: tuple[Note, ...] = ()
    escapes: Mapping[str, int] = field(default_factory=dict)

    @property
    def revision(self) -> int:
        """The number of the current revision; also the round."""
        return len(self.revisions)

    @property
    def current(self) -> Revision:
        """The current revision."""
        return self.revisions[-1]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of this work: the one its author named and those its paths add."""
        return self.current.kinds or (self.kind,)

    @property
    def digest(self) -> str:
        """The digest of the current revision."""
        return self.revisions[-1].digest

    @property
    def retries(self) -> int:
        """The number of the author's attempts that are used up."""
        return self.resubmissions - self.unprompted

    @property
    def is_unreviewed(self) -> bool:
        """True if the review was returned without any verdict against this revision."""
        return self.outcome is Outcome.RETURNED and not self.is_doubted

    @property
    def is_doubted(self) -> bool:
        """True if a report on this revision has concerns or rejects it."""
        said = (one.verdict for one in self.reports.values() if one.revision == self.revision)
        return any(one in (Verdict.CONCERNS, Verdict.REJECT) for one in said)

    def seats_of(self, stage: str, part: Part = Part.JUDGE) -> list[Seat]:
        """The seats of a stage that have this part."""
        return [seat for seat in self.seats.values() if seat.stage == stage and seat.part is part]

    def report_of(self, seat: str) -> Report | None:
        """A seat's report on the current revision, if it still has a ground."""
        report = self.reports.get((seat, len(self.revisions)))
        return None if report is None or self.is_groundless(report) else report

    def is_groundless(self, report: Report) -> bool:
        """True if every finding that a report against the work rested on was settled."""
        if report.verdict in (None, Verdict.APPROVE) or report.grounds or not report.blocking:
            return False
        if self.seats[report.seat].veto and report.verdict is Verdict.REJECT:
            return False
        return all(self.findings[one].is_settled or self.findings[one].is_advisory for one in report.blocking)

    def reports_in(self, stage: str) -> list[Report]:
        """The effective reports of a stage's judging seats on the current revision."""
        found = [self.report_of(one.id) for one in self.seats.values() if one.stage == stage and one.part is Part.JUDGE]
        return [report for report in found if report is not None]

    def findings_of(self, stage: str) -> list[Finding]:
        """The findings that seats of a stage raised, on any revision."""
        return [finding for finding in self.findings.values() if finding.stage == stage]

    def blocking_of(self, seat: str, at_least: Severity) -> list[Finding]:
        """A seat's own findings that stop the work."""
        return [one for one in self.findings.values() if one.seat == seat and one.blocks(at_least)]

    def inherited_from(self, raiser: str) -> list[Finding]:
        """Inherited findings of this raiser that are not settled here."""
        found = (self.findings[one] for one in self.inherited)
        return [one for one in found if one.raiser == raiser and not one.is_settled]

    def is_vetoed(self, stage: str) -> bool:
        """True if this stage has a veto on the current bytes, or an unsettled inherited finding of a veto seat."""
        found = (self.findings[one] for one in self.inherited)
        inherits = any(one.stage == stage and one.veto and not one.is_settled for one in found)
        return (stage, self.digest) in self.vetoes or inherits

    def ruling(self) -> RulingRequest | None:
        """The pending ruling request, if any."""
        found = [one for one in self.requests.values() if isinstance(one, RulingRequest)]
        return found[0] if found else None

    def revision_request(self) -> RevisionRequest | None:
        """The pending request to the author, if any."""
        found = [one for one in self.requests.values() if isinstance(one, RevisionRequest)]
        return found[0] if found else None

    def report_request(self, seat: str) -> ReportRequest | None:
        """The pending request to this seat, if any."""
        found = self.requests.get(seat)
        return found if isinstance(found, ReportRequest) else None

    def is_contributor(self, name: str) -> bool:
        """True if this account contributed to the work; contributors never judge it."""
        return name in [one.name for one in self.contributors]
