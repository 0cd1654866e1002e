"""Applies the gate's go-live answer to the outcome of a cleared server review, for commands that publish afterwards."""

from __future__ import annotations

from dataclasses import replace

from foureyes.app.gate import Gate
from foureyes.app.reviewing.outcome import Outcome
from foureyes.core.situation import Result
from foureyes.core.values import ON_TARGET, Who


async def as_the_gate_says(gate: Gate, outcome: Outcome, viewer: Who) -> Outcome:
    """Return the outcome, blocked if the gate does not allow it without a target or on the base's target."""
    base = (await gate.read(outcome.review, viewer)).view.review.current.known_base
    live = await gate.may_go_live(outcome.digest, base.name if base.source in ON_TARGET else "", viewer)
    if live.allowed:
        return outcome
    sentence = f"The review is cleared, and the gate stays shut: {live.reason}"
    situation = replace(outcome.situation, result=Result.BLOCKED, sentence=sentence, reasons=(live.reason,))
    return replace(outcome, situation=situation, gate=sentence)
