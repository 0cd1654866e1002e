"""Bind seats to the programs, agents and models that the policy names for a role, in every style.

A bound program has a seat of its own, which is required and passes to no one else. The agents and models that the
policy binds beside a program have another seat, and enrolled accounts with the role the last one; both are requested if
there is a candidate. A veto seat is bound to agents and models in the same way. If the seat has a veto, all of these
seats have it: the gravest decision is the layer's.

The added seats come last in their stage, so that the seats of reviews opened before keep their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from foureyes.codec.shapes import Json
from foureyes.core.assign import same_role
from foureyes.core.rules import Rules, SeatRule, Stage, Style
from foureyes.core.values import Part

#: The shipped programs.
PROGRAMS = ("format", "security", "injection", "factual", "python")


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """Whom a policy binds to a role: programs by name, and whether agents or models beside them."""

    role: str
    programs: tuple[str, ...] = ()
    minds: bool = False


def bind(rules: Rules, bindings: tuple[Binding, ...], programs: tuple[str, ...] = ()) -> Rules:
    """The rules with a seat for every program, agent or model that the policy binds to a role; bound seats stay.

    In `solo`, a role with the name of one of `programs` that the policy binds to no one is bound to that program.
    """
    held = {same_role(one.role): one for one in bindings}
    alone = {same_role(one): Binding(role=one, programs=(one,)) for one in programs} | held
    protocols = (
        replace(one, stages=tuple(_bound_stage(stage, alone if _is_solo(stage) else held) for stage in one.stages))
        for one in rules.protocols
    )
    return replace(rules, protocols=tuple(protocols))


def with_parties(rules: Json) -> Json:
    """Upgrade the rules of a policy from before parties existed, with the cautious value for each new field."""
    return rules | {"services": [], "protocols": [_lifted_protocol(one) for one in rules["protocols"]]}


def without_length(rules: Json) -> Json:
    """Upgrade the rules of a policy by removing the minimum length of evidence, which is no longer used."""
    limits: Json = rules["limits"]
    return rules | {"limits": {name: one for name, one in limits.items() if name != "evidence_chars_min"}}


def with_escalate_when(rules: Json) -> Json:
    """Upgrade the rules of a policy from before matrix rows had `escalate_when`."""
    return rules | {"protocols": [_with_rows(one) for one in rules["protocols"]]}


def _with_rows(protocol: Json) -> Json:
    return protocol | {"stages": [_with_full_rows(one) for one in protocol["stages"]]}


def _with_full_rows(stage: Json) -> Json:
    rows = [one | {"escalate_when": []} for one in stage["options"]["matrix"]]
    return stage | {"options": stage["options"] | {"matrix": rows}}


def _lifted_protocol(protocol: Json) -> Json:
    return protocol | {"stages": [_lifted_stage(one) for one in protocol["stages"]]}


def _lifted_stage(stage: Json) -> Json:
    options: Json = stage["options"]
    own_operator = options.get("style") != Style.RESOLVE
    seats = [one | {"program": "", "hosted": False, "beside": False} for one in stage["seats"]]
    return stage | {"options": options | {"own_operator": own_operator}, "seats": seats}


def _is_solo(stage: Stage) -> bool:
    return stage.options.style is Style.SOLO


def _bound_stage(stage: Stage, held: Mapping[str, Binding]) -> Stage:
    seats: list[SeatRule] = []
    added: list[SeatRule] = []
    for index, rule in enumerate(stage.seats):
        taken = {one.program for one in (*seats, *added, *stage.seats[index:]) if one.program}
        first, *more = _bound_seats(rule, held, taken)
        seats.append(first)
        added.extend(more)
    # The added seats must not use up the room for volunteers.
    seats_max = stage.seats_max + len(added) if stage.seats_max else 0
    return replace(stage, seats=(*seats, *added), seats_max=seats_max)


def _bound_seats(rule: SeatRule, held: Mapping[str, Binding], taken: set[str]) -> Iterator[SeatRule]:
    """The seats that replace one seat; `taken` are the programs that already have a seat in the stage."""
    bound = next((held[name] for role in rule.roles if (name := same_role(role)) in held), None)
    is_bound = bool(rule.program) or rule.hosted or rule.beside or rule.part is not Part.JUDGE
    if is_bound or bound is None or not (rule.veto or bound.programs):
        yield rule
        return
    programs = [name for name in bound.programs if name not in taken]
    if bound.programs and not programs:
        yield rule
        return
    yield from (replace(rule, program=name) for name in programs)
    if bound.minds:
        yield replace(rule, hosted=True, beside=bool(programs))
    yield replace(rule, beside=True)
