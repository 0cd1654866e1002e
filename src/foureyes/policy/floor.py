"""The floor below which no policy is accepted: at least one independent reviewer in every stage that work can reach.

The switch `enabled: false` and the skip rules do not get below it where it matters: the core (`core/skips.py`) decides
for every revision which stages they skip, never for bytes of high risk, a veto or a kind that is never skipped. So a
policy with reviews switched off is not below the floor.
"""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.core import gates
from foureyes.core.rules import Gate, Protocol, Rules, Stage
from foureyes.core.values import Part

#: Minimum number of reports by non-contributors without which no stage may pass.
QUORUM_MIN = 1


def floor_problems(rules: Rules) -> tuple[str, ...]:
    """Why these rules are not acceptable, one sentence per problem; empty if they are."""
    return tuple(dict.fromkeys(_problems(rules)))


def _problems(rules: Rules) -> Iterator[str]:
    if not rules.default:
        yield "no style is named for other kinds: `kinds` needs a default"
    named = (
        *(("every other kind", name) for name in rules.default),
        *((rule.kind, name) for rule in rules.kinds for name in rule.protocols),
        *((f"{rule.level.name.lower()} risk", name) for rule in rules.risks for name in rule.protocols),
    )
    known = {one.name for one in rules.protocols}
    yield from (f"{who} is judged by {name!r}, which nobody defined" for who, name in named if name not in known)
    yield from (f"{rule.kind} is judged by nothing" for rule in rules.kinds if not rule.protocols)
    if len(known) != len(rules.protocols):
        yield "two styles or chains have the same name"
    for protocol in rules.protocols:
        yield from _of_protocol(protocol)


def _of_protocol(protocol: Protocol) -> Iterator[str]:
    if not protocol.stages:
        yield f"{protocol.name} has no stages"
    names = [stage.name for stage in protocol.stages]
    if len(set(names)) != len(names):
        yield f"{protocol.name} has two stages of one name"
    for stage in protocol.stages:
        if any(isinstance(gate, gates.Unknown) for gate in stage.gates):
            yield f"{stage.name} has a gate nobody knows"
        if _least(stage) < QUORUM_MIN:
            yield f"{stage.name} would pass without {QUORUM_MIN} reviewer who had no hand in the work"


def _least(stage: Stage) -> int:
    """The number of reports the stage waits for, by its most demanding gate."""
    judges = sum(1 for seat in stage.seats if seat.part is Part.JUDGE)
    return min(judges, max((_demanded(gate, judges) for gate in stage.gates), default=0))


def _demanded(gate: Gate, judges: int) -> int:
    match gate:
        case gates.Quorum():
            return gate.reviewers
        case gates.Standards() | gates.Unanimous() | gates.Majority() | gates.Tally() | gates.Agreement():
            return judges
        case _:
            return 0
