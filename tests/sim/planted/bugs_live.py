"""Planted bugs that let unreviewed work through: wrong bytes, too few reviewers, a timer, a missing report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.core.assess import Assessment, StageJudgement
from foureyes.core.commands import ReportInconclusive
from foureyes.core.events import ReportSubmitted, ReviewCleared, ReviewEvent, RevisionSubmitted
from foureyes.core.gates import Majority, Quorum, Tally, Unanimous
from foureyes.core.judgement import Judgement, Move, Owed
from foureyes.core.model import Report, Review, RevisionRequest
from foureyes.core.refusals import Refusal
from foureyes.core.rules import Rules, Stage
from foureyes.core.scene import Scene
from foureyes.core.values import ClearedBy, Effect, Verdict, Who
from tests.sim.planted.plant import Function, bug

PASS = Judgement(move=Move.PASS, reason="fine")


@bug("foureyes.core.settle:_clear", source="GitLab 436977", found_by="I1")
def the_name_is_approved_not_the_bytes(original: Function, scene: Scene, now: Assessment) -> Iterator[ReviewEvent]:
    """The clearance names the bytes that were first submitted under this name, not the current ones."""
    first = scene.review.revisions[0].digest
    yield from (replace(one, digest=first) if isinstance(one, ReviewCleared) else one for one in original(scene, now))


@bug("foureyes.core.gates.quorum:Quorum.judge", source="required_approvals", found_by="I2")
def two_approvals_are_true(original: Function, gate: Quorum, review: Review, stage: Stage) -> object:
    """The number of required approvals is read as a switch: True is one."""
    return original(replace(gate, reviewers=int(bool(gate.reviewers))), review, stage)


@bug("foureyes.core.gates.quorum:Quorum.judge", source="required_approvals", found_by="I2")
def no_approvals_are_needed(_original: Function, _gate: Quorum, _review: Review, _stage: Stage) -> object:
    """The quorum is 0, so no review is needed."""
    return PASS


@bug("foureyes.core.model:Review.report_of", source="dismiss stale approvals", found_by="I2")
def stale_approvals_are_not_dismissed(_original: Function, review: Review, seat: str) -> Report | None:
    """A report on an older version counts for the current one."""
    return next((one for key, one in reversed(list(review.reports.items())) if key[0] == seat), None)


@bug("foureyes.core.evolve.lifecycle:revision_submitted", source="GerriScary", found_by="I2")
def labels_are_copied_forward(original: Function, review: Review, event: RevisionSubmitted) -> object:
    """Reports on the last version are copied to the new one when it is uploaded."""
    new = original(review, event)
    copies = {
        (seat, new.revision): replace(one, revision=new.revision)
        for (seat, number), one in review.reports.items()
        if number == review.revision
    }
    return replace(new, reports={**new.reports, **copies})


@bug("foureyes.core.settle:level", source="own mutation", found_by="I2")
def independence_is_claimed(_original: Function, *_given: object) -> int:
    """Every clearance claims the highest level of independence."""
    return 3


@bug("foureyes.core.stages:missing", source="S21", found_by="I5")
def one_report_is_enough(original: Function, review: Review, stage: Stage) -> tuple[Owed, ...]:
    """A crashed reviewer is not waited for once another has reported."""
    found: tuple[Owed, ...] = () if review.reports_in(stage.name) else original(review, stage)
    return found


@bug("foureyes.core.gates.majority:Majority.judge", source="own mutation", found_by="I5")
def half_is_a_majority(original: Function, gate: Majority, review: Review, stage: Stage) -> Judgement:
    """One layer that approves outvotes the others."""
    found: Judgement = original(gate, review, stage)
    if found.move is Move.REVISE and not review.is_vetoed(stage.name):
        return PASS
    return found


@bug("foureyes.core.gates.unanimous:Unanimous.judge", source="S18", found_by="I5")
def only_a_rejection_counts(original: Function, gate: Unanimous, review: Review, stage: Stage) -> Judgement:
    """A verdict that is not a rejection lets the layer pass."""
    found: Judgement = original(gate, review, stage)
    said = {one.verdict for one in review.reports_in(stage.name)}
    return PASS if said == {Verdict.CONCERNS} else found


@bug("foureyes.core.gates.tally:Tally.judge", source="S18", found_by="I5")
def all_of_those_who_spoke_approve(original: Function, gate: Tally, review: Review, stage: Stage) -> Judgement:
    """All who reported approve, and missing reports are not waited for."""
    reports = review.reports_in(stage.name)
    if reports and all(one.verdict is Verdict.APPROVE for one in reports):
        return PASS
    found: Judgement = original(gate, review, stage)
    return found


@bug("foureyes.core.assess:judge_stage", source="own mutation", found_by="I5")
def an_override_lasts_for_ever(original: Function, review: Review, stage: Stage) -> StageJudgement:
    """A human's override of one version passes every later one."""
    reason = next((one for (name, _), one in review.overridden.items() if name == stage.name), "")
    old = replace(review, overridden={**review.overridden, (stage.name, review.revision): reason}) if reason else review
    found: StageJudgement = original(old, stage)
    return found


@bug("foureyes.core.stack:stages_of", source="own mutation", found_by="I5")
def only_the_first_protocol_is_asked(
    original: Function, rules: Rules, review: Review, stricter: Rules | None = None
) -> tuple[Stage, ...]:
    """Of several protocols in a row only the first is applied."""
    found: tuple[Stage, ...] = original(rules, replace(review, protocols=review.protocols[:1]), stricter)
    return found


@bug("foureyes.core.answers.author:after_revision", source="CVE-2026-1999", found_by="I2")
def a_rebase_merges_by_itself(original: Function, scene: Scene) -> Iterator[ReviewEvent]:
    """A version that only moves the base is merged on a path that asks no gate."""
    yield from original(scene)
    review = scene.review
    if review.current.change.value in ("rebase", "message"):
        yield ReviewCleared(digest=review.digest, revision=review.revision, by=ClearedBy.GATES, level=0)


@bug("foureyes.core.options:fallback_for", source="S6", found_by="I8")
def silence_of_humans_passes(_original: Function, _reason: str, **_named: object) -> Effect:
    """A human who does not answer in time has agreed."""
    return Effect.PASS_STAGE


@bug("foureyes.core.answers.clock:_author_silent", source="S6", found_by="I8")
def the_timer_approves(original: Function, scene: Scene, request: RevisionRequest) -> Iterator[ReviewEvent]:
    """48 hours before auto-approve."""
    review = scene.review
    yield next(iter(original(scene, request)))
    yield ReviewCleared(digest=review.digest, revision=review.revision, by=ClearedBy.GATES, level=0)


@bug("foureyes.core.answers.settling:report_inconclusive", source="S21", found_by="I9")
def a_crash_is_a_pass(
    _original: Function, scene: Scene, command: ReportInconclusive, actor: Who
) -> Iterator[ReviewEvent]:
    """A crashed reviewer counts as one without objections."""
    if scene.review.report_request(command.seat) is not None:
        yield ReportSubmitted(
            seat=command.seat,
            revision=scene.review.revision,
            digest=scene.review.digest,
            reviewer=actor,
            verdict=Verdict.APPROVE,
        )


@bug("foureyes.core.checks:verdict_of", source="S18", found_by="I9", seed=2)
def an_unknown_word_approves(original: Function, word: str) -> Verdict:
    """An unknown verdict matches no rule, so nothing stops the work."""
    try:
        found: Verdict = original(word)
    except Refusal:
        return Verdict.APPROVE
    return found


@bug("foureyes.core.assess:Assessment.flags", source="T37", found_by="I12")
def break_glass_leaves_no_mark(original: Function, now: Assessment) -> tuple[str, ...]:
    """A clearance does not say that a human overrode a stage."""
    return tuple(one for one in original(now) if not one.startswith("overridden"))
