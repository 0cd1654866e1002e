"""Parses a step of a workflow as the source documents send it: by its name, or by its number."""

from __future__ import annotations

from typing import NewType

from foureyes.app.calls.bodies import describe
from foureyes.codec.shapes import CodecError, register, shape

#: Text, in whichever form it was sent.
StepName = NewType("StepName", str)
STEP_NUMBER_MAX = 1_000_000
SAYS = "the step's name; or its number, with the name in `name`"


def _read(value: object) -> StepName:
    if type(value) is str:
        return StepName(value)
    if type(value) is not int or not 0 <= value <= STEP_NUMBER_MAX:
        raise CodecError(f": expected a name or a number from 0 to {STEP_NUMBER_MAX}")
    return StepName(str(value))


register(StepName, (shape(str)[0], _read))
describe(StepName, {"type": "string", "description": SAYS})
