"""The policies that a real gate accepts: the simulator's, without the parts that no accepted policy may have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from foureyes.policy.policy import Policy, sealed_policy
from tests.sim import checker, policies

#: Unreadable rules, or rules without reviewers, are below the floor: no gate accepts them.
BELOW_THE_FLOOR = frozenset({"mystery", "hollow", "nowhere"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A policy as the gate gets it, the simulator's description of it, and its name."""

    name: str
    policy: Policy
    told: checker.Policy


@cache
def everything() -> tuple[Given, ...]:
    """The simulator's policies, sealed; the initial one first."""
    return tuple(map(_given, policies.everything()))


def _given(one: policies.Told) -> Given:
    rules = replace(
        one.rules,
        protocols=tuple(some for some in one.rules.protocols if some.name not in BELOW_THE_FLOOR),
        kinds=tuple(some for some in one.rules.kinds if some.kind not in BELOW_THE_FLOOR),
    )
    policy = sealed_policy(Policy(name=one.rules.digest, rules=rules))
    kinds = {kind: names for kind, names in one.policy.kinds.items() if kind not in BELOW_THE_FLOOR}
    return Given(name=one.rules.digest, policy=policy, told=replace(one.policy, digest=policy.digest, kinds=kinds))
