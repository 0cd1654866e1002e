"""Events: facts in the past tense, the only content of the log."""

from foureyes.core.events.beside import (
    BaseAttested,
    BesideEvent,
    BlobPurged,
    HooksResumed,
    HooksSilenced,
    KeyRotated,
    LessonKind,
    LessonRecorded,
    LessonRetired,
    LiveRefused,
    PolicyActivated,
    SessionEnded,
    SessionPaused,
    SessionResumed,
    SignalReceived,
    SignalType,
    SilenceDetected,
    SkipDisabled,
    SkipEnabled,
    SkipSuggested,
    StoreRestored,
    WentLive,
    WholeSeen,
)
from foureyes.core.events.findings import (
    FindingAnswered,
    FindingInherited,
    FindingLifted,
    FindingRaised,
    FindingReopened,
    FindingResolved,
    FindingsMatched,
    FindingVerified,
    FindingWaived,
)
from foureyes.core.events.principals import (
    PrincipalEnrolled,
    PrincipalEvent,
    PrincipalRemoved,
    TokenIssued,
    TokenRevoked,
)
from foureyes.core.events.reports import (
    ReportFailed,
    ReportKept,
    ReportRequested,
    ReportSubmitted,
    SeatLeft,
    SeatRenewed,
    SeatTaken,
)
from foureyes.core.events.review import (
    DeadlinePassed,
    EscapeReported,
    NoteAdded,
    PolicyNoted,
    RequestLapsed,
    ReviewCleared,
    ReviewClosed,
    ReviewOpened,
    ReviewReopened,
    RevisionRequested,
    RevisionSubmitted,
    StagesSkipped,
)
from foureyes.core.events.rulings import (
    RulingGiven,
    RulingRequested,
    StageOverridden,
)

#: All review events after ReviewOpened.
LaterEvent = (
    RevisionSubmitted
    | RevisionRequested
    | RequestLapsed
    | DeadlinePassed
    | StagesSkipped
    | ReviewCleared
    | ReviewClosed
    | ReviewReopened
    | PolicyNoted
    | EscapeReported
    | NoteAdded
    | ReportRequested
    | SeatTaken
    | SeatRenewed
    | SeatLeft
    | ReportSubmitted
    | ReportKept
    | ReportFailed
    | FindingRaised
    | FindingInherited
    | FindingLifted
    | FindingAnswered
    | FindingResolved
    | FindingReopened
    | FindingVerified
    | FindingWaived
    | FindingsMatched
    | RulingRequested
    | RulingGiven
    | StageOverridden
)
ReviewEvent = ReviewOpened | LaterEvent
SideEvent = BesideEvent | PrincipalEvent
Event = ReviewEvent | SideEvent

__all__ = [
    "BaseAttested",
    "BlobPurged",
    "DeadlinePassed",
    "EscapeReported",
    "Event",
    "FindingAnswered",
    "FindingInherited",
    "FindingLifted",
    "FindingRaised",
    "FindingReopened",
    "FindingResolved",
    "FindingVerified",
    "FindingWaived",
    "FindingsMatched",
    "HooksResumed",
    "HooksSilenced",
    "KeyRotated",
    "LaterEvent",
    "LessonKind",
    "LessonRecorded",
    "LessonRetired",
    "LiveRefused",
    "NoteAdded",
    "PolicyActivated",
    "PolicyNoted",
    "PrincipalEnrolled",
    "PrincipalEvent",
    "PrincipalRemoved",
    "ReportFailed",
    "ReportKept",
    "ReportRequested",
    "ReportSubmitted",
    "RequestLapsed",
    "ReviewCleared",
    "ReviewClosed",
    "ReviewEvent",
    "ReviewOpened",
    "ReviewReopened",
    "RevisionRequested",
    "RevisionSubmitted",
    "RulingGiven",
    "RulingRequested",
    "SeatLeft",
    "SeatRenewed",
    "SeatTaken",
    "SessionEnded",
    "SessionPaused",
    "SessionResumed",
    "SideEvent",
    "SignalReceived",
    "SignalType",
    "SilenceDetected",
    "SkipDisabled",
    "SkipEnabled",
    "SkipSuggested",
    "StageOverridden",
    "StagesSkipped",
    "StoreRestored",
    "TokenIssued",
    "TokenRevoked",
    "WentLive",
    "WholeSeen",
]
