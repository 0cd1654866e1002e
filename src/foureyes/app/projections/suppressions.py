"""Suppressions: the newest findings that humans marked as not real, by waiver or by lesson."""

from __future__ import annotations

import json

from foureyes.app.ports import Reading
from foureyes.app.projections.projection import Changed, Happened, Projection, Read, key, slot_of, types
from foureyes.codec.shapes import shape
from foureyes.core.events import FindingWaived, LessonKind, LessonRecorded, LessonRetired
from foureyes.core.facts import Suppression

#: Most suppressions kept; a new one replaces the oldest, whose finding is then raised again, which is safe.
SUPPRESSIONS_MAX = 500
NEXT = "next"

_put, _take = shape(Suppression)


def changes(one: Happened, read: Read) -> Changed:
    """Add a human's suppression, or drop it when its lesson is retired."""
    match one.event:
        case FindingWaived(false_positive=True):
            word = _waived(one, one.event)
            yield from _kept(key("source", word.source), word, read)
        case LessonRecorded(kind=LessonKind.FALSE_POSITIVE) if one.event.by.is_human:
            yield from _kept(_of_lesson(one.event.scope, one.event.lesson), _learned(one.event), read)
        case LessonRetired(lesson=lesson, scope=scope):
            source = _of_lesson(scope, lesson)
            known = read(source)
            if known is not None:
                yield source, None
                yield _place(known["place"]), None
        case _:
            return


SUPPRESSIONS = Projection(
    name="suppressions", version=3, takes=types(FindingWaived, LessonRecorded, LessonRetired), changes=changes
)


def suppressions(reading: Reading) -> tuple[Suppression, ...]:
    """Return every suppression that was not revoked; the caller checks whether it has expired."""
    slot = slot_of(reading, SUPPRESSIONS.name)
    rows = reading.rows(slot, "place/", limit=SUPPRESSIONS_MAX)
    return tuple(_take(json.loads(body)["word"]) for _, body in rows)


def _waived(one: Happened, event: FindingWaived) -> Suppression:
    finding = one.review.findings[event.finding]
    return Suppression(
        fingerprint=finding.fingerprint,
        context_hash=event.context_hash,
        source=f"{one.stored.stream}:{finding.id}",
        by=event.by.name,
        expires=event.expires,
        where=event.where,
        proven=event.by.is_human,
    )


def _learned(event: LessonRecorded) -> Suppression:
    return Suppression(
        fingerprint=event.fingerprint,
        context_hash=event.context_hash,
        source=event.lesson,
        by=event.by.name,
        expires=event.expires,
    )


def _of_lesson(scope: str, lesson: str) -> str:
    """Return the key of a lesson's suppression; lessons are named per scope."""
    return key("source", f"lessons/{scope}", lesson)


def _kept(source: str, word: Suppression, read: Read) -> Changed:
    """Store a suppression in its former place, else in place of the oldest, which is dropped."""
    known, number = read(source), (read(NEXT) or {}).get("number", 0)
    if known is None:
        yield NEXT, {"number": number + 1}
    place = known["place"] if known else number % SUPPRESSIONS_MAX
    oldest = read(_place(place))
    if oldest is not None and oldest["source"] != source:
        yield oldest["source"], None
    yield source, {"place": place}
    yield _place(place), {"source": source, "word": _put(word)}


def _place(number: int) -> str:
    return f"place/{number:04d}"
