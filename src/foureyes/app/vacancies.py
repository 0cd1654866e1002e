"""Finds seats that nobody can hold on this store, given its accounts, our programs and the hosted agents and models."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from foureyes.app.accounts import Enrolled
from foureyes.app.policies import Policies
from foureyes.app.ports import Directory, Reading
from foureyes.core.facts import Principal
from foureyes.core.model import Review
from foureyes.core.vacancies import Vacancy, vacancies, vacancies_of
from foureyes.core.values import Who, WhoKind
from foureyes.policy.binding import PROGRAMS
from foureyes.policy.policy import Command, Holder, Model, Policy, Program, Run

#: Most answers that are cached.
KNOWN_MAX = 256


def vacant(reading: Reading, policies: Policies, directory: Directory) -> tuple[Vacancy, ...]:
    """Return the seats of the policy in force that nobody of a directory can hold."""
    return vacancies(policies.current(reading).policy.rules, directory.pool(reading))


def vacant_alone(policy: Policy) -> tuple[Vacancy, ...]:
    """Return the seats that nobody can hold without enrolled accounts, if every reviewer in the policy may be asked."""
    return vacancies(policy.rules, _hosted(policy, lambda _: True))


class Unfilled:
    """What fills open seats for which there are too few reviewers, cached while the pool stays the same."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._pool: tuple[Principal, ...] = ()
        self._known: dict[tuple[object, ...], str] = {}

    def of(self, reading: Reading, policies: Policies, directory: Directory, review: Review) -> str:
        """Return a sentence for an open review with too few reviewers; empty if there are enough.

        The review is as its viewer may see it: reviewers who are hidden from them are not counted as having come.
        """
        pool = directory.pool(reading)
        if pool is not self._pool or len(self._known) >= KNOWN_MAX:
            self._pool, self._known = pool, {}
        makers = frozenset(one.name for one in review.contributors)
        came = frozenset(one.reviewer.name for one in review.seats.values() if one.reviewer)
        key = review.rules, review.protocols, makers, came
        if key not in self._known:
            others = (one for one in pool if one.who.name not in makers)
            found = vacancies_of(policies.rules(reading, review.rules), review.protocols, others, came)
            missing = (f"Too few reviewers are there. {one.how}." for one in found if not one.roles)
            self._known[key] = next(missing, "")
        return self._known[key]


def vacant_beside(
    reading: Reading, policy: Policy, now: datetime, may_send: Callable[[str], bool]
) -> tuple[Vacancy, ...]:
    """Return the seats nobody can hold on a server: it runs our programs, and the reviewers it may send work to."""
    enrolled = Enrolled(lambda: now).pool(reading)
    return vacancies(policy.rules, (*enrolled, *_hosted(policy, may_send)))


def _hosted(policy: Policy, may_send: Callable[[str], bool]) -> tuple[Principal, ...]:
    roles: dict[Who, set[str]] = {Who(name=one, kind=WhoKind.PROGRAM): {one} for one in PROGRAMS}
    for role in policy.reviewers:
        for holder in role.holders:
            who = _who(role.name, holder)
            if who.kind is WhoKind.PROGRAM or may_send(who.name):
                roles.setdefault(who, set()).add(role.name)
    return tuple(Principal(who=who, roles=frozenset(held), hosted=True) for who, held in roles.items())


def _who(role: str, holder: Holder) -> Who:
    match holder:
        case Program(name=name):
            return Who(name=name, kind=WhoKind.PROGRAM)
        case Command(name=name) | Model(name=name):
            return Who(name=name, kind=WhoKind.AGENT)
        case Run():
            return Who(name=role, kind=WhoKind.PROGRAM)
