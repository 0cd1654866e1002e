"""Compare two places in the work: the same lines, the same file, apart, or unknown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from foureyes.core.risk.globs import normal_path
from foureyes.core.values import Severity

#: Lines this far apart are one place: some reviewers name the head of a block, others a line inside it.
LINES_APART_MAX = 3


class Nearness(StrEnum):
    """What two places have in common, in words that are stored as the reason of a match."""

    LINES = "same lines"
    FILE = "same file"
    UNKNOWN = "place unknown"
    APART = "different places"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """A finding as far as matching looks at it; no path or no line means that its place is unknown."""

    id: str
    seat: str
    path: str = ""
    start: int = 0
    end: int = 0
    category: str = ""
    severity: Severity = Severity.IMPORTANT
    text: str
    suggestion: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a seat says it checked and found to hold, and where."""

    seat: str
    text: str
    path: str = ""
    start: int = 0
    end: int = 0


Placed = Comparable | Checked


def nearness(a: Placed, b: Placed) -> Nearness:
    """Compare two places; an unknown one is neither near nor apart."""
    if not a.path or not b.path:
        return Nearness.UNKNOWN
    if normal_path(a.path) != normal_path(b.path):
        return Nearness.APART
    if not a.start or not b.start:
        return Nearness.FILE
    # Some tools give ranges backwards, or a start alone.
    (first_a, last_a), (first_b, last_b) = _range(a), _range(b)
    overlap = first_a <= last_b + LINES_APART_MAX and first_b <= last_a + LINES_APART_MAX
    return Nearness.LINES if overlap else Nearness.APART


def _range(place: Placed) -> tuple[int, int]:
    end = place.end or place.start
    return min(place.start, end), max(place.start, end)
