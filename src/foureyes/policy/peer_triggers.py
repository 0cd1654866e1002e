"""Escalation triggers of the peer style: their numbers, and how the `escalation` section sets them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from foureyes.core import gates
from foureyes.core.kinds import canonical_kind
from foureyes.policy.nodes import Scalar, described
from foureyes.policy.tables import Table, listed

MINUTES = {"minute": 1, "minutes": 1, "hour": 60, "hours": 60}
#: The allowed ranges, for both forms of the document.
CYCLES = (1, 20)
TOTAL_MINUTES = (1, 43_200)
GAP = (0, 100)
SURE = (0, 100)
_OVER = re.compile(r">\s*([0-9]{1,6})\s*([a-z]*)")
_UNDER = re.compile(r"<\s*([0-9]{1,6})")


@dataclass(slots=True, kw_only=True)
class Triggers:
    """What asks a human; each number keeps its default unless the document names it."""

    cycles: int = 3
    total_minutes: int = 120
    gap: int = 40
    sure_kinds: tuple[str, ...] = gates.Certainty().kinds
    sure: int = 90
    both: int = 60
    choice_kinds: tuple[str, ...] = gates.Certainty().choice_kinds


def read_triggers(table: Table) -> Triggers:
    """Read `escalation`; numbers it does not list keep their defaults."""
    node = table.special("auto_escalate_to_human")
    found = Triggers()
    for item in listed(node) if node is not None else ():
        trigger = Table(item, "trigger", table.problems)
        for name in ("and_creator_disagrees", "multiple_valid_options"):
            if not trigger.flag(name):
                table.problems.add(trigger.at(name), f"{name} must be true", "leave the entry out instead")
        found.cycles = _over(trigger, "review_cycles", CYCLES, found.cycles)
        found.total_minutes = _over(trigger, "time_exceeded", TOTAL_MINUTES, found.total_minutes)
        found.gap = _over(trigger, "confidence_gap", GAP, found.gap)
        found.both = _under(trigger, "both_confidence", found.both)
        kinds = tuple(map(canonical_kind, trigger.names("review_type")))
        if trigger.has("reviewer_confidence"):
            found.sure = _under(trigger, "reviewer_confidence", found.sure)
            found.sure_kinds = tuple(dict.fromkeys((*found.sure_kinds, *kinds)))
        elif trigger.has("multiple_valid_options"):
            found.choice_kinds = tuple(dict.fromkeys((*found.choice_kinds, *kinds)))
        elif kinds:
            allowed = "write reviewer_confidence or multiple_valid_options beside it"
            table.problems.add(item, "review_type alone asks nobody", allowed)
    return found


def _over(table: Table, name: str, limits: tuple[int, int], default: int) -> int:
    """Read a limit written as ">3" or ">2 hours"; times are returned in minutes."""
    node = table.special(name)
    if node is None:
        return default
    said = node.value if isinstance(node, Scalar) and isinstance(node.value, str) else ""
    found = _OVER.fullmatch(said.strip())
    timed, (low, high) = name == "time_exceeded", limits
    if found and (found[2] in MINUTES if timed else not found[2]):
        value = int(found[1]) * (MINUTES[found[2]] if timed else 1)
        if low <= value <= high:
            return value
    example = '">2 hours" or ">90 minutes"' if timed else f'">{default}", {low}-{high}'
    table.problems.add(node, f"{name} is {described(node)}", f"write it as {example}")
    return default


def _under(table: Table, name: str, default: int) -> int:
    node = table.special(name)
    if node is None:
        return default
    found = _UNDER.fullmatch(node.value.strip()) if isinstance(node, Scalar) and isinstance(node.value, str) else None
    if found and int(found[1]) <= SURE[1]:
        return int(found[1])
    table.problems.add(node, f"{name} is {described(node)}", f'write it as "<{default}", 0-100')
    return default
