"""Explain what a piece of work must pass under a policy, and which rule demands it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from foureyes.core.kinds import canonical_kind
from foureyes.core.risk import guards, kinds_for, protocols_for
from foureyes.core.rules import NEVER_SKIPPED, Rules
from foureyes.core.values import Risk, RiskLevel
from foureyes.policy.policy import Mode, Policy
from foureyes.policy.words import protocol_lines, style_name


def explain(policy: Policy, kind: str, paths: Iterable[str] = (), risk: RiskLevel = RiskLevel.MEDIUM) -> str:
    """List the styles and reviewers for such work, and the kind, path or risk that demands each style.

    The styles are computed by the core itself, so they are exactly those of a real review.
    """
    touched = tuple(paths)
    return "\n".join(_lines(policy, canonical_kind(kind), touched, risk))


def _lines(policy: Policy, kind: str, paths: tuple[str, ...], risk: RiskLevel) -> Iterator[str]:
    rules = policy.rules
    yield f"{kind} of {risk.name.lower()} risk under policy {policy.name}:"
    kinds = kinds_for(rules, kind, paths)
    for name in protocols_for(rules, kind, paths, Risk(level=risk)):
        protocol = rules.protocol(name)
        if protocol is None:
            yield f"  {name}, which nobody defined: it never passes"
            continue
        yield f"  {style_name(protocol)}"
        yield from (f"    because {why}" for why in _reasons(rules, name, kind, paths, risk))
        yield from (f"    {line}" for line in protocol_lines(protocol, policy.reviewers))
    lowest = min((one.revisions_max for one in map(rules.protocol, _names(rules, kind, paths, risk)) if one), default=0)
    yield f"  in all: at most {lowest} new versions"
    yield f"  {_skipped(rules, kinds)}"
    unread = [path for path in paths if policy.ignores(path)]
    yield from (f"  not read: {path}" for path in unread)
    watched = policy.mode_of(kinds) is Mode.WATCH
    yield "  watched: it is said what would stop it, nothing is stopped" if watched else "  enforced: it stops"


def _names(rules: Rules, kind: str, paths: tuple[str, ...], risk: RiskLevel) -> tuple[str, ...]:
    return protocols_for(rules, kind, paths, Risk(level=risk))


def _reasons(rules: Rules, name: str, kind: str, paths: tuple[str, ...], risk: RiskLevel) -> Iterator[str]:
    if name in rules.protocols_for(kind):
        named = any(canonical_kind(one.kind) == kind for one in rules.kinds)
        yield f"it is {kind}" if named else f"it is {kind}, which is judged as every other kind"
    for rule in rules.paths:
        touched = next((path for path in paths if guards(rule.pattern, path)), None)
        if touched and name in rules.protocols_for(rule.kind):
            yield f"{touched} matches {rule.pattern}, which makes it {rule.kind}"
    for level in (one.level for one in rules.risks if name in one.protocols and one.level <= risk):
        yield f"its risk is {level.name.lower()}" + (" or more" if level < risk else "")


def _skipped(rules: Rules, kinds: tuple[str, ...]) -> str:
    never = sorted(NEVER_SKIPPED.intersection(kinds))
    if never:
        return f"never without reviewers: it is {never[0]}"
    if not rules.enabled:
        return "without reviewers, except of vetoes: the policy switches reviews off"
    if not rules.skips:
        return "never without reviewers: the policy has no fast lane"
    return f"perhaps without reviewers, by the rules {', '.join(one.name for one in rules.skips)}"
