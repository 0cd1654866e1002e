"""Sessions: which of their reviews wait for an author or a human, the last signals, and since when each is silent."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import get_args

from foureyes.app.ports import Reading
from foureyes.app.projections.projection import Changed, Happened, Projection, Read, clip, key, slot_of, types
from foureyes.codec import Json
from foureyes.codec.shapes import shape
from foureyes.core.events import (
    ReviewCleared,
    ReviewEvent,
    SessionEnded,
    SessionPaused,
    SessionResumed,
    SignalReceived,
    SilenceDetected,
)
from foureyes.core.model import Review
from foureyes.core.sessions import SILENCE, SessionFacts, Status

SIGNALS_MAX = 20
SUMMARY_CHARS_MAX = 200
#: Key prefix of the time since when a silence counts, so that the longest silence comes first.
QUIET = "quiet/"

_time = shape(datetime)[1]


def changes(one: Happened, read: Read) -> Changed:
    """Write what an event changes for the session it belongs to."""
    if one.after is not None:
        yield from _of_review(one, one.after, read)
        return
    session = getattr(one.event, "session", "")
    if not session:
        return
    name = key("session", session)
    row: Json = read(name) or {}
    match one.event:
        case SignalReceived(agent=agent, type=kind, summary=summary):
            said = {
                "agent": agent,
                "type": kind.value,
                "summary": clip(summary, SUMMARY_CHARS_MAX),
                "at": one.stored.at,
            }
            heard = {"signals": [*row.get("signals", ()), said][-SIGNALS_MAX:], "signalled_at": one.stored.at}
            yield from _counted(session, row | heard | {"noticed": False}, one.stored.at)
        case SilenceDetected():
            yield from _counted(session, row | {"silent_at": one.stored.at, "noticed": True}, "")
        case SessionPaused(by=by, reason=reason):
            yield from _counted(session, row | {"paused_by": by, "paused_because": clip(reason)}, "")
        case SessionResumed():
            resumed = {"paused_by": "", "paused_because": "", "resumed_at": one.stored.at}
            yield from _counted(session, row | resumed, one.stored.at)
        case SessionEnded(by=by):
            yield from _counted(session, row | {"ended_by": by, "ended_at": one.stored.at}, "")
        case _:
            return


SESSIONS = Projection(
    name="sessions",
    version=3,
    # Many events can end a pending ruling: an override, a waiver, an end.
    takes=types(*get_args(ReviewEvent), SessionEnded, SessionPaused, SessionResumed, SignalReceived, SilenceDetected),
    changes=changes,
)


def session_facts(reading: Reading, session: str, silence: timedelta = SILENCE) -> SessionFacts:
    """Return what the session's reviews say about whether it may go on."""
    slot = slot_of(reading, SESSIONS.name)
    waiting = reading.rows(slot, f"{key('waiting', session)}/", limit=1)
    body = reading.row(slot, key("session", session))
    at = json.loads(body).get("continued_at") if body else None
    return SessionFacts(reviews_waiting=bool(waiting), continued_at=_time(at) if at else None, silence=silence)


def session(reading: Reading, name: str) -> Json:
    """Return what is known of a session: its last signals, who paused it, when it was resumed or ended."""
    body = reading.row(slot_of(reading, SESSIONS.name), key("session", name))
    found: Json = json.loads(body) if body else {}
    return found


def listed(reading: Reading, after: str, limit: int) -> tuple[tuple[str, Json], ...]:
    """Return the sessions behind this key, by name, each with its status and the time of its last signal."""
    prefix = f"{key('session')}/"
    found = reading.rows(slot_of(reading, SESSIONS.name), prefix, after=after, limit=limit)
    return tuple((name, _listed(json.loads(body))) for name, body in found)


def status_of(row: Json) -> str:
    """Return whether the session of this row may go on; whether it has ended is a separate field."""
    paused = row.get("paused_by") or row.get("waiting")
    return (Status.PAUSED if paused else Status.RUNNING).value


def _listed(row: Json) -> Json:
    return {
        "session": row["name"],
        "status": status_of(row),
        "ended": bool(row.get("ended_at")),
        "heard": row.get("signalled_at", ""),
    }


def quiet(reading: Reading, limit: int) -> tuple[tuple[datetime, str], ...]:
    """Return the sessions whose silence counts, and since when; the longest silent first."""
    found = reading.rows(slot_of(reading, SESSIONS.name), QUIET, limit=limit)
    rows = (json.loads(body) for _, body in found)
    return tuple((_time(one["since"]), one["session"]) for one in rows)


def waits(review: Review | None) -> bool:
    """True if a session must not go on because of this review: a clarification or a ruling is owed."""
    if review is None or review.outcome is not None:
        return False
    asked = review.revision_request()
    return review.ruling() is not None or (asked is not None and asked.clarify)


def _of_review(one: Happened, review: Review, read: Read) -> Changed:
    session = review.origin.session
    if not session:
        return
    before, after = waits(one.before), waits(review)
    name = key("session", session)
    row: Json = read(name) or {}
    if after != before:
        yield key("waiting", session, review.id), None if before else []
        row = row | {"waiting": row.get("waiting", 0) + (1 if after else -1)}
    if (before and not after) or isinstance(one.event, ReviewCleared):
        row = row | {"continued_at": one.stored.at}
        # If no agent has spoken since a silence was noticed, there is nothing new to review.
        yield from _counted(session, row, "" if row.get("noticed") else one.stored.at)
    elif after != before:
        yield from _counted(session, row, "")


def _counted(session: str, row: Json, since: str) -> Changed:
    """Write the session's row, and the row that says since when its silence counts; none while it is paused."""
    was = row.get("quiet_since", "")
    if was:
        yield f"{QUIET}{key(was, session)}", None
    counts = row.get("signals") and not row.get("paused_by") and not row.get("ended_at") and not row.get("waiting")
    now = since if counts else ""
    if now:
        yield f"{QUIET}{key(now, session)}", {"session": session, "since": now}
    yield key("session", session), row | {"name": session, "quiet_since": now}
