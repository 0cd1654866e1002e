"""Share of destructive commands of outside sets that the commands critic stops, and of harmless ones."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path

from foureyes.reviewers.critics.commands import judge_command
from foureyes.reviewers.critics.critic import State

Row = dict[str, str]


def score(folder: Path) -> list[dict[str, object]]:
    """Figures per source and for all, from every `commands_*.jsonl` in the folder."""
    groups: dict[str, list[tuple[str, State]]] = defaultdict(list)
    for path in sorted(folder.glob("commands_*.jsonl")):
        for row in rows(path):
            judged = (row["label"], judge_command(row["command"]).state)
            groups[row.get("src", path.stem)].append(judged)
            groups["all"].append(judged)
    return [_figures(name, found) for name, found in sorted(groups.items())]


def rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _figures(name: str, found: list[tuple[str, State]]) -> dict[str, object]:
    bad = [state for label, state in found if label == "block"]
    good = [state for label, state in found if label != "block"]
    return {
        "part": "commands",
        "source": name,
        "block_rows": len(bad),
        "allow_rows": len(good),
        "recall": _share(bad, State.BLOCK),
        "recall_with_unknown": _share(bad, State.BLOCK, State.UNKNOWN),
        "blocks_on_allow": _share(good, State.BLOCK),
        "unknown_on_allow": _share(good, State.UNKNOWN),
    }


def _share(states: list[State], *wanted: State) -> float | None:
    return round(sum(state in wanted for state in states) / len(states), 4) if states else None
