"""Parses confidence as the source documents send it: in percent (95), or as a fraction of one (0.95)."""

from __future__ import annotations

from math import isfinite
from typing import NewType

from foureyes.app.calls.bodies import describe
from foureyes.codec.shapes import CodecError, register, shape

#: Whole percent, in whichever form it was sent.
Confidence = NewType("Confidence", int)
_PERCENT = 100
#: A number beyond this is refused here; every other one is checked against 0 to 100 with the rest of the report.
_LARGE = 1_000_000
SAYS = "how sure, 0 to 100; 0.95 is 95, and so is 1.0 100. A bare 1 could be either and is refused: send 100, or 0.01"


def _read(value: object) -> Confidence:
    """The percent that a number means; a fraction below or at 1 is a part of one.

    JavaScript writes 1.0 as 1, which as a percentage says the opposite: that one number is not guessed.
    """
    if type(value) is int:
        if value == 1:
            raise CodecError(": 1 can mean 1 % or 100 %; send 100, or 0.01")
        return Confidence(value)
    if type(value) is not float or not isfinite(value):
        raise CodecError(f": expected a number, not {type(value).__name__}")
    if abs(value) > _LARGE:
        raise CodecError(f": {value} is no percentage; send 0 to 100")
    return Confidence(round(value * _PERCENT) if value <= 1 else int(value))


register(Confidence, (shape(int)[0], _read))
describe(Confidence, {"type": "number", "description": SAYS})
