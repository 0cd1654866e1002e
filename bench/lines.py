"""Figures kept as lines of JSON, written by a run: the demand, the result and the machine.

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
#: Environment variable that names another file for the lines, to try something out.
ENVIRONMENT = "BENCH_LINES"

MOST, LEAST = "at most", "at least"


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured number, with its demand and whether the measured answers were correct."""

    #: Unique; the first part is the module that measures it.
    figure: str
    what: str
    measured: float
    unit: str
    command: str
    #: Whether the answers were right; a fast wrong answer does not count.
    correct: bool
    #: None means that nothing is demanded.
    demand: float | None = None
    aim: float | None = None
    bound: str = MOST
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def kept(self) -> bool | None:
        """Whether the demand is met; None without a demand."""
        if self.demand is None:
            return None
        inside = self.measured <= self.demand if self.bound == MOST else self.measured >= self.demand
        return self.correct and inside


def keep(*figures: Figure) -> None:
    """Print figures and write their lines."""
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
    """Read all lines of a file."""
    if not place.exists():
        return []
    return [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]


def middle(values: Iterable[float]) -> float:
    """The median, rounded to three decimals."""
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
