"""Which secrets does a text contain? All rules that need nothing but the text and its path."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from foureyes.reviewers.critics.secrets.assignments import assignments
from foureyes.reviewers.critics.secrets.borrowed import borrowed
from foureyes.reviewers.critics.secrets.encoded import encoded
from foureyes.reviewers.critics.secrets.found import TOLD, Found, Span, TooMany, apart
from foureyes.reviewers.critics.secrets.grouped import grouped
from foureyes.reviewers.critics.secrets.keyfiles import login_lines, private_keys
from foureyes.reviewers.critics.secrets.places import in_places
from foureyes.reviewers.critics.secrets.tokens import tokens

#: A longer text is data, and is said to be unread.
TEXT_MAX = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What was found in a text, and what kept us from reading it to its end; empty where nothing did."""

    found: tuple[Found, ...]
    cut: str = ""


def find(text: str, path: str = "") -> Search:
    """Every find from the score on at which it is told, in order; none overlaps another."""
    if len(text) > TEXT_MAX:
        return Search(found=(), cut=f"it has more than {TEXT_MAX // 1_000_000} million characters")
    got: list[Found] = []
    cut = ""
    for looking in (
        tokens(text),
        private_keys(text),
        login_lines(text, path),
        in_places(text),
        assignments(text, path),
        grouped(text),
        borrowed(text),
        encoded(text),
    ):
        cut = _into(got, looking) or cut
    return Search(found=apart(one for one in got if one.score >= TOLD), cut=cut)


def spans(text: str, path: str = "") -> tuple[Span, ...]:
    """Where the secrets of a text stand, for whoever takes them out."""
    return tuple(Span(start=one.start, end=one.end, rule=one.rule.id) for one in find(text, path).found)


def _into(got: list[Found], looking: Iterator[Found]) -> str:
    try:
        got.extend(looking)
    except TooMany as met:
        return f"it has too many {met}"
    return ""
