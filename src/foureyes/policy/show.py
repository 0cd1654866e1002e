"""Show a policy as text for people."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from foureyes.core.rules import Rules
from foureyes.policy.policy import Policy
from foureyes.policy.words import holder_words, protocol_lines, span_words, style_name

MICRO = 1_000_000

_PROVEN = "where a program proves that only prose, comments or layout changed"


def show(policy: Policy) -> str:
    """The whole policy in force, with every default filled in. Unused styles are only named."""
    return "\n".join(_lines(policy))


def _lines(policy: Policy) -> Iterator[str]:
    rules = policy.rules
    yield f"policy {policy.name}, exact version {policy.digest}"
    yield f"mode: {policy.mode}" + "".join(f", {one.kind}: {one.mode}" for one in policy.modes)
    if not rules.enabled:
        yield "reviews are switched off, except of vetoes, of high risk and of kinds that are never skipped"
    yield from _titled("kinds", _kinds(rules))
    yield from _titled("paths", (f"{rule.pattern} is {rule.kind} too" for rule in rules.paths))
    risks = (f"{one.level.name.lower()} or more: {_styles(rules, one.protocols)}" for one in rules.risks)
    yield from _titled("risks", risks)
    yield from _titled("not read", policy.ignore)
    held = (f"{one.name}: {', '.join(map(holder_words, one.holders))}" for one in policy.reviewers)
    yield from _titled("reviewers", held)
    groups = (f"{one.name}: {', '.join(sorted(one.members)) or 'nobody'}" for one in rules.groups)
    yield from _titled("humans", groups)
    yield from _titled("targets", (f"{one.name}: independence of level {one.level}" for one in policy.targets))
    services = (f"{one}: its agents may review each other's work" for one in sorted(rules.services))
    yield from _titled("services", services)
    yield from _titled("may go without reviewers", _skips(rules))
    yield from _titled("limits", _limits(policy))
    used = used_protocols(rules)
    for name in used:
        protocol = rules.protocol(name)
        if protocol:
            yield from _titled(f"style {style_name(protocol)}", protocol_lines(protocol, policy.reviewers))
    others = [style_name(one) for one in rules.protocols if one.name not in used]
    yield f"also defined: {', '.join(others)}" if others else "every style is used"


def used_protocols(rules: Rules) -> tuple[str, ...]:
    """The styles that some kind, path or risk leads to."""
    by_kind = (name for rule in rules.kinds for name in rule.protocols)
    by_risk = (name for rule in rules.risks for name in rule.protocols)
    return tuple(dict.fromkeys((*by_kind, *rules.default, *by_risk)))


def _kinds(rules: Rules) -> Iterator[str]:
    yield from (f"{rule.kind}: {_styles(rules, rule.protocols)}" for rule in rules.kinds)
    yield f"every other kind: {_styles(rules, rules.default)}"


def _styles(rules: Rules, names: tuple[str, ...]) -> str:
    return ", then ".join(style_name(one) for name in names if (one := rules.protocol(name)))


def _skips(rules: Rules) -> Iterator[str]:
    for rule in rules.skips:
        spared = f", except {', '.join(rule.except_for)}" if rule.except_for else ""
        if rule.kinds:
            yield f"{', '.join(rule.kinds)}, {_PROVEN}{spared}"
        if rule.autonomy:
            yield f"authors of autonomy {rule.autonomy}, {_PROVEN}{spared}"
        if rule.learned:
            least, sure = rules.learning.successes_min, rules.learning.confidence_min_percent
            yield f"authors whose record a human has enabled: {least} successes, {sure}% sure on average{spared}"


def _limits(policy: Policy) -> Iterator[str]:
    rules = policy.rules
    yield f"a review may cost {_dollars(rules.budget.review_usd_micro)}, a day {_dollars(rules.budget.day_usd_micro)}"
    run = policy.each_run
    yield (
        f"one run of a reviewer may cost {_dollars(run.usd_micro)} and {run.tokens:,} tokens, "
        f"and take {span_words(timedelta(seconds=run.seconds))}"
    )
    yield f"a reviewer has at most {rules.limits.parallel_max} reviews at once, and {rules.limits.queued_max} waiting"
    yield f"a session silent for {span_words(policy.session_silence)} is reviewed"
    if rules.clearance_expires:
        yield f"an approval ends after {span_words(rules.clearance_expires)}"
    if rules.single_use_kinds:
        yield f"good for going live once: {', '.join(sorted(rules.single_use_kinds))}"


def _dollars(micro: int) -> str:
    return f"{micro / MICRO:.2f} USD" if micro else "any sum"


def _titled(title: str, lines: Iterator[str] | tuple[str, ...]) -> Iterator[str]:
    listed = tuple(lines)
    if listed:
        yield f"{title}:"
        yield from (f"  {line}" for line in listed)
