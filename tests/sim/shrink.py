"""Reduce a failing script to few deliveries by delta debugging."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

TRIALS_MAX = 400


def shrink(script: Sequence[T], fails: Callable[[Sequence[T]], bool], trials_max: int = TRIALS_MAX) -> list[T]:
    """Drop chunks, then smaller ones, as long as the rest still fails; the script given must fail."""
    rest, parts, trials = list(script), 2, 0
    while len(rest) > 1 and trials < trials_max:
        size = max(1, len(rest) // parts)
        for start in range(0, len(rest), size):
            shorter = rest[:start] + rest[start + size :]
            trials += 1
            if shorter and fails(shorter):
                rest, parts = shorter, max(2, parts - 1)
                break
            if trials >= trials_max:
                return rest
        else:
            if size == 1:
                return rest
            parts = min(len(rest), parts * 2)
    return rest
