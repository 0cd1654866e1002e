"""Commands: requests to the gate in the imperative, each answered with events or a refusal."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from foureyes.core.grounds import NAMED_GROUNDS
from foureyes.core.values import (
    Cost,
    Criterion,
    Evidence,
    Failure,
    LeftBecause,
    Origin,
    Outcome,
    Pairs,
    Place,
    Severity,
    Verdict,
    Verification,
    Who,
    WorkPart,
)

#: Metadata key for the words a field may have; other spellings of the same words are accepted too.
WORDS = "words"
SEVERITY_WORDS = {WORDS: tuple(one.name.lower() for one in sorted(Severity, reverse=True))}
VERDICT_WORDS = {WORDS: tuple(Verdict)}
LEFT_WORDS = {WORDS: tuple(one for one in LeftBecause if one is not LeftBecause.REMOVED)}
GROUND_WORDS = {WORDS: NAMED_GROUNDS}
RESULT_WORDS = {WORDS: tuple(Verification)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The author's reply to one finding: fixed, or wrong and why."""

    finding: str
    text: str
    rebuttal: bool = False
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """A reviewer's word on one of their own findings."""

    finding: str
    resolved: bool
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A finding as a reviewer hands it in; the severity is the reviewer's own word."""

    severity: str = field(metadata=SEVERITY_WORDS)
    text: str
    category: str = "other"
    scope: str = ""
    place: Place | None = None
    evidence: str = ""
    suggestion: str = ""
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenReview:
    """A piece of work asks to go live; by its author, a human, or the session's reactor."""

    review: str
    kind: str
    title: str
    digest: str
    base: str = ""
    parts: tuple[WorkPart, ...] = ()
    protocols: tuple[str, ...] = ()
    trigger: str = "author"
    origin: Origin = Origin()
    context: Pairs = ()
    questions: tuple[str, ...] = ()
    confidence: int | None = None
    note: str = ""
    on_behalf_of: Who | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitRevision:
    """New bytes, with the answers to what was found; by the author."""

    digest: str
    base: str = ""
    parts: tuple[WorkPart, ...] = ()
    note: str = ""
    answers: tuple[Answer, ...] = ()
    confidence: int | None = None
    turns: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFinding:
    """A reply to one finding without new bytes; by the author."""

    finding: str
    text: str
    rebuttal: bool = False
    evidence: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawReview:
    """The author no longer wants this."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeSeat:
    """An eligible reviewer begins: on a named seat, or as a volunteer on an open stage."""

    seat: str = ""
    stage: str = ""
    lease: timedelta = timedelta(minutes=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewSeat:
    """A sign of life of the holder, perhaps with a draft for a successor."""

    seat: str
    draft: str = ""
    lease: timedelta = timedelta(minutes=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveSeat:
    """The holder gives the seat back."""

    seat: str
    reason: str = field(default="declined", metadata=LEFT_WORDS)
    draft: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmitReport:
    """What a reviewer found on one revision, and approve, concerns or reject; takes the seat that is theirs to take."""

    revision: int
    seat: str = ""
    stage: str = ""
    verdict: str | None = field(default=None, metadata=VERDICT_WORDS)
    grounds: tuple[str, ...] = field(default=(), metadata=GROUND_WORDS)
    summary: str = ""
    strengths: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    checklist: tuple[Criterion, ...] = ()
    answers: tuple[str, ...] = ()
    findings: tuple[Draft, ...] = ()
    settled: tuple[Settlement, ...] = ()
    confidence: int | None = None
    coverage: int = 100
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportInconclusive:
    """A reviewer's run failed; neither an approval nor a rejection."""

    seat: str
    revision: int
    reason: Failure
    text: str = ""
    draft: str = ""
    #: The findings made before the run failed.
    findings: tuple[Draft, ...] = ()
    cost: Cost = Cost()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepReport:
    """A reviewer stands by an earlier report after reading the new revision."""

    seat: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SettleFinding:
    """The seat's holder confirms or reopens one finding."""

    finding: str
    revision: int
    resolved: bool
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyFinding:
    """A verifying seat confirms or refutes a finding."""

    finding: str
    revision: int
    result: str = field(metadata=RESULT_WORDS)
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestRuling:
    """Author or reviewer ask for a human; once each per revision, and once on a rejection."""

    reason: str
    argument: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveRuling:
    """A human decides among the options, with own words as demands where they revise."""

    request: str
    option: str
    reason: str
    demands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideStage:
    """A human passes one stage of the current revision, echoing the digest they looked at."""

    stage: str
    revision: int
    digest: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiveFinding:
    """A human says this finding shall not stop the work."""

    finding: str
    reason: str
    false_positive: bool = False
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReopenReview:
    """A human sets an ended review going again."""

    reason: str
    undoes: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportEscape:
    """Anyone reports a defect in cleared work."""

    text: str
    severity: str
    found_in: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddNote:
    """Anyone who may see the review writes beside it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PassDeadline:
    """The clock says that a request's due time is over."""

    request: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckInherited:
    """The clock says that something changed in a review that a finding of this one comes from."""

    source: str


#: The commands that need an existing review.
LaterCommand = (
    SubmitRevision
    | AnswerFinding
    | WithdrawReview
    | TakeSeat
    | RenewSeat
    | LeaveSeat
    | SubmitReport
    | ReportInconclusive
    | KeepReport
    | SettleFinding
    | VerifyFinding
    | RequestRuling
    | GiveRuling
    | OverrideStage
    | WaiveFinding
    | ReopenReview
    | ReportEscape
    | AddNote
    | PassDeadline
    | CheckInherited
)
ReviewCommand = OpenReview | LaterCommand
