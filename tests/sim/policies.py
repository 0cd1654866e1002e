"""By which policies is the simulated work judged? The program's rules beside the simulator's own words for them.

The checker gets only the words. They are written down here by hand and not read off the rules, so that a rule that
went wrong is noticed.
"""

from __future__ import annotations

from dataclasses import dataclass

from foureyes.core.gates import Majority, Quorum, Resolved, Tally, Unanimous
from foureyes.core.rules import Blind, Exhausted, KindRule, Options, PathRule, Protocol, Rules, SeatRule, Stage, Style
from foureyes.core.values import Severity
from tests.sim.checker import Policy, parse_policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Rules, and what they demand in the simulator's own words."""

    rules: Rules
    policy: Policy


def first() -> Told:
    """A small policy with three styles, two of them behind each other for one kind."""
    rules = Rules(
        digest="policy-1",
        protocols=(_resolve(), _chain(), _vote(), _session()),
        kinds=(
            KindRule(kind="story", protocols=("resolve",)),
            KindRule(kind="deploy", protocols=("chain",)),
            KindRule(kind="vote", protocols=("vote",)),
            KindRule(kind="milestone", protocols=("session",)),
            KindRule(kind="release", protocols=("resolve", "chain")),
        ),
        default=("resolve",),
        paths=(PathRule(pattern="auth/**", kind="deploy"),),
    )
    layer = {"vote": "all", "blocking": "important"}
    words = {
        "protocols": {
            "resolve": {
                "style": "resolve",
                "revisions_max": 10,
                "exhausted": "shelve",
                "stages": [{"name": "resolve", "vote": "none", "quorum": 2, "seats": ({}, {}), "blocking": "minor"}],
            },
            "chain": {
                "style": "chain",
                "revisions_max": 2,
                "stages": [
                    {"name": "format", "seats": ({},), **layer},
                    {"name": "security", "seats": ({"veto": True},), **layer},
                ],
            },
            "vote": {
                "style": "chain",
                "revisions_max": 1,
                "exhausted": "return_to_author",
                "stages": [
                    {"name": name, "vote": "majority", "seats": ({},), "blocking": "important"}
                    for name in ("one", "two", "three")
                ],
            },
            "session": {
                "style": "session",
                "revisions_max": 10,
                "stages": [{"name": "session", "vote": "tally", "seats": ({}, {}, {}), "blocking": "important"}],
            },
        },
        "kinds": {
            "story": ("resolve",),
            "deploy": ("chain",),
            "vote": ("vote",),
            "milestone": ("session",),
            "release": ("resolve", "chain"),
        },
        "default": ("resolve",),
        "paths": {"auth/": "deploy"},
    }
    return Told(rules=rules, policy=parse_policy("policy-1", words))


def _resolve() -> Protocol:
    options = Options(
        style=Style.RESOLVE, votes=False, evidence=True, blocking=Severity.MINOR, exhausted=Exhausted.SHELVE
    )
    gates = (Quorum(reviewers=2), Resolved(at_least=Severity.MINOR, shelves=True))
    stage = Stage(name="resolve", seats=(SeatRule(), SeatRule()), gates=gates, options=options, seats_max=4)
    return Protocol(name="resolve", stages=(stage,), revisions_max=10)


def _chain() -> Protocol:
    options = Options(style=Style.CHAIN)
    layers = (("format", "seldon", False), ("security", "hardin", True))
    stages = tuple(
        Stage(
            name=name,
            seats=(SeatRule(roles=(role,), scope=name, veto=veto),),
            gates=(Unanimous(),),
            options=options,
        )
        for name, role, veto in layers
    )
    return Protocol(name="chain", stages=stages, revisions_max=2)


def _vote() -> Protocol:
    options = Options(style=Style.CHAIN, exhausted=Exhausted.RETURN_TO_AUTHOR)
    names = ("one", "two", "three")
    stages = tuple(
        Stage(name=name, seats=(SeatRule(roles=("seldon", "gaal")),), gates=(Majority(chain=names),), options=options)
        for name in names
    )
    return Protocol(name="vote", stages=stages, revisions_max=1)


def _session() -> Protocol:
    options = Options(style=Style.SESSION, concern_is_finding=True, blind=Blind.OFF)
    seats = tuple(SeatRule(roles=("tester", "auditor", "architect")) for _ in range(3))
    gates = (Tally(), Resolved(at_least=Severity.IMPORTANT))
    return Protocol(
        name="session",
        stages=(Stage(name="session", seats=seats, gates=gates, options=options),),
        revisions_max=10,
    )
