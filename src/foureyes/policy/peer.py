"""Read the document of the peer style: matrix, criteria, standards, escalation, learning and times."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta

from foureyes.core import gates, protocols
from foureyes.core.gates import Mode
from foureyes.core.grounds import REJECT_GROUNDS
from foureyes.core.kinds import canonical_kind
from foureyes.core.rules import Gate, Learning, Limits, Protocol, SkipRule, Times
from foureyes.policy.nodes import Mapping, Node, Scalar, described
from foureyes.policy.peer_conditions import read_conditions, read_human_hours
from foureyes.policy.peer_lists import read_criteria, read_matrix, read_skips
from foureyes.policy.peer_triggers import Triggers, read_triggers
from foureyes.policy.problems import Problems
from foureyes.policy.styles import with_common, with_options
from foureyes.policy.tables import Table, listed

CONSERVATIVE = (
    "conservative_default: where no human answers nothing is cleared; a disputed rejection stands, other work goes "
    "back to its author and is shelved the second time, a veto waits."
)
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


def read_peer(node: Node, problems: Problems) -> Peer:
    """Read the whole document; missing keys have the shipped values."""
    table = Table(node, "peer", problems, ignoring=("file",))
    if not table.flag("async_reviews"):
        problems.add(table.at("async_reviews"), "async_reviews must be true", "authors never wait in a call")
    triggers = _triggers(table)
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


def _triggers(table: Table) -> Triggers:
    """The escalation triggers, from whichever of the two forms the document uses."""
    escalation, manual = table.part("escalation"), table.part("manual_escalate")
    if not manual.flag("requires_reason"):
        table.problems.add(manual.at("requires_reason"), "requires_reason must be true", "nobody is asked without one")
    if not table.has("auto_escalate"):
        return read_triggers(escalation)
    if escalation.has("auto_escalate_to_human"):
        wrong = "auto_escalate and escalation.auto_escalate_to_human say the same"
        table.problems.add(table.at("auto_escalate"), wrong, "write one of them")
    return read_conditions(table)


def _human_hours(table: Table) -> int | None:
    """The hours until silence of a human sends the work back; None if it never does."""
    escalation, said = table.part("escalation"), read_human_hours(table)
    human = escalation.limit("human_timeout")
    if table.has("human_response_timeout") and escalation.has("human_timeout"):
        wrong = "human_response_timeout and escalation.human_timeout say the same"
        table.problems.add(table.at("human_response_timeout"), wrong, "write one of them")
    if table.has("timeout_action"):
        if human is None:
            wrong = "timeout_action without a time: human_timeout is null"
            table.problems.add(table.at("timeout_action"), wrong, "write human_timeout, or leave timeout_action out")
        table.problems.note(CONSERVATIVE)
    return human if said is None else said


def _protocol(table: Table, triggers: Triggers) -> Protocol:
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


def _times(table: Table, triggers: Triggers) -> Times:
    performance, human = table.part("performance"), _human_hours(table)
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
    """The confidence from which a reviewer counts as only not sure enough; the other conditions always apply."""
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
    """Check the grounds to reject, which are fixed in code; a document with other or fewer grounds is refused."""
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


def _learning(table: Table, confidence_percent: int, successes: int) -> Learning:
    """The numbers behind the fast lane; if the document gives one twice, the stricter applies."""
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
