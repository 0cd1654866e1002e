"""Vacancies: seats that no one can hold, and how to fill them.

The same words are used when a server starts, in its status, in ruling requests and in every answer that waits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from foureyes.core.assign import OTHER_FAMILY, REVIEWING, has_role, may_be_bound, same_role
from foureyes.core.facts import Principal
from foureyes.core.rules import Protocol, Rules, SeatRule, Stage
from foureyes.core.values import WhoKind

Roles = tuple[str, ...]
#: How to fill a seat of a local review, which has no enrolled accounts and no server.
HOW_TO_FILL_HERE = "Run `foureyes doctor`: it says who can look here, and how to have an agent or a model look"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacancy:
    """Roles of which nobody at hand holds any, and the styles or chains that ask for one; no role means anybody."""

    roles: Roles
    protocols: tuple[str, ...]
    #: The number of missing reviewers.
    missing: int = 1
    #: How long work waits before a human is asked; for a missing role a human is asked at once.
    patience: timedelta = timedelta(0)

    @property
    def how(self) -> str:
        """How to fill it."""
        return how_to_fill((self.roles,), self.missing)

    def in_words(self) -> str:
        """Who is missing, where, what to do, and what happens meanwhile."""
        who, where = " or ".join(self.roles) or "a reviewer", ", ".join(self.protocols)
        hours = self.patience // timedelta(hours=1)
        until = (
            f"such work waits; a human is asked after {hours} hours" if self.patience else "a human is asked instead"
        )
        return f"Nobody can be {who} in {where}. {self.how}. Until then {until}."


def vacancies(rules: Rules, pool: Iterable[Principal]) -> tuple[Vacancy, ...]:
    """The vacancies in what the rules demand of any work, if one account of the pool is the author."""
    return _vacancies(_demanded(rules), pool, authors=1)


def vacancies_of(
    rules: Rules, names: Iterable[str], pool: Iterable[Principal], came: Collection[str] = ()
) -> tuple[Vacancy, ...]:
    """The vacancies in these styles or chains, for a pool without the author.

    Accounts in `came` already review this work, whether or not a seat was offered to them.
    """
    return _vacancies(filter(None, map(rules.protocol, names)), pool, authors=0, came=came)


def _vacancies(
    protocols: Iterable[Protocol], pool: Iterable[Principal], *, authors: int, came: Collection[str] = ()
) -> tuple[Vacancy, ...]:
    there = [one for one in pool if one.available and one.who.kind in REVIEWING]
    offered = len([one for one in there if _is_offered(one) or one.who.name in came]) - authors
    found: dict[Roles, list[tuple[str, int, timedelta]]] = {}
    for protocol in protocols:
        for stage in protocol.stages:
            for roles, missing in _vacant(stage, there, max(0, offered)):
                patience = timedelta(0) if roles else stage.options.times.volunteer
                found.setdefault(roles, []).append((protocol.name, missing, patience))
    return tuple(
        Vacancy(
            roles=roles,
            protocols=tuple(dict.fromkeys(name for name, _, _ in rows)),
            missing=max(missing for _, missing, _ in rows),
            patience=max(patience for _, _, patience in rows),
        )
        for roles, rows in found.items()
    )


def _is_offered(principal: Principal) -> bool:
    """True if seats without a role are offered to this account: agents with an account, which volunteer."""
    return principal.who.kind is WhoKind.AGENT and not principal.hosted


def how_to_fill(wanted: Sequence[Roles], missing: int = 1) -> str:
    """What a human can do to fill seats for these roles."""
    named = tuple(dict.fromkeys(roles for roles in wanted if roles and roles != OTHER_FAMILY))
    if not named:
        other = " of another model family than the author's" if OTHER_FAMILY in wanted else ""
        more = f"{missing} more reviewers" if missing > 1 else "one more reviewer"
        return f"Enrol {more}{other} who had no hand in the work, with `foureyes agents add NAME`"
    roles = ", ".join(" or ".join(one) for one in named)
    line = ", ".join(f"{one[0]}: {{command: claude}}" for one in named)
    which = "roles" if len(named) > 1 else "role"
    return (
        f"Enrol agents with the {which} {roles}, or write `reviewers: {{{line}}}` in the policy and start the server "
        "with `--yes-send claude`"
    )


def _demanded(rules: Rules) -> Iterator[Protocol]:
    named = (
        *(name for one in rules.kinds for name in one.protocols),
        *rules.default,
        *(name for one in rules.risks for name in one.protocols),
    )
    for name in dict.fromkeys(named):
        if found := rules.protocol(name):
            yield found


def _vacant(stage: Stage, pool: Sequence[Principal], offered: int) -> Iterator[tuple[Roles, int]]:
    """The roles without a holder, and how many are missing; `offered` accounts may fill seats without a role."""
    needed = [one for one in stage.seats if not one.beside]
    missing = len([one for one in needed if not (one.roles or one.by_matrix)]) - offered
    if missing > 0:
        yield (), missing
    for rule in needed:
        for roles in _roles(rule, stage, pool):
            if not any(has_role(one, roles, one.who) and may_be_bound(rule, one) for one in pool):
                yield roles, 1


def _roles(rule: SeatRule, stage: Stage, pool: Iterable[Principal]) -> Iterator[Roles]:
    """The roles of a seat; for a matrix seat, the roles for every creator role in the pool."""
    if rule.roles:
        yield rule.roles
    if rule.by_matrix:
        held = {same_role(role) for one in pool for role in one.roles}
        yield from ((row.primary, row.backup) for row in stage.options.matrix if same_role(row.creator) in held)
