"""The rules of a review: a frozen value, chosen by the policy when the review opens."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Protocol as Interface

from foureyes.core.judgement import Judgement
from foureyes.core.kinds import canonical_kind
from foureyes.core.model import Review
from foureyes.core.values import ChangeKind, Part, RiskLevel, Severity


class Style(StrEnum):
    """The five review styles, and the one for a lone developer."""

    RESOLVE = "resolve"
    PEER = "peer"
    CHAIN = "chain"
    SESSION = "session"
    PANEL = "panel"
    SOLO = "solo"


class Blind(StrEnum):
    """How long a reviewer sees nothing of the others' reports."""

    OFF = "off"
    FIRST = "first"
    EACH_ROUND = "each_round"


class Exhausted(StrEnum):
    """What happens when the author's attempts are used up."""

    SHELVE = "shelve"
    ESCALATE = "escalate_to_human"
    RETURN_ERROR = "return_error"
    RETURN_TO_AUTHOR = "return_to_author"


class Gate(Interface):
    """A condition a stage must meet."""

    def judge(self, review: Review, stage: Stage) -> Judgement:
        """Judge the stage on the current revision."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How long each party may take; a timer asks somebody else, it never clears."""

    target: timedelta = timedelta(minutes=15)
    longest: timedelta = timedelta(minutes=30)
    unassigned: timedelta = timedelta(minutes=15)
    volunteer: timedelta = timedelta(hours=24)
    unstarted: timedelta = timedelta(minutes=30)
    reassign: timedelta = timedelta(minutes=15)
    silent: timedelta = timedelta(minutes=60)
    total: timedelta = timedelta(minutes=120)
    author: timedelta = timedelta(hours=24)
    human: timedelta = timedelta(hours=48)
    human_fallback: bool = True

    def pace(self, took: timedelta) -> str:
        """How long a review took, as shown to people: ok, warn or bad; it has no other effect."""
        if took <= self.target:
            return "ok"
        return "warn" if took <= self.longest else "bad"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixRow:
    """Who reviews the work of one role, and why."""

    creator: str
    primary: str
    backup: str
    escalate: str
    reasons: tuple[str, ...] = ()
    #: Conditions in words under which the reviewer should request a human; no program evaluates them.
    escalate_when: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRule:
    """A place for one reviewer: for the holders of a role, or open to anyone eligible."""

    roles: tuple[str, ...] = ()
    by_matrix: bool = False
    part: Part = Part.JUDGE
    scope: str = ""
    model: str = ""
    veto: bool = False
    #: The program that the policy binds to this seat; no one else can hold it.
    program: str = ""
    #: True if only a reviewer that this installation runs for the role may hold it, no enrolled account.
    hosted: bool = False
    #: True for a seat beside a bound one: requested if there is a candidate, and then waited for.
    beside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a protocol decides about its own stages; these travel with them."""

    style: Style
    votes: bool = True
    #: True if a seat without a candidate stays open for volunteers instead of escalating to a human at once.
    waits: bool = False
    #: True if a person at a terminal may waive findings, except critical ones and vetoes; marked as unproven.
    person_waives: bool = False
    evidence: bool = False
    categories: tuple[str, ...] = ()
    blocking_evidence: bool = False
    concern_is_finding: bool = False
    blind: Blind = Blind.FIRST
    exhausted: Exhausted = Exhausted.ESCALATE
    late_is_advisory: bool = True
    blocking: Severity = Severity.IMPORTANT
    floor: Severity = Severity.IMPORTANT
    minor_max: int = 2
    confidence_min: int = 0
    answers: bool = False
    names_reject_grounds: bool = False
    keeps: frozenset[ChangeKind] = frozenset()
    independence: tuple[str, ...] = ()
    #: True if reviewers of the author's operator may hold a seat; in `resolve` the clearance then has a flag.
    own_operator: bool = True
    matrix: tuple[MatrixRow, ...] = ()
    times: Times = Times()
    turns_max: int = 0
    failures_max: int = 2
    reports_max: int = 3
    ruling_needs: int = 1
    ruling_group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """An ordered step with seats and gates."""

    name: str
    seats: tuple[SeatRule, ...]
    gates: tuple[Gate, ...]
    options: Options
    seats_max: int = 0
    early: bool = False

    def seat_id(self, index: int) -> str:
        """The name of the seat at this index; it tells a blind reviewer nothing."""
        return f"{self.name}.{index + 1}"

    def rule_of(self, seat: str) -> SeatRule | None:
        """The rule of one of the stage's own seats; None for a volunteer's, a tie-break's or counsel's."""
        for index, rule in enumerate(self.seats):
            if self.seat_id(index) == seat:
                return rule
        return None

    @property
    def has_veto(self) -> bool:
        """True if any seat here has veto power."""
        return any(seat.veto for seat in self.seats)


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """A named shape of review: ordered stages, and how often the author may try again."""

    name: str
    stages: tuple[Stage, ...]
    revisions_max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRule:
    """How one kind of work is judged."""

    kind: str
    protocols: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRule:
    """Work that touches these paths is judged as this kind too."""

    pattern: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskRule:
    """Work at or above this risk must meet these protocols too."""

    level: RiskLevel
    protocols: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkipRule:
    """When reviewers may be left out: by kind, by autonomy label, or by a learned record."""

    name: str
    kinds: tuple[str, ...] = ()
    autonomy: str = ""
    except_for: tuple[str, ...] = ()
    learned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """The numbers behind the fast lane."""

    successes_min: int = 10
    confidence_min_percent: int = 90
    approval_confidence_min: int = 80
    lookback: timedelta = timedelta(days=30)
    increase_percent: int = 5
    decrease_percent: int = 15
    escape_percent: int = 30
    trust_min_percent: int = 80
    suggest_after: timedelta = timedelta(days=7)
    fresh_for: timedelta = timedelta(days=7)
    enabled_for: timedelta = timedelta(days=30)
    audit_percent: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Humans:
    """A named group of people who may decide."""

    name: str
    members: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a review and a day may cost, in millionths of a dollar; 0 means no limit."""

    review_usd_micro: int = 1_000_000
    day_usd_micro: int = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """A bound on everything, so that a review's log is bounded."""

    text_chars_max: int = 20_000
    title_chars_max: int = 300
    list_max: int = 200
    findings_per_seat_max: int = 1_000
    late_findings_max: int = 50
    escapes_max: int = 100
    parts_max: int = 2_000
    questions_max: int = 20
    notes_max: int = 100
    demands_max: int = 20
    parallel_max: int = 3
    queued_max: int = 5
    pairings_max: int = 5
    reopenings_max: int = 10


#: Kinds that are never skipped, whatever a track record or label says.
NEVER_SKIPPED = frozenset({"security_change", "breaking_change", "database_migration"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Everything a review is judged by."""

    digest: str
    protocols: tuple[Protocol, ...]
    kinds: tuple[KindRule, ...] = ()
    default: tuple[str, ...] = ()
    paths: tuple[PathRule, ...] = ()
    risks: tuple[RiskRule, ...] = ()
    skips: tuple[SkipRule, ...] = ()
    enabled: bool = True
    learning: Learning = Learning()
    groups: tuple[Humans, ...] = ()
    budget: Budget = Budget()
    limits: Limits = Limits()
    #: Services whose agents may review each other's work.
    services: frozenset[str] = frozenset()
    single_use_kinds: frozenset[str] = frozenset()
    clearance_expires: timedelta | None = None
    stages_memo: dict[tuple[str, ...], tuple[Stage, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def protocol(self, name: str) -> Protocol | None:
        """The protocol with this name, or None."""
        for one in self.protocols:
            if one.name == name:
                return one
        return None

    def protocols_for(self, kind: str) -> tuple[str, ...]:
        """The protocols a kind of work must meet."""
        wanted = canonical_kind(kind)
        return next((rule.protocols for rule in self.kinds if canonical_kind(rule.kind) == wanted), self.default)

    def group(self, name: str) -> frozenset[str]:
        """The members of a group; an undefined group is empty."""
        return next((one.members for one in self.groups if one.name == name), frozenset())
