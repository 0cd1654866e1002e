"""Trust records: the track record of an author with one kind of work, and the fast lane it allows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction
from typing import assert_never

from foureyes.core.events import SideEvent, SkipDisabled, SkipEnabled, SkipSuggested
from foureyes.core.independence import normal
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import NEVER_SKIPPED, Learning
from foureyes.core.values import Who

TRUST_MAX = 100
#: Version of the counting rule: every report against the work counts as an attempt; version 1 counted ends only.
TRUST_RULE = 2
#: Newest successes and failures kept. Only the newest of each is decisive, so dropping older ones is safe.
HISTORY_MAX = 20
REASON_CHARS_MAX = 2_000
ENABLED_NOTICE = "Auto-skip enabled"

History = tuple[tuple[datetime, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustRecord:
    """The track record of one author with one kind of work; trust in percent, apart from the mean confidence."""

    kind: str
    author: str
    attempts: int = 0
    successes: int = 0
    confidence_sum: int = 0
    seconds_sum: int = 0
    history: History = ()
    trust: int = 50
    needs_successes: int = 0
    last_review_at: datetime | None = None
    eligible_since: datetime | None = None
    suggested_at: datetime | None = None
    enabled_by: str = ""
    enabled_at: datetime | None = None
    expires: datetime | None = None
    disabled_because: str = ""
    rule: int = TRUST_RULE

    @property
    def pattern(self) -> str:
        """The name of the record as stored with a skip."""
        return f"{self.kind}/{self.author}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnableSkip:
    """A human lets this author's work of this kind pass without reviewers for a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisableSkip:
    """A human takes that back."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """Reviewers may be left out this time, and why."""

    reason: str
    pattern: str
    enabled_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSkip:
    """Reviewers look at it, and why."""

    reason: str


def record_review(
    record: TrustRecord,
    *,
    approved: bool,
    confidence: int | None,
    at: datetime,
    learning: Learning,
    took: timedelta = timedelta(0),
) -> TrustRecord:
    """Count a finished review; a success is an approval by a reviewer with enough confidence."""
    if not approved or confidence is None or confidence < learning.approval_confidence_min:
        return record_failure(record, at=at, learning=learning, took=took)
    counted = replace(
        _attempted(record, at, learning, took, succeeded=True),
        successes=record.successes + 1,
        confidence_sum=record.confidence_sum + confidence,
        trust=min(TRUST_MAX, record.trust + learning.increase_percent),
        needs_successes=max(0, record.needs_successes - 1),
    )
    since = (record.eligible_since or at) if eligible(counted, at, learning) else None
    return replace(counted, eligible_since=since)


def record_failure(
    record: TrustRecord, *, at: datetime, learning: Learning, took: timedelta = timedelta(0)
) -> TrustRecord:
    """Count an unsuccessful attempt; the fast lane is disabled if trust falls too low."""
    counted = replace(
        _attempted(record, at, learning, took, succeeded=False),
        trust=max(0, record.trust - learning.decrease_percent),
        eligible_since=None,
    )
    if counted.trust >= learning.trust_min_percent:
        return counted
    return _shut(counted, f"Trust fell to {counted.trust}%, below {learning.trust_min_percent}%")


def record_escape(record: TrustRecord, *, at: datetime, learning: Learning) -> TrustRecord:
    """Count a defect found in cleared work: disable the fast lane at once, and require all successes again."""
    counted = replace(
        record,
        trust=max(0, record.trust - learning.escape_percent),
        needs_successes=learning.successes_min,
        eligible_since=None,
    )
    return _shut(counted, f"A defect escaped on {at.date().isoformat()}")


def shut_by(before: TrustRecord, after: TrustRecord) -> SkipDisabled | None:
    """The event to record, and to tell a human, if counting disabled the fast lane."""
    if not before.enabled_by or after.enabled_by:
        return None
    return SkipDisabled(kind=after.kind, author=after.author, by="trust", reason=after.disabled_because)


def average(record: TrustRecord) -> Fraction | None:
    """The mean confidence of the successes, from 0 to 1; None without successes."""
    return Fraction(record.confidence_sum, 100 * record.successes) if record.successes else None


def eligible(record: TrustRecord, now: datetime, learning: Learning) -> bool:
    """True if a human may enable the fast lane: enough successes with enough confidence, and no recent failure."""
    return not _why_not_eligible(record, now, learning)


def suggestion(record: TrustRecord, now: datetime, learning: Learning) -> SkipSuggested | None:
    """Suggest the fast lane to a human: once per record, a while after it became eligible."""
    mean = average(record)
    if record.suggested_at or record.enabled_by or record.eligible_since is None or mean is None:
        return None
    if now - record.eligible_since < learning.suggest_after or not eligible(record, now, learning):
        return None
    return SkipSuggested(
        kind=record.kind,
        author=record.author,
        successes=record.successes,
        confidence_percent=_percent(mean),
        minutes_saved=record.seconds_sum // record.attempts // 60,
    )


def may_skip(record: TrustRecord | None, now: datetime, learning: Learning, *, audit_draw: int) -> Skip | NoSkip:
    """Decide if this work may go without reviewers; in case of doubt it may not."""
    if record is None or not record.enabled_by:
        return NoSkip(reason="No human enabled auto-skip for this kind of work of this author")
    reason = _why_not_skip(record, now, learning)
    if reason:
        return NoSkip(reason=reason)
    # Some skips are always audited, whatever the configuration says.
    if audit_draw % 100 < max(1, learning.audit_percent):
        return NoSkip(reason="Audit: drawn for review although auto-skip is on")
    percent = _percent(average(record) or Fraction(0))
    return Skip(
        reason=f"Auto-skip: {record.successes} successful reviews, {percent}% avg confidence",
        pattern=record.pattern,
        enabled_by=record.enabled_by,
    )


def decide_trust(
    record: TrustRecord, command: EnableSkip | DisableSkip, actor: Who, now: datetime, learning: Learning
) -> tuple[SideEvent, ...]:
    """Answer a human's command to enable or disable the fast lane."""
    if not actor.is_human:
        raise Refusal(Code.HUMAN_ONLY, "Only a human switches auto-skip.", "Ask a human to decide it.")
    match command:
        case EnableSkip():
            return (_enable(record, actor, now, learning),)
        case DisableSkip(reason=reason):
            return (_disable(record, actor, reason),)
        case _:
            assert_never(command)


def evolve_trust(record: TrustRecord, event: SideEvent, at: datetime) -> TrustRecord:
    """The record after a suggestion or decision about it."""
    match event:
        case SkipSuggested():
            return replace(record, suggested_at=at)
        case SkipEnabled(by=by, expires=expires):
            return replace(record, enabled_by=by, enabled_at=at, expires=expires, disabled_because="")
        case SkipDisabled(reason=reason):
            return replace(record, enabled_by="", enabled_at=None, expires=None, disabled_because=reason)
        case _:
            return record


def enabled_notice(event: SkipEnabled) -> tuple[str, str]:
    """Title and text of the notice that goes out when a human enabled the fast lane."""
    return ENABLED_NOTICE, f"{event.author} {event.kind} will skip peer review"


def _attempted(
    record: TrustRecord, at: datetime, learning: Learning, took: timedelta, *, succeeded: bool
) -> TrustRecord:
    begin = at - learning.lookback
    recent = sorted([entry for entry in (*record.history, (at, succeeded)) if entry[0] >= begin])
    kept = [entry for sort in (True, False) for entry in [one for one in recent if one[1] is sort][-HISTORY_MAX:]]
    return replace(
        record,
        attempts=record.attempts + 1,
        seconds_sum=record.seconds_sum + max(0, int(took.total_seconds())),
        history=tuple(sorted(kept)),
        last_review_at=max(at, record.last_review_at or at),
    )


def _shut(record: TrustRecord, reason: str) -> TrustRecord:
    if not record.enabled_by:
        return record
    return replace(record, enabled_by="", enabled_at=None, expires=None, disabled_because=reason)


def _why_not_eligible(record: TrustRecord, now: datetime, learning: Learning) -> str:
    recent = _recent(record, now, learning)
    if record.kind in NEVER_SKIPPED:
        return f"Work of kind {record.kind} is always reviewed."
    if record.needs_successes:
        return f"After an escaped defect {record.needs_successes} more successes are needed."
    thin = _why_too_thin(record, learning)
    if thin:
        return thin
    # Without any recent review, all() is true, but there is no success either.
    if not recent or not all(recent):
        return f"The last {learning.lookback.days} days show no review, or a failure."
    return ""


def _why_too_thin(record: TrustRecord, learning: Learning) -> str:
    """What is missing from the record; checked when the fast lane is enabled, and each time it is used."""
    mean = average(record)
    if record.successes < learning.successes_min or mean is None:
        return f"{record.successes} of {learning.successes_min} successes are there."
    if mean < Fraction(learning.confidence_min_percent, 100):
        return f"The mean confidence is {_percent(mean)}%, below {learning.confidence_min_percent}%."
    return ""


def _why_not_skip(record: TrustRecord, now: datetime, learning: Learning) -> str:
    if record.kind in NEVER_SKIPPED:
        return f"Work of kind {record.kind} is always reviewed"
    if record.expires is None or now >= record.expires:
        return "Auto-skip has expired; a human may enable it again"
    if not all(_recent(record, now, learning)):
        return f"There was a failure in the last {learning.lookback.days} days"
    if record.trust < learning.trust_min_percent:
        return f"Trust is {record.trust}%, below {learning.trust_min_percent}%"
    # A last review in the future means that the clock jumped, so the length of the gap is unknown.
    if record.last_review_at is None or not timedelta(0) <= now - record.last_review_at <= learning.fresh_for:
        return f"Pattern check: reviewing after {learning.fresh_for.days} day gap"
    return _why_too_thin(record, learning)


def _recent(record: TrustRecord, now: datetime, learning: Learning) -> list[bool]:
    begin = now - learning.lookback
    return [succeeded for at, succeeded in record.history if at >= begin]


def _percent(mean: Fraction) -> int:
    """Round half up, as in the text shown to people."""
    return (mean * 100 + Fraction(1, 2)).__floor__()


def _enable(record: TrustRecord, actor: Who, now: datetime, learning: Learning) -> SkipEnabled:
    if normal(actor.name) == normal(record.author):
        raise Refusal(
            Code.AUTHOR_MAY_NOT, "Nobody enables auto-skip for their own work.", "Ask another human to decide it."
        )
    if record.enabled_by and record.expires is not None and now < record.expires:
        raise Refusal(
            Code.DUPLICATE,
            f"Auto-skip is on until {record.expires.isoformat()}.",
            "Nothing is left to do; renew it after it has expired.",
        )
    reason = _why_not_eligible(record, now, learning)
    if reason:
        raise Refusal(Code.NOT_ELIGIBLE, reason, "Let reviewers look until the record is good enough.")
    return SkipEnabled(kind=record.kind, author=record.author, by=actor.name, expires=now + learning.enabled_for)


def _disable(record: TrustRecord, actor: Who, reason: str) -> SkipDisabled:
    if not record.enabled_by:
        raise Refusal(Code.NOT_OPEN, "Auto-skip is not on for this record.", "Nothing is left to do.")
    if not reason.strip():
        raise Refusal(Code.REASON_MISSING, "No reason is given.", "Say why auto-skip shall end.")
    if len(reason) > REASON_CHARS_MAX:
        raise Refusal(
            Code.TOO_LONG,
            f"The reason has {len(reason)} characters, more than {REASON_CHARS_MAX}.",
            "Say it in fewer words.",
        )
    return SkipDisabled(kind=record.kind, author=record.author, by=actor.name, reason=reason)
