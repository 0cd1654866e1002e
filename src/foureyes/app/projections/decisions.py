"""The audit trail: who asked, decided, skipped or overrode what, when and why; newest first, and by review."""

from __future__ import annotations

import json
from dataclasses import dataclass

from foureyes.app.ports import Reading
from foureyes.app.projections.projection import (
    Changed,
    Happened,
    Projection,
    Read,
    backwards,
    clip,
    key,
    newest_first,
    slot_of,
    types,
)
from foureyes.codec import Json
from foureyes.core import events as e
from foureyes.core.model import Review, RevisionRequest, RulingRequest
from foureyes.core.values import CLOCK, Step, Verdict

PAGE_MAX = 200
TIME = "2026-01-31T23:59:59.000000Z"
REQUEST, DECISION, SKIP, OVERRIDE, VIEW = "request", "decision", "skip", "override", "view"
#: Something that nobody decided: a deadline that passed, a policy that changed meanwhile.
INCIDENT = "incident"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an event says: what sort it is, who, what they said and why."""

    what: str
    says: str
    why: str
    #: The person named in the event; empty for the actor of the command.
    who: str = ""
    #: The person who is asked for something.
    asks: str = ""
    stage: str = ""
    seat: str = ""


def changes(one: Happened, read: Read) -> Changed:
    """Write one row for each event of the trail, by its time, and a reference to it by its review, if it has one."""
    del read  # an event's row does not depend on earlier rows
    told = _told(one)
    if told is None:
        return
    yield f"time/{newest_first(one.stored)}", _row(one, told)
    if review := _review(one):
        yield f"{key('review', review)}/{backwards(newest_first(one.stored))}", []


DECISIONS = Projection(
    name="decisions",
    version=4,
    takes=types(
        e.DeadlinePassed,
        e.FindingWaived,
        e.LiveRefused,
        e.PolicyActivated,
        e.PolicyNoted,
        e.ReportFailed,
        e.ReportKept,
        e.ReportRequested,
        e.ReportSubmitted,
        e.RequestLapsed,
        e.ReviewCleared,
        e.ReviewClosed,
        e.ReviewOpened,
        e.ReviewReopened,
        e.RevisionRequested,
        e.RulingGiven,
        e.RulingRequested,
        e.SessionEnded,
        e.SessionPaused,
        e.SessionResumed,
        e.SkipDisabled,
        e.SkipEnabled,
        e.SkipSuggested,
        e.StageOverridden,
        e.StagesSkipped,
        e.WentLive,
        e.WholeSeen,
    ),
    changes=changes,
)


def newest(reading: Reading, day: str = "", after: str = "", limit: int = PAGE_MAX) -> tuple[tuple[str, Json], ...]:
    """Return a page of the trail, newest first: all of it, or of a date or the beginning of one, as in 2026-01."""
    rows = reading.rows(slot_of(reading, DECISIONS.name), f"time/{backwards(day)}", after, min(limit, PAGE_MAX))
    return tuple((name, _whole(name, body)) for name, body in rows)


def of_review(reading: Reading, review: str, after: str = "", limit: int = PAGE_MAX) -> tuple[tuple[str, Json], ...]:
    """Return a page of a review's trail, in chronological order."""
    slot, prefix = slot_of(reading, DECISIONS.name), f"{key('review', review)}/"
    found = reading.rows(slot, prefix, after, min(limit, PAGE_MAX))
    places = ((name, f"time/{backwards(name.removeprefix(prefix))}") for name, _ in found)
    bodies = ((name, place, reading.row(slot, place)) for name, place in places)
    return tuple((name, _whole(place, body)) for name, place, body in bodies if body)


def _review(one: Happened) -> str:
    """Return the review whose trail it belongs to. A full view by a human is logged outside the review's stream."""
    if isinstance(one.event, e.WholeSeen):
        return one.event.review
    return one.after.id if one.after else ""


def _row(one: Happened, told: Told) -> Json:
    """Return the row without empty fields and without what the key says: there are many of these."""
    review, stored, who = one.after, one.stored, told.who or one.stored.actor
    row: Json = {
        "what": told.what,
        "type": stored.type,
        "version": stored.version,
        "who": clip(who),
        "actor": "" if who == stored.actor else clip(stored.actor),
        "says": clip(told.says),
        "why": clip(told.why),
        "asks": clip(told.asks),
        "stage": clip(told.stage),
        "stream": "" if _review(one) else clip(stored.stream),
    }
    if review is not None:
        row |= {"review": review.id, "revision": review.revision, "task": clip(review.origin.task)}
        row |= _seat(review, told.seat)
    if isinstance(one.event, e.WholeSeen):
        row |= {"review": one.event.review, "revision": one.event.revision}
    return {name: value for name, value in row.items() if value}


def _whole(place: str, body: str) -> Json:
    """Return a row in full, with its time and the actor of the command."""
    row: Json = json.loads(body)
    at = backwards(place.removeprefix("time/"))[: len(TIME)]
    stream = f"review/{row['review']}" if "review" in row else ""
    return {"at": at, "actor": row["who"], "why": "", "stream": stream, **row}


def _seat(review: Review, seat: str) -> Json:
    """Return the stage, scope and seat that a report came from."""
    found = review.seats.get(seat)
    return {} if found is None else {"stage": found.stage, "scope": clip(found.scope), "seat": seat}


def _told(one: Happened) -> Told | None:
    event = one.event
    match event:
        case e.ReviewOpened() | e.ReportRequested() | e.RevisionRequested() | e.RulingRequested():
            return _requested(one, event)
        case e.ReportSubmitted() | e.ReportKept() | e.ReportFailed():
            return _reported(one, event)
        case e.StagesSkipped() | e.SkipEnabled() | e.SkipDisabled() | e.SkipSuggested():
            return _skipped(event)
        case e.StageOverridden() | e.FindingWaived():
            return _overridden(event)
        case e.RequestLapsed() | e.ReviewCleared() | e.ReviewClosed() | e.ReviewReopened() | e.RulingGiven():
            return _decided(event)
        case _:
            return _incident(one.after, event) or _beside(event)


def _incident(review: Review | None, event: e.Event) -> Told | None:
    """Return the row of what nobody decided: a deadline that passed, a policy that changed meanwhile."""
    match event:
        case e.DeadlinePassed() if review:
            return _late(review, event)
        case e.PolicyNoted(digest=digest, stricter=stricter):
            holds = "must be met too" if stricter else "this review keeps the criteria it began with"
            return Told(what=INCIDENT, says="policy changed", why=f"{digest[:12]} came into force; {holds}")
        case _:
            return None


def _late(review: Review, event: e.DeadlinePassed) -> Told:
    """Return what was not done in time, and by whom."""
    request = review.requests.get(event.request)
    seat = review.seats.get(event.request)
    holder = seat.reviewer.name if seat and seat.reviewer else ""
    asks = holder or (review.author.name if isinstance(request, RevisionRequest) else "")
    stage = request.stage if isinstance(request, RevisionRequest | RulingRequest) else ""
    why = f"{asks or 'nobody'} did not answer {event.request} in time"
    return Told(what=INCIDENT, says=_STEPS[event.step], why=why, asks=asks, stage=stage, seat=seat.id if seat else "")


_STEPS = {
    Step.REMINDED: "timeout: reminded",
    Step.REASSIGNED: "timeout: somebody else is asked",
    Step.OVERDUE: "timeout",
    Step.RENOTIFIED: "timeout: asked again",
}


def _requested(
    one: Happened, event: e.ReviewOpened | e.ReportRequested | e.RevisionRequested | e.RulingRequested
) -> Told:
    match event:
        case e.ReviewOpened(title=title, trigger=trigger):
            return Told(what=REQUEST, says="review", why=trigger or title)
        case e.ReportRequested(seat=seat, about=about):
            asks = seat.reviewer.name if seat.reviewer else " ".join(seat.candidates)
            why = f"about {' '.join(about)}" if about else f"revision {event.revision}"
            late = f"{_unanswered(one.review, seat.id)}; " if one.stored.actor == CLOCK.name else ""
            return Told(what=REQUEST, says="report", why=f"{late}{why}", asks=asks, seat=seat.id)
        case e.RevisionRequested(reasons=reasons, stage=stage, ordered_by=by, clarify=clarify):
            says = "clarification" if clarify else "revision"
            return Told(what=REQUEST, says=says, why="; ".join(reasons), who=by, asks="author", stage=stage)
        case e.RulingRequested(reason=reason, text=text, stage=stage, group=group, by=by):
            why = f"{reason}: {text}"
            return Told(what=REQUEST, says="ruling", why=why, who=by, asks=group or "humans", stage=stage)


def _unanswered(review: Review, seat: str) -> str:
    """Return why the clock asks for a report: who was asked before and did not answer."""
    left = review.seats[seat].left if seat in review.seats else ()
    return f"{left[-1]} did not answer in time" if left else "a due time has passed"


def _reported(one: Happened, event: e.ReportSubmitted | e.ReportKept | e.ReportFailed) -> Told:
    match event:
        case e.ReportSubmitted(seat=seat, reviewer=who, verdict=verdict, summary=summary, grounds=grounds):
            vetoes = verdict is Verdict.REJECT and one.review.seats[seat].veto
            says = "veto" if vetoes else verdict.value if verdict else "reported"
            why = summary or "; ".join(grounds) or "; ".join(f"{one.what}: {one.why}" for one in event.evidence[:3])
            return Told(what=DECISION, who=who.name, says=says, why=why, seat=seat)
        case e.ReportKept(seat=seat, by=by):
            return Told(what=DECISION, says="report kept", why=f"by {by.value}", seat=seat)
        case e.ReportFailed(seat=seat, reviewer=name, reason=reason, text=text):
            return Told(what=DECISION, who=name, says=f"inconclusive: {reason.value}", why=text, seat=seat)


def _skipped(event: e.StagesSkipped | e.SkipEnabled | e.SkipDisabled | e.SkipSuggested) -> Told:
    match event:
        case e.StagesSkipped(stages=stages, rule=rule, reason=reason, enabled_by=by):
            return Told(what=SKIP, who=by, says=f"skipped by {rule}", why=reason, stage=" ".join(stages))
        case e.SkipEnabled(by=by, expires=expires):
            return Told(what=SKIP, who=by, says="enabled", why=f"until {expires.isoformat()}")
        case e.SkipDisabled(by=by, reason=reason):
            return Told(what=SKIP, who=by, says="disabled", why=reason)
        case e.SkipSuggested(successes=successes, confidence_percent=percent):
            return Told(what=SKIP, says="suggested", why=f"{successes} successes, {percent}% sure")


def _overridden(event: e.StageOverridden | e.FindingWaived) -> Told:
    match event:
        case e.StageOverridden(stage=stage, by=by, reason=reason):
            return Told(what=OVERRIDE, who=by.name, says="stage passed", why=reason, stage=stage)
        case e.FindingWaived(finding=finding, by=by, reason=reason, false_positive=wrong):
            says = f"{finding} is a false positive" if wrong else f"{finding} waived"
            return Told(what=OVERRIDE, who=by.name, says=says, why=reason)


def _decided(event: e.RequestLapsed | e.ReviewCleared | e.ReviewClosed | e.ReviewReopened | e.RulingGiven) -> Told:
    match event:
        case e.RequestLapsed(request=request, reason=reason):
            return Told(what=DECISION, says=f"no longer asked: {request}", why=reason)
        case e.ReviewCleared(by=by, digest=digest, flags=flags):
            return Told(what=DECISION, says=f"cleared {digest}", why="; ".join((f"by {by.value}", *flags)))
        case e.ReviewClosed(outcome=outcome, reason=reason):
            return Told(what=DECISION, says=outcome.value, why=reason)
        case e.ReviewReopened(by=by, reason=reason):
            return Told(what=DECISION, who=by.name, says="reopened", why=reason)
        case e.RulingGiven(by=by, effect=effect, reason=reason, final=final):
            says = effect.value if final else f"{effect.value}, others must agree"
            return Told(what=DECISION, who=by.name, says=says, why=reason)


def _beside(event: e.Event) -> Told | None:
    match event:
        case e.WentLive(target=target, digest=digest, review=review):
            return Told(what=DECISION, says=f"live on {target}", why=f"{digest} was cleared by review {review}")
        case e.LiveRefused(target=target, digest=digest, actor=actor, reason=reason):
            return Told(what=DECISION, who=actor, says=f"refused on {target}", why=f"{reason} {digest}")
        case e.PolicyActivated(name=name, by=by, digest=digest):
            return Told(what=DECISION, who=by, says=f"policy {name}", why=digest)
        case e.SessionPaused() | e.SessionResumed() | e.SessionEnded():
            says = type(event).__name__.removeprefix("Session").lower()
            return Told(what=DECISION, who=event.by, says=f"session {says}", why=event.reason)
        case e.WholeSeen(by=by):
            return Told(what=VIEW, who=by, says="the whole review", why="a human, without a report of their own")
        case _:
            return None
