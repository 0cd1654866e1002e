"""The stages of a review: those of its protocols in order, and of a stricter policy that also binds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from foureyes.core.gates import Agreement, Majority, Unknown
from foureyes.core.inherited import inherited_stage
from foureyes.core.model import Review
from foureyes.core.risk import protocols_for
from foureyes.core.rules import Gate, Options, Rules, Stage, Style
from foureyes.core.values import Risk, RiskLevel


def stages_of(rules: Rules, review: Review, stricter: Rules | None = None) -> tuple[Stage, ...]:
    """The stages of every protocol the review must pass, in order; a stricter policy in force adds its own.

    Inherited findings, if any, add a last stage.
    """
    stages = _with_stricter(rules, review, stricter) if review.stricter else _concatenated(rules, review.protocols)
    return (*stages, inherited_stage(stages)) if review.inherited else stages


def _with_stricter(rules: Rules, review: Review, stricter: Rules | None) -> tuple[Stage, ...]:
    names = review.protocols
    if stricter is None or stricter.digest != review.stricter:
        return (*_concatenated(rules, names), _unknown(f"policy {review.stricter}"))
    added = stricter_protocols(stricter, review)
    key = (rules.digest, *names, *added)
    known = stricter.stages_memo.get(key)
    if known is None:
        known = stricter.stages_memo[key] = _both(rules, names, stricter, added)
    return known


def stricter_protocols(stricter: Rules, review: Review) -> tuple[str, ...]:
    """The protocols the stricter policy demands of these bytes, including its versions of those demanded before."""
    current = review.current
    paths = (part.name for part in current.parts)
    same = (name for name in review.protocols if stricter.protocol(name))
    return protocols_for(stricter, review.kind, paths, Risk(level=RiskLevel[current.risk.upper()]), same)


def _both(rules: Rules, names: tuple[str, ...], stricter: Rules, added: tuple[str, ...]) -> tuple[Stage, ...]:
    """Merge stages that differ only in their gates, so that the gates of both must pass; keep both of all others."""
    others = {stage.name: stage for stage in _concatenated(stricter, added)}
    merged: list[Stage] = []
    for stage in _concatenated(rules, names):
        other = others.get(stage.name)
        alike = other is not None and replace(other, gates=()) == replace(stage, gates=())
        merged.append(_merge(stage, others.pop(stage.name)) if alike else stage)
    taken = {stage.name for stage in merged}
    again = {name: f"{name}+" for name in others if name in taken}
    return (*merged, *(_renamed(one, again) for one in others.values()))


def _renamed(stage: Stage, again: Mapping[str, str]) -> Stage:
    """The stage under a new name, also where its gates refer to it."""

    def gate(one: Gate) -> Gate:
        match one:
            case Majority():
                return replace(one, chain=tuple(again.get(name, name) for name in one.chain))
            case Agreement():
                return replace(one, stages=tuple(again.get(name, name) for name in one.stages))
            case _:
                return one

    return replace(stage, name=again.get(stage.name, stage.name), gates=tuple(map(gate, stage.gates)))


def _merge(own: Stage, other: Stage) -> Stage:
    extra = tuple(gate for gate in other.gates if gate not in own.gates)
    return replace(own, gates=(*own.gates, *extra))


def _concatenated(rules: Rules, names: tuple[str, ...]) -> tuple[Stage, ...]:
    """The stages of these protocols, cached with the rules, because the same rules always give the same stages."""
    known = rules.stages_memo.get(names)
    if known is None:
        stages: list[Stage] = []
        for name in names:
            protocol = rules.protocol(name)
            stages.extend(protocol.stages if protocol else (_unknown(name),))
        known = rules.stages_memo[names] = tuple(stages)
    return known


def _unknown(name: str) -> Stage:
    return Stage(name=name, seats=(), gates=(Unknown(name=name),), options=Options(style=Style.SOLO))
