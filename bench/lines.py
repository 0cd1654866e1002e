"""How is a figure kept? As a line of JSON that a run has written: what was demanded, what came out, and where.

A figure has one line; a later run replaces it. `page.py` makes the documentation from these lines and nothing else.
"""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.core import context

HERE = Path(__file__).parent
FILE = HERE / "results" / "lines.jsonl"
#: Put a run's lines elsewhere, to try something out.
ENVIRONMENT = "BENCH_LINES"

MOST, LEAST = "at most", "at least"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number, with what it must be and whether what was measured did its work."""

    #: Unique; the first part is the module that measures it.
    figure: str
    what: str
    measured: float
    unit: str
    command: str
    #: Not a number that came out fast, but the right answers.
    correct: bool
    #: Nothing is demanded where there is no number.
    demand: float | None = None
    aim: float | None = None
    bound: str = MOST
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def kept(self) -> bool | None:
        """Whether the demand is met; None where there is none."""
        if self.demand is None:
            return None
        inside = self.measured <= self.demand if self.bound == MOST else self.measured >= self.demand
        return self.correct and inside


def keep(*figures: Figure) -> None:
    """Print lines and write them down."""
    place = Path(os.environ.get(ENVIRONMENT, FILE))
    known = {line["figure"]: line for line in read(place)}
    around = context()
    for one in figures:
        line = {**_plain(one), **around}
        known[one.figure] = line
        print(json.dumps(line), flush=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{json.dumps(known[name])}\n" for name in sorted(known))
    place.write_text(text, encoding="utf-8")


def read(place: Path = FILE) -> list[dict[str, Any]]:
    """All lines of a file."""
    if not place.exists():
        return []
    return [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]


def middle(values: Iterable[float]) -> float:
    """The median, with three digits behind the point."""
    return round(statistics.median(values), 3)


def _plain(one: Figure) -> dict[str, Any]:
    return {
        "figure": one.figure,
        "what": one.what,
        "measured": one.measured,
        "unit": one.unit,
        "bound": one.bound,
        "demand": one.demand,
        "aim": one.aim,
        "kept": one.kept,
        "correct": one.correct,
        "command": one.command,
        **one.more,
    }
