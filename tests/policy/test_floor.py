"""No rules below the floor are accepted as a policy, whatever their origin."""

from dataclasses import replace

import pytest

from foureyes.core import gates, protocols
from foureyes.core.rules import KindRule, Options, Protocol, RiskRule, Rules, SeatRule, Stage, Style
from foureyes.core.values import Part, RiskLevel
from foureyes.policy import shipped
from foureyes.policy.floor import floor_problems

RULES = shipped("solo").policy.rules
OPTIONS = Options(style=Style.SOLO)


def stage(*conditions: object, seats: tuple[SeatRule, ...] = (SeatRule(),), name: str = "s") -> Stage:
    return Stage(name=name, seats=seats, gates=conditions, options=OPTIONS)  # type: ignore[arg-type]


def rules_of(*stages: Stage) -> Rules:
    return replace(RULES, protocols=(Protocol(name="x", stages=stages, revisions_max=1),), default=("x",))


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        (replace(RULES, default=()), "no style is named for other kinds: `kinds` needs a default"),
        (replace(RULES, default=("y",)), "every other kind is judged by 'y', which nobody defined"),
        (replace(RULES, kinds=(KindRule(kind="k", protocols=()),)), "k is judged by nothing"),
        (replace(RULES, kinds=(KindRule(kind="k", protocols=("y",)),)), "k is judged by 'y', which nobody defined"),
        (
            replace(RULES, risks=(RiskRule(level=RiskLevel.HIGH, protocols=("y",)),)),
            "high risk is judged by 'y', which nobody defined",
        ),
        (replace(RULES, protocols=(*RULES.protocols, protocols.solo())), "two styles or chains have the same name"),
        (rules_of(), "x has no stages"),
        (rules_of(stage(gates.Quorum()), stage(gates.Quorum())), "x has two stages of one name"),
        (rules_of(stage(gates.Quorum(), gates.Unknown(name="y"))), "s has a gate nobody knows"),
        (rules_of(stage()), "s would pass without 1 reviewer who had no hand in the work"),
        (rules_of(stage(gates.Resolved())), "s would pass without 1 reviewer who had no hand in the work"),
        (rules_of(stage(gates.Coverage(), gates.Consistency())), "s would pass without 1 reviewer"),
        (rules_of(stage(gates.Tally(), seats=())), "s would pass without 1 reviewer"),
        (rules_of(stage(gates.Tally(), seats=(SeatRule(part=Part.COUNSEL),))), "s would pass without 1 reviewer"),
        (rules_of(stage(gates.Unanimous()), stage(gates.Resolved(), name="t")), "t would pass without 1 reviewer"),
    ],
)
def test_rules_below_the_floor_are_no_policy(rules: Rules, says: str) -> None:
    """Y24: the floor in code is one reviewer who had no hand in the work, in every stage."""
    assert any(one.startswith(says) for one in floor_problems(rules)), floor_problems(rules)


def test_each_demanding_gate_is_enough() -> None:
    demanding = (
        gates.Quorum(reviewers=1),
        gates.Unanimous(),
        gates.Tally(),
        gates.Agreement(),
        gates.Majority(chain=("s",)),
    )
    assert all(floor_problems(rules_of(stage(one))) == () for one in demanding)
