"""Redacts refusals for callers who do not see the whole review: nothing of hidden seats, findings and vetoes.

Which seats there are says how many reviewed, and the holder of a seat shows that they began. So a caller who names a
seat they do not see gets one answer, whether it exists, is taken, free or left.
"""

from __future__ import annotations

from foureyes.app.gate import Gate
from foureyes.codec.commands import Command
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Who

_REVIEW = "review/"
#: Refusals that depend on what exists under a name the caller sent.
TELLING = frozenset(
    {
        Code.DUPLICATE,
        Code.LEASE_ENDED,
        Code.NO_FREE_SEAT,
        Code.NOT_ELIGIBLE,
        Code.NOT_OPEN,
        Code.NOT_THE_HOLDER,
        Code.SEAT_TAKEN,
        Code.SETTLED,
        Code.UNKNOWN_FINDING,
        Code.UNKNOWN_REQUEST,
        Code.UNKNOWN_SEAT,
    }
)


async def told_blindly(gate: Gate, who: Who, command: Command, stream: str, refusal: Refusal) -> Refusal:
    """The refusal as this asker may hear it."""
    named = _seats_named(command)
    if refusal.code not in TELLING or not named or not stream.startswith(_REVIEW):
        return refusal
    seen = (await gate.read(stream.removeprefix(_REVIEW), who)).view
    hidden = next((one for one in named if one not in seen.review.seats), "") if seen.hides else ""
    if not hidden:
        return refusal
    return Refusal(
        Code.NOT_THE_HOLDER,
        f"Seat {hidden[:80]!r} is not yours to speak from.",
        "Take a free seat without naming one, or leave it to others.",
    )


def _seats_named(command: Command) -> list[str]:
    """The seats a command names, by themselves or by a finding of theirs."""
    findings = [getattr(command, "finding", ""), *(one.finding for one in getattr(command, "settled", ()))]
    seats = [getattr(command, "seat", ""), *(one.rpartition("-F")[0] or one for one in findings)]
    return [one for one in seats if one]
