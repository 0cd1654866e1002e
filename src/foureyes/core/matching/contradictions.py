"""Detect contradictions between reviewers about the same place."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from foureyes.core.matching.places import Checked, Comparable, Nearness, nearness
from foureyes.core.matching.text import TEXTS_CACHED_MAX, likeness, similarity, terms_of, words_of

__all__ = ["Checked", "against_check", "against_finding"]

#: Minimum similarity in percent of a finding and a passed check to be about the same thing; same lines suffice.
ABOUT_THE_SAME = {Nearness.LINES: 0, Nearness.FILE: 30, Nearness.UNKNOWN: 45}
#: Minimum similarity in percent of the objects of two opposite fixes.
SAME_OBJECT = 40
LEVELS_APART = 2

_OPPOSITES = (
    ("add", "remove"),
    ("add", "delete"),
    ("add", "drop"),
    ("keep", "remove"),
    ("keep", "delete"),
    ("keep", "drop"),
    ("restore", "remove"),
    ("enable", "disable"),
    ("increase", "decrease"),
    ("increase", "reduce"),
    ("raise", "lower"),
    ("allow", "deny"),
    ("allow", "forbid"),
    ("allow", "reject"),
    ("accept", "reject"),
    ("require", "forbid"),
    ("encrypt", "decrypt"),
    ("lock", "unlock"),
    ("merge", "split"),
    ("inline", "extract"),
    ("tighten", "loosen"),
    ("hide", "expose"),
)
_FIX_WORDS = frozenset(word for pair in _OPPOSITES for word in pair)
_FIX_TERMS = frozenset(term for word in _FIX_WORDS for term in terms_of(word))


def against_finding(a: Comparable, b: Comparable, *, same_issue: bool) -> str:
    """Why two findings contradict each other; empty when they do not."""
    if same_issue and abs(a.severity - b.severity) >= LEVELS_APART:
        return f"the same issue, but {a.severity.name.lower()} for {a.seat} and {b.severity.name.lower()} for {b.seat}"
    if nearness(a, b) is Nearness.LINES or same_issue:
        return _opposite_fixes(a, b)
    return ""


def against_check(finding: Comparable, check: Checked, findings: Iterable[Comparable]) -> str:
    """Why a finding contradicts what another seat checked; empty when it does not.

    A seat that itself raised a finding at the place it checked contradicts nobody there.
    """
    if finding.seat == check.seat:
        return ""
    alike = similarity(finding.text, check.text)
    if alike < ABOUT_THE_SAME.get(nearness(finding, check), 101):
        return ""
    if any(own.seat == check.seat and nearness(own, check) is Nearness.LINES for own in findings):
        return ""
    return f"{check.seat} checked this and says it holds: {check.text}"


def _opposite_fixes(a: Comparable, b: Comparable) -> str:
    said_a, said_b = a.suggestion or a.text, b.suggestion or b.text
    verbs_a, verbs_b = _fixes(said_a), _fixes(said_b)
    if not verbs_a or not verbs_b or verbs_a & verbs_b:
        return ""
    if likeness(_objects(said_a), _objects(said_b)) < SAME_OBJECT:
        return ""
    for one, other in _OPPOSITES:
        if one in verbs_a and other in verbs_b:
            return f"opposite fixes: {a.seat} wants to {one}, {b.seat} to {other}"
        if other in verbs_a and one in verbs_b:
            return f"opposite fixes: {a.seat} wants to {other}, {b.seat} to {one}"
    return ""


@lru_cache(maxsize=TEXTS_CACHED_MAX)
def _fixes(text: str) -> frozenset[str]:
    return _FIX_WORDS.intersection(words_of(text))


def _objects(text: str) -> frozenset[str]:
    """The object of a fix: its terms without the verbs that oppose each other."""
    return terms_of(text) - _FIX_TERMS
