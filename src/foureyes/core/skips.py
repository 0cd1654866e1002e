"""May reviewers be left out this time? Decided anew for every revision, from the bytes, and always on the record."""

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

#: Labels that name less than new comments or sentences.
_SMALL = frozenset({"fix_typo", "update_formatting"})


def skip_stages(scene: Scene) -> Iterator[StagesSkipped]:
    """The stages without a veto seat that a rule, a switch or a trusted record lets pass."""
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
    """What lets it go under every policy that binds it; whose human's word made that possible is what is recorded."""
    own, stricter = why_skip(scene), scene.stricter
    if own is None or stricter is None:
        return own
    above = why_skip(replace(scene, rules=stricter))
    return own if above and own[1].pattern else above


def why_skip(scene: Scene) -> tuple[str, Skip] | None:
    """Which rule lets this revision go without reviewers, if any.

    Some kinds never do, nor bytes of high risk, nor what somebody looked at: not even where reviews are switched off.
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
    """The kind the author named and those its paths make it; a name never takes one away."""
    review = scene.review
    return frozenset(kinds_for(scene.rules, review.kind, (part.name for part in review.current.parts)))


def _by_rule(scene: Scene, rule: SkipRule) -> Skip | None:
    review, risk = scene.review, scene.facts.risk
    if not kinds_of(scene).isdisjoint(map(canonical_kind, rule.except_for)):
        return None
    if rule.learned and risk.level < RiskLevel.HIGH and not _was_drawn(review):
        found = may_skip(_record(scene), scene.now, scene.rules.learning, audit_draw=scene.facts.draw)
        return found if isinstance(found, Skip) else None
    # What the author calls it is no reason: only a program's proof against a base the gate knows is one.
    proof = scene.facts.proof_of(review.digest)
    harmless = bool(proof) and risk.trivial
    is_so_called = review.kind not in _SMALL or scene.facts.proof.is_small
    if review.kind in map(canonical_kind, rule.kinds) and harmless and is_so_called:
        return Skip(reason=f"{review.kind} needs no review: {proof}", pattern="", enabled_by="")
    if rule.autonomy and ("autonomy_level", rule.autonomy) in review.context and harmless:
        return Skip(reason=f"autonomy level {rule.autonomy} needs no review: {proof}", pattern="", enabled_by="")
    return None


def _was_drawn(review: Review) -> bool:
    """Whether an earlier version was not let pass: a new one is no second draw of the audit's lot."""
    skipped = {number for _, number in review.skipped}
    return any(number not in skipped for number in range(1, review.revision))


def _record(scene: Scene) -> TrustRecord | None:
    """The track record of this kind of work of this author; anybody else's says nothing here."""
    record, review = scene.facts.trust, scene.review
    if record is None or record.kind != review.kind or normal(record.author) != normal(review.author.name):
        return None
    return record
