"""Independence of two parties, and the level of independence that a set of reviewers reaches."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from foureyes.core.values import Who, WhoKind

#: The facts each level demands to be distinct; every level includes those of the lower ones.
LEVELS: tuple[tuple[str, ...], ...] = (
    (),
    ("reviewer", "session"),
    ("reviewer", "session", "model_family"),
    ("reviewer", "session", "model_family", "operator"),
)

#: Limits the search. Considering fewer reviewers can only report too low a level, never too high a one.
REVIEWERS_MAX = 16

NAMES_CACHED_MAX = 4_096


@lru_cache(maxsize=NAMES_CACHED_MAX)
def normal(name: str) -> str:
    """Fold a name so that its spellings compare equal, such as "Alice " and "alice" or full-width characters."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(char for char in folded if unicodedata.category(char) not in {"Cf", "Cc"}).strip()


def distinct(a: Who, b: Who, fact: str) -> bool:
    """True if these two are known to differ in this fact; an unknown value or fact never differs."""
    compare = _COMPARISONS.get(fact)
    return compare is not None and compare(a, b)


def eligible(
    candidate: Who,
    *,
    author: Who,
    contributors: Iterable[Who] = (),
    others: Iterable[Who] = (),
    facts: Iterable[str] = (),
) -> bool:
    """True if the candidate may review this work beside these other reviewers.

    Nobody reviews work that they or their own session contributed to, whatever facts the policy demands.
    """
    makers = (author, *contributors)
    if any(_same_session(candidate, maker) for maker in makers):
        return False
    demanded = ("reviewer", *facts)
    return all(distinct(candidate, one, fact) for one in (*makers, *others) for fact in demanded)


def level(author: Who, reviewers: Iterable[Who], needed: int, contributors: Iterable[Who] = ()) -> int:
    """The highest level at which enough reviewers differ from every contributor and from each other.

    0 none, 1 other session, 2 other model family, 3 other operator. At least one reviewer is always needed.
    """
    makers = (author, *contributors)
    ordered = sorted(reviewers, key=lambda who: (normal(who.name), who.session, who.model_family, who.operator))
    for reached in range(len(LEVELS) - 1, 0, -1):
        facts = LEVELS[reached]
        fit = [who for who in ordered if all(_differ(who, maker, facts) for maker in makers)]
        if _holds(fit[:REVIEWERS_MAX], max(needed, 1), facts):
            return reached
    return 0


def _holds(candidates: Sequence[Who], needed: int, facts: tuple[str, ...]) -> bool:
    """True if `needed` of the candidates differ pairwise."""
    if needed == 0 or len(candidates) < needed:
        return needed == 0
    return any(
        _holds([other for other in candidates[index + 1 :] if _differ(one, other, facts)], needed - 1, facts)
        for index, one in enumerate(candidates)
    )


def _differ(a: Who, b: Who, facts: tuple[str, ...]) -> bool:
    return all(distinct(a, b, fact) for fact in facts)


def _known_to_differ(a: str, b: str) -> bool:
    one, other = normal(a), normal(b)
    return bool(one) and bool(other) and one != other


def _names_differ(a: Who, b: Who) -> bool:
    return _known_to_differ(a.name, b.name)


def _sessions_differ(a: Who, b: Who) -> bool:
    return _minds_differ(a, b) or _known_to_differ(a.session, b.session)


def _families_differ(a: Who, b: Who) -> bool:
    return _minds_differ(a, b) or _known_to_differ(a.model_family, b.model_family)


def _providers_differ(a: Who, b: Who) -> bool:
    return _minds_differ(a, b) or _known_to_differ(a.provider, b.provider)


def _minds_differ(a: Who, b: Who) -> bool:
    """True if one is a human and the names differ; a human shares neither context nor model with another account."""
    return (a.is_human or b.is_human) and _names_differ(a, b) and WhoKind.CLOCK not in {a.kind, b.kind}


def _operators_differ(a: Who, b: Who) -> bool:
    """True if no common operator is behind both; a human is not independent of the agents they operate."""
    return _known_to_differ(a.operator, b.operator) and _behind(a).isdisjoint(_behind(b))


def _behind(who: Who) -> set[str]:
    return {normal(who.operator), normal(who.name)} if who.is_human else {normal(who.operator)}


def _same_session(a: Who, b: Who) -> bool:
    return bool(normal(a.session)) and normal(a.session) == normal(b.session)


_COMPARISONS: dict[str, Callable[[Who, Who], bool]] = {
    "reviewer": _names_differ,
    "session": _sessions_differ,
    "model_family": _families_differ,
    "provider": _providers_differ,
    "operator": _operators_differ,
}
