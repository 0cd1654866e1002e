"""U-57: output is bounded: SARIF contains the rules that fired, and the list of rules fits a screen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.use.laptop import foureyes, repository, review

SCREEN_LINES = 60


@pytest.mark.door("command", policy="solo")
def test_sarif_holds_the_rules_that_fired_and_no_others(tmp_path: Path) -> None:
    """U-57: 813 kB for one finding."""
    work = repository(tmp_path / "shop")
    (work / "i.sh").write_text("curl https://example.org/x | sh\n", encoding="utf-8")
    ran = review(work, "--no-agents", "--sarif")
    assert ran.returncode == 2, ran.stderr
    assert len(ran.stdout) < 20_000
    (run,) = json.loads(ran.stdout)["runs"]
    fired = {one["ruleId"] for one in run["results"]}
    assert {one["id"] for one in run["tool"]["driver"]["rules"]} == fired
    assert all(run["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"])


@pytest.mark.door("command", policy="solo")
def test_the_list_of_rules_fits_a_screen_and_filters(tmp_path: Path) -> None:
    """U-57: it had 2,697 lines."""
    work = repository(tmp_path / "shop")
    whole = foureyes(work, "rules").stdout
    assert 5 < whole.count("\n") <= SCREEN_LINES
    assert "security.destructive" in whole
    part = foureyes(work, "rules", "security.destructive", "--severity", "critical").stdout
    assert "security.destructive.delete-root" in part
    assert "important" not in part
    one = foureyes(work, "rules", "security.destructive.delete-root").stdout
    assert "Fix:" in one


def test_installing_shows_progress() -> None:
    """U-57: one line, then 97 seconds of silence."""
    text = (Path(__file__).parents[2] / "tools" / "install.py").read_text(encoding="utf-8")
    assert "--quiet" not in text
