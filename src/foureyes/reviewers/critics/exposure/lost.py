"""Attribute hits to a change that removed a protection, although no changed line contains the hit."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from foureyes.app.reviewers import File, Span
from foureyes.reviewers.critics.critic import Hit


def with_lost(file: File, hits: Sequence[Hit], before: Sequence[Hit]) -> list[Hit]:
    """Extend new hits that are on no changed line so that they reach the nearest change; return all hits."""
    were = Counter(one.rule.id for one in before)
    now = Counter(one.rule.id for one in hits)
    seen = Counter(one.rule.id for one in hits if file.is_changed(one.line, one.end))
    more = {rule: now[rule] - were[rule] - seen[rule] for rule in now}
    apart = [
        number for number, one in enumerate(hits) if more[one.rule.id] > 0 and not file.is_changed(one.line, one.end)
    ]
    found = list(hits)
    spans = sorted(file.changed)
    for number in sorted(apart, key=lambda at: abs(_nearest(spans, hits[at].line) - hits[at].line)):
        one = hits[number]
        if more[one.rule.id] > 0:
            more[one.rule.id] -= 1
            near = _nearest(spans, one.line)
            found[number] = replace(one, line=min(one.line, near), end=max(one.line, near))
    return found


def _nearest(spans: list[Span], line: int) -> int:
    """Return the changed line that is nearest to this one."""
    at = bisect_left(spans, (line, line))
    near = [end for pair in spans[max(at - 1, 0) : at + 1] for end in pair]
    return min(near, key=lambda one: abs(one - line), default=line)
