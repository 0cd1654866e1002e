"""Merges findings of several reviewers that are one issue, ranks them and adds their cause, for people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from foureyes.app.reviewing.outcome import Agreement, Found
from foureyes.app.reviewing.rulebook import RuleEntry
from foureyes.core.drafts import LATE
from foureyes.core.matching import Matched, match
from foureyes.core.matching.stages import comparable
from foureyes.core.model import Finding, Review
from foureyes.core.reasons import BELOW, blocks, why_advisory
from foureyes.core.rules import Stage
from foureyes.core.values import Group, Severity, Standing, WhoKind

#: Most findings of one file that are compared, because comparing takes quadratic time; agreement only ranks.
COMPARED_MAX = 120
#: Two reviewers who disagree only about the severity see the same issue.
SAME_ISSUE = "the same issue"
LATE_IN_SHORT = "raised late: this part has not changed since"
MINOR = BELOW.format(severity="minor")
#: Returns the text of the work at a place, with secrets cut out.
Quote = Callable[[str, int], str]


def merged(
    review: Review,
    stages: Iterable[Stage],
    quote: Quote,
    rules: Mapping[str, RuleEntry],
    verified: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Found, ...]:
    """Return every unsettled finding, each issue once, the worst first; `verified` is what second looks said."""
    least = {one.name: one.options.blocking for one in stages}
    live = [one for one in review.findings.values() if not one.is_settled]
    kept = [one for one in live if not one.suppressed_by]
    seats = review.seats.values()
    programs = frozenset(one.id for one in seats if one.reviewer and one.reviewer.kind is WhoKind.PROGRAM)
    groups = [group for bucket in _by_file(kept) for group in _groups(bucket, programs)]
    found = [_found(review, group, least, quote, rules) for group in groups]
    said = (replace(one, verified_because=verified.get(one.id, "")) if one.verification else one for one in found)
    return tuple(sorted(said, key=_rank))


def _by_file(findings: list[Finding]) -> Iterator[list[Finding]]:
    buckets: dict[str, list[Finding]] = {}
    for one in findings:
        buckets.setdefault(one.place.path if one.place else "", []).append(one)
    yield from buckets.values()


def _groups(bucket: list[Finding], programs: Collection[str]) -> Iterator[tuple[tuple[Finding, ...], Agreement]]:
    by_id = {one.id: one for one in bucket}
    several = len({one.seat for one in bucket}) > 1
    compared = sorted(bucket, key=lambda one: -one.severity)[:COMPARED_MAX]
    matched = match([comparable(one) for one in compared]) if several else Matched()
    graded = [one for one in matched.contradictions if one.why.startswith(SAME_ISSUE)]
    pairs = _apart(graded, {name for group in matched.groups for name in group.findings})
    joined = {name for group in (*matched.groups, *pairs) for name in group.findings}
    against = {name for group in matched.contradictions if group not in graded for name in group.findings}
    perhaps = {name for group in matched.uncertain for name in group.findings}
    for group in (*matched.groups, *pairs):
        for part in _told_apart([by_id[name] for name in group.findings], programs):
            yield part, Agreement.AGREED if len(part) > 1 else Agreement.ONLY_ONE
    for name, one in by_id.items():
        if name in joined:
            continue
        alone = Agreement.UNCERTAIN if name in perhaps else Agreement.ONLY_ONE
        yield (one,), Agreement.CONTRADICTED if name in against else alone


def _apart(groups: list[Group], taken: set[str]) -> list[Group]:
    """Return the groups that share no finding with another."""
    kept: list[Group] = []
    for one in groups:
        if taken.isdisjoint(one.findings):
            taken = taken | set(one.findings)
            kept.append(one)
    return kept


def _told_apart(group: list[Finding], programs: Collection[str]) -> Iterator[tuple[Finding, ...]]:
    """Split a group by the lines that programs report: findings on different such lines are different issues.

    Otherwise a line that is always found, such as words aimed at reviewers, would hide what stands next to it.
    """
    sure = sorted(_lines(one) for one in group if one.seat in programs and one.place and one.place.start)
    spots: list[tuple[int, int]] = []
    for first, last in sure:
        if spots and first <= spots[-1][1]:
            spots[-1] = (spots[-1][0], max(last, spots[-1][1]))
        else:
            spots.append((first, last))
    parts: dict[tuple[int, int], list[Finding]] = {}
    for one in group:
        first, last = _lines(one)
        nearest = min(spots, key=lambda spot: max(spot[0] - last, first - spot[1], 0), default=(0, 0))
        parts.setdefault(nearest, []).append(one)
    yield from map(tuple, parts.values())


def _lines(finding: Finding) -> tuple[int, int]:
    place = finding.place
    return (place.start, max(place.start, place.end)) if place else (0, 0)


def _found(
    review: Review,
    group: tuple[tuple[Finding, ...], Agreement],
    least: Mapping[str, Severity],
    quote: Quote,
    rules: Mapping[str, RuleEntry],
) -> Found:
    findings, agreement = group
    ordered = sorted(findings, key=lambda one: (-one.severity, not one.evidence, one.id))
    first = next((one for one in ordered if blocks(one, least)), ordered[0])
    blocking = blocks(first, least)
    place = first.place
    rule = first.rule or next((one.rule for one in ordered if one.rule), "")
    known = rules.get(rule)
    return Found(
        ids=(first.id, *(one.id for one in ordered if one is not first)),
        severity=first.severity,
        text=first.text,
        category=first.category,
        rule=rule,
        path=place.path if place else "",
        line=place.start if place else 0,
        end=place.end if place else 0,
        quote=quote(place.path, place.start) if place and place.start else "",
        why=known.why if known else "",
        evidence=first.evidence,
        suggestion=first.suggestion,
        raised_by=tuple(dict.fromkeys(one.raiser for one in ordered)),
        agreement=agreement,
        verification=first.verification,
        blocking=blocking,
        why_not_blocking="" if blocking else _why_not(first),
        standing=first.standing,
        fingerprint=first.fingerprint,
        cause=rule,
        is_new=first.revision == review.revision,
    )


def _why_not(finding: Finding) -> str:
    """Say why it does not block, in the words of every door; the command line shows the severity anyway."""
    return {LATE: LATE_IN_SHORT, MINOR: "minor"}.get(why := why_advisory(finding), why)


def _rank(one: Found) -> tuple[bool, int, int, bool, str, int]:
    """Sort key: what blocks first, then the gravest, then what several reviewers found, then by place."""
    waits = one.standing is Standing.ANSWERED
    return not one.blocking, -one.severity, -len(one.raised_by), waits, one.path, one.line
