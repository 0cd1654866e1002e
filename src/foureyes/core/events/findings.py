"""Events about findings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from foureyes.core.values import Group, Place, Severity, Verification, Who


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRaised:
    """One specific issue, owned by its seat."""

    finding: str
    seat: str
    raiser: str
    revision: int
    severity: Severity
    severity_word: str
    category: str
    text: str
    fingerprint: str
    scope: str = ""
    place: Place | None = None
    evidence: str = ""
    suggestion: str = ""
    #: The critic's rule, if a critic found it.
    rule: str = ""
    advisory: str = ""
    suppressed_by: str = ""
    demand: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingInherited:
    """An open finding of another review of the same party stands here too: the text it is about is in these bytes."""

    finding: str
    #: The review and finding it was raised as.
    review: str
    source: str
    raiser: str
    revision: int
    severity: Severity
    severity_word: str
    category: str
    text: str
    fingerprint: str
    scope: str = ""
    #: The place of the text in these bytes.
    place: Place | None = None
    evidence: str = ""
    suggestion: str = ""
    rule: str = ""
    #: True if a seat with veto power raised it.
    veto: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingLifted:
    """An inherited finding stands no more: settled where it was raised, its text changed, or raised here anew."""

    finding: str
    revision: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingAnswered:
    """The author replied: it is fixed, or it is wrong and why."""

    finding: str
    revision: int
    text: str
    rebuttal: bool = False
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingResolved:
    """The seat's holder is satisfied."""

    finding: str
    revision: int
    by: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingReopened:
    """The seat's holder is not satisfied: a new cycle."""

    finding: str
    revision: int
    by: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingVerified:
    """A verifying seat confirmed or refuted somebody's finding."""

    finding: str
    seat: str
    revision: int
    result: Verification
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingWaived:
    """A human says this finding shall not stop the work."""

    finding: str
    by: Who
    reason: str
    false_positive: bool = False
    expires: datetime | None = None
    context_hash: str = ""
    #: The local repository it applies to; empty if it applies wherever the text is.
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsMatched:
    """Which findings of several seats are one issue, contradict each other, or may be either."""

    stage: str
    revision: int
    groups: tuple[Group, ...] = ()
    contradictions: tuple[Group, ...] = ()
    uncertain: tuple[Group, ...] = ()
    matcher: str = ""
