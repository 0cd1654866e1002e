"""Handlers for the commands of humans: give a ruling, override a stage, waive a finding, reopen a review."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.core.asks import ask_revision, lapse
from foureyes.core.checks import (
    check_current,
    check_human,
    check_liftable,
    check_person_waives,
    check_reason,
    finding_of,
)
from foureyes.core.commands import GiveRuling, OverrideStage, ReopenReview, WaiveFinding
from foureyes.core.events import (
    FindingRaised,
    FindingWaived,
    ReviewClosed,
    ReviewEvent,
    ReviewReopened,
    RulingGiven,
    StageOverridden,
)
from foureyes.core.independence import normal
from foureyes.core.judgement import Judgement, Move
from foureyes.core.lessons import place_of
from foureyes.core.matching import fingerprint
from foureyes.core.model import RulingRequest, Seat
from foureyes.core.objections import is_fixed_elsewhere
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.rules import Options, Stage, Style
from foureyes.core.scene import Scene
from foureyes.core.values import OPENING, Effect, Option, Outcome, Part, Severity, Who, WhoKind
from foureyes.core.views import view

CLOSING = {Effect.REJECT: Outcome.REJECTED, Effect.SHELVE: Outcome.SHELVED, Effect.RETURN: Outcome.RETURNED}


def give_ruling(scene: Scene, command: GiveRuling, actor: Who) -> Iterator[ReviewEvent]:
    """Record one human's vote: an opening option counts with the other votes, a closing one acts at once."""
    check_human(scene.review, actor, "give a ruling")
    _check_sees(scene, actor)
    ruling = _pending(scene, command.request)
    option = next((one for one in ruling.options if one.id == command.option), None)
    if option is None:
        options = ", ".join(one.id for one in ruling.options)
        raise refuse(Code.UNKNOWN_OPTION, option=command.option, options=options)
    check_reason("A ruling", command.reason)
    _check_group(scene, ruling.group, actor, opening=option.effect in OPENING)
    if option.effect is Effect.PASS_STAGE:
        _check_anew(scene, ruling.stage)
    # A human has one vote, the last one given, so nobody counts towards two options.
    wanted = {normal(vote.by): vote.option for vote in ruling.votes}
    if wanted.get(normal(actor.name)) == option.id:
        raise refuse(Code.DUPLICATE, what="Your ruling")
    agreeing = sum(one == option.id for one in (wanted | {normal(actor.name): option.id}).values())
    final = option.effect not in OPENING or agreeing >= ruling.needs
    given = RulingGiven(
        request=ruling.id, by=actor, option=option.id, effect=option.effect, reason=command.reason, final=final
    )
    yield given
    if final:
        yield from ruling_effect(
            scene.after((given,)), ruling, option, actor, reason=command.reason, demands=command.demands
        )


def ruling_effect(
    scene: Scene, ruling: RulingRequest, option: Option, actor: Who, *, reason: str, demands: tuple[str, ...] = ()
) -> Iterator[ReviewEvent]:
    """Emit the consequences of a final decision."""
    review = scene.review
    if option.effect is Effect.PASS_STAGE:
        yield _override(scene, ruling.stage, actor, reason)
    elif option.effect is Effect.WAIVE:
        for name in ruling.findings:
            if not review.findings[name].is_settled:
                yield _waived(scene, name, actor, reason, false_positive=True)
    elif option.effect is Effect.REVISE:
        raised = tuple(_demanded(scene, ruling.stage, actor, demands))
        yield from raised
        stage = scene.stage(ruling.stage) or Stage(
            name=ruling.stage, seats=(), gates=(), options=Options(style=Style.SOLO)
        )
        findings = (*ruling.findings, *(one.finding for one in raised))
        words = (reason,) if raised else (reason, *demands)
        wanted = Judgement(move=Move.REVISE, reason="; ".join(words), findings=findings)
        yield ask_revision(scene, stage, wanted, ordered_by=actor.name, by_clock=not actor.is_human)
    elif option.effect in CLOSING:
        yield ReviewClosed(outcome=CLOSING[option.effect], reason=reason)


def override_stage(scene: Scene, command: OverrideStage, actor: Who) -> Iterator[ReviewEvent]:
    """Pass one stage of exactly the bytes that the human has seen."""
    review = scene.review
    check_human(review, actor, "override a stage")
    _check_sees(scene, actor)
    check_liftable(review)
    stage = scene.stage(command.stage)
    if stage is None:
        raise refuse(Code.UNKNOWN_STAGE, stage=command.stage)
    check_current(review, command.revision)
    if command.digest != review.digest:
        raise refuse(Code.DIGEST_MISMATCH, named=command.digest, digest=review.digest)
    check_reason("An override", command.reason)
    if (stage.name, review.revision) in review.overridden:
        raise refuse(Code.DUPLICATE, what="This override")
    _check_alone(scene, stage, actor)
    _check_anew(scene, stage.name)
    yield _override(scene, stage.name, actor, command.reason)


def waive_finding(scene: Scene, command: WaiveFinding, actor: Who) -> Iterator[ReviewEvent]:
    """Waive a finding so that it no longer stops the work; a veto remains until its stage is overridden."""
    if actor.kind is not WhoKind.PERSON:
        check_human(scene.review, actor, "waive a finding")
    _check_sees(scene, actor)
    finding = finding_of(scene.review, command.finding)
    stage = scene.stage(finding.stage)
    if actor.kind is WhoKind.PERSON:
        check_person_waives(scene.review, stage, finding, actor)
    if finding.is_settled and not is_fixed_elsewhere(scene.review, finding):
        raise refuse(Code.SETTLED, finding=finding.id, standing=finding.standing)
    check_reason("A waiver", command.reason)
    if stage is not None:
        _check_alone(scene, stage, actor)
    if finding.veto:
        _check_anew(scene, finding.stage)
    plain = _waived(scene, finding.id, actor, command.reason, false_positive=command.false_positive)
    waived = replace(plain, expires=command.expires)
    yield waived
    yield from _order_lapses(scene.after((waived,)))


def _order_lapses(scene: Scene) -> Iterator[ReviewEvent]:
    """End a human's order for new bytes once all findings it named are waived or settled."""
    review = scene.review
    asked = review.revision_request()
    if asked and asked.ordered_by and asked.findings and all(review.findings[f].is_settled for f in asked.findings):
        yield lapse(asked.id, "a human waived what it was about")


def reopen_review(scene: Scene, command: ReopenReview, actor: Who) -> Iterator[ReviewEvent]:
    """Reopen an ended review; reviewers are asked again, vetoes remain."""
    review = scene.review
    check_human(review, actor, "reopen a review")
    if review.outcome is None or review.outcome is not command.undoes:
        raise refuse(Code.NOT_ENDED, outcome=command.undoes)
    check_reason("Reopening", command.reason)
    if review.reopenings >= scene.rules.limits.reopenings_max:
        raise refuse(Code.LIMIT_REACHED, what="reopenings", most=scene.rules.limits.reopenings_max)
    yield ReviewReopened(reason=command.reason, undoes=review.outcome, by=actor)


def _check_sees(scene: Scene, actor: Who) -> None:
    """Refuse a human who took a seat and is still blind: they report first, then decide."""
    shown = view(scene.rules, scene.review, actor, scene.stricter)
    if shown.hides and not shown.whole:
        raise refuse(Code.REPORT_FIRST)


def _pending(scene: Scene, request: str) -> RulingRequest:
    found = scene.review.ruling()
    if found is None or found.id != request:
        raise refuse(Code.UNKNOWN_REQUEST, request=request)
    return found


def _check_group(scene: Scene, group: str, actor: Who, *, opening: bool) -> None:
    """Refuse humans outside the ruling group. An empty group opens nothing; closing is open to every human."""
    if not group or not opening:
        return
    members = {normal(one) for one in scene.group(group)}
    if not members:
        raise refuse(Code.EMPTY_GROUP, group=group)
    if normal(actor.name) not in members:
        raise refuse(Code.NOT_IN_GROUP, name=actor.name, group=group)


def _check_alone(scene: Scene, stage: Stage, actor: Who) -> None:
    """Refuse to open the gate alone where several humans must agree."""
    _check_group(scene, stage.options.ruling_group, actor, opening=True)
    if stage.options.ruling_needs > 1:
        raise refuse(Code.RULING_NEEDED, needs=stage.options.ruling_needs)


def _check_anew(scene: Scene, stage: str) -> None:
    """Lift a veto only for a human who signed in recently; an old session or a link is not enough."""
    if scene.review.is_vetoed(stage) and not scene.facts.signed_in_anew:
        raise Refusal(
            Code.SIGN_IN_NEEDED,
            "A veto is lifted only by a human who signed in within the last 5 minutes.",
            "Sign in again, look at the version, and decide.",
        )


def _override(scene: Scene, stage: str, actor: Who, reason: str) -> StageOverridden:
    review = scene.review
    return StageOverridden(
        stage=stage,
        revision=review.revision,
        digest=review.digest,
        by=actor,
        reason=reason,
        lifts_veto=review.is_vetoed(stage),
    )


def _waived(scene: Scene, finding: str, actor: Who, reason: str, *, false_positive: bool) -> FindingWaived:
    place = scene.review.findings[finding].place
    where = place.context_hash if place else ""
    return FindingWaived(
        finding=finding,
        by=actor,
        reason=reason,
        false_positive=false_positive,
        context_hash=where,
        where=place_of(scene.review),
    )


def _demanded(scene: Scene, stage: str, actor: Who, demands: tuple[str, ...]) -> Iterator[FindingRaised]:
    """Turn a human's demands into findings that the stage's seat confirms."""
    seats = [one for one in scene.review.seats_of(stage, Part.JUDGE) if not _is_program(one)]
    for number, text in enumerate(demands if seats else (), start=1):
        seat = seats[0]
        yield FindingRaised(
            finding=f"{seat.id}-F{seat.findings + number}",
            seat=seat.id,
            raiser=actor.name,
            revision=scene.review.revision,
            severity=Severity.IMPORTANT,
            severity_word="important",
            category="demand",
            text=text,
            fingerprint=fingerprint("", "demand", text),
            demand=True,
        )


def _is_program(seat: Seat) -> bool:
    """True if a program holds the seat: it can confirm its own checks, but not a human's demand."""
    return seat.reviewer is not None and seat.reviewer.kind is WhoKind.PROGRAM
