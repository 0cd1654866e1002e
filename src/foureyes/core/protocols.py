"""The review styles as protocols: the five source systems' and one for a lone developer, as values of one type."""

from __future__ import annotations

from foureyes.core import gates
from foureyes.core.peer_data import CRITERIA, DEFAULT_CRITERIA, MATRIX
from foureyes.core.rules import Blind, Exhausted, MatrixRow, Options, Protocol, SeatRule, Stage, Style
from foureyes.core.values import Severity

#: Finding categories for stories and worlds.
CATEGORIES = ("causal_gap", "scientific_issue", "actor_vagueness", "timeline", "internal_consistency", "other")

#: Maximum volunteers beyond the agents and models the policy names.
SOLO_VOLUNTEERS_MAX = 8


def resolve(
    *, min_reviewers: int = 2, seats_max: int = 10, blind: Blind = Blind.FIRST, own_operator: bool = False
) -> Protocol:
    """Style without verdicts: reviewers raise findings, the author answers each, the raiser confirms."""
    options = Options(
        style=Style.RESOLVE,
        votes=False,
        evidence=True,
        categories=CATEGORIES,
        blind=blind,
        exhausted=Exhausted.SHELVE,
        blocking=Severity.MINOR,
        own_operator=own_operator,
    )
    conditions = (
        gates.Quorum(reviewers=min_reviewers, programs=False),
        gates.Resolved(at_least=Severity.MINOR, shelves=True, revision_answers=False),
    )
    stage = Stage(
        name="resolve", seats=(SeatRule(),) * min_reviewers, gates=conditions, options=options, seats_max=seats_max
    )
    return Protocol(name="resolve", stages=(stage,), revisions_max=10)


def peer(
    *,
    matrix: tuple[MatrixRow, ...] = MATRIX,
    criteria: tuple[gates.Criteria, ...] = CRITERIA,
    mode: gates.Mode = gates.Mode.STRICT,
    second_opinion_from: int = 0,
) -> Protocol:
    """One colleague from the matrix judges by a checklist; a fourth attempt, a confidence gap or doubt escalates."""
    options = Options(
        style=Style.PEER,
        answers=True,
        names_reject_grounds=True,
        blind=Blind.OFF,
        confidence_min=80,
        matrix=matrix,
    )
    conditions = (
        gates.Standards(
            criteria=criteria, default=DEFAULT_CRITERIA, mode=mode, second_opinion_from=second_opinion_from
        ),
        gates.Certainty(confidence_min=90, both_min=60),
        gates.ConfidenceGap(gap_max=40),
        gates.Consistency(),
        gates.Resolved(at_least=Severity.IMPORTANT),
    )
    stage = Stage(name="peer", seats=(SeatRule(by_matrix=True),), gates=conditions, options=options)
    return Protocol(name="peer", stages=(stage,), revisions_max=3)


def chain(
    name: str, layers: tuple[SeatRule, ...], *, unanimous: bool, retries_max: int, exhausted: Exhausted
) -> Protocol:
    """Critics in order, each within its scope; a veto is lifted only by a human."""
    options = Options(style=Style.CHAIN, exhausted=exhausted, concern_is_finding=True, late_is_advisory=False)
    names = tuple(f"{name}.{layer.scope}" for layer in layers)
    condition = gates.Unanimous() if unanimous else gates.Majority(chain=names)
    stages = tuple(
        Stage(name=stage, seats=(layer,), gates=(condition,), options=options)
        for stage, layer in zip(names, layers, strict=True)
    )
    return Protocol(name=name, stages=stages, revisions_max=retries_max)


def session(*, reviewers: int = 2, roles: tuple[str, ...] = ("reviewer",), at_least: int = 0) -> Protocol:
    """Reviewers of agents at work: a blocker stops, two concerns pause, one is logged and waits.

    Without `at_least` all seats are needed; with it, the further seats are requested only if there are candidates.
    """
    options = Options(style=Style.SESSION, concern_is_finding=True)
    conditions = (gates.Tally(concerns_pause=2), gates.Resolved(at_least=Severity.IMPORTANT))
    needed = at_least or reviewers
    seats = tuple(SeatRule(roles=roles, beside=index >= needed) for index in range(reviewers))
    stage = Stage(name="session", seats=seats, gates=conditions, options=options)
    return Protocol(name="session", stages=(stage,), revisions_max=10)


def panel(
    *,
    models: tuple[str, ...] = ("haiku", "sonnet"),
    speculative_quality: bool = True,
    max_fix_iterations: int = 2,
    fix_timeout_turns: int = 10,
    auto_approve: bool = False,
    auto_reject: bool = False,
    auto_approve_single: bool = False,
    b_only_critical_fixes: bool = False,
) -> Protocol:
    """Two models judge the spec, then the quality; agreement may clear or return the work, the rest goes to a human."""
    _check_range("max_fix_iterations", max_fix_iterations, 1, 5)
    _check_range("fix_timeout_turns", fix_timeout_turns, 5, 30)
    options = Options(style=Style.PANEL, blocking_evidence=True, turns_max=fix_timeout_turns)
    seats = tuple(SeatRule(roles=(model,), model=model) for model in models)

    def stage(name: str, *, final: bool) -> Stage:
        agreement = gates.Agreement(
            stages=("spec", "quality"),
            final=final,
            auto_approve=auto_approve,
            auto_reject=auto_reject,
            auto_approve_single=auto_approve_single,
            b_only_critical_fixes=b_only_critical_fixes,
        )
        conditions = (agreement, gates.Resolved(at_least=Severity.IMPORTANT))
        # After another style the spec stage is early too: its reviewers begin at once instead of waiting.
        return Stage(name=name, seats=seats, gates=conditions, options=options, early=speculative_quality)

    stages = (stage("spec", final=False), stage("quality", final=True))
    return Protocol(name="panel", stages=stages, revisions_max=max_fix_iterations)


def solo(
    *, programs: tuple[str, ...] = ("program",), agents: tuple[str, ...] = ("agent",), quorum: int = 1
) -> Protocol:
    """Programs and each local agent review once, blind to each other; important findings stop, refuted ones do not."""
    options = Options(style=Style.SOLO, blocking_evidence=True, waits=True, person_waives=True)
    roles = (*programs, *agents)
    seats = tuple(SeatRule(roles=(role,)) for role in roles)
    conditions = (
        gates.Quorum(reviewers=quorum, programs=False, everyone=True),
        gates.Coverage(percent=100),
        gates.Resolved(at_least=Severity.IMPORTANT),
    )
    stage = Stage(
        name="solo", seats=seats, gates=conditions, options=options, seats_max=len(seats) + SOLO_VOLUNTEERS_MAX
    )
    return Protocol(name="solo", stages=(stage,), revisions_max=2)


def _check_range(name: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not low <= value <= high:
        message = f"{name} must be {low}-{high}"
        raise ValueError(message)
