"""Build the review styles from the sections of a policy file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from foureyes.core import gates, protocols
from foureyes.core.rules import Blind, Gate, Options, Protocol, SeatRule, Stage, Times
from foureyes.core.values import ChangeKind, Part, Severity
from foureyes.policy.nodes import Node, Scalar, described
from foureyes.policy.problems import Problems
from foureyes.policy.tables import Table

OptionsChange = Callable[[Options], Options]

_BLIND: dict[object, Blind] = {
    True: Blind.FIRST,
    False: Blind.OFF,
    "first": Blind.FIRST,
    "each_round": Blind.EACH_ROUND,
}


def resolve(table: Table) -> Protocol:
    """The resolve style: findings, answers and confirmations without verdicts."""
    least, most = table.number("min_reviewers"), table.number("seats_max")
    if most < least:
        table.problems.add(table.at("seats_max"), "seats_max is less than min_reviewers", f"at least {least}")
    severity = Severity[table.choice("blocking_severity").upper()]
    own = table.flag("own_operator")
    built = protocols.resolve(min_reviewers=least, seats_max=max(most, least), blind=blind(table), own_operator=own)
    built = replace(built, revisions_max=table.number("max_revisions"))

    def gate(one: Gate) -> Gate:
        wanted = table.number("answers_max")
        return replace(one, at_least=severity, answers_max=wanted) if isinstance(one, gates.Resolved) else one

    stages = tuple(
        replace(one, options=replace(one.options, blocking=severity), gates=tuple(map(gate, one.gates)))
        for one in built.stages
    )
    return with_common(replace(built, stages=stages), table, times(table.part("times")))


def session(table: Table) -> Protocol:
    """The session style: reviewers of agents at work."""
    wanted, least = table.number("reviewers"), table.number("at_least")
    if least > wanted:
        table.problems.add(table.at("at_least"), "at_least is more than reviewers", f"at most {wanted}")
    built = protocols.session(reviewers=wanted, roles=table.names("role"), at_least=least)
    return _with_blind(replace(built, revisions_max=table.number("max_revisions")), table)


def panel(table: Table) -> Protocol:
    """The panel style: two models, or one, on the spec and on the quality."""
    single = table.choice("strategy") == "single"
    built = protocols.panel(
        models=(table.name("single_model"),) if single else table.names("parallel_models"),
        speculative_quality=table.flag("speculative_quality"),
        max_fix_iterations=table.number("max_fix_iterations"),
        fix_timeout_turns=table.number("fix_timeout_turns"),
        auto_approve=table.flag("auto_approve"),
        auto_reject=table.flag("auto_reject"),
        auto_approve_single=table.flag("auto_approve_single"),
        b_only_critical_fixes=table.choice("b_only_critical") == "fix",
    )
    return _with_blind(built, table)


def solo(table: Table) -> Protocol:
    """The solo style: programs, and each agent once."""
    agents, quorum = table.names("agents"), table.number("quorum")
    if quorum > len(agents):
        table.problems.add(
            table.at("quorum"),
            f"a quorum of {quorum} can never be met by {len(agents)} agents",
            "programs do not count; name more agents, or lower the quorum",
        )
    built = protocols.solo(programs=table.names("programs"), agents=agents, quorum=quorum)
    verifier = table.name("verifier")
    if verifier:
        seat = SeatRule(roles=(verifier,), part=Part.VERIFY)
        built = replace(built, stages=tuple(replace(one, seats=(*one.seats, seat)) for one in built.stages))
    return _with_blind(replace(built, revisions_max=table.number("max_revisions")), table)


def with_common(protocol: Protocol, table: Table, spans: Times) -> Protocol:
    """The style with these times and the settings all styles share: independence, humans, lateness and coverage."""
    ruling = table.part("ruling")
    group, needs = ruling.name("group"), ruling.number("needs")
    table.problems.rulings.append((ruling.node, group, needs))
    independence, keeps = table.names("independence"), frozenset(map(ChangeKind, table.names("keeps")))
    later, late = table.choice("later_severity"), table.choice("late_findings")
    covered = table.number("coverage")

    def stage(one: Stage) -> Stage:
        options = replace(
            one.options,
            independence=independence,
            keeps=keeps,
            ruling_needs=needs,
            ruling_group=group,
            times=spans,
            floor=Severity[later.upper()] if later else one.options.floor,
            late_is_advisory=late == "listed" if late else one.options.late_is_advisory,
        )
        return replace(one, options=options, gates=_covered(one.gates, covered))

    return replace(protocol, stages=tuple(map(stage, protocol.stages)))


def with_options(protocol: Protocol, change: OptionsChange) -> Protocol:
    """The style with changed options in each of its stages."""
    stages = tuple(replace(one, options=change(one.options)) for one in protocol.stages)
    return replace(protocol, stages=stages)


def times(table: Table) -> Times:
    """The time limits of a `times` section."""
    human = table.limit("human_hours")
    return Times(
        unassigned=timedelta(minutes=table.number("unassigned_minutes")),
        volunteer=timedelta(hours=table.number("volunteer_hours")),
        unstarted=timedelta(minutes=table.number("unstarted_minutes")),
        reassign=timedelta(minutes=table.number("reassign_minutes")),
        silent=timedelta(minutes=table.number("silent_minutes")),
        total=timedelta(minutes=table.number("total_minutes")),
        author=timedelta(hours=table.number("author_hours")),
        human=Times().human if human is None else timedelta(hours=human),
        human_fallback=human is not None,
    )


def blind(table: Table) -> Blind:
    """The blindness between reviewers that a section sets."""
    node = table.special("blind")
    return Blind.FIRST if node is None else _blind(node, table.problems)


def _blind(node: Node, problems: Problems) -> Blind:
    if isinstance(node, Scalar) and isinstance(node.value, bool | str) and node.value in _BLIND:
        return _BLIND[node.value]
    problems.add(node, f"blind is {described(node)}", "write true, false, first or each_round")
    return Blind.FIRST


def _with_blind(protocol: Protocol, table: Table) -> Protocol:
    wanted = blind(table)
    return with_common(
        with_options(protocol, lambda options: replace(options, blind=wanted)), table, times(table.part("times"))
    )


def _covered(conditions: tuple[Gate, ...], percent: int) -> tuple[Gate, ...]:
    """Put the Coverage gate right after the first one, which counts reviewers, as in the solo style."""
    others = [one for one in conditions if not isinstance(one, gates.Coverage)]
    if percent:
        others.insert(1, gates.Coverage(percent=percent))
    return tuple(others)
