"""Which policies can a real gate be given? The simulator's, without what no accepted policy may say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from foureyes.policy.policy import Policy, sealed_policy
from tests.sim import checker, policies

#: Rules that nobody can read, or that ask for nobody, are below the floor: no gate takes them.
BELOW_THE_FLOOR = frozenset({"mystery", "hollow", "nowhere"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A policy as the gate gets it, what it demands in the simulator's words, and the name people call it by."""

    name: str
    policy: Policy
    told: checker.Policy


@cache
def everything() -> tuple[Given, ...]:
    """The simulator's policies, sealed; the first one first."""
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
