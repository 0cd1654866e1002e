"""Decide a command: return its events and all that follow from them, or raise a refusal; pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import assert_never

from foureyes.core import commands as c
from foureyes.core.answers import anyone, author, clock, human, inheriting, reports, seats, settling
from foureyes.core.bounds import check_bounds
from foureyes.core.events import PolicyNoted, ReviewEvent
from foureyes.core.evolve import fold
from foureyes.core.facts import Facts
from foureyes.core.model import Review
from foureyes.core.refusals import Code, refuse
from foureyes.core.rules import Rules
from foureyes.core.scene import Scene
from foureyes.core.settle import settle
from foureyes.core.values import Who


def decide(
    rules: Rules, review: Review | None, command: c.ReviewCommand, *, actor: Who, facts: Facts, now: datetime
) -> tuple[ReviewEvent, ...]:
    """Answer the command, then settle the review: all resulting events, or a refusal and none."""
    return decided(rules, review, command, actor=actor, facts=facts, now=now)[0]


def decided(
    rules: Rules, review: Review | None, command: c.ReviewCommand, *, actor: Who, facts: Facts, now: datetime
) -> tuple[tuple[ReviewEvent, ...], Review]:
    """Like `decide`, and also return the review after these events, which folding them would give too."""
    check_bounds(rules.limits, command)
    if isinstance(command, c.OpenReview):
        if review is not None:
            raise refuse(Code.ALREADY_OPEN, review=review.id)
        answered: tuple[ReviewEvent, ...] = tuple(author.open_review(rules, command, actor, facts))
        scene = Scene(rules=rules, review=fold(answered), facts=facts, now=now)
    else:
        if review is None:
            raise refuse(Code.REVIEW_MISSING)
        before = Scene(rules=rules, review=review, facts=facts, now=now)
        lifts = () if isinstance(command, c.CheckInherited) else inheriting.lifted(before)
        noted = (*_policy_noted(before, command), *lifts)
        before = before.after(noted)
        answered = (*noted, *_answer(before, command, actor))
        scene = before.after(answered[len(noted) :])
        reopened = tuple(_policy_noted(scene, command))
        answered, scene = (*answered, *reopened), scene.after(reopened)
    if scene.review.revision > (review.revision if review else 0):
        for follows in (inheriting.after_revision, author.after_revision):
            at_once = tuple(follows(scene))
            answered, scene = (*answered, *at_once), scene.after(at_once)
    followed, after = settle(scene)
    return (*answered, *followed), after


def _policy_noted(scene: Scene, command: c.LaterCommand) -> Iterator[ReviewEvent]:
    """Note a policy activated during the review, once and not by the clock; one that applies in flight must be met."""
    policy, review = scene.facts.policy, scene.review
    if isinstance(command, c.PassDeadline | c.CheckInherited):
        return
    if policy is None or review.outcome is not None or policy.digest in (review.rules, review.stricter):
        return
    if policy.applies_in_flight or policy.digest not in review.policies:
        yield PolicyNoted(digest=policy.digest, stricter=policy.applies_in_flight)


def _answer(  # noqa: C901, PLR0911, PLR0912 - one case per command is the whole function
    scene: Scene, command: c.LaterCommand, actor: Who
) -> Iterator[ReviewEvent]:
    match command:
        case c.SubmitRevision():
            return author.submit_revision(scene, command, actor)
        case c.AnswerFinding():
            return author.answer_finding(scene, command, actor)
        case c.WithdrawReview():
            return author.withdraw(scene, command, actor)
        case c.TakeSeat():
            return seats.take_seat(scene, command, actor)
        case c.RenewSeat():
            return seats.renew_seat(scene, command, actor)
        case c.LeaveSeat():
            return seats.leave_seat(scene, command, actor)
        case c.SubmitReport():
            return reports.submit_report(scene, command, actor)
        case c.ReportInconclusive():
            return settling.report_inconclusive(scene, command, actor)
        case c.KeepReport():
            return settling.keep_report(scene, command, actor)
        case c.SettleFinding():
            return settling.settle_finding(scene, command, actor)
        case c.VerifyFinding():
            return settling.verify_finding(scene, command, actor)
        case c.RequestRuling():
            return anyone.request_ruling(scene, command, actor)
        case c.GiveRuling():
            return human.give_ruling(scene, command, actor)
        case c.OverrideStage():
            return human.override_stage(scene, command, actor)
        case c.WaiveFinding():
            return human.waive_finding(scene, command, actor)
        case c.ReopenReview():
            return human.reopen_review(scene, command, actor)
        case c.ReportEscape():
            return anyone.report_escape(scene, command, actor)
        case c.AddNote():
            return anyone.add_note(scene, command, actor)
        case c.CheckInherited():
            return inheriting.check_inherited(scene, command, actor)
        case c.PassDeadline():
            return clock.pass_deadline(scene, command, actor)
        case _:
            assert_never(command)
