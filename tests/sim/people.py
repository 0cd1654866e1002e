"""The people of the simulated world: agents of several operators and families, programs, humans; some hostile."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from foureyes.core.facts import Principal
from foureyes.core.values import Who, WhoKind


class Temper(StrEnum):
    """How a person behaves; the gate must withstand all but the first."""

    HONEST = "honest"
    NITPICKS = "always nitpicks"
    APPROVES = "always approves"
    REOPENS = "reopens everything"
    SILENT = "never answers"
    SHOPS = "resubmits elsewhere"
    SELF_APPROVES = "approves their own work"
    COLLUDES = "approves what friends made"
    FLOODS = "floods"
    CRASHES = "holds a seat and vanishes"


ADVERSARIES = tuple(one for one in Temper if one is not Temper.HONEST)

ROLES = (
    "architect",
    "core_developer",
    "app_developer",
    "optimizer",
    "tester",
    "auditor",
    "idea_refiner",
    "seldon",
    "hardin",
    "gaal",
    "daneel",
    "mallow",
    "magnifico",
    "amaryl",
    "haiku",
    "sonnet",
    "reviewer",
    "agent",
    "verifier",
)
OPERATORS = ("north", "south", "east", "west")
FAMILIES = ("claude", "gpt", "gemini", "")
HUMANS = ("hana", "hugo", "hedda", "horst")
PROGRAMS = ("linter", "scanner", "tests")
REACTOR = Who(name="reactor", kind=WhoKind.SERVICE)
#: A dishonest service vouches for every agent of this operator; their families are only its claim.
VOUCHED_OPERATOR = "west"
#: Agents who work in one session, each with its own name and operator.
MATES = frozenset({"agent-04", "agent-05", "agent-10"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person with a credential, a temper and roles."""

    who: Who
    temper: Temper
    principal: Principal


def populate(rng: random.Random, tempers: tuple[Temper, ...], agents: int = 18) -> dict[str, Person]:
    """Make a population; the tempers given are spread over the agents, the rest are honest.

    The last two work in the sessions of the first two, under other names.
    """
    people: dict[str, Person] = {}
    for number in range(agents):
        operator = OPERATORS[number % len(OPERATORS)]
        family = FAMILIES[rng.randrange(len(FAMILIES))]
        who = Who(
            name=f"agent-{number:02d}",
            kind=WhoKind.AGENT,
            operator=operator,
            model_family=family,
            provider=family and f"{family}-cloud",
            session=f"s{number % (agents - 2):02d}",
        )
        temper = tempers[number // 2] if number // 2 < len(tempers) else Temper.HONEST
        roles = frozenset({ROLES[number % len(ROLES)], *rng.sample(ROLES, 6)})
        people[who.name] = _person(who, temper, roles)
    for name in PROGRAMS:
        people[name] = _person(Who(name=name, kind=WhoKind.PROGRAM, operator="north"), Temper.HONEST, frozenset({name}))
    for name in HUMANS:
        people[name] = _person(Who(name=name, kind=WhoKind.HUMAN, operator=name), Temper.HONEST, frozenset({"human"}))
    return people


def _person(who: Who, temper: Temper, roles: frozenset[str]) -> Person:
    hosted, paid = who.kind is not WhoKind.HUMAN, who.kind is WhoKind.AGENT
    is_vouched = who.operator == VOUCHED_OPERATOR and who.kind is WhoKind.AGENT
    vouched_by = REACTOR.name if is_vouched else ""
    principal = Principal(who=who, roles=roles, hosted=hosted, paid=paid, vouched_by=vouched_by)
    return Person(who=who, temper=temper, principal=principal)


def mates_of(names: Iterable[str]) -> frozenset[str]:
    """The agents who work in one session with one of these."""
    makers = set(names)
    return MATES - makers if makers & MATES else frozenset()
