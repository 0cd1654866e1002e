"""Metrics: sums of how much was reviewed, by whom, how fast and with what end, updated with each event.

Rows: `totals`; `date/<day>`; `kind/<kind>`; `pair/<kind>/<author>`; `day/<day>/<kind>/<author>/<reviewer>`, one for
each of these; `said/<day>/<kind>/<author>/<reviewer>/<review>`, the last report of a reviewer on a review that day;
`ruling/<day>/<kind>/<author>/<review>` for each day on which a human was asked to decide about it;
`asked/<review>/<request>` while an answer is owed, so that the time it takes is known; `sits/<human>/<review>` while a
human holds a seat there, asked or not, and the review is open.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import get_args

from foureyes.app.ports import Reading
from foureyes.app.projections.projection import Changed, Happened, Projection, Read, added, key, slot_of, types
from foureyes.codec import Json
from foureyes.codec.shapes import shape
from foureyes.core.events import (
    EscapeReported,
    LiveRefused,
    ReportFailed,
    ReportSubmitted,
    ReviewCleared,
    ReviewClosed,
    ReviewEvent,
    ReviewOpened,
    ReviewReopened,
    RulingGiven,
    RulingRequested,
    StageOverridden,
    StagesSkipped,
    WentLive,
)
from foureyes.core.model import ReportRequest, Review, RevisionRequest
from foureyes.core.values import ClearedBy, Outcome, Verdict

TOTALS = "totals"
PAGE_MAX = 1_000

_read_time = shape(datetime)[1]
_VERDICTS = {Verdict.APPROVE: "approved", Verdict.CONCERNS: "changes_requested", Verdict.REJECT: "rejected"}


def changes(one: Happened, read: Read) -> Changed:
    """Add one event to every sum it counts for."""
    counts, review = _counted(one, read), one.after
    gauges = {} if review is None else _gauges(one.before, review)
    if counts or gauges:
        yield TOTALS, added(read(TOTALS), **counts, **gauges)
    if counts:
        yield key("date", one.day), added(read(key("date", one.day)), **counts)
    if review is None:
        return
    if counts or gauges:
        yield key("kind", review.kind), added(read(key("kind", review.kind)), **counts, **gauges)
    if counts:
        pair = key("pair", review.kind, review.author.name)
        yield pair, added(read(pair) or {"kind": review.kind, "author": review.author.name}, **counts)
    if isinstance(one.event, ReportSubmitted):
        name = key("day", one.day, review.kind, review.author.name, one.event.reviewer.name)
        yield name, _day_row(one, one.event, read, read(name))
        name = key("said", one.day, review.kind, review.author.name, one.event.reviewer.name, review.id)
        yield name, _said_row(one, one.event, read)
    if isinstance(one.event, RulingRequested):
        name = key("ruling", one.day, review.kind, review.author.name, review.id)
        said = sorted({report.reviewer.name for report in review.reports.values()})
        yield name, added(read(name), asked=1) | {"reviewers": said}
    yield from _asked(one, review)
    yield from _sitting(one.before, review)


METRICS = Projection(
    name="metrics", version=4, takes=types(*get_args(ReviewEvent), WentLive, LiveRefused), changes=changes
)


def totals(reading: Reading, *parts: str) -> Json:
    """Return all sums, or those of ("date", day), ("kind", kind) or ("pair", kind, author)."""
    body = reading.row(slot_of(reading, METRICS.name), key(*parts) if parts else TOTALS)
    found: Json = json.loads(body) if body else {}
    return found


def of_day(reading: Reading, day: str, after: str = "", limit: int = PAGE_MAX) -> tuple[tuple[str, Json], ...]:
    """Return a page of the rows of a date: one for each kind, author and reviewer, with counts and averages."""
    prefix = f"{key('day', day)}/"
    rows = reading.rows(slot_of(reading, METRICS.name), prefix, after, min(limit, PAGE_MAX))
    return tuple((name, _averaged(json.loads(body))) for name, body in rows)


def said_on(reading: Reading, day: str, after: str = "", limit: int = PAGE_MAX) -> tuple[tuple[str, Json], ...]:
    """Return a page of each reviewer's last report on each review on a date."""
    rows = reading.rows(slot_of(reading, METRICS.name), f"{key('said', day)}/", after, min(limit, PAGE_MAX))
    return tuple((name, json.loads(body)) for name, body in rows)


def rulings_of_day(reading: Reading, day: str, after: str = "", limit: int = PAGE_MAX) -> tuple[tuple[str, Json], ...]:
    """Return a page of the rulings requested on a date: one row per review, with the reviewers who had reported."""
    rows = reading.rows(slot_of(reading, METRICS.name), f"{key('ruling', day)}/", after, min(limit, PAGE_MAX))
    return tuple((name, json.loads(body)) for name, body in rows)


def pairs(reading: Reading, after: str = "", limit: int = PAGE_MAX) -> tuple[tuple[str, Json], ...]:
    """Return a page of the sums of each kind of work and author.

    `learned` are the ends that count for the track record.
    """
    rows = reading.rows(slot_of(reading, METRICS.name), "pair/", after, min(limit, PAGE_MAX))
    return tuple((name, json.loads(body)) for name, body in rows)


def sitting(reading: Reading, human: str, limit: int = PAGE_MAX) -> tuple[str, ...]:
    """Return the open reviews in which a human holds a seat."""
    rows = reading.rows(slot_of(reading, METRICS.name), f"{key('sits', human)}/", limit=min(limit, PAGE_MAX))
    return tuple(json.loads(body)["review"] for _, body in rows)


def kinds(reading: Reading, after: str = "", limit: int = PAGE_MAX) -> tuple[tuple[str, Json], ...]:
    """Return a page of the sums of each kind of work, by name."""
    rows = reading.rows(slot_of(reading, METRICS.name), "kind/", after, min(limit, PAGE_MAX))
    return tuple((name, json.loads(body)) for name, body in rows)


def _counted(one: Happened, read: Read) -> dict[str, int]:
    match one.event:
        case ReviewOpened():
            return {"opened": 1}
        case ReviewCleared(by=by):
            learned = by is ClearedBy.GATES
            return {"cleared": 1, f"cleared_by_{by.value}": 1, "learned": int(learned)} | _ended(one, one.review)
        case ReviewClosed(outcome=outcome):
            learned = outcome is not Outcome.WITHDRAWN and not one.review.is_unreviewed
            return {outcome.value: 1, "learned": int(learned)} | _ended(one, one.review)
        case RulingGiven(final=final, request=request):
            waited = _waited(one, request, read)
            timed = {} if waited is None or not final else {"rulings_milliseconds": waited, "rulings_timed": 1}
            return {"rulings": int(final)} | timed
        case _:
            name = _NAMES.get(type(one.event))
            return {name: 1} if name else {}


#: Events that are simply counted, with the names of their counters.
_NAMES: dict[type, str] = {
    EscapeReported: "escapes",
    LiveRefused: "live_refused",
    ReportFailed: "inconclusive",
    ReportSubmitted: "reports",
    ReviewReopened: "reopened",
    RulingRequested: "rulings_asked",
    StageOverridden: "overrides",
    StagesSkipped: "skips",
    WentLive: "went_live",
}


def _ended(one: Happened, review: Review) -> dict[str, int]:
    """Return how long the review took, and whether it ended without a human."""
    alone = not review.rulings and not review.overridden
    return {"ended": 1, "ended_milliseconds": _milliseconds(one.at - one.opened), "ended_alone": int(alone)}


def _gauges(before: Review | None, review: Review) -> dict[str, int]:
    """Return the changes of the gauges: how many reviews are open, and for whom they wait."""
    moved: dict[str, int] = {}
    if before and review.requests is before.requests and review.outcome is before.outcome:
        return moved
    for some, by in ((before, -1), (review, 1)):
        for name in _states(some) if some else ():
            moved[name] = moved.get(name, 0) + by
    return {name: by for name, by in moved.items() if by}


def _states(review: Review) -> tuple[str, ...]:
    if review.outcome is not None:
        return (f"now_{review.outcome.value}",)
    parties = dict.fromkeys(_party(one) for one in review.requests.values())
    return ("now_open", *(f"now_waiting_{one}" for one in parties))


def _party(request: object) -> str:
    if isinstance(request, ReportRequest):
        return "reviewer"
    return "author" if isinstance(request, RevisionRequest) else "human"


def _day_row(one: Happened, event: ReportSubmitted, read: Read, row: Json | None) -> Json:
    verdict = _VERDICTS[event.verdict] if event.verdict else "without_verdict"
    waited = _waited(one, event.seat, read)
    row = added(row, reviews=1, **{verdict: 1})
    if waited is not None:
        row = added(row, timed=1, milliseconds=waited)
    return row if event.confidence is None else added(row, sure=1, confidence=event.confidence)


def _said_row(one: Happened, event: ReportSubmitted, read: Read) -> Json:
    """Return a reviewer's last report on a review: the verdict, and its duration and confidence if known."""
    waited = _waited(one, event.seat, read)
    timed = {} if waited is None else {"milliseconds": waited}
    sure = {} if event.confidence is None else {"confidence": event.confidence}
    return {"verdict": _VERDICTS[event.verdict] if event.verdict else "without_verdict"} | timed | sure


def _averaged(row: Json) -> Json:
    """Return the row with its means, rounded down; None if nothing was measured."""
    timed, sure = row.get("timed", 0), row.get("sure", 0)
    return row | {
        "review_milliseconds_mean": row.get("milliseconds", 0) // timed if timed else None,
        "confidence_mean": row.get("confidence", 0) // sure if sure else None,
    }


def _asked(one: Happened, review: Review) -> Changed:
    """Record since when an answer is owed, and remove the record once it is not."""
    before = one.before.requests if one.before else {}
    if review.requests is before:
        return
    for name in before:
        if name not in review.requests and not isinstance(before[name], RevisionRequest):
            yield key("asked", review.id, name), None
    for name, request in review.requests.items():
        known = before.get(name)
        if not isinstance(request, RevisionRequest) and (known is None or known.revision != request.revision):
            yield key("asked", review.id, name), {"at": one.stored.at}


def _sitting(before: Review | None, review: Review) -> Changed:
    """Record which humans hold a seat in an open review, and remove the record once they do not."""
    if before and before.seats is review.seats and before.outcome is review.outcome:
        return
    sat, sit = _humans(before), _humans(review)
    for name in sorted(sat - sit):
        yield key("sits", name, review.id), None
    for name in sorted(sit - sat):
        yield key("sits", name, review.id), {"review": review.id}


def _humans(review: Review | None) -> set[str]:
    if review is None or review.outcome is not None:
        return set()
    return {one.reviewer.name for one in review.seats.values() if one.reviewer and one.reviewer.is_human}


def _waited(one: Happened, request: str, read: Read) -> int | None:
    """Return how long an answer took; None if nobody had asked for it."""
    asked = read(key("asked", one.review.id, request))
    return None if asked is None else _milliseconds(one.at - _read_time(asked["at"]))


def _milliseconds(span: timedelta) -> int:
    """Return whole milliseconds; never negative, because a clock may jump back."""
    return max(0, span // timedelta(milliseconds=1))
