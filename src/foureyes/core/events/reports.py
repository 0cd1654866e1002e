"""Events between a review and its reviewers: seats and reports."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from foureyes.core.values import Cost, Criterion, Evidence, Failure, KeptBy, LeftBecause, SeatSpec, Verdict, Who


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequested:
    """A seat owes a report on a revision, or its word about some findings."""

    request: str
    seat: SeatSpec
    revision: int
    due: datetime
    limit: datetime
    about: tuple[str, ...] = ()
    queued: bool = False
    draw: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatTaken:
    """A reviewer has begun."""

    seat: str
    stage: str
    reviewer: Who
    lease: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatRenewed:
    """A reviewer gave a sign of life, perhaps with a draft."""

    seat: str
    lease: datetime
    draft: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLeft:
    """A reviewer no longer holds the seat."""

    seat: str
    reviewer: str
    reason: LeftBecause
    draft: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSubmitted:
    """A reviewer vouches for, doubts or rejects exactly one revision."""

    seat: str
    revision: int
    digest: str
    reviewer: Who
    verdict: Verdict | None = None
    grounds: tuple[str, ...] = ()
    blocking: tuple[str, ...] = ()
    repeats: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    summary: str = ""
    strengths: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    checklist: tuple[Criterion, ...] = ()
    answers: tuple[str, ...] = ()
    confidence: int | None = None
    coverage: int = 100
    cost: Cost = Cost()
    #: True if budgets count the cost; the cost reported by a reviewer that others run is only recorded.
    counted: bool = True
    flags: tuple[str, ...] = ()
    #: The digest of the bytes the reviewer was given; empty in reports older than this field.
    served: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportKept:
    """A report on an earlier revision counts for this one too."""

    seat: str
    revision: int
    digest: str
    by: KeptBy


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFailed:
    """A reviewer's run ended without an answer; it counts neither way."""

    seat: str
    revision: int
    reviewer: str
    reason: Failure
    text: str = ""
    draft: str = ""
    cost: Cost = Cost()
    #: True if budgets count the cost; the cost reported by a reviewer that others run is only recorded.
    counted: bool = True
