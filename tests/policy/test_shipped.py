"""The shipped policies have the numbers of the core's styles; the shipped documents match the code."""

from dataclasses import replace
from datetime import timedelta

import pytest

from foureyes.core import chains, protocols
from foureyes.core.peer_data import REQUIRED_KINDS, TRIVIAL_KINDS
from foureyes.core.rules import Budget, Learning, Limits, Protocol, Rules, SeatRule, SkipRule, Stage
from foureyes.policy import SHIPPED, Command, Mode, PolicyErrors, Program, shipped
from foureyes.policy.binding import PROGRAMS
from foureyes.policy.floor import floor_problems
from foureyes.policy.load import load_text, shipped_text
from foureyes.policy.people import COMMANDS
from foureyes.policy.schema_peer import CREATOR_EVENTS, HUMAN_EVENTS, REVIEWER_EVENTS

CORE: tuple[Protocol, ...] = (
    protocols.resolve(),
    protocols.peer(),
    protocols.session(),
    protocols.panel(),
    protocols.solo(programs=PROGRAMS),
    *chains.CHAINS,
)
#: On a server any agent outside a session may review it, and one is enough.
SERVER = tuple(
    protocols.session(reviewers=2, roles=("reviewer", "agent")) if one.name == "session" else one for one in CORE
)


def unbound(rules: Rules) -> Rules:
    """The rules with one seat for each role, as in the core before a policy binds an account to one."""
    protocols = (replace(one, stages=tuple(map(unbound_stage, one.stages))) for one in rules.protocols)
    return replace(rules, protocols=tuple(protocols))


def unbound_stage(stage: Stage) -> Stage:
    """The stage without the additional seats of bound roles and their room."""
    seats = tuple(map(plain, first_of_each_role(stage)))
    added = len(stage.seats) - len(seats)
    return replace(stage, seats=seats, seats_max=stage.seats_max and stage.seats_max - added)


def plain(seat: SeatRule) -> SeatRule:
    """The seat without a bound account."""
    return replace(seat, program="", hosted=False, beside=False)


def first_of_each_role(stage: Stage) -> tuple[SeatRule, ...]:
    """The first seat of each role of the stage."""
    if not any(one.program or one.hosted for one in stage.seats):
        return stage.seats
    return tuple(one for one in stage.seats if not one.beside)


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_policy_has_the_styles_as_the_core_has_them(name: str) -> None:
    rules = shipped(name).policy.rules
    assert unbound(rules).protocols == (SERVER if name == "server" else CORE)
    assert rules.learning == Learning()
    assert rules.limits == Limits()
    assert rules.budget == Budget()
    assert floor_problems(rules) == ()


@pytest.mark.parametrize("name", ["resolve", "peer", "session", "panel", "solo"])
def test_a_policy_named_after_a_style_judges_everything_in_it(name: str) -> None:
    assert shipped(name).policy.rules.default == (name,)


def test_the_file_of_chains_holds_the_seven_as_the_code_has_them() -> None:
    """002-14: every critic with scope and veto, and each chain's retries and end."""
    loaded = load_text("critic-chains.json", shipped_text("config/critic-chains.json"), shipped_text)
    found = [loaded.policy.rules.protocol(one.name) for one in chains.CHAINS]
    assert found == list(chains.CHAINS)
    assert [one.name for one in chains.CHAINS] == [
        "default",
        "security",
        "research",
        "infrastructure",
        "financial",
        "content",
        "trading",
    ]
    assert shipped_text("config/critic-chains.json").count(b'"layers"') == 7
    assert loaded.policy.rules.default == ("default",)


def test_the_peer_policy_has_the_kinds_the_skips_and_who_is_told() -> None:
    """001-13, 001-04, 001-14, 001-15, 001-26: the document's lists arrive in the rules."""
    loaded = shipped("peer")
    rules = loaded.policy.rules
    assert tuple(one.kind for one in rules.kinds) == REQUIRED_KINDS
    assert all(one.protocols == ("peer",) for one in rules.kinds)
    assert rules.skips == (
        SkipRule(name="trivial", kinds=TRIVIAL_KINDS),
        SkipRule(name="autonomy", autonomy="aggressive", except_for=("security_change", "breaking_change")),
        SkipRule(name="learned", learned=True),
    )
    assert loaded.notify.events == (
        ("creator", CREATOR_EVENTS),
        ("reviewer", REVIEWER_EVENTS),
        ("human", HUMAN_EVENTS),
    )


def test_solo_only_watches_and_asks_programs_and_the_agents_at_hand() -> None:
    policy = shipped("solo").policy
    assert policy.mode is Mode.WATCH
    held = {one.name: one.holders for one in policy.reviewers}
    assert held == {
        **{name: (Program(name=name),) for name in PROGRAMS},
        "agent": tuple(Command(name=name) for name in COMMANDS),
    }
    assert policy.session_silence == timedelta(minutes=15)


def test_a_team_has_every_style_and_a_veto_on_dangerous_ground() -> None:
    policy = shipped("team").policy
    rules = policy.rules
    assert {name for one in rules.kinds for name in one.protocols} >= {"resolve", "peer", "session", "panel"}
    assert rules.protocols_for("security_change") == ("peer", "security")
    assert policy.mode_for("security-change") is Mode.ENFORCE
    assert policy.level_for("production") == 2


def test_an_unknown_policy_is_not_shipped() -> None:
    with pytest.raises(PolicyErrors, match="the shipped ones are solo, server, team"):
        shipped("../solo")


def test_the_programs_of_solo_are_bound_where_a_policy_names_no_reviewers() -> None:
    """U-07: an account with the role of a program sits beside it, whoever wrote the policy."""
    policy = load_text("foureyes.yaml", b"version: 1\nkinds: {default: solo}\n", lambda _: b"").policy
    (solo,) = (one for one in policy.rules.protocols if one.name == "solo")
    seats = [seat for stage in solo.stages for seat in stage.seats]
    bound = [one.program for one in seats if one.program]
    assert bound == list(PROGRAMS)
    assert sum(one.beside for one in seats) == len(PROGRAMS)
