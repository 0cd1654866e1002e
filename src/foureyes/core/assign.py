"""Assign reviewers to open seats: the server draws among the eligible ones; the author never chooses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from foureyes.core.facts import Facts, Load, Principal
from foureyes.core.gates import Quorum
from foureyes.core.independence import distinct, eligible, normal
from foureyes.core.model import Review
from foureyes.core.parties import Bars, bars_of
from foureyes.core.refusals import Code, Refusal
from foureyes.core.rules import Limits, MatrixRow, SeatRule, Stage
from foureyes.core.scene import Scene
from foureyes.core.values import Part, Who, WhoKind

#: In place of role names: anyone eligible whose model family is known to differ from the author's.
OTHER_FAMILY = ("other family",)

ROLES_CACHED_MAX = 1_024
#: Maximum steps of the search for a joint assignment; a seat not filled by then counts as impossible to fill.
MATCHING_TRIES_MAX = 2_000

#: Suffix of a reviewer of this installation if an account has the same name.
HERE = " (here)"

#: Why no agent gets a seat: the contributors would otherwise have chosen among the remaining candidates.
STEERED = "Whoever made this work named or joined the session of another reviewer, so only a human may have this seat."

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
    #: True if a contributor's act barred a candidate from the seat, so that no other agent gets it.
    steered: bool = False


def roles_for(review: Review, rule: SeatRule, stage: Stage, facts: Facts) -> tuple[str, ...]:
    """The roles that may hold a seat, in the order in which they are asked; an empty tuple means open to anyone."""
    if not rule.by_matrix:
        return rule.roles
    row = matrix_row(review, stage, facts)
    return (row.primary, row.backup) if row else OTHER_FAMILY


def matrix_row(review: Review, stage: Stage, facts: Facts) -> MatrixRow | None:
    """The matrix entry for the author's role."""
    roles = {same_role(one) for one in facts.roles(review.author.name)}
    return next((row for row in stage.options.matrix if same_role(row.creator) in roles), None)


@lru_cache(maxsize=ROLES_CACHED_MAX)
def same_role(name: str) -> str:
    """Normalise a role name; case, hyphens and underscores do not distinguish roles."""
    return normal(name).replace("-", "_")


def may_review(scene: Scene, stage: Stage, who: Who, seat: str) -> bool:
    """True if the account may hold this seat: no contributor, one seat per stage, as independent as demanded."""
    principal = scene.facts.principal(who.name)
    principal = replace(principal, who=who) if principal else Principal(who=who)
    if not may_be_bound(stage.rule_of(seat), principal) or is_closed(scene, stage, principal, seat):
        return False
    return _may_sit(scene.review, stage, principal, _bars(scene, stage, seat))


def party_problem(scene: Scene, stage: Stage, who: Who, seat: str) -> Refusal | None:
    """The refusal if the account is of one party with a contributor or another reviewer of the stage; else None.

    Also a refusal if the seat is closed to agents, because a contributor joined a session of a candidate for it.
    """
    principal = scene.facts.principal(who.name) or Principal(who=who)
    problem = _bars(scene, stage, seat).problem(principal)
    if problem is None and is_closed(scene, stage, principal, seat):
        return Refusal(Code.HUMAN_ONLY, STEERED, "Leave it to a human; they were asked.")
    return problem


def is_closed(scene: Scene, stage: Stage, principal: Principal, seat: str) -> bool:
    """True if the seat is closed to this account because a contributor barred another candidate by a session."""
    if not scene.facts.mates.by_maker or _is_unchosen(principal):
        return False
    known = scene.review.seats.get(seat)
    judges = [rule.roles for rule in stage.seats if rule.part is Part.JUDGE]
    roles = known.candidates if known else tuple(role for one in judges for role in one) if all(judges) else ()
    could = (one for one in scene.facts.pool if has_role(one, roles, scene.review.author))
    return _is_steered(scene, stage, seat, could)


def _is_steered(scene: Scene, stage: Stage, seat: str, candidates: Iterable[Principal]) -> bool:
    """True if only a session that a contributor named or joined keeps one of these candidates from the seat."""
    bars, rule = _bars(scene, stage, seat), stage.rule_of(seat)
    free = bars.without_mates()
    barred = (one for one in candidates if one.available and bars.is_by_maker(one) and may_be_bound(rule, one))
    return any(not one.who.is_human and _may_sit(scene.review, stage, one, free) for one in barred)


def _is_unchosen(principal: Principal) -> bool:
    """True for humans and this installation's programs, which a contributor cannot select by barring others."""
    return principal.who.is_human or (principal.hosted and principal.who.kind is WhoKind.PROGRAM)


def may_be_bound(rule: SeatRule | None, principal: Principal) -> bool:
    """True if the policy allows this reviewer on the seat; a bound seat is only for its program or hosted agents."""
    if rule is None:
        return True
    if rule.program:
        is_program = principal.who.kind is WhoKind.PROGRAM and principal.hosted
        return is_program and principal.who.name.removesuffix(HERE) == rule.program
    if rule.hosted:
        return principal.hosted and principal.who.kind is not WhoKind.PROGRAM
    return not (rule.beside and principal.hosted)


def _bars(scene: Scene, stage: Stage, seat: str) -> Bars:
    return bars_of(scene, stage, _others(scene.review, stage, seat))


def _may_sit(review: Review, stage: Stage, principal: Principal, bars: Bars) -> bool:
    who = principal.who
    if who.kind not in REVIEWING or normal(who.name) in {normal(one) for one in review.origin.targets}:
        return False
    if bars.problem(principal) is not None:
        return False
    counted = {gate.distinct for gate in stage.gates if isinstance(gate, Quorum)}
    if not all(distinct(who, one, fact) for fact in counted for one in bars.makers):
        return False
    author, *more = bars.makers
    return eligible(who, author=author, contributors=more, others=bars.others, facts=stage.options.independence)


def _others(review: Review, stage: Stage, seat: str) -> list[Who]:
    """The other reviewers who sit in the stage, or have reported there on this revision."""
    sitting = [one.reviewer for one in review.seats.values() if one.stage == stage.name and one.id != seat]
    spoken = [
        one.reviewer
        for (name, number), one in review.reports.items()
        if number == review.revision and name != seat and review.seats[name].stage == stage.name
    ]
    return [one for one in (*sitting, *spoken) if one is not None]


def has_role(principal: Principal, roles: tuple[str, ...], author: Who) -> bool:
    """True if the account has one of these roles."""
    if roles == OTHER_FAMILY:
        return distinct(principal.who, author, "model_family")
    return not roles or not _roles_of(principal.roles).isdisjoint(_roles_of(roles))


@lru_cache(maxsize=ROLES_CACHED_MAX)
def _roles_of(roles: frozenset[str] | tuple[str, ...]) -> frozenset[str]:
    return frozenset(same_role(one) for one in roles)


def assign(scene: Scene, stage: Stage, openings: Sequence[Opening]) -> list[Assignment]:
    """Fill the open seats jointly, so that the choice for one seat does not leave another empty."""
    if not openings:
        return []
    facts, rules = scene.facts, scene.rules
    found_for = {one.seat: _candidates(scene, stage, one) for one in openings}
    wanted = {seat: candidates for seat, (candidates, _) in found_for.items()}
    possible = _matching(wanted, stage)
    rested = {seat: [p for p in who if _is_free(facts, p, rules.limits)] for seat, who in wanted.items()}
    free = possible if rested == wanted else _matching(rested, stage)
    taken = [one.who for one in free.values()]
    found: list[Assignment] = []
    for one in openings:
        reviewer = free.get(one.seat)
        queued = None if reviewer else _queue(facts, _beside(wanted[one.seat], taken, stage), rules.limits)
        chosen = (reviewer or queued) if one.roles else None
        if chosen:
            taken.append(chosen.who)
        found.append(
            Assignment(
                seat=one.seat,
                roles=one.roles,
                reviewer=chosen.who if chosen else None,
                queued=bool(one.roles) and reviewer is None,
                possible=one.seat in possible,
                steered=found_for[one.seat][1],
            )
        )
    return found


def _candidates(scene: Scene, stage: Stage, opening: Opening) -> tuple[list[Principal], bool]:
    """The candidates for the seat by role in order, shuffled by the draw within a role.

    Also True if a contributor's session barred one of them; from that role on, no other agent is a candidate.
    """
    review, facts, limits = scene.review, scene.facts, scene.rules.limits
    bars, rule = _bars(scene, stage, opening.seat), stage.rule_of(opening.seat)
    ordered: dict[str, Principal] = {}
    steered = False
    in_turn = bool(opening.roles) and opening.roles != OTHER_FAMILY
    for wanted in [(role,) for role in opening.roles] if in_turn else [opening.roles]:
        named = [
            one
            for one in facts.pool
            if one.available
            and one.who.name not in ordered
            and one.who.name not in opening.left
            and has_role(one, wanted, review.author)
            and may_be_bound(rule, one)
        ]
        steered = steered or (bool(bars.by_maker) and _is_steered(scene, stage, opening.seat, named))
        holders = [one for one in named if (_is_unchosen(one) or not steered) and _may_sit(review, stage, one, bars)]
        if opening.roles and len(holders) > 1:
            holders.sort(key=lambda one: _draw_order(facts, opening.seat, one.who.name, limits))
        ordered.update((one.who.name, one) for one in holders)
    return list(ordered.values()), steered


def _draw_order(facts: Facts, seat: str, name: str, limits: Limits) -> tuple[bool, str]:
    """Sort key: pairs that reviewed each other too often come last, then the committed seed decides."""
    often = facts.recent_pairings.get(name, 0) >= limits.pairings_max
    return often, hashlib.sha256(f"{facts.draw}:{seat}:{name}".encode()).hexdigest()


def _is_free(facts: Facts, principal: Principal, limits: Limits) -> bool:
    return facts.load.get(principal.who.name, Load()).active < limits.parallel_max


def _beside(candidates: Iterable[Principal], taken: Sequence[Who], stage: Stage) -> list[Principal]:
    """The candidates that are as independent as demanded of everyone placed so far."""
    demanded = ("reviewer", *stage.options.independence)
    return [one for one in candidates if all(distinct(one.who, who, fact) for who in taken for fact in demanded)]


def _queue(facts: Facts, candidates: Iterable[Principal], limits: Limits) -> Principal | None:
    return next((one for one in candidates if facts.load.get(one.who.name, Load()).queued < limits.queued_max), None)


def _matching(wanted: Mapping[str, Sequence[Principal]], stage: Stage) -> dict[str, Principal]:
    """Assign independent candidates to as many seats as possible, in the order of each seat's candidates."""
    best: dict[str, Principal] = {}
    tries = MATCHING_TRIES_MAX
    # A seat without candidates costs no tries.
    open_seats = tuple(seat for seat, candidates in wanted.items() if candidates)

    def place(seats: tuple[str, ...], held: dict[str, Principal]) -> bool:
        nonlocal best, tries
        if len(held) > len(best):
            best = dict(held)
        if not seats or tries <= 0:
            return len(best) == len(open_seats)
        if len(held) + len(seats) <= len(best):
            return False
        for one in _beside(wanted[seats[0]], [other.who for other in held.values()], stage):
            tries -= 1
            held[seats[0]] = one
            if place(seats[1:], held):
                return True
            del held[seats[0]]
        return place(seats[1:], held)

    place(open_seats, {})
    return best
