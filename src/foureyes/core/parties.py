"""Parties: accounts that act for the same side in a review, and may therefore not judge the work.

The agents that one service vouches for are one party, because one token speaks for all of them. Agents that work in
one session are one party. If a contributor barred a candidate from a seat by naming or joining their session, no other
agent gets that seat. In `resolve` the accounts of one operator are one party unless the policy says otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from foureyes.core.facts import Facts, Principal
from foureyes.core.independence import normal
from foureyes.core.refusals import Code, Refusal, refuse
from foureyes.core.rules import Stage, Style
from foureyes.core.scene import Scene
from foureyes.core.values import Who, WhoKind

#: The flag of a clearance if author and reviewer are accounts of one operator.
ONE_OPERATOR = "one operator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """What keeps somebody from one seat of a review: the makers and other reviewers as far as they are known."""

    makers: tuple[Who, ...]
    others: tuple[Who, ...]
    services: frozenset[str]
    operators: frozenset[str]
    mates: frozenset[str]
    #: Mates whose session a contributor joined or named.
    by_maker: frozenset[str] = frozenset()
    #: The services that speak for a contributor; their agents are of the same party anyway.
    of_makers: frozenset[str] = frozenset()

    def is_by_maker(self, one: Principal) -> bool:
        """True if only the act of a contributor makes this candidate a session mate."""
        return normal(one.who.name) in self.by_maker and one.vouched_by not in self.of_makers

    def without_mates(self) -> Bars:
        """These bars without the session mates of contributors."""
        return replace(self, mates=frozenset(), by_maker=frozenset())

    def problem(self, one: Principal) -> Refusal | None:
        """Why this candidate is of one party with a contributor or another reviewer; None if they are not."""
        who = one.who
        if who.is_human:
            return None
        if normal(who.name) in self.mates:
            why = "it works in the same session as the author"
            return refuse(Code.ONE_PARTY, name=who.name, why=why, how=", outside that session")
        if one.vouched_by and one.vouched_by in self.services:
            return _one_service(who, one.vouched_by)
        if not one.vouched_by and not one.hosted and normal(who.operator) in self.operators:
            why = f"{who.operator} is the operator of its author too"
            line = "resolve: {own_operator: true}"
            how = f", or have a human activate a policy with `{line}`"
            return refuse(Code.ONE_PARTY, name=who.name, why=why, how=how, line=line)
        return None


def bars_of(scene: Scene, stage: Stage | None, others: Sequence[Who]) -> Bars:
    """The bars of a seat, computed once for all its candidates."""
    facts, author, contributors = scene.facts, scene.review.author, scene.review.contributors
    makers = contributors if author in contributors else (author, *contributors)
    of_makers = frozenset(filter(None, [service_of(facts, who) for who in makers]))
    services = of_makers.union(filter(None, [service_of(facts, who) for who in others]))
    operators = () if stage is None or stage.options.own_operator else [normal(one.operator) for one in makers]
    return Bars(
        makers=tuple([believed(facts, one) for one in makers]),
        others=tuple([believed(facts, one) for one in others]),
        services=frozenset([one for one in services if not may_review_each_other(scene, one)]),
        operators=frozenset(filter(None, operators)),
        mates=frozenset(map(normal, facts.mates.names)),
        by_maker=frozenset(map(normal, facts.mates.by_maker)),
        of_makers=of_makers,
    )


def check_party(scene: Scene, actor: Who) -> None:
    """Refuse an actor who is of one party with a contributor, whatever the stage."""
    principal = scene.facts.principal(actor.name) or Principal(who=actor)
    problem = bars_of(scene, None, ()).problem(principal)
    if problem is not None:
        raise problem


def may_review_each_other(scene: Scene, service: str) -> bool:
    """True if every policy that binds the review lets the agents of this service review each other's work."""
    rules = [scene.rules, *([scene.stricter] if scene.stricter else [])]
    return all(service in one.services for one in rules)


def service_of(facts: Facts, who: Who) -> str:
    """The service that speaks for an account: the one that vouches for it, or the account itself; else empty."""
    if who.kind is WhoKind.SERVICE:
        return who.name
    known = facts.principal(who.name)
    return known.vouched_by if known else ""


def believed(facts: Facts, who: Who) -> Who:
    """The account without facts that only its service states: a service's word on model families is no evidence."""
    if not (who.model_family or who.provider) or not service_of(facts, who):
        return who
    return replace(who, model_family="", provider="")


def is_one_operator(scene: Scene, stage: Stage, reviewers: Sequence[Who]) -> bool:
    """True if a vouching reviewer of this stage is of one service with a contributor or another reviewer.

    In `resolve` also if one has the operator of a contributor.
    """
    makers = scene.review.contributors
    for index, one in enumerate(reviewers):
        service = service_of(scene.facts, one)
        if service and any(service_of(scene.facts, other) == service for other in (*makers, *reviewers[:index])):
            return True
        is_own = any(normal(one.operator) == normal(maker.operator) != "" for maker in makers)
        if is_own and stage.options.style is Style.RESOLVE and not one.is_human:
            return True
    return False


def _one_service(who: Who, service: str) -> Refusal:
    line = f"services: {{{service}: {{agents_review_each_other: true}}}}"
    why = f"{service} vouches for it and speaks for its author or another reviewer too"
    how = f", or have a human activate a policy with `{line}`"
    return refuse(Code.ONE_PARTY, name=who.name, why=why, how=how, line=line)
