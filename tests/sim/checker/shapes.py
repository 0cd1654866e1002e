"""The values of the checker, which depend on nothing of the program."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
Who = dict[str, str]

SEVERITY = {"minor": 1, "important": 2, "critical": 3}
RISK = {"low": 1, "medium": 2, "high": 3}
NEVER_SKIPPED = frozenset({"security_change", "breaking_change", "database_migration"})
OPENING = frozenset({"pass_stage", "waive"})
VERDICTS = frozenset({"approve", "concerns", "reject"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A violation of an invariant."""

    invariant: str
    review: str
    text: str

    def __str__(self) -> str:
        return f"{self.invariant} in {self.review}: {self.text}"


@dataclass(slots=True, kw_only=True)
class Delivered:
    """One command as the simulator's network delivered it, and its result."""

    principal: Who
    stream: str
    key: str
    body: object
    command: str
    at: str
    accepted: bool
    reply: str
    envelopes: Sequence[Json] = ()
    repeated: bool = False
    log_before: int = 0
    log_after: int = 0
    same_state: bool = True
    revision: int | None = None
    digest: str = ""
    verdict: str | None = None
    served: str = ""
    draw: int = 0
    items: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What one viewer was shown, and what they see when the hidden reports differ."""

    stream: str
    viewer: str
    text: str
    elsewhere: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The truth about some bytes, which the program must not contradict."""

    digest: str
    risk: str = "medium"
    trivial: bool = False
    #: Whether the base is known besides the author's claim, and whether a program proves the bytes harmless.
    known: bool = False
    proven: bool = False
    paths: tuple[str, ...] = ()
    bad: bool = False
    #: Bytes with all their text in common.
    family: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StagePolicy:
    """What one stage demands."""

    name: str
    protocol: str
    vote: str = "all"
    quorum: int = 1
    distinct: str = "reviewer"
    seats: tuple[Json, ...] = ()
    blocking: str = "important"
    floor: str = "important"
    late_is_advisory: bool = True
    blind: str = "first"
    independence: tuple[str, ...] = ()
    of_author: tuple[str, ...] = ()
    own_blocking: str = ""
    programs: bool = True
    human: bool = False
    agreed: tuple[str, ...] = ()
    coverage: int = 0
    confidence_min: int = 0
    criteria: dict[str, tuple[str, ...]] = field(default_factory=dict)
    keeps: tuple[str, ...] = ()
    seats_max: int = 0

    @property
    def has_veto(self) -> bool:
        return any(seat.get("veto", False) for seat in self.seats)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolPolicy:
    """What one review style demands."""

    name: str
    style: str
    stages: tuple[StagePolicy, ...]
    revisions_max: int
    exhausted: str = "escalate_to_human"
    failures_max: int = 2
    reports_max: int = 3
    ruling_needs: int = 1
    ruling_group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the policy of this digest demands, in the simulator's description."""

    digest: str
    protocols: dict[str, ProtocolPolicy]
    kinds: dict[str, tuple[str, ...]] = field(default_factory=dict)
    default: tuple[str, ...] = ()
    paths: dict[str, str] = field(default_factory=dict)
    risks: tuple[tuple[str, tuple[str, ...]], ...] = ()
    skip_kinds: frozenset[str] = frozenset()
    skip_autonomy: str = ""
    skip_learned: bool = False
    enabled: bool = True
    groups: dict[str, frozenset[str]] = field(default_factory=dict)
    parallel_max: int = 3
    reopenings_max: int = 10
    single_use_kinds: frozenset[str] = frozenset()
    expires_seconds: int = 0

    def kinds_of(self, kind: str, work: Work | None) -> set[str]:
        """The kind the author named, and those its paths make it."""
        paths = work.paths if work is not None else ()
        return {kind} | {other for prefix, other in self.paths.items() if any(p.startswith(prefix) for p in paths)}

    def may_skip(self, kind: str, work: Work | None, context: dict[str, str], *, learned: bool) -> bool:
        """Whether this policy lets such bytes skip reviewers."""
        if work is None or self.kinds_of(kind, work) & NEVER_SKIPPED:
            return False
        if not self.enabled and work.risk != "high":
            return True
        if learned:
            return self.skip_learned and work.risk != "high"
        if not work.known or not work.proven:
            return False
        named = kind in self.skip_kinds
        labelled = bool(self.skip_autonomy) and context.get("autonomy_level") == self.skip_autonomy
        return (named and work.trivial) or (labelled and work.risk == "low" and kind != "task")

    def required(self, kind: str, work: Work | None) -> set[str]:
        """The protocols that these bytes must meet, whatever the caller's label."""
        kinds = self.kinds_of(kind, work)
        names = {name for one in kinds for name in self.kinds.get(one, self.default)}
        if work is not None:
            names |= {n for level, many in self.risks if RISK[work.risk] >= RISK[level] for n in many}
        return names


def parse_policy(digest: str, data: Json) -> Policy:
    """Parse a policy's description."""
    protocols: dict[str, ProtocolPolicy] = {}
    for name, one in data["protocols"].items():
        rest = {key: value for key, value in one.items() if key != "stages"}
        stages = tuple(StagePolicy(protocol=name, **stage) for stage in one["stages"])
        protocols[name] = ProtocolPolicy(name=name, stages=stages, **rest)
    rest = {key: value for key, value in data.items() if key != "protocols"}
    return Policy(digest=digest, protocols=protocols, **rest)


def differ(fact: str, one: Who, other: Who) -> bool:
    """Whether two reviewers differ in a fact; an unknown fact never differs, and a human always does."""
    key = "name" if fact == "reviewer" else fact
    mine, theirs = one.get(key, ""), other.get(key, "")
    if key in ("session", "model_family", "provider") and "human" in (one["kind"], other["kind"]):
        return one["name"] != other["name"]
    return bool(mine) and bool(theirs) and mine != theirs


def level_between(one: Who, other: Who) -> int:
    """How independent two are: 1 another session, 2 another model family too, 3 another operator too, 0 unknown."""
    reached = 0
    for fact in ("session", "model_family", "operator"):
        if not differ(fact, one, other):
            break
        reached += 1
    return reached
