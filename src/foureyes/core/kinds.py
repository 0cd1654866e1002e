"""Kinds of work: one canonical spelling for each."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

KINDS_CACHED_MAX = 1_024
_VOWELS = tuple("aeiou")

_ALIASES = {
    "core_creation": "create_core",
    "app_creation": "create_app",
    "architecture": "architecture_decision",
    "refactor": "major_refactor",
}


@lru_cache(maxsize=KINDS_CACHED_MAX)
def canonical_kind(kind: str) -> str:
    """The canonical spelling of a kind: lower case, underscores, known aliases replaced."""
    folded = kind.strip().lower().replace("-", "_").replace(" ", "_")
    return _ALIASES.get(folded, folded)


def are(kinds: Iterable[str], named: Iterable[str]) -> bool:
    """True if one of these kinds is among those a policy names, in any spelling."""
    return not {canonical_kind(one) for one in named}.isdisjoint(kinds)


def with_article(kind: str) -> str:
    """A kind with its article for the beginning of a title: `An aspect`, `A dweller proposal`."""
    return f"{'An' if kind[:1].lower() in _VOWELS else 'A'} {kind}".replace("_", " ")
