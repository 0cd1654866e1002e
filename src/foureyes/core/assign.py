"""Who is asked to review? The server draws among those who may; the author never chooses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from foureyes.core.facts import Facts, Load, Principal
from foureyes.core.independence import distinct, eligible, normal
from foureyes.core.model import Review
from foureyes.core.rules import Limits, MatrixRow, Rules, SeatRule, Stage
from foureyes.core.values import Who, WhoKind

#: In place of role names: anyone eligible whose model family is known to differ from the author's.
OTHER_FAMILY = ("other family",)

REVIEWING = frozenset({WhoKind.AGENT, WhoKind.PROGRAM, WhoKind.HUMAN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A seat somebody must be found for."""

    seat: str
    roles: tuple[str, ...]
    left: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Who got a seat: a reviewer, a place in the queue, nobody yet, or nobody ever."""

    seat: str
    roles: tuple[str, ...]
    reviewer: Who | None = None
    queued: bool = False
    possible: bool = True


def roles_for(review: Review, rule: SeatRule, stage: Stage, facts: Facts) -> tuple[str, ...]:
    """The roles that may hold a seat, in the order in which they are asked; none means open to anyone."""
    if not rule.by_matrix:
        return rule.roles
    row = matrix_row(review, stage, facts)
    return (row.primary, row.backup) if row else OTHER_FAMILY


def matrix_row(review: Review, stage: Stage, facts: Facts) -> MatrixRow | None:
    """The matrix entry for the author's role."""
    roles = {same_role(one) for one in facts.roles(review.author.name)}
    return next((row for row in stage.options.matrix if same_role(row.creator) in roles), None)


def same_role(name: str) -> str:
    """Role names are the same however they are hyphenated."""
    return normal(name).replace("-", "_")


def may_review(review: Review, stage: Stage, who: Who, seat: str) -> bool:
    """Whether somebody may hold this seat at all: other eyes, one seat per stage, as independent as demanded."""
    if who.kind not in REVIEWING or normal(who.name) in {normal(one) for one in review.origin.targets}:
        return False
    sitting = [one.reviewer for one in review.seats.values() if one.stage == stage.name and one.id != seat]
    spoken = [
        one.reviewer
        for (name, number), one in review.reports.items()
        if number == review.revision and name != seat and review.seats[name].stage == stage.name
    ]
    others = [one for one in (*sitting, *spoken) if one is not None]
    return eligible(
        who, author=review.author, contributors=review.contributors, others=others, facts=stage.options.independence
    )


def has_role(principal: Principal, roles: tuple[str, ...], author: Who) -> bool:
    """Whether somebody may be asked under these role names."""
    if roles == OTHER_FAMILY:
        return distinct(principal.who, author, "model_family")
    mine = {same_role(one) for one in principal.roles}
    return not roles or any(same_role(role) in mine for role in roles)


def assign(review: Review, rules: Rules, stage: Stage, facts: Facts, openings: Sequence[Opening]) -> list[Assignment]:
    """Fill the open seats jointly, so that one seat's choice does not leave another without anybody."""
    wanted = {one.seat: _candidates(review, stage, facts, one, rules.limits) for one in openings}
    possible = _matching(wanted)
    free = _matching({seat: [p for p in who if _is_free(facts, p, rules.limits)] for seat, who in wanted.items()})
    taken = {who.who.name for who in free.values()}
    found: list[Assignment] = []
    for one in openings:
        reviewer = free.get(one.seat)
        queued = None if reviewer else _queue(facts, wanted[one.seat], taken, rules.limits)
        chosen = (reviewer or queued) if one.roles else None
        if chosen:
            taken.add(chosen.who.name)
        found.append(
            Assignment(
                seat=one.seat,
                roles=one.roles,
                reviewer=chosen.who if chosen else None,
                queued=bool(one.roles) and reviewer is None,
                possible=one.seat in possible,
            )
        )
    return found


def _candidates(review: Review, stage: Stage, facts: Facts, opening: Opening, limits: Limits) -> list[Principal]:
    """Everyone who may hold the seat, by role in order, and within a role as the draw falls."""
    able = [
        one
        for one in facts.pool
        if one.available and one.who.name not in opening.left and may_review(review, stage, one.who, opening.seat)
    ]
    ordered: list[Principal] = []
    in_turn = bool(opening.roles) and opening.roles != OTHER_FAMILY
    for wanted in [(role,) for role in opening.roles] if in_turn else [opening.roles]:
        holders = [one for one in able if one not in ordered and has_role(one, wanted, review.author)]
        ordered.extend(sorted(holders, key=lambda one: _draw_order(facts, opening.seat, one.who.name, limits)))
    return ordered


def _draw_order(facts: Facts, seat: str, name: str, limits: Limits) -> tuple[bool, str]:
    """Pairs that reviewed each other too often come last; within that the committed seed decides."""
    often = facts.recent_pairings.get(name, 0) >= limits.pairings_max
    return often, hashlib.sha256(f"{facts.draw}:{seat}:{name}".encode()).hexdigest()


def _is_free(facts: Facts, principal: Principal, limits: Limits) -> bool:
    return facts.load.get(principal.who.name, Load()).active < limits.parallel_max


def _queue(facts: Facts, candidates: Iterable[Principal], taken: set[str], limits: Limits) -> Principal | None:
    for one in candidates:
        if one.who.name not in taken and facts.load.get(one.who.name, Load()).queued < limits.queued_max:
            return one
    return None


def _matching(wanted: Mapping[str, Sequence[Principal]]) -> dict[str, Principal]:
    """A largest matching of seats to people that respects the order of each seat's candidates."""
    holder: dict[str, str] = {}
    people = {one.who.name: one for who in wanted.values() for one in who}

    def place(seat: str, tried: set[str]) -> bool:
        for one in wanted[seat]:
            name = one.who.name
            if name in tried:
                continue
            tried.add(name)
            if name not in holder or place(holder[name], tried):
                holder[name] = seat
                return True
        return False

    for seat in wanted:
        place(seat, set())
    return {seat: people[name] for name, seat in holder.items()}
