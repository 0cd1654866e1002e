"""A find: a stretch of a text that looks like a secret, with its rule and its score."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from foureyes.reviewers.critics.critic import Rule

#: Finds below this score are not reported.
TOLD = 0.25
#: Finds from this score on block the work.
SURE = 0.5

#: A shorter value can be guessed from its hash, so no hash of it is shown.
UNGUESSABLE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The position of a secret in a text: characters from `start` up to, not including, `end`."""

    start: int
    end: int
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One stretch of text that looks like a secret; `score` is 0 to 1."""

    start: int
    end: int
    rule: Rule
    score: float
    #: The constant prefix of this kind of secret, such as `ghp_`; it may be shown to people.
    known: str = ""


class TooMany(Exception):  # noqa: N818 - a limit was met, which is no error of ours
    """A text has more candidates than the limit, so it was not read to its end."""


@lru_cache(maxsize=2)
def letters_of(text: str) -> frozenset[str]:
    """Return the set of characters in a text: a shape that needs another character is not searched for."""
    return frozenset(text)


def mark(found: Found, value: str) -> str:
    """Return the size of a secret, and part of its hash if the value cannot be guessed from it; never the value."""
    size = f"{len(value)} characters" if len(value) != 1 else "1 character"
    if len(value) < UNGUESSABLE or found.score < SURE or not found.known:
        return size
    digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{size}, {found.known[:2]}…{digest}"


def apart(found: Iterable[Found]) -> tuple[Found, ...]:
    """Return the finds in order; of overlapping ones, keep the surest, widened over the others."""
    kept: list[Found] = []
    for one in sorted(found, key=lambda each: (each.start, -each.score, -each.end)):
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
            continue
        last = kept[-1]
        best = last if (last.score, last.end - last.start) >= (one.score, one.end - one.start) else one
        kept[-1] = Found(
            start=last.start, end=max(last.end, one.end), rule=best.rule, score=best.score, known=best.known
        )
    return tuple(kept)
