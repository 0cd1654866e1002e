"""Handlers for commands that are open to more than one party: request a ruling, report an escape, add a note."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.core.asks import ask_ruling
from foureyes.core.checks import check_filled, check_reason, severity_of
from foureyes.core.commands import AddNote, ReportEscape, RequestRuling
from foureyes.core.events import EscapeReported, NoteAdded, ReviewEvent, ReviewReopened, RulingRequested
from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Review
from foureyes.core.objections import Objection, objection
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.scene import Scene
from foureyes.core.values import Effect, Outcome, Who
from foureyes.core.views import view


def request_ruling(scene: Scene, command: RequestRuling, actor: Who) -> Iterator[ReviewEvent]:
    """Request a ruling, as author, reviewer or human: once per revision; a rejection may be disputed once."""
    review = scene.review
    disputes = review.outcome is Outcome.REJECTED and actor.name == review.author.name and not review.bound
    stands = _withdrawn_with(scene, actor)
    if review.outcome is not None and not disputes and stands is None:
        raise refuse(Code.REVIEW_ENDED, outcome=review.outcome)
    involved = actor.name == review.author.name or any(
        one.reviewer and one.reviewer.name == actor.name for one in review.seats.values()
    )
    if not involved and not actor.is_human:
        raise refuse(Code.NOT_INVOLVED, name=actor.name)
    shown = view(scene.rules, review, actor, scene.stricter)
    if shown.hides and not shown.whole:
        raise refuse(Code.REPORT_FIRST)
    check_reason("Asking for a decision", command.reason)
    pending = review.ruling()
    if pending is not None:
        raise refuse(Code.RULING_PENDING, request=pending.id)
    _check_undecided(review, actor)
    if (actor.name, review.revision) in review.asked:
        raise refuse(Code.ALREADY_ASKED, name=actor.name)
    if stands is not None:
        yield _about_withdrawn(scene, stands, command, actor)
        return
    if disputes:
        reopened = ReviewReopened(reason=command.reason, undoes=Outcome.REJECTED, by=actor)
        yield reopened
        scene = scene.after((reopened,))
    speaking = scene.assess().speaking
    word = "creator_disagrees" if disputes else "asked"
    stage = speaking.stage if speaking else None
    yield ask_ruling(scene, stage, word, command.reason, by=actor.name, argument=command.argument)


def _withdrawn_with(scene: Scene, actor: Who) -> Objection | None:
    """The objection to withdrawn bytes, for the author or a human who may see all of it; None for anyone else."""
    review = scene.review
    asks = actor.name == review.author.name or (
        actor.is_human and not view(scene.rules, review, actor, scene.stricter).hides
    )
    if review.outcome is not Outcome.WITHDRAWN or not asks:
        return None
    return objection(review, scene.stages(), review.digest)


def _about_withdrawn(scene: Scene, stands: Objection, command: RequestRuling, actor: Who) -> RulingRequested:
    """Ask a human whether the objection to withdrawn bytes holds; the review stays withdrawn either way."""
    names = (*(scene.review.findings[one].stage for one in stands.findings), *_stages_of(scene.review, stands))
    stage = next((found for one in names if (found := scene.stage(one))), None)
    wanted = Judgement(move=Move.ESCALATE, reason=stands.sentence, findings=stands.findings)
    asked = ask_ruling(
        scene, stage, "objection_stands", command.reason, judgement=wanted, by=actor.name, argument=command.argument
    )
    options = tuple(one for one in asked.options if one.effect in (Effect.PASS_STAGE, Effect.WAIVE, Effect.REJECT))
    return replace(asked, options=options, recommendation=None, fallback=None)


def _stages_of(review: Review, stands: Objection) -> tuple[str, ...]:
    return (stands.veto, *(review.seats[one].stage for one in stands.seats))


def _check_undecided(review: Review, actor: Who) -> None:
    """Refuse to reopen what a human ordered for this revision; only another human may ask again."""
    asked = review.revision_request()
    if asked and asked.ordered_by and not asked.by_clock and not actor.is_human:
        raise Refusal(
            Code.ALREADY_ASKED,
            f"{asked.ordered_by} has decided about this version already.",
            "Do what was decided, or withdraw the work.",
        )


def report_escape(scene: Scene, command: ReportEscape, actor: Who) -> Iterator[ReviewEvent]:
    """Record a defect in cleared work; anyone may report one."""
    if not scene.review.cleared:
        raise refuse(Code.NOT_ENDED, outcome=Outcome.CLEARED)
    check_filled("What escaped", command.text)
    severity = severity_of(command.severity)
    most = scene.rules.limits.escapes_max
    told = scene.review.escapes.get(actor.name, 0)
    if told >= most:
        raise refuse(Code.LIMIT_REACHED, what="escapes", most=most)
    yield EscapeReported(text=command.text, severity=severity, found_in=command.found_in, by=actor.name)


def add_note(scene: Scene, command: AddNote, actor: Who) -> Iterator[ReviewEvent]:
    """Add a note to the review."""
    check_filled("The note", command.text)
    most = scene.rules.limits.notes_max
    written = scene.review.notes.get(actor.name, 0)
    if written >= most:
        raise refuse(Code.LIMIT_REACHED, what="notes", most=most)
    yield NoteAdded(by=actor.name, text=command.text)
