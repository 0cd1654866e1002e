"""What happens when a due time has passed? Somebody else is asked, or it ends; a timer never clears anything."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from foureyes.core.answers.human import ruling_effect
from foureyes.core.asks import ask_ruling
from foureyes.core.commands import PassDeadline
from foureyes.core.events import DeadlinePassed, ReviewClosed, ReviewEvent, RulingGiven, SeatLeft
from foureyes.core.model import ReportRequest, RevisionRequest, RulingRequest
from foureyes.core.refusals import Code, refuse
from foureyes.core.rules import Options, Stage, Style
from foureyes.core.scene import Scene
from foureyes.core.values import CLOCK, LeftBecause, Option, Outcome, Step, Who, WhoKind

#: A reminder's interval doubles each time, so that even a question nobody ever answers has a short log.
DOUBLINGS_MAX = 12


def pass_deadline(scene: Scene, command: PassDeadline, actor: Who) -> Iterator[ReviewEvent]:
    """Fire a due time once; early, late and doubled calls find nothing to do."""
    if actor.kind is not WhoKind.CLOCK:
        raise refuse(Code.NOT_THE_CLOCK)
    request = scene.review.requests.get(command.request)
    if request is None:
        raise refuse(Code.UNKNOWN_REQUEST, request=command.request)
    if scene.now < request.due:
        raise refuse(Code.NOT_DUE, request=request.id, due=request.due.isoformat())
    if isinstance(request, ReportRequest):
        yield from _reviewer_late(scene, request)
    elif isinstance(request, RevisionRequest):
        yield from _author_silent(scene, request)
    else:
        yield from _human_silent(scene, request)


def _reviewer_late(scene: Scene, request: ReportRequest) -> Iterator[ReviewEvent]:
    """Reminded, then replaced; a seat nobody came to, or a review that takes too long, is a human's matter."""
    seat = scene.review.seats[request.seat]
    stage = scene.stage(seat.stage)
    over = DeadlinePassed(request=request.id, step=Step.OVERDUE)
    owes_nothing = not seat.required and not request.about
    if stage is None or scene.review.ruling() is not None or owes_nothing:
        yield over
    elif scene.now >= request.limit:
        yield over
        yield from _left(scene, request, LeftBecause.TIMED_OUT)
        yield _ask(scene, over, stage, "too_long", f"Seat {seat.id}: the review takes too long")
    elif seat.reviewer is None or request.queued:
        yield over
        yield from _left(scene, request, LeftBecause.OVERLOADED)
        yield _ask(scene, over, stage, "nobody_free", f"Seat {seat.id}: nobody was free in time")
    elif seat.lease is None and request.step is None:
        due = scene.now + stage.options.times.reassign
        yield DeadlinePassed(request=request.id, step=Step.REMINDED, due=due)
    else:
        yield DeadlinePassed(request=request.id, step=Step.REASSIGNED)
        yield from _left(scene, request, LeftBecause.TIMED_OUT if seat.lease is None else LeftBecause.CRASHED)


def _left(scene: Scene, request: ReportRequest, reason: LeftBecause) -> Iterator[ReviewEvent]:
    holder = scene.review.seats[request.seat].reviewer
    if holder is not None:
        yield SeatLeft(seat=request.seat, reviewer=holder.name, reason=reason)


def _ask(scene: Scene, over: DeadlinePassed, stage: Stage, reason: str, text: str) -> ReviewEvent:
    return ask_ruling(scene.after((over,)), stage, reason, text)


def _author_silent(scene: Scene, request: RevisionRequest) -> Iterator[ReviewEvent]:
    """The first silence is a human's matter; silence after the clock itself sent it back is a shelf."""
    yield DeadlinePassed(request=request.id, step=Step.OVERDUE)
    if request.by_clock:
        yield ReviewClosed(outcome=Outcome.SHELVED, reason="Nobody answered, neither a human nor the author")
        return
    yield ask_ruling(scene, scene.stage(request.stage), "author_silent", "The author has not answered in time")


def _human_silent(scene: Scene, request: RulingRequest) -> Iterator[ReviewEvent]:
    """Only what keeps the gate shut may follow from silence; a veto is only reminded of."""
    if request.fallback is None:
        yield DeadlinePassed(request=request.id, step=Step.RENOTIFIED, due=_next_reminder(scene, request))
        return
    reason = "No decision in time: the conservative default applies; a human may still decide otherwise"
    given = RulingGiven(
        request=request.id, by=CLOCK, option=request.fallback, effect=request.fallback, reason=reason, by_clock=True
    )
    yield given
    option = Option(id=request.fallback, label=reason, effect=request.fallback)
    yield from ruling_effect(scene.after((given,)), request, option, CLOCK, reason=reason)


def _next_reminder(scene: Scene, request: RulingRequest) -> datetime:
    stage = scene.stage(request.stage)
    options = stage.options if stage else Options(style=Style.SOLO)
    factor: int = 2 ** min(request.notified + 1, DOUBLINGS_MAX)
    return scene.now + options.times.human * factor
