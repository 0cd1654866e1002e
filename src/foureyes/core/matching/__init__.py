"""Match the findings of several reviewers: the same issue, a contradiction, or uncertain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations

from foureyes.core.matching.contradictions import against_check, against_finding
from foureyes.core.matching.pairing import best_pairs
from foureyes.core.matching.places import Checked, Comparable, Nearness, nearness
from foureyes.core.matching.text import similarity, words_of
from foureyes.core.values import Group

__all__ = ["MATCHER", "Checked", "Comparable", "Matched", "fingerprint", "match", "similarity"]

MATCHER = "place-category-text/1"

#: Minimum text similarity in percent for the same issue (SURE) or possibly the same (PERHAPS), by nearness of place.
SURE = {Nearness.LINES: 20, Nearness.FILE: 35, Nearness.UNKNOWN: 42}
PERHAPS = {Nearness.LINES: 10, Nearness.FILE: 28, Nearness.UNKNOWN: 35, Nearness.APART: 60}
#: Categories too general to count as a match.
_VAGUE = frozenset({"", "other"})
_UNCERTAIN_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """Findings that are one issue, findings that contradict, and findings that stay apart but may be one."""

    groups: tuple[Group, ...] = ()
    contradictions: tuple[Group, ...] = ()
    uncertain: tuple[Group, ...] = ()

    def alone(self, findings: Iterable[Comparable]) -> tuple[str, ...]:
        """The findings that only one reviewer has and that are part of no contradiction."""
        named = {name for group in (*self.groups, *self.contradictions) for name in group.findings}
        return tuple(sorted(finding.id for finding in findings if finding.id not in named))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Likeness:
    """How two findings relate: a positive score if they are one issue, and the reason."""

    score: int
    why: str
    perhaps: bool = False


Likenesses = dict[tuple[str, str], _Likeness]


def fingerprint(path: str, category: str, text: str, rule: str = "") -> str:
    """Fingerprint a finding; moved lines and changed numbers or punctuation in its wording do not alter it."""
    said = " ".join(words_of(text)) or text.strip()
    parts = (path.strip(), category.strip().casefold(), rule.strip().casefold(), said)
    return sha256("\x00".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def match(findings: Iterable[Comparable], checked: Iterable[Checked] = ()) -> Matched:
    """Compare the findings of different seats; contradictions are determined before agreement."""
    ordered = sorted(findings, key=lambda one: (one.seat, one.id))
    pairs = [(a, b) for a, b in combinations(ordered, 2) if a.seat != b.seat]
    compared = {(a.id, b.id): _likeness(a, b) for a, b in pairs}
    opposed = _contradictions(pairs, compared)
    alike = {pair: found for pair, found in compared.items() if found.score and pair not in opposed}
    seat_of = {one.id: one.seat for one in ordered}
    chosen = _assigned(alike, seat_of)
    members = _merged(chosen, alike, set(opposed), seat_of)
    denied = _denied(ordered, tuple(checked))
    return Matched(
        groups=_groups(members, chosen, alike),
        contradictions=(*(Group(findings=pair, why=why) for pair, why in sorted(opposed.items())), *denied),
        uncertain=_uncertain(alike, members, seat_of),
    )


def _contradictions(pairs: Iterable[tuple[Comparable, Comparable]], compared: Likenesses) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for a, b in pairs:
        alike = compared[a.id, b.id]
        why = against_finding(a, b, same_issue=alike.score > 0 and not alike.perhaps)
        if why:
            found[a.id, b.id] = why
    return found


def _denied(findings: list[Comparable], checked: tuple[Checked, ...]) -> tuple[Group, ...]:
    """Findings that another seat reports as checked and correct, unless that seat has a finding at the same place."""
    ordered = sorted(checked, key=lambda one: (one.seat, one.path, one.start, one.end, one.text))
    return tuple(
        Group(findings=(finding.id,), why=why)
        for finding in findings
        for why in (next(filter(None, (against_check(finding, check, findings) for check in ordered)), ""),)
        if why
    )


def _likeness(a: Comparable, b: Comparable) -> _Likeness:
    """Compare by place first, then category, then text; the score ranks the candidates for one finding."""
    near, alike = nearness(a, b), similarity(a.text, b.text)
    same_category = a.category.casefold() == b.category.casefold() and a.category.casefold() not in _VAGUE
    said = f"{near.value}; {'same category; ' if same_category else ''}text {alike}% alike"
    score = 1 + alike + (100 if near is Nearness.LINES else 0) + (20 if same_category else 0)
    if alike >= SURE.get(near, 101) or (same_category and near is Nearness.LINES):
        return _Likeness(score=score, why=said)
    if alike >= PERHAPS[near]:
        return _Likeness(score=score, why=said, perhaps=True)
    return _Likeness(score=0, why=said)


def _assigned(alike: Likenesses, seat_of: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """The best pairs between every two seats: a finding matches at most one finding of another seat."""
    between: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
    for (a, b), likeness in alike.items():
        if not likeness.perhaps:
            between.setdefault((seat_of[a], seat_of[b]), {})[a, b] = likeness.score
    return tuple(pair for seats in sorted(between) for pair in best_pairs(between[seats]))


def _merged(
    chosen: Iterable[tuple[str, str]], alike: Likenesses, opposed: set[tuple[str, str]], seat_of: dict[str, str]
) -> dict[str, frozenset[str]]:
    """Join pairs into groups, best score first; no group holds two findings of a seat or two that contradict."""
    members = {name: frozenset({name}) for name in seat_of}
    for a, b in sorted(chosen, key=lambda pair: (-alike[pair].score, pair)):
        joined = members[a] | members[b]
        seats = {seat_of[name] for name in joined}
        at_odds = any(pair in opposed or pair[::-1] in opposed for pair in combinations(sorted(joined), 2))
        if len(seats) == len(joined) and not at_odds:
            members |= dict.fromkeys(joined, joined)
    return members


def _groups(
    members: dict[str, frozenset[str]], chosen: Iterable[tuple[str, str]], alike: Likenesses
) -> tuple[Group, ...]:
    found = sorted({tuple(sorted(group)) for group in members.values() if len(group) > 1})
    return tuple(
        Group(
            findings=group,
            why="; ".join(f"{a} = {b}: {alike[a, b].why}" for a, b in sorted(chosen) if a in group and b in group),
        )
        for group in found
    )


def _uncertain(alike: Likenesses, members: dict[str, frozenset[str]], seat_of: dict[str, str]) -> tuple[Group, ...]:
    """Pairs that may be the same issue, unless either finding already has a match at the other's seat."""
    partners = {name: {seat_of[other] for other in group if other != name} for name, group in members.items()}
    pairs = ((a, b) for a, b in sorted(alike) if seat_of[b] not in partners[a] and seat_of[a] not in partners[b])
    found = tuple(Group(findings=pair, why=alike[pair].why) for pair in pairs)
    return found[:_UNCERTAIN_MAX]
