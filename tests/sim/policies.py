"""The policies of the simulated world: the program's own rules, each with the simulator's description of them.

The checker gets only the descriptions of `words.py`. They are written by hand and not derived from the rules, so that
a wrong rule is noticed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from foureyes.core import chains, gates, protocols
from foureyes.core.rules import (
    Blind,
    Budget,
    Exhausted,
    Humans,
    KindRule,
    Learning,
    Limits,
    Options,
    PathRule,
    Protocol,
    RiskRule,
    Rules,
    SeatRule,
    SkipRule,
    Stage,
    Style,
    Times,
)
from foureyes.core.values import ChangeKind, Part, RiskLevel, Severity
from tests.sim import words
from tests.sim.checker import Policy, parse_policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Rules, and the simulator's description of what they demand."""

    rules: Rules
    policy: Policy


KINDS: dict[str, tuple[str, ...]] = {
    "story": ("resolve",),
    "create_core": ("peer",),
    "architecture_decision": ("peer",),
    "breaking_change": ("peer",),
    "security_change": ("peer", "security"),
    "database_migration": ("peer",),
    "fix_typo": ("peer",),
    "deploy": ("infrastructure",),
    "answer": ("default",),
    "research": ("research",),
    "article": ("content",),
    "trade": ("trading",),
    "vote": ("vote",),
    "milestone": ("session",),
    "task": ("panel",),
    "careful_task": ("panel_human",),
    "single_task": ("panel_single",),
    "script": ("solo",),
    "guarded": ("guarded",),
    "verified": ("verified",),
    "committee": ("committee",),
    "orphan": ("orphan",),
    "release": ("resolve", "security"),
    "launch": ("session", "solo"),
    "mystery": ("mystery",),
    "hollow": ("hollow",),
    "unmanned": ("unmanned",),
    "nowhere": ("nobody_wrote_this",),
}
LEARNING = Learning(
    successes_min=2,
    confidence_min_percent=80,
    increase_percent=20,
    trust_min_percent=60,
    lookback=timedelta(hours=3),
    suggest_after=timedelta(0),
    enabled_for=timedelta(hours=12),
    audit_percent=20,
)
GROUPS = (Humans(name="board", members=frozenset({"hana", "hugo", "hedda"})), Humans(name="empty", members=frozenset()))
SKIPS = (
    SkipRule(name="trivial", kinds=("fix_typo", "story")),
    SkipRule(name="autonomy", autonomy="aggressive", except_for=("task",)),
    SkipRule(name="learned", learned=True),
)


def first() -> Told:
    """All five styles and the solo style, seven chains, groups of people, skips, and unreadable rules."""
    rules = Rules(
        digest="policy-1",
        protocols=(*_shipped(), *_own()),
        kinds=tuple(KindRule(kind=kind, protocols=names) for kind, names in KINDS.items()),
        default=("resolve",),
        paths=(
            PathRule(pattern="auth/**", kind="security_change"),
            PathRule(pattern="migrations/**", kind="database_migration"),
        ),
        skips=SKIPS,
        learning=LEARNING,
        groups=GROUPS,
        budget=Budget(day_usd_micro=60_000_000),
        limits=Limits(notes_max=2, escapes_max=3, findings_per_seat_max=40, reopenings_max=4, list_max=50),
        single_use_kinds=frozenset({"trade"}),
    )
    return Told(rules=rules, policy=parse_policy(rules.digest, words.first()))


def second() -> Told:
    """Stricter: more reviewers, other seats, a small budget, risk adds a chain, clearances expire, nothing skips."""
    old = first().rules
    changed = {
        "resolve": protocols.resolve(min_reviewers=3, blind=Blind.EACH_ROUND),
        "peer": protocols.peer(mode=gates.Mode.ADVISORY, second_opinion_from=60),
        "session": protocols.session(reviewers=3),
        "panel": protocols.panel(auto_reject=True, b_only_critical_fixes=True),
    }
    rules = replace(
        old,
        digest="policy-2",
        protocols=tuple(changed.get(one.name, one) for one in old.protocols),
        risks=(RiskRule(level=RiskLevel.HIGH, protocols=("default",)),),
        skips=(),
        budget=Budget(review_usd_micro=400_000, day_usd_micro=0),
        clearance_expires=timedelta(hours=2),
    )
    return Told(rules=rules, policy=parse_policy(rules.digest, words.second()))


def third() -> Told:
    """Reviews are switched off: everything but vetoes, high risk and dangerous kinds passes, with a flag."""
    old = first().rules
    rules = replace(old, digest="policy-3", enabled=False, skips=())
    return Told(rules=rules, policy=parse_policy(rules.digest, words.third()))


def everything() -> tuple[Told, ...]:
    """Every policy that a simulated world may activate, the initial one first."""
    return first(), second(), third()


def _shipped() -> tuple[Protocol, ...]:
    return (
        protocols.resolve(),
        protocols.peer(),
        protocols.session(),
        protocols.panel(auto_approve=True, auto_reject=True),
        replace(protocols.panel(speculative_quality=False, max_fix_iterations=1), name="panel_human"),
        replace(
            protocols.panel(models=("sonnet",), auto_approve=True, auto_approve_single=True, auto_reject=True),
            name="panel_single",
        ),
        protocols.solo(programs=("linter",), agents=("agent", "reviewer")),
        *chains.CHAINS,
    )


def _own() -> tuple[Protocol, ...]:
    return (_vote(), _guarded(), _verified(), _committee("committee", "board", needs=2),
            _committee("orphan", "empty", needs=1), _mystery(), _hollow(), _unmanned())  # fmt: skip


def _vote() -> Protocol:
    layers = tuple(SeatRule(roles=("seldon", "gaal", "daneel"), scope=name) for name in ("one", "two", "three"))
    return protocols.chain("vote", layers, unanimous=False, retries_max=0, exhausted=Exhausted.RETURN_TO_AUTHOR)


def _guarded() -> Protocol:
    """Two operators, a green test run, coverage, another model family, and reports kept over a rebase."""
    options = Options(
        style=Style.SOLO,
        keeps=frozenset({ChangeKind.REBASE, ChangeKind.MESSAGE, ChangeKind.CONTENT}),
        independence=("operator",),
        blind=Blind.EACH_ROUND,
    )
    checks = Stage(
        name="checks",
        seats=(SeatRule(roles=("tests",), scope="tests"),),
        gates=(gates.Evidence(check="tests"),),
        options=replace(options, independence=(), blind=Blind.FIRST),
    )
    conditions = (
        gates.Quorum(reviewers=2, distinct="operator", programs=False),
        gates.Coverage(percent=80),
        gates.Independence(facts=("model_family",), of_each_other=False),
        gates.Resolved(at_least=Severity.IMPORTANT),
    )
    seats = (SeatRule(roles=("agent",)), SeatRule(roles=("reviewer",)))
    stage = Stage(name="guarded", seats=seats, gates=conditions, options=options, seats_max=4)
    return Protocol(name="guarded", stages=(checks, stage), revisions_max=3)


def _verified() -> Protocol:
    """A protocol whose findings are verified before they block; a failing linter is only noted."""
    options = Options(style=Style.SOLO, failures_max=1, times=Times(human_fallback=False))
    conditions = (
        gates.Quorum(reviewers=1, programs=False),
        gates.Evidence(check="lint", must_pass=False),
        gates.Resolved(at_least=Severity.MINOR),
    )
    seats = (SeatRule(roles=("linter",), scope="lint"), SeatRule(), SeatRule(roles=("verifier",), part=Part.VERIFY))
    stage = Stage(name="verified", seats=seats, gates=conditions, options=options)
    return Protocol(name="verified", stages=(stage,), revisions_max=2)


def _committee(name: str, group: str, *, needs: int) -> Protocol:
    """A protocol of one critic with a veto, which only so many people of a group can override."""
    options = Options(style=Style.CHAIN, ruling_needs=needs, ruling_group=group)
    seat = SeatRule(roles=("hardin", "auditor"), scope="risk", veto=True)
    stage = Stage(name=f"{name}.risk", seats=(seat,), gates=(gates.Unanimous(),), options=options)
    return Protocol(name=name, stages=(stage,), revisions_max=1)


def _mystery() -> Protocol:
    conditions = (gates.Unanimous(), gates.Unknown(name="phase of the moon"))
    stage = Stage(name="mystery", seats=(SeatRule(),), gates=conditions, options=Options(style=Style.CHAIN))
    return Protocol(name="mystery", stages=(stage,), revisions_max=1)


def _hollow() -> Protocol:
    stage = Stage(name="hollow", seats=(), gates=(), options=Options(style=Style.CHAIN))
    return Protocol(name="hollow", stages=(stage,), revisions_max=1)


def _unmanned() -> Protocol:
    """A protocol with a check that nobody runs."""
    conditions = (gates.Unanimous(), gates.Evidence(check="fuzzing"))
    seats = (SeatRule(roles=("tester",)),)
    stage = Stage(name="unmanned", seats=seats, gates=conditions, options=Options(style=Style.CHAIN))
    return Protocol(name="unmanned", stages=(stage,), revisions_max=1)
