"""Describe seats, gates, holders and times in words for people."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import assert_never

from foureyes.core import gates
from foureyes.core.assign import same_role
from foureyes.core.rules import Blind, Exhausted, Gate, Options, Protocol, SeatRule, Stage, Style
from foureyes.core.values import Part
from foureyes.policy.policy import Command, Holder, Model, Program, Role, Run

_ENDS = {
    Exhausted.SHELVE: "then it is shelved",
    Exhausted.ESCALATE: "then a human is asked",
    Exhausted.RETURN_ERROR: "then it has failed",
    Exhausted.RETURN_TO_AUTHOR: "then it goes back to its author for good",
}
_BLIND = {
    Blind.OFF: "reviewers see each other's reports",
    Blind.FIRST: "reviewers see nothing of each other until they have reported",
    Blind.EACH_ROUND: "reviewers see nothing of each other in each round until they have reported",
}


def style_name(protocol: Protocol) -> str:
    """The name of a style or chain where it is chosen."""
    chain = any(stage.options.style is Style.CHAIN for stage in protocol.stages)
    return f"chain {protocol.name}" if chain else protocol.name


def protocol_lines(protocol: Protocol, roles: tuple[Role, ...]) -> Iterator[str]:
    """A style in full: its stages with their seats and gates, its limit of revisions, and its options."""
    for stage in protocol.stages:
        yield f"step {stage.name}"
        yield from (f"  asks {one}" for one in _seats(stage, roles))
        yield from (f"  needs {gate_words(gate)}" for gate in stage.gates)
    first = protocol.stages[0].options
    yield f"new versions: at most {protocol.revisions_max}, {_ENDS[first.exhausted]}"
    yield from _option_lines(first)


def gate_words(gate: Gate) -> str:  # noqa: PLR0911 - one line a gate
    """The demand of a gate, as a phrase after "needs"."""
    match gate:
        case gates.Quorum():
            return _quorum(gate)
        case gates.Resolved():
            return f"every {gate.at_least.name.lower()} or graver finding confirmed by its raiser, or waived by a human"
        case gates.Standards():
            checks = "every required criterion passed" if gate.mode is gates.Mode.STRICT else "the checklist on record"
            return f"{checks}, a reviewer at least {gate.confidence_min}% sure, no critical finding"
        case gates.Certainty():
            kinds = ", ".join(gate.kinds)
            return f"a reviewer {gate.confidence_min}% sure where it is {kinds}; somebody {gate.both_min}% sure always"
        case gates.ConfidenceGap():
            return f"an author not more than {gate.gap_max} points surer than the reviewer"
        case gates.Consistency():
            return "a reviewer who does not contradict what they settled before"
        case gates.Coverage():
            return f"{gate.percent}% of the work read by everybody who reports"
        case _:
            return _more_words(gate)


def _more_words(gate: Gate) -> str:  # noqa: PLR0911 - one line a gate
    match gate:
        case gates.Unanimous():
            return "the approval of everybody asked"
        case gates.Majority():
            return f"the approval of a strict majority of {len(gate.chain)} layers, and no veto"
        case gates.Tally():
            return f"no blocker, and fewer than {gate.concerns_pause} concerns"
        case gates.Agreement():
            then = "nobody else" if gate.auto_approve else "a human who confirms it"
            return f"models that agree, and {then}" if gate.final else "models that agree"
        case gates.Evidence():
            return f"a run of {gate.check} on this very version" + (" that passes" if gate.must_pass else "")
        case gates.Independence():
            return f"reviewers of another {', '.join(gate.facts)}"
        case _:
            return f"{type(gate).__name__}, which nobody knows: it never passes"


def holder_words(holder: Holder) -> str:
    """The holder of a role in words."""
    match holder:
        case Program(name=name):
            return f"the program {name}"
        case Command(name=name):
            return name
        case Model(provider=provider, name=name):
            return f"{provider}:{name}"
        case Run():
            return f"the command `{holder.line}`"
        case _ as never:
            assert_never(never)


def span_words(span: timedelta) -> str:
    """A time span in the largest unit that divides it."""
    seconds = span // timedelta(seconds=1)
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds and seconds % size == 0:
            many = seconds // size
            return f"{many} {unit}{'s' if many > 1 else ''}"
    return f"{seconds} seconds"


def _quorum(gate: gates.Quorum) -> str:
    many = "1 reviewer who vouches" if gate.reviewers == 1 else f"{gate.reviewers} different reviewers who vouch"
    programs = "" if gate.programs else " (programs do not count)"
    return f"{many} for this very version{programs}" + (", and a report of everybody asked" if gate.everyone else "")


def _seats(stage: Stage, roles: tuple[Role, ...]) -> Iterator[str]:
    counted: dict[str, int] = {}
    for seat in stage.seats:
        words = _seat(seat, roles)
        counted[words] = counted.get(words, 0) + 1
    yield from (f"{many} × {words}" if many > 1 else words for words, many in counted.items())
    if stage.seats_max > len(stage.seats):
        yield f"anybody else who wants to, up to {stage.seats_max} in all"


def _seat(seat: SeatRule, roles: tuple[Role, ...]) -> str:
    if seat.by_matrix:
        return "a colleague by the matrix: the primary reviewer of the author's role, else the backup"
    held = {one.name: one.holders for one in roles}
    who = " or ".join(
        role + (f" ({', '.join(map(holder_words, held[role]))})" if role in held else "") for role in seat.roles
    )
    scope = f" on {seat.scope}" if seat.scope else ""
    if seat.program or seat.hosted or seat.beside:
        return f"{_bound(seat, roles)}{scope}{', with a veto' if seat.veto else ''}"
    if seat.part is Part.VERIFY:
        return f"{who}, who confirms or refutes each finding"
    return f"{who or 'anybody eligible'}{scope}{', with a veto' if seat.veto else ''}"


def _bound(seat: SeatRule, roles: tuple[Role, ...]) -> str:
    """The holder of a bound seat, or of one beside it."""
    role = " or ".join(seat.roles)
    if seat.program:
        return f"{role}: the program {seat.program} and nobody else"
    held = [one for each in roles if same_role(each.name) in map(same_role, seat.roles) for one in each.holders]
    minds = ", ".join(holder_words(one) for one in held if isinstance(one, Command | Model))
    if seat.hosted:
        return f"{role}, where at hand beside it: {minds}" if seat.beside else f"{role}: {minds} and nobody else"
    return f"an account with the role {role}, where one is enrolled beside it"


def _option_lines(options: Options) -> Iterator[str]:
    yield _BLIND[options.blind]
    if options.independence:
        yield f"reviewers differ from the author and each other in {', '.join(options.independence)}"
    if options.keeps:
        yield f"reports stay good after a mere {' or '.join(sorted(options.keeps))}"
    if options.ruling_needs > 1 or options.ruling_group:
        whose = f" of {options.ruling_group}" if options.ruling_group else ""
        yield f"it takes {options.ruling_needs} human{'s' if options.ruling_needs > 1 else ''}{whose} to let it pass"
    times = options.times
    end = "then it goes back to the author" if times.human_fallback else "and is only reminded after that"
    yield f"a human has {span_words(times.human)} to decide, {end}"
