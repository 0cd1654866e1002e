"""Lessons: record and retire them, find those in force, and the findings a false positive suppresses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import assert_never

from foureyes.core.contexts import dismissal_key
from foureyes.core.events import LessonKind, LessonRecorded, LessonRetired, SideEvent
from foureyes.core.facts import Suppression
from foureyes.core.independence import normal
from foureyes.core.model import Review
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Severity, Who

TEXT_CHARS_MAX = 2_000
LESSONS_MAX = 500
ARCHIVED_AFTER = timedelta(days=30)
SUPPRESSED_FOR = timedelta(days=180)
SUPPRESSED_FOR_MAX = timedelta(days=365)
#: Prefix of a review's task that names a local repository.
LOCAL = "local:"

#: Kinds that influence reviewers and therefore come from humans; agents only report patterns.
HUMAN_KINDS = frozenset({LessonKind.FALSE_POSITIVE, LessonKind.RULE})


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordLesson:
    """Remember something: a pattern seen again counts up, a false positive silences while its context stays."""

    lesson: str
    kind: LessonKind
    text: str
    source: str
    fingerprint: str = ""
    context_hash: str = ""
    severity: Severity = Severity.MINOR
    example: str = ""
    expires: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetireLesson:
    """One lesson no longer holds."""

    lesson: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeLessons:
    """A human retires everything that came from one source."""

    source: str
    reason: str


LessonCommand = RecordLesson | RetireLesson | PurgeLessons


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One remembered thing, with where it comes from and how often it was seen."""

    id: str
    scope: str
    kind: LessonKind
    text: str
    fingerprint: str
    context_hash: str
    severity: Severity
    source: str
    by: Who
    recorded_at: datetime
    last_seen: datetime
    frequency: int = 1
    example: str = ""
    expires: datetime | None = None
    retired: str = ""


Lessons = tuple[Lesson, ...]


def decide_lesson(
    lessons: Lessons, command: LessonCommand, actor: Who, now: datetime, *, scope: str
) -> tuple[SideEvent, ...]:
    """Answer a command about the lessons of one scope."""
    match command:
        case RecordLesson():
            return (_record(lessons, command, actor, now, scope),)
        case RetireLesson():
            return (_retire(lessons, command, actor, scope),)
        case PurgeLessons():
            return _purge(lessons, command, actor, scope)
        case _:
            assert_never(command)


def evolve_lessons(lessons: Lessons, event: SideEvent, at: datetime) -> Lessons:
    """The lessons after one event; a known pattern is counted again, not duplicated."""
    match event:
        case LessonRecorded():
            known = _known_pattern(lessons, event.kind, event.fingerprint)
            return (*lessons, _lesson(event, at)) if known is None else _seen_again(lessons, known, event, at)
        case LessonRetired(lesson=lesson, reason=reason):
            return tuple(replace(one, retired=reason) if one.id == lesson else one for one in lessons)
        case _:
            return lessons


def archived(lesson: Lesson, now: datetime) -> bool:
    """True if a common issue was not seen for so long that it is set aside; other lessons do not age this way."""
    return lesson.kind is LessonKind.PATTERN and now - lesson.last_seen >= ARCHIVED_AFTER


def in_force(lessons: Lessons, now: datetime) -> Lessons:
    """The lessons that reviewers are given now."""
    return tuple(
        one for one in lessons if not one.retired and not _expired(one.expires, now) and not archived(one, now)
    )


def common_issues(lessons: Lessons, now: datetime) -> Lessons:
    """The patterns to look for first: the most frequent, then the gravest, then the newest."""
    patterns = [one for one in in_force(lessons, now) if one.kind is LessonKind.PATTERN]
    newest_first = sorted(patterns, key=lambda one: (one.last_seen, one.id), reverse=True)
    return tuple(sorted(newest_first, key=lambda one: (-one.frequency, -one.severity)))


def suppressions_for(lessons: Lessons, now: datetime) -> tuple[Suppression, ...]:
    """The false positives in force, as suppressions by the humans who recorded them."""
    return tuple(
        Suppression(
            fingerprint=one.fingerprint,
            context_hash=one.context_hash,
            source=one.id,
            by=one.by.name,
            expires=one.expires,
        )
        for one in in_force(lessons, now)
        if one.kind is LessonKind.FALSE_POSITIVE and one.by.is_human
    )


def applies(
    suppression: Suppression, *, fingerprint: str, context_hash: str, severity: Severity, veto: bool, now: datetime
) -> bool:
    """True if this finding is suppressed: it is the same one, in the same context.

    A critical finding, or one of a veto scope, is suppressed only by a `grave` suppression.
    """
    if (veto or severity >= Severity.CRITICAL) and not suppression.grave:
        return False
    if _expired(suppression.expires, now):
        return False
    if not fingerprint or not context_hash:
        return False
    known = (suppression.fingerprint, dismissal_key(suppression.context_hash))
    return known == (fingerprint, dismissal_key(context_hash))


def place_of(review: Review) -> str:
    """The local repository that a review is about; empty if the review was opened at a server."""
    return review.origin.task if review.origin.task.startswith(LOCAL) else ""


def _record(lessons: Lessons, command: RecordLesson, actor: Who, now: datetime, scope: str) -> LessonRecorded:
    if command.kind in HUMAN_KINDS and not actor.is_human:
        raise Refusal(
            Code.HUMAN_ONLY,
            f"Only a human records a lesson of kind {command.kind.value}.",
            "Ask a human, or record what you saw as a pattern.",
        )
    _check_text(command.text, "lesson")
    _check_length(command.example, "example")
    if not command.source.strip():
        raise Refusal(Code.EVIDENCE_MISSING, "The lesson has no source.", "Name the review or finding that taught it.")
    if not command.lesson.strip() or any(one.id == command.lesson for one in lessons):
        raise Refusal(Code.DUPLICATE, f"Lesson id {command.lesson!r} cannot be used.", "Use a new id.")
    known = _known_pattern(lessons, command.kind, command.fingerprint)
    if known is None and sum(not one.retired for one in lessons) >= LESSONS_MAX:
        raise Refusal(Code.TOO_MANY, f"Scope {scope} has {LESSONS_MAX} lessons.", "Retire some that no longer hold.")
    return LessonRecorded(
        lesson=known.id if known else command.lesson,
        scope=scope,
        kind=command.kind,
        text=command.text,
        fingerprint=command.fingerprint,
        context_hash=command.context_hash,
        severity=command.severity,
        source=command.source,
        by=actor,
        example=command.example,
        expires=_expiry(command, now),
    )


def _expiry(command: RecordLesson, now: datetime) -> datetime | None:
    if command.expires is not None and command.expires <= now:
        raise Refusal(Code.STALE, "The lesson would have expired already.", "Choose a time to come, or none.")
    if command.kind is not LessonKind.FALSE_POSITIVE:
        return command.expires
    if not command.fingerprint or not command.context_hash:
        raise Refusal(
            Code.EVIDENCE_MISSING,
            "A false positive must name the finding and the text around it.",
            "Give the finding's fingerprint and context hash.",
        )
    if command.expires is not None and command.expires > now + SUPPRESSED_FOR_MAX:
        raise Refusal(
            Code.TOO_LONG,
            f"A false positive holds for at most {SUPPRESSED_FOR_MAX.days} days.",
            "Choose an earlier end; it can be recorded again.",
        )
    return command.expires or now + SUPPRESSED_FOR


def _retire(lessons: Lessons, command: RetireLesson, actor: Who, scope: str) -> LessonRetired:
    lesson = next((one for one in lessons if one.id == command.lesson and not one.retired), None)
    if lesson is None:
        raise Refusal(
            Code.NOT_OPEN, f"Lesson {command.lesson} is not in force in {scope}.", "Look at the list of lessons."
        )
    if not actor.is_human and normal(actor.name) != normal(lesson.by.name):
        raise Refusal(
            Code.NOT_ELIGIBLE,
            f"Lesson {lesson.id} was recorded by {lesson.by.name}.",
            "Ask them or a human to retire it.",
        )
    _check_text(command.reason, "reason")
    return LessonRetired(lesson=lesson.id, scope=scope, by=actor.name, reason=command.reason)


def _purge(lessons: Lessons, command: PurgeLessons, actor: Who, scope: str) -> tuple[LessonRetired, ...]:
    if not actor.is_human:
        raise Refusal(Code.HUMAN_ONLY, "Only a human purges lessons.", "Ask a human to do it.")
    _check_text(command.reason, "reason")
    found = [one for one in lessons if one.source == command.source and not one.retired]
    if not found:
        raise Refusal(
            Code.NOT_OPEN, f"No lesson in force came from {command.source!r}.", "Look at the sources of the lessons."
        )
    return tuple(LessonRetired(lesson=one.id, scope=scope, by=actor.name, reason=command.reason) for one in found)


def _check_text(text: str, what: str) -> None:
    if not text.strip():
        raise Refusal(Code.REASON_MISSING, f"The {what} is empty.", f"Write the {what} in words.")
    _check_length(text, what)


def _check_length(text: str, what: str) -> None:
    if len(text) > TEXT_CHARS_MAX:
        raise Refusal(
            Code.TOO_LONG,
            f"The {what} has {len(text)} characters, more than {TEXT_CHARS_MAX}.",
            "Say it in fewer words.",
        )


def _known_pattern(lessons: Lessons, kind: LessonKind, fingerprint: str) -> Lesson | None:
    if kind is not LessonKind.PATTERN or not fingerprint:
        return None
    same = (one for one in lessons if one.kind is kind and one.fingerprint == fingerprint and not one.retired)
    return next(same, None)


def _lesson(event: LessonRecorded, at: datetime) -> Lesson:
    return Lesson(
        id=event.lesson,
        scope=event.scope,
        kind=event.kind,
        text=event.text,
        fingerprint=event.fingerprint,
        context_hash=event.context_hash,
        severity=event.severity,
        source=event.source,
        by=event.by,
        recorded_at=at,
        last_seen=at,
        example=event.example,
        expires=event.expires,
    )


def _seen_again(lessons: Lessons, known: Lesson, event: LessonRecorded, at: datetime) -> Lessons:
    seen = replace(
        known,
        frequency=known.frequency + 1,
        last_seen=max(known.last_seen, at),
        severity=max(known.severity, event.severity),
        example=event.example or known.example,
    )
    return tuple(seen if one.id == known.id else one for one in lessons)


def _expired(expires: datetime | None, now: datetime) -> bool:
    return expires is not None and now >= expires
