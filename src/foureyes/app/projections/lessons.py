"""Lessons learned about a scope: those in force, and apart from them those that were retired."""

from __future__ import annotations

import json

from foureyes.app.ports import Reading
from foureyes.app.projections.projection import Changed, Happened, Projection, Read, key, slot_of, types
from foureyes.codec.shapes import shape
from foureyes.core.events import LessonKind, LessonRecorded, LessonRetired
from foureyes.core.lessons import LESSONS_MAX, Lesson, evolve_lessons

_put, _take = shape(Lesson)


def changes(one: Happened, read: Read) -> Changed:
    """Apply one event with the core's own function to the one lesson it can change."""
    match one.event:
        case LessonRecorded():
            yield from _recorded(one, one.event, read)
        case LessonRetired(lesson=lesson, scope=scope):
            body = read(key("live", scope, lesson))
            if body is not None:
                yield from _retired(one, one.event, _take(body))
        case _:
            return


LESSONS = Projection(name="lessons", version=1, takes=types(LessonRecorded, LessonRetired), changes=changes)


def lessons(reading: Reading, scope: str) -> tuple[Lesson, ...]:
    """Return the lessons of a scope that nobody retired; `core.lessons.in_force` says which apply now."""
    slot = slot_of(reading, LESSONS.name)
    rows = reading.rows(slot, f"{key('live', scope)}/", limit=LESSONS_MAX)
    return tuple(_take(json.loads(body)) for _, body in rows)


def _recorded(one: Happened, event: LessonRecorded, read: Read) -> Changed:
    pattern = _pattern(event.kind, event.scope, event.fingerprint)
    known = read(pattern) if pattern else None
    body = read(key("live", event.scope, known["lesson"])) if known else None
    for lesson in evolve_lessons((_take(body),) if body else (), event, one.at):
        yield key("live", event.scope, lesson.id), _put(lesson)
    if pattern and known is None:
        yield pattern, {"lesson": event.lesson}


def _retired(one: Happened, event: LessonRetired, lesson: Lesson) -> Changed:
    (after,) = evolve_lessons((lesson,), event, one.at)
    yield key("live", event.scope, lesson.id), None
    yield key("retired", event.scope, lesson.id), _put(after)
    pattern = _pattern(lesson.kind, event.scope, lesson.fingerprint)
    if pattern:
        yield pattern, None


def _pattern(kind: LessonKind, scope: str, fingerprint: str) -> str:
    """Return the key by which a pattern is found again; empty for other lessons, which are not counted."""
    return key("pattern", scope, fingerprint) if kind is LessonKind.PATTERN and fingerprint else ""
