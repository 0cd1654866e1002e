"""What has been found? A stretch of a text that looks like a secret, with the rule and how sure we are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from foureyes.reviewers.critics.critic import Rule

#: Below this a find is not told to anybody.
TOLD = 0.25
#: From here on a find stops the work.
SURE = 0.5

#: A value shorter than this can be guessed from its hash, so no mark of it is shown.
UNGUESSABLE = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """Where a secret stands in a text: characters from `start` up to, not including, `end`."""

    start: int
    end: int
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One look-alike of a secret; `score` is 0 to 1."""

    start: int
    end: int
    rule: Rule
    score: float
    #: The part that is the same in every secret of the kind, like `ghp_`; shown to people.
    known: str = ""


class TooMany(Exception):  # noqa: N818 - a limit was met, which is no error of ours
    """A text has more look-alikes than we look at, so it was not read to its end."""


@lru_cache(maxsize=2)
def letters_of(text: str) -> frozenset[str]:
    """The different characters of a text: what needs another one is not in it, and is not searched for."""
    return frozenset(text)


def mark(found: Found, value: str) -> str:
    """How a secret is told from another one without showing it; only its hash, and only where nobody can guess it."""
    size = f"{len(value)} characters" if len(value) != 1 else "1 character"
    if len(value) < UNGUESSABLE or found.score < SURE or not found.known:
        return size
    digest = hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{size}, {found.known[:2]}…{digest}"


def apart(found: Iterable[Found]) -> tuple[Found, ...]:
    """The finds in order of their places; of those that overlap the surest is kept, widened over the others."""
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
