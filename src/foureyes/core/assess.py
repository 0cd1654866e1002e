"""Assess a review under its rules: the one judgement used to decide, to explain and to re-check at go-live."""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.judgement import Judgement, Move
from foureyes.core.model import Review
from foureyes.core.rules import Gate, Rules, Stage
from foureyes.core.stack import stages_of
from foureyes.core.values import Requirement


@dataclass(frozen=True, slots=True, kw_only=True)
class GateJudgement:
    """What one gate said."""

    gate: str
    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class StageJudgement:
    """What all gates of a stage said, and which of them speaks for it."""

    stage: Stage
    gates: tuple[GateJudgement, ...]
    judgement: Judgement
    status: str = "judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """The stages up to the first that does not pass; that one speaks."""

    stages: tuple[StageJudgement, ...]
    speaking: StageJudgement | None

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags of all gates and stages passed without judging, in order, each once."""
        found = [flag for one in self.stages for part in one.gates for flag in part.judgement.flags]
        marks = [f"{one.status}: {one.stage.name}" for one in self.stages if one.status != "judged"]
        return tuple(dict.fromkeys((*found, *marks)))

    def requirements(self) -> tuple[Requirement, ...]:
        """The judgement tree as stored in events."""
        return tuple(
            Requirement(
                stage=one.stage.name,
                gate=part.gate,
                status=one.status,
                move=part.judgement.move.name.lower(),
                reason=part.judgement.reason,
            )
            for one in self.stages
            for part in one.gates
        )


def assess(rules: Rules, review: Review, stricter: Rules | None = None) -> Assessment:
    """Judge the stages in order up to the first that does not pass; later stages are not judged."""
    judged: list[StageJudgement] = []
    for stage in stages_of(rules, review, stricter):
        one = judge_stage(review, stage)
        judged.append(one)
        if one.judgement.move is not Move.PASS:
            return Assessment(stages=tuple(judged), speaking=one)
    return Assessment(stages=tuple(judged), speaking=None)


def judge_stage(review: Review, stage: Stage) -> StageJudgement:
    """Judge one stage: an override or skip passes it, else its gravest gate speaks, the first listed on a tie."""
    key = (stage.name, review.revision)
    if key in review.overridden:
        return _passed(stage, "overridden", review.overridden[key])
    if key in review.skipped and not stage.has_veto:
        return _passed(stage, "skipped", review.skipped[key].reason)
    gates: list[GateJudgement] = []
    gravest: Judgement | None = None
    for gate in stage.gates:
        judgement = _ask(gate, review, stage)
        gates.append(GateJudgement(gate=gate_name(gate), judgement=judgement))
        if gravest is None or judgement.move > gravest.move:
            gravest = judgement
    return StageJudgement(stage=stage, gates=tuple(gates), judgement=gravest or _nothing(stage))


def gate_name(gate: Gate) -> str:
    """The name of a gate shown to people."""
    return type(gate).__name__


def _ask(gate: Gate, review: Review, stage: Stage) -> Judgement:
    try:
        return gate.judge(review, stage)
    except Exception as error:  # noqa: BLE001 - a gate that cannot be evaluated must not pass, whatever went wrong
        reason = f"{gate_name(gate)} could not be evaluated: {type(error).__name__}: {error}"
        return Judgement(move=Move.ESCALATE, reason=reason, human_only=True, error=True)


def _passed(stage: Stage, status: str, reason: str) -> StageJudgement:
    judgement = Judgement(move=Move.PASS, reason=reason)
    parts = (GateJudgement(gate=status, judgement=judgement),)
    return StageJudgement(stage=stage, gates=parts, judgement=judgement, status=status)


def _nothing(stage: Stage) -> Judgement:
    return Judgement(
        move=Move.ESCALATE, reason=f"{stage.name} demands nothing, so it passes nothing", human_only=True, error=True
    )
