"""How is the document of the peer style read: who reviews whose work, by which criteria, and when a human is asked?"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta

from foureyes.core import gates, protocols
from foureyes.core.claims import REJECT_GROUNDS
from foureyes.core.gates import Mode
from foureyes.core.kinds import canonical_kind
from foureyes.core.rules import Gate, Learning, Limits, Protocol, SkipRule, Times
from foureyes.policy.nodes import Mapping, Node, Scalar, described
from foureyes.policy.peer_lists import read_criteria, read_matrix, read_skips
from foureyes.policy.problems import Problems
from foureyes.policy.styles import with_common, with_options
from foureyes.policy.tables import Table, listed

MINUTES = {"minute": 1, "minutes": 1, "hour": 60, "hours": 60}
_OVER = re.compile(r">\s*([0-9]{1,6})\s*([a-z]*)")
_UNDER = re.compile(r"<\s*([0-9]{1,6})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """What the document says: a style, what it is demanded for, and the numbers around it."""

    protocol: Protocol
    kinds: tuple[str, ...]
    skips: tuple[SkipRule, ...]
    learning: Learning
    limits: Limits
    notifications: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(slots=True, kw_only=True)
class _Triggers:
    """What asks a human; each number keeps its default unless the document names it."""

    cycles: int = 3
    total_minutes: int = 120
    gap: int = 40
    sure_kinds: tuple[str, ...] = gates.Certainty().kinds
    sure: int = 90
    both: int = 60
    choice_kinds: tuple[str, ...] = gates.Certainty().choice_kinds


def read_peer(node: Node, problems: Problems) -> Peer:
    """Read the whole document; what it leaves out is as shipped."""
    table = Table(node, "peer", problems, ignoring=("file",))
    if not table.flag("async_reviews"):
        problems.add(table.at("async_reviews"), "async_reviews must be true", "authors never wait in a call")
    triggers = _read_triggers(table)
    required = table.part("review_required")
    skips = read_skips(required.special("skip_if"), problems)
    performance = table.part("performance")
    return Peer(
        protocol=_protocol(table, triggers),
        kinds=tuple(dict.fromkeys(map(canonical_kind, required.names("actions")))),
        skips=skips.rules,
        learning=_learning(table.part("learning"), skips.confidence_percent, skips.successes),
        limits=Limits(
            parallel_max=performance.number("parallel_reviews_max"), queued_max=performance.number("review_queue_max")
        ),
        notifications=_notifications(table.part("notifications")),
    )


def _protocol(table: Table, triggers: _Triggers) -> Protocol:
    standards = table.part("standards")
    approve = standards.part("approve")
    sure = approve.number("min_confidence")
    unsure = _request_changes(standards.part("request_changes"), sure)
    _reject(standards.part("reject"))
    criteria, default = read_criteria(table.special("criteria"), table.problems)
    built = protocols.peer(
        matrix=read_matrix(table.special("reviewer_matrix"), table.problems),
        criteria=criteria,
        mode=Mode(standards.choice("mode")),
        second_opinion_from=unsure if standards.flag("second_opinion") else 0,
    )

    def gate(one: Gate) -> Gate:
        match one:
            case gates.Standards():
                return replace(one, confidence_min=sure, default=default)
            case gates.Certainty():
                return replace(
                    one,
                    confidence_min=triggers.sure,
                    kinds=triggers.sure_kinds,
                    both_min=triggers.both,
                    choice_kinds=triggers.choice_kinds,
                )
            case gates.ConfidenceGap():
                return replace(one, gap_max=triggers.gap)
            case _:
                return one

    stages = tuple(replace(one, gates=tuple(map(gate, one.gates))) for one in built.stages)
    built = replace(built, stages=stages, revisions_max=triggers.cycles)
    spans = _times(table, triggers)
    built = with_options(built, lambda options: replace(options, confidence_min=sure))
    return with_common(built, table, spans)


def _times(table: Table, triggers: _Triggers) -> Times:
    performance, human = table.part("performance"), table.part("escalation").limit("human_timeout")
    rest = table.part("times")
    return Times(
        unassigned=timedelta(minutes=rest.number("unassigned_minutes")),
        reassign=timedelta(minutes=rest.number("reassign_minutes")),
        silent=timedelta(minutes=rest.number("silent_minutes")),
        author=timedelta(hours=rest.number("author_hours")),
        target=timedelta(minutes=performance.number("target_review_time_minutes")),
        longest=timedelta(minutes=performance.number("max_review_time_minutes")),
        unstarted=timedelta(minutes=table.number("default_timeout_minutes")),
        total=timedelta(minutes=triggers.total_minutes),
        human=Times().human if human is None else timedelta(hours=human),
        human_fallback=human is not None,
    )


def _request_changes(table: Table, sure: int) -> int:
    """From which confidence on a reviewer is merely not sure enough; the other conditions always hold."""
    unsure = 60
    for node in _conditions(table):
        for entry in node.entries:
            said = entry.node.value if isinstance(entry.node, Scalar) else None
            under = _UNDER.fullmatch(said) if isinstance(said, str) else None
            match entry.key:
                case "critical_concerns" if said == ">0":
                    pass
                case "checklist_pass_rate" if said == "<1.0":
                    pass
                case "confidence" if under and int(under[1]) <= sure:
                    unsure = int(under[1])
                case _:
                    allowed = (
                        f'critical_concerns: ">0", checklist_pass_rate: "<1.0", confidence: "<60" (at most {sure})'
                    )
                    table.problems.add(entry, f"{entry.key[:40]} is no such condition", allowed)
    return unsure


def _reject(table: Table) -> None:
    """The grounds are fixed in code; a document that lists others, or fewer, would promise what is not done."""
    found: set[str] = set()
    for node in _conditions(table):
        for entry in node.entries:
            wanted = "critical" if entry.key == "security_risk" else True
            if entry.key in REJECT_GROUNDS and isinstance(entry.node, Scalar) and entry.node.value == wanted:
                found.add(entry.key)
            else:
                allowed = "fundamental_flaw, would_break_system, better_to_start_over: true; security_risk: critical"
                table.problems.add(entry, f"{entry.key[:40]} is no ground to reject in this form", allowed)
    missing = [one for one in REJECT_GROUNDS if one not in found]
    if table.has("conditions") and missing:
        allowed = f"all grounds always hold: list {', '.join(REJECT_GROUNDS)}, or leave the conditions out"
        table.problems.add(table.at("conditions"), f"{missing[0]} is missing", allowed)


def _conditions(table: Table) -> list[Mapping]:
    node = table.special("conditions")
    if node is None:
        return []
    strange = [one for one in listed(node) if not isinstance(one, Mapping)]
    for one in strange:
        table.problems.add(one, f"a condition is {described(one)}", "write name: value")
    return [one for one in listed(node) if isinstance(one, Mapping)]


def _read_triggers(table: Table) -> _Triggers:
    node = table.part("escalation").special("auto_escalate_to_human")
    found = _Triggers()
    for item in listed(node) if node is not None else ():
        trigger = Table(item, "trigger", table.problems)
        for name in ("and_creator_disagrees", "multiple_valid_options"):
            if not trigger.flag(name):
                table.problems.add(trigger.at(name), f"{name} must be true", "leave the entry out instead")
        found.cycles = _over(trigger, "review_cycles", 1, 20, found.cycles)
        found.total_minutes = _over(trigger, "time_exceeded", 1, 43_200, found.total_minutes)
        found.gap = _over(trigger, "confidence_gap", 0, 100, found.gap)
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


def _over(table: Table, name: str, low: int, high: int, default: int) -> int:
    """A limit written as ">3" or ">2 hours"; times come out in minutes."""
    node = table.special(name)
    if node is None:
        return default
    said = node.value if isinstance(node, Scalar) and isinstance(node.value, str) else ""
    found = _OVER.fullmatch(said.strip())
    timed = name == "time_exceeded"
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
    if found and int(found[1]) <= 100:  # noqa: PLR2004 - percent
        return int(found[1])
    table.problems.add(node, f"{name} is {described(node)}", f'write it as "<{default}", 0-100')
    return default


def _learning(table: Table, confidence_percent: int, successes: int) -> Learning:
    """The numbers behind the fast lane; where a document says one twice, the stricter holds."""
    eligible = table.part("auto_skip_eligibility")
    return Learning(
        successes_min=max(eligible.number("min_successful_reviews"), successes),
        confidence_min_percent=max(eligible.percent("min_confidence_avg"), confidence_percent),
        lookback=timedelta(days=eligible.number("lookback_period_days")),
        increase_percent=table.percent("pattern_confidence_increase_per_success"),
        decrease_percent=table.percent("pattern_confidence_decrease_per_failure"),
        escape_percent=table.percent("pattern_confidence_decrease_per_escape"),
        trust_min_percent=table.percent("min_pattern_confidence"),
        suggest_after=timedelta(days=table.number("suggest_skip_after_eligible_days")),
        fresh_for=timedelta(days=table.number("fresh_for_days")),
        enabled_for=timedelta(days=table.number("enabled_for_days")),
        audit_percent=table.number("audit_percent"),
    )


def _notifications(table: Table) -> tuple[tuple[str, tuple[str, ...]], ...]:
    return tuple((who, table.names(f"notify_{who}_on")) for who in ("creator", "reviewer", "human"))
