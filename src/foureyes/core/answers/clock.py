"""Handler for a passed due time: ask another party or end the review; a timer never clears anything.

A request whose reviewer's account was removed is over at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from foureyes.core.answers.human import ruling_effect
from foureyes.core.asks import ask_ruling
from foureyes.core.assess import judge_stage
from foureyes.core.commands import PassDeadline
from foureyes.core.events import DeadlinePassed, ReviewClosed, ReviewEvent, RulingGiven, SeatLeft
from foureyes.core.judgement import Move
from foureyes.core.model import ReportRequest, RevisionRequest, RulingRequest
from foureyes.core.options import AUTHOR_SILENT, UNHEARD, is_unreviewed
from foureyes.core.refusals import Code, refuse
from foureyes.core.rules import Options, Stage, Style
from foureyes.core.scene import Scene
from foureyes.core.values import CLOCK, Effect, LeftBecause, Option, Outcome, Step, Who, WhoKind

#: The reminder interval doubles each time, so that the log of a request nobody answers stays short.
DOUBLINGS_MAX = 12
IN_SILENCE = "No decision in time: the conservative default applies; a human may still decide otherwise"
NOT_REVIEWED = "Not reviewed: no reviewer came and no human decided in time. The same version may ask again"


def pass_deadline(scene: Scene, command: PassDeadline, actor: Who) -> Iterator[ReviewEvent]:
    """Fire a due time once; early, late and repeated calls are refused."""
    if actor.kind is not WhoKind.CLOCK:
        raise refuse(Code.NOT_THE_CLOCK)
    request = scene.review.requests.get(command.request)
    if request is None:
        raise refuse(Code.UNKNOWN_REQUEST, request=command.request)
    if isinstance(request, ReportRequest) and _is_removed(scene, request):
        yield from _replaced(scene, request, LeftBecause.REMOVED)
        return
    if scene.now < request.due:
        raise refuse(Code.NOT_DUE, request=request.id, due=request.due.isoformat())
    if isinstance(request, ReportRequest):
        yield from _reviewer_late(scene, request)
    elif isinstance(request, RevisionRequest):
        yield from _author_silent(scene, request)
    else:
        yield from _human_silent(scene, request)


def _reviewer_late(scene: Scene, request: ReportRequest) -> Iterator[ReviewEvent]:
    """Remind the reviewer, then replace them; a seat nobody took, or a review that takes too long, goes to a human."""
    seat = scene.review.seats[request.seat]
    stage = scene.stage(seat.stage)
    over = DeadlinePassed(request=request.id, step=Step.OVERDUE)
    owes_nothing = not seat.required and not request.about
    if stage is None or scene.review.ruling() is not None or owes_nothing or _passes(scene, stage):
        yield over
    elif scene.now >= request.limit:
        yield from _given_up(scene, request, LeftBecause.TIMED_OUT, "too_long", "the review takes too long")
    elif seat.reviewer is None or request.queued:
        yield from _given_up(scene, request, LeftBecause.OVERLOADED, "nobody_free", "nobody was free in time")
    elif seat.lease is None and request.step is None:
        due = scene.now + stage.options.times.reassign
        yield DeadlinePassed(request=request.id, step=Step.REMINDED, due=due)
    else:
        yield from _replaced(scene, request, LeftBecause.TIMED_OUT if seat.lease is None else LeftBecause.CRASHED)


def _passes(scene: Scene, stage: Stage) -> bool:
    """True if the stage needs no further report: a human has passed it, or enough others have reported."""
    return judge_stage(scene.review, stage).judgement.move is Move.PASS


def _is_removed(scene: Scene, request: ReportRequest) -> bool:
    """True if the account of the seat's holder was removed; the request then ends before it is due."""
    holder = scene.review.seats[request.seat].reviewer
    known = scene.facts.principal(holder.name) if holder else None
    return known is not None and known.removed


def _replaced(scene: Scene, request: ReportRequest, reason: LeftBecause) -> Iterator[ReviewEvent]:
    """Free the seat for another reviewer; if only its report was missing, a human decides."""
    gone = (DeadlinePassed(request=request.id, step=Step.REASSIGNED), *_left(scene, request, reason))
    yield from gone
    after = scene.after(gone)
    if after.assess().speaking is None:
        yield _asked_of_human(after, request, UNHEARD, "nobody answered in time, and nothing else is missing")


def _given_up(scene: Scene, request: ReportRequest, reason: LeftBecause, why: str, text: str) -> Iterator[ReviewEvent]:
    """Free the seat and ask a human."""
    gone = (DeadlinePassed(request=request.id, step=Step.OVERDUE), *_left(scene, request, reason))
    yield from gone
    after = scene.after(gone)
    yield _asked_of_human(after, request, why if after.assess().speaking else UNHEARD, text)


def _left(scene: Scene, request: ReportRequest, reason: LeftBecause) -> Iterator[ReviewEvent]:
    holder = scene.review.seats[request.seat].reviewer
    if holder is not None:
        yield SeatLeft(seat=request.seat, reviewer=holder.name, reason=reason)


def _asked_of_human(scene: Scene, request: ReportRequest, reason: str, text: str) -> ReviewEvent:
    stage = scene.stage(scene.review.seats[request.seat].stage)
    return ask_ruling(scene, stage, reason, f"Seat {request.seat}: {text}")


def _author_silent(scene: Scene, request: RevisionRequest) -> Iterator[ReviewEvent]:
    """Ask a human after the first silence; shelve the review if the author is silent after the clock's own request."""
    yield DeadlinePassed(request=request.id, step=Step.OVERDUE)
    if request.by_clock:
        yield ReviewClosed(outcome=Outcome.SHELVED, reason="Nobody answered, neither a human nor the author")
        return
    stage, text = scene.stage(request.stage), "The author has not answered in time"
    # The human who ordered new bytes still waits for them, even if every stage passes.
    yield ask_ruling(scene, stage, AUTHOR_SILENT, text, by=request.ordered_by)


def _human_silent(scene: Scene, request: RulingRequest) -> Iterator[ReviewEvent]:
    """Apply the fallback, which keeps the gate shut; for a veto only send reminders."""
    if request.fallback is None:
        yield DeadlinePassed(request=request.id, step=Step.RENOTIFIED, due=_next_reminder(scene, request))
        return
    effect = request.fallback
    if effect is Effect.RETURN and not is_unreviewed(scene.review, request.stage, request.reason):
        # A reviewer reported while the human was asked, so the conservative effect is to follow that report.
        effect = Effect.REVISE
    reason = NOT_REVIEWED if effect is Effect.RETURN else IN_SILENCE
    given = RulingGiven(request=request.id, by=CLOCK, option=effect, effect=effect, reason=reason, by_clock=True)
    yield given
    option = Option(id=effect, label=reason, effect=effect)
    yield from ruling_effect(scene.after((given,)), request, option, CLOCK, reason=reason)


def _next_reminder(scene: Scene, request: RulingRequest) -> datetime:
    stage = scene.stage(request.stage)
    options = stage.options if stage else Options(style=Style.SOLO)
    factor: int = 2 ** min(request.notified + 1, DOUBLINGS_MAX)
    return scene.now + options.times.human * factor
