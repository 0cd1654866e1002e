"""Quality of merging the findings of several reviewers, on public findings whose true bugs are known.

    python -m bench.matching FOLDER

The folder holds `martian_findings_*.jsonl`: one finding a line with `pr`, `tool`, `text`, `label` (tp or fp) and, for
a true one, the number of the `golden` bug. Two findings of one pull request belong together when they name one bug.
"""

import json
import sys
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from time import perf_counter

from foureyes.core.matching import match
from foureyes.core.matching.places import Comparable

FILES = "martian_findings_*.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One finding of the set; `bug` is empty when it names no known bug."""

    pr: str
    tool: str
    text: str
    bug: str


@dataclass(slots=True)
class Score:
    """Pairs merged rightly, merged wrongly and missed."""

    hit: int = 0
    wrong: int = 0
    missed: int = 0

    def add(self, *, merged: bool, same: bool) -> None:
        self.hit += merged and same
        self.wrong += merged and not same
        self.missed += same and not merged

    def figures(self) -> dict[str, float]:
        assert self.hit, "nothing was merged rightly: is this the right file?"
        return {
            "f1": round(2 * self.hit / (2 * self.hit + self.wrong + self.missed), 3),
            "precision": round(self.hit / (self.hit + self.wrong), 3),
            "recall": round(self.hit / (self.hit + self.missed), 3),
        }


def rows(folder: Path) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    lines = [line for path in sorted(folder.glob(FILES)) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        raw = json.loads(line)
        bug = str(raw["golden"]) if raw["label"] == "tp" else ""
        found[raw["pr"]].append(Row(pr=raw["pr"], tool=raw["tool"], text=raw["text"], bug=bug))
    return found


def measure(folder: Path) -> dict[str, object]:
    """Count pairs of different tools. Two findings that name no known bug may be the same, so they are left out."""
    known, true = Score(), Score()
    seconds = 0.0
    for findings in rows(folder).values():
        begun = perf_counter()
        matched = match(Comparable(id=str(n), seat=row.tool, text=row.text) for n, row in enumerate(findings))
        seconds += perf_counter() - begun
        group_of = {name: group.findings for group in matched.groups for name in group.findings}
        for (a, first), (b, second) in combinations(enumerate(findings), 2):
            if first.tool == second.tool or not (first.bug or second.bug):
                continue
            merged, same = str(b) in group_of.get(str(a), ()), first.bug == second.bug
            known.add(merged=merged, same=same)
            if first.bug and second.bug:
                true.add(merged=merged, same=same)
    return {
        "pairs_with_a_true_finding": known.figures(),
        "pairs_of_true_findings": true.figures(),
        "seconds": round(seconds, 3),
    }


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]))))
