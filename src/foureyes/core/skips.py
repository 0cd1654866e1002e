"""Skipping reviewers by rule or trusted record: decided for every revision from its bytes, and always recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foureyes.core.events import StagesSkipped
from foureyes.core.independence import normal
from foureyes.core.kinds import canonical_kind
from foureyes.core.model import Review
from foureyes.core.risk import kinds_for
from foureyes.core.rules import NEVER_SKIPPED, SkipRule
from foureyes.core.scene import Scene
from foureyes.core.trust import Skip, TrustRecord, may_skip
from foureyes.core.values import RiskLevel

#: Kinds that claim less than new comments or sentences.
_SMALL = frozenset({"fix_typo", "update_formatting"})


def skip_stages(scene: Scene) -> Iterator[StagesSkipped]:
    """Skip the stages without a veto seat if a rule, a switch or a trusted record allows it."""
    reason = _by_both(scene)
    stages = tuple(one.name for one in scene.stages() if not one.has_veto and one.seats)
    if reason and stages:
        rule, found = reason
        yield StagesSkipped(
            stages=stages,
            revision=scene.review.revision,
            rule=rule,
            reason=found.reason,
            pattern=found.pattern,
            enabled_by=found.enabled_by,
        )


def _by_both(scene: Scene) -> tuple[str, Skip] | None:
    """The skip that every binding policy allows; of two, the one based on a human's decision is recorded."""
    own, stricter = why_skip(scene), scene.stricter
    if own is None or stricter is None:
        return own
    above = why_skip(replace(scene, rules=stricter))
    return own if above and own[1].pattern else above


def why_skip(scene: Scene) -> tuple[str, Skip] | None:
    """The rule that skips reviewers of this revision, if any.

    Never for some kinds or high-risk bytes, nor after anyone has looked at the work, even if reviews are disabled.
    """
    review = scene.review
    if kinds_of(scene) & NEVER_SKIPPED or review.reports or review.findings or review.rulings:
        return None
    if not scene.rules.enabled and scene.facts.risk.level < RiskLevel.HIGH:
        return "disabled", Skip(reason="Reviews are switched off by the policy", pattern="", enabled_by="")
    for rule in scene.rules.skips:
        found = _by_rule(scene, rule)
        if found:
            return rule.name, found
    return None


def kinds_of(scene: Scene) -> frozenset[str]:
    """The kind the author named plus the kinds of the paths; naming one removes none."""
    review = scene.review
    return frozenset(kinds_for(scene.rules, review.kind, (part.name for part in review.current.parts)))


def _by_rule(scene: Scene, rule: SkipRule) -> Skip | None:
    review, risk = scene.review, scene.facts.risk
    if not kinds_of(scene).isdisjoint(map(canonical_kind, rule.except_for)):
        return None
    if rule.learned and risk.level < RiskLevel.HIGH and not _was_drawn(review):
        found = may_skip(_record(scene), scene.now, scene.rules.learning, audit_draw=scene.facts.draw)
        return found if isinstance(found, Skip) else None
    # The author's label alone is not enough: a program must prove it harmless against a base the gate knows.
    proof = scene.facts.proof_of(review.digest)
    harmless = bool(proof) and risk.trivial
    is_so_called = review.kind not in _SMALL or scene.facts.proof.is_small
    if review.kind in map(canonical_kind, rule.kinds) and harmless and is_so_called:
        return Skip(reason=f"{review.kind} needs no review: {proof}", pattern="", enabled_by="")
    if rule.autonomy and ("autonomy_level", rule.autonomy) in review.context and harmless:
        return Skip(reason=f"autonomy level {rule.autonomy} needs no review: {proof}", pattern="", enabled_by="")
    return None


def _was_drawn(review: Review) -> bool:
    """True if an earlier revision was not skipped, so that a new one cannot avoid the audit draw."""
    skipped = {number for _, number in review.skipped}
    return any(number not in skipped for number in range(1, review.revision))


def _record(scene: Scene) -> TrustRecord | None:
    """The track record of this author and kind of work, if that is the one in the facts."""
    record, review = scene.facts.trust, scene.review
    if record is None or record.kind != review.kind or normal(record.author) != normal(review.author.name):
        return None
    return record
