"""Read the escalation conditions of the peer style in the form of short formulas; six are known."""

from __future__ import annotations

import re

from foureyes.core.kinds import canonical_kind
from foureyes.policy.nodes import Node, Scalar, described, short
from foureyes.policy.peer_triggers import CYCLES, GAP, MINUTES, SURE, TOTAL_MINUTES, Triggers
from foureyes.policy.tables import NAME, NAME_FORM, Table, listed

#: The known conditions, for messages and the reference page.
CONDITIONS = (
    "`reviewer_rejects`, and: `creator_disagrees`",
    "`revision_count > 3`",
    "`review_time > 2_hours`",
    "`creator_confidence - reviewer_confidence > 40`",
    "`review_type in [kind, kind]` or `review_type == kind`, and: `reviewer_confidence < 90`",
    "`review_type in [kind, kind]` or `review_type == kind`, and: `multiple_valid_options`",
)
HOURS_MAX = 8_760
KINDS_MAX = 50

_ALLOWED = f"the conditions are {'; '.join(CONDITIONS)}"
_REVISIONS = re.compile(r"revision_count ?> ?([0-9]{1,6})")
_TIME = re.compile(r"review_time ?> ?([0-9]{1,6})[_ ](minutes?|hours?)")
_GAP = re.compile(r"creator_confidence ?- ?reviewer_confidence ?> ?([0-9]{1,6})")
_KINDS = re.compile(r"review_type ?(?:== ?([^ \[\]]{1,64})|in ?\[([^\[\]]{1,300})\])")
_SURE = re.compile(r"reviewer_confidence ?< ?([0-9]{1,6})")
_HOURS = re.compile(r"([0-9]{1,6})[_ ]hours?")

DISPUTED = (
    "reviewer_rejects and creator_disagrees is built in: a rejection that its author disputes always asks a human."
)
OPTIONS = (
    "multiple_valid_options is said by the reviewer in the report; for an architecture_decision it always asks a human."
)
REASONS = "The reasons under auto_escalate are for readers of the file: who is asked gets the program's own words."


def read_conditions(table: Table) -> Triggers:
    """Read `auto_escalate`; numbers it does not list keep their defaults."""
    node = table.special("auto_escalate")
    found, seen = Triggers(), set[str]()
    for item in listed(node) if node is not None else ():
        entry = Table(item, "condition", table.problems)
        said = " ".join(entry.text("condition").split())
        if not said:
            table.problems.add(item, "an entry of auto_escalate has no condition", _ALLOWED)
            continue
        name = _take(entry, said, found)
        if name in seen:
            table.problems.add(item, f"the condition {name} stands here twice", "write each once")
        seen.add(name)
        if entry.has("reason"):
            table.problems.note(REASONS)
    return found


def read_human_hours(table: Table) -> int | None:
    """The hours a human has, written as `48_hours`; None if the document does not use this form."""
    node = table.special("human_response_timeout")
    if node is None:
        return None
    found = _HOURS.fullmatch(node.value) if isinstance(node, Scalar) and isinstance(node.value, str) else None
    if found and 1 <= int(found[1]) <= HOURS_MAX:
        return int(found[1])
    allowed = f"write it as 48_hours, 1-{HOURS_MAX}"
    table.problems.add(node, f"human_response_timeout is {described(node)}", allowed)
    return None


def _take(entry: Table, said: str, found: Triggers) -> str:
    """Read one condition into `found`, and return the name under which it may appear only once."""
    beside = " ".join(entry.text("and").split())
    if said == "reviewer_rejects":
        if beside == "creator_disagrees":
            entry.problems.note(DISPUTED)
        else:
            _refuse(entry, "and", f"reviewer_rejects with {beside!r}" if beside else "reviewer_rejects alone")
        return said
    if kinds := _KINDS.fullmatch(said):
        return _of_kinds(entry, kinds[1] or kinds[2], beside, found)
    if beside:
        _refuse(entry, "and", f"{short(said)!r} takes no `and`")
    if number := _REVISIONS.fullmatch(said):
        found.cycles = _within(entry, "condition", int(number[1]), CYCLES)
        return "revision_count"
    if number := _TIME.fullmatch(said):
        found.total_minutes = _within(entry, "condition", int(number[1]) * MINUTES[number[2]], TOTAL_MINUTES)
        return "review_time"
    if number := _GAP.fullmatch(said):
        found.gap = _within(entry, "condition", int(number[1]), GAP)
        return "creator_confidence - reviewer_confidence"
    _refuse(entry, "condition", f"{short(said)!r} is no condition")
    return said


def _of_kinds(entry: Table, said: str, beside: str, found: Triggers) -> str:
    """Read a condition on kinds; the `and` part says which of two it is."""
    kinds = _kinds(entry.at("condition"), said, entry)
    if number := _SURE.fullmatch(beside):
        found.sure = _within(entry, "and", int(number[1]), SURE)
        found.sure_kinds = tuple(dict.fromkeys((*found.sure_kinds, *kinds)))
        return "review_type and reviewer_confidence"
    if beside == "multiple_valid_options":
        found.choice_kinds = tuple(dict.fromkeys((*found.choice_kinds, *kinds)))
        entry.problems.note(OPTIONS)
        return "review_type and multiple_valid_options"
    _refuse(entry, "and", f"review_type with {short(beside)!r}" if beside else "review_type alone asks nobody")
    return f"review_type and {beside}"


def _kinds(at: Node, said: str, entry: Table) -> tuple[str, ...]:
    names = [one.strip() for one in said.split(",")]
    strange = [one for one in names if not NAME.fullmatch(one)]
    kinds = tuple(map(canonical_kind, names))
    if strange:
        entry.problems.add(at, f"review_type: {strange[0]!r} is no name", f"a name is {NAME_FORM}")
        return ()
    if len(set(kinds)) != len(kinds) or len(kinds) > KINDS_MAX:
        entry.problems.add(at, "review_type names the same twice, or too many", f"at most {KINDS_MAX}, each once")
        return ()
    return kinds


def _within(entry: Table, key: str, value: int, limits: tuple[int, int]) -> int:
    low, high = limits
    if not low <= value <= high:
        minutes = " minutes" if limits is TOTAL_MINUTES else ""
        entry.problems.add(entry.at(key), f"the number of {described(entry.at(key))}", f"it is {low}-{high}{minutes}")
    return value


def _refuse(entry: Table, key: str, wrong: str) -> None:
    entry.problems.add(entry.at(key), wrong, _ALLOWED)
