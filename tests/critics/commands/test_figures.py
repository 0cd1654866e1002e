"""The figures of the commands critic are counted correctly."""

import json
from pathlib import Path

from bench.quality_commands import score


def test_recall_and_false_blocks_are_counted_per_source_and_for_all(tmp_path: Path) -> None:
    rows = [
        {"src": "a", "command": "rm -rf /", "label": "block"},
        {"src": "a", "command": 'eval "$X"', "label": "block"},
        {"src": "b", "command": "ls", "label": "allow"},
        {"src": "b", "command": "git push --force", "label": "allow"},
    ]
    (tmp_path / "commands_x.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    figures = {row["source"]: row for row in score(tmp_path)}
    assert (figures["a"]["recall"], figures["a"]["recall_with_unknown"]) == (0.5, 1.0)
    assert (figures["b"]["blocks_on_allow"], figures["b"]["unknown_on_allow"]) == (0.5, 0.0)
    assert (figures["all"]["block_rows"], figures["all"]["allow_rows"]) == (2, 2)
