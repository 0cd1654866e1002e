"""A histogram of what was seen, which can be merged, printed and compared with a threshold."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

#: The last two occur only with a real store and engine.
SORTS = ("commands", "events", "refusals", "gates", "outcomes", "replies", "faults", "engine")
SEEN_MIN = 100


@dataclass(slots=True)
class Counts:
    """How often each thing was seen, by sort."""

    seen: dict[str, Counter[str]] = field(default_factory=lambda: {sort: Counter() for sort in SORTS})
    steps: int = 0
    accepted: int = 0

    def add(self, sort: str, name: str) -> None:
        self.seen[sort][name] += 1

    def merge(self, other: Counts) -> None:
        for sort, counter in other.seen.items():
            self.seen[sort].update(counter)
        self.steps += other.steps
        self.accepted += other.accepted

    def missing(self, sort: str, expected: Iterable[str], at_least: int = SEEN_MIN) -> dict[str, int]:
        """The expected names that were seen too seldom, with their counts."""
        counter = self.seen[sort]
        return {name: counter[name] for name in expected if counter[name] < at_least}

    def table(self) -> str:
        """The histogram as text."""
        lines = [f"{self.steps} steps, {self.accepted} accepted ({self.accepted * 100 // max(1, self.steps)} %)"]
        for sort in filter(self.seen.get, SORTS):
            lines.append(f"{sort}:")
            lines += [f"  {count:>8}  {name}" for name, count in sorted(self.seen[sort].items())]
        return "\n".join(lines)

    def dump(self) -> str:
        return json.dumps({"steps": self.steps, "accepted": self.accepted, "seen": self.seen}, sort_keys=True)


def load(text: str) -> Counts:
    """Read back what `dump` wrote."""
    data = json.loads(text)
    counts = Counts(steps=data["steps"], accepted=data["accepted"])
    for sort, seen in data["seen"].items():
        counts.seen[sort].update(seen)
    return counts
