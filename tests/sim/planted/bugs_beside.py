"""Planted bugs in what is beside the reviews: skips, trust, policies, groups of people, publishing, lessons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from foureyes.core.assess import Assessment
from foureyes.core.commands import GiveRuling
from foureyes.core.events import LessonKind, ReviewEvent, StagesSkipped
from foureyes.core.facts import Facts, Suppression
from foureyes.core.lessons import Lessons, in_force
from foureyes.core.live import LiveFacts, RecordLive
from foureyes.core.model import Review, RulingRequest, Vote
from foureyes.core.refusals import Code, refuse
from foureyes.core.rules import Learning, Rules, SkipRule, Stage
from foureyes.core.scene import Scene
from foureyes.core.trust import Skip, TrustRecord
from foureyes.core.values import BaseSource, KnownBase, Proof, Risk, RiskLevel, Who
from tests.sim.planted.plant import Function, bug


@bug("foureyes.core.skips:skip_stages", source="T17", found_by="I11")
def a_veto_stage_is_skipped(original: Function, scene: Scene) -> Iterator[StagesSkipped]:
    """The fast lane skips the seats that have a veto."""
    for one in original(scene):
        yield replace(one, stages=tuple(stage.name for stage in scene.stages()))


@bug("foureyes.core.trust:may_skip", source="T17", found_by="I11")
def nobody_enabled_the_fast_lane(
    _original: Function, record: TrustRecord | None, *_given: object, **_named: object
) -> object:
    """A good record is enough, no human is asked."""
    if record is None or record.successes < 1:
        return None
    return Skip(reason="a good record", pattern=record.pattern, enabled_by="trust")


@bug("foureyes.core.trust:_why_not_skip", source="S7", found_by="I11", seed=2)
def the_fast_lane_never_ends(_original: Function, *_given: object) -> str:
    """The test whether a record is still good is always true."""
    return ""


@bug("foureyes.core.trust:record_escape", source="S10", found_by="I11", seed=8)
def escapes_do_not_count(_original: Function, record: TrustRecord, *, at: datetime, learning: Learning) -> TrustRecord:
    """Trust counts approvals, not what happened afterwards."""
    assert at is not None
    assert learning is not None
    return record


@bug("foureyes.core.facts:Facts.proof_of", source="T38", found_by="I11")
def a_label_needs_no_proof(_original: Function, _facts: Facts, _digest: str) -> str:
    """Work labelled a typo is skipped, whatever its base and whether or not a program can prove it."""
    return "it looks harmless"


@bug("foureyes.core.values:KnownBase.is_known", source="T38", found_by="T38")
def the_authors_base_is_believed(_original: Function, _base: KnownBase) -> bool:
    """Any claimed base counts as known."""
    return True


@bug("foureyes.core.skips:_by_rule", source="S8", found_by="I11")
def the_name_makes_it_trivial(original: Function, scene: Scene, rule: SkipRule) -> Skip | None:
    """The caller's label decides what is trivial."""
    base = replace(scene.facts.base, source=BaseSource.REPOSITORY, digest="any")
    proof = Proof(base=base.digest, digest=scene.review.digest, why="so it is called", is_small=True)
    risk = Risk(level=RiskLevel.LOW, trivial=True)
    facts = replace(scene.facts, risk=risk, base=base, proof=proof)
    found: Skip | None = original(replace(scene, facts=facts), rule)
    return found


@bug("foureyes.core.skips:kinds_of", source="S8", found_by="I11", seed=6)
def dangerous_kinds_are_skipped(_original: Function, _scene: Scene) -> frozenset[str]:
    """No kind of work is exempt from skipping."""
    return frozenset()


@bug("foureyes.core.assess:judge_stage", source="own mutation", found_by="I2")
def a_skip_lasts_for_ever(original: Function, review: Review, stage: Stage) -> object:
    """Skipped reviewers are skipped for every later version."""
    old = next((one for (name, _), one in review.skipped.items() if name == stage.name), None)
    skipped = {**review.skipped, (stage.name, review.revision): old} if old else review.skipped
    return original(replace(review, skipped=skipped), stage)


@bug("foureyes.core.decide:_policy_noted", source="F14", found_by="I10")
def a_stricter_policy_is_not_noticed(_original: Function, *_given: object) -> Iterator[ReviewEvent]:
    """A policy that applies in flight binds new reviews only."""
    return iter(())


@bug("foureyes.core.stack:stages_of", source="T12", found_by="I2")
def a_stricter_policy_is_not_met(
    original: Function, rules: Rules, review: Review, _stricter: Rules | None = None
) -> tuple[Stage, ...]:
    """A policy that applies in flight is recorded and then ignored."""
    found: tuple[Stage, ...] = original(rules, replace(review, stricter=""), None)
    return found


@bug("foureyes.core.answers.human:_check_group", source="D-24", found_by="Y10")
def any_human_is_in_the_group(_original: Function, *_given: object, **_named: object) -> None:
    """A human outside the group can open the gate, and an empty group opens it."""


@bug("foureyes.core.answers.human:give_ruling", source="D-24", found_by="Y10")
def one_human_is_two(original: Function, scene: Scene, command: GiveRuling, actor: Who) -> Iterator[ReviewEvent]:
    """The same human twice makes two of the humans that must agree."""
    review, ruling = scene.review, scene.review.ruling()
    if ruling is not None:
        votes = tuple(Vote(by="somebody else", option=one.option) for one in ruling.votes)
        requests = {**review.requests, ruling.id: replace(ruling, votes=votes)}
        scene = replace(scene, review=replace(review, requests=requests))
    yield from original(scene, command, actor)


@bug("foureyes.core.answers.human:_pending", source="D-24", found_by="Y10")
def one_of_several_is_enough(original: Function, *given: object) -> RulingRequest:
    """One human's ruling opens what two should open."""
    found: RulingRequest = original(*given)
    return replace(found, needs=1)


@bug("foureyes.core.checks:check_human", source="T1", found_by="Y10", seed=7)
def authors_rule_on_their_own_work(_original: Function, _review: Review, actor: Who, what: str) -> None:
    """A human who made the work opens the gate for it."""
    if not actor.is_human:
        raise refuse(Code.HUMAN_ONLY, what=what)


@bug("foureyes.core.live:why_not", source="GitLab 410123", found_by="I7", seed=2)
def the_name_goes_live(original: Function, command: RecordLive, facts: LiveFacts, now: datetime) -> str:
    """Work goes live by its name; the bytes are not checked."""
    digest = facts.clearance.digest if facts.clearance else command.digest
    return str(original(replace(command, digest=digest), facts, now))


@bug("foureyes.core.live:_why_not_again", source="own mutation", found_by="I7", seed=2)
def a_single_use_is_used_twice(_original: Function, *_given: object) -> str:
    """A clearance for one use is good for ever."""
    return ""


@bug("foureyes.core.answers.author:_change_of", source="own mutation", found_by="I7", seed=2)
def cleared_bytes_come_back(original: Function, scene: Scene, command: object) -> object:
    """Approve, revert, clear again."""
    return original(replace(scene, review=replace(scene.review, cleared_digests=frozenset())), command)


@bug("foureyes.core.lessons:suppressions_for", source="S22", found_by="P12", seed=14)
def a_pattern_becomes_a_false_positive(_original: Function, lessons: Lessons, now: datetime) -> tuple[Suppression, ...]:
    """A pattern recorded by an agent suppresses findings."""
    return tuple(
        Suppression(
            fingerprint=one.fingerprint, context_hash=one.context_hash, source=one.id, by=one.by.name, expires=None
        )
        for one in in_force(lessons, now)
        if one.kind is LessonKind.PATTERN
    )


@bug("foureyes.core.assess:Assessment.flags", source="T37", found_by="I12")
def skips_look_like_reviews(original: Function, now: Assessment) -> tuple[str, ...]:
    """A clearance does not say that reviewers were skipped."""
    return tuple(one for one in original(now) if not one.startswith("skipped"))
