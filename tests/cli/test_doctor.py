"""`foureyes doctor`: what is alive here, what is missing, and what mends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes import __version__
from foureyes.app.reviewers import Health
from foureyes.app.reviewing.rulebook import Retirement
from foureyes.home import consents, retired
from tests.cli.colleagues import NOW, Table
from tests.cli.desk import furnish
from tests.cli.outcomes import HOSTILE


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(home=tmp_path / "home")


def states(table: Table) -> dict[str, str]:
    return {one["name"]: one["state"] for one in table.run("doctor", "--json").data["checks"]}


def test_on_a_fresh_machine_everything_that_is_here_works(table: Table) -> None:
    ran = table.run("doctor")
    assert ran.code == 0
    assert ran.out.startswith("✓ Everything that is here works.")
    assert f"{__version__}, Python" in ran.out
    assert "git version" in ran.out
    assert "npm install -g @openai/codex" in ran.out
    assert not table.home.exists(), "looking makes nothing"
    assert states(table) == {
        "foureyes": "works",
        "git": "works",
        "store": "missing",
        "policy": "works",
        "rules": "works",
        "security": "works",
        "Claude Code": "works",
        "Codex": "missing",
    }


def test_a_reviewer_that_is_installed_and_does_not_answer_is_broken(table: Table) -> None:
    """D-03: an unavailable reviewer is said, with the next step."""
    table.scene.healths = (
        Health(name="Codex", alive=False, version="0.50", says="not logged in", next_step="Run: codex login"),
    )
    ran = table.run("doctor")
    assert ran.code == 2
    assert "1 of 6 do not work" in ran.out
    assert "0.50, not logged in" in ran.out
    assert "Run: codex login" in ran.out


def test_a_broken_policy_and_a_damaged_folder_are_told_and_the_rest_goes_on(table: Table, tmp_path: Path) -> None:
    table.home.mkdir(mode=0o700)
    policy = tmp_path / "policy.yaml"
    policy.write_text("version: 99\n", encoding="utf-8")
    table.environment["FOUREYES_POLICY"] = str(policy)
    (table.home / retired.FILE).write_text("{", encoding="utf-8")
    found = states(table)
    assert table.run("doctor").code == 2
    assert (found["policy"], found["rules"], found["Claude Code"]) == ("broken", "broken", "works")


def test_the_store_and_the_retired_rules_and_the_consents_are_named(table: Table) -> None:
    furnish(table.home)
    retired.retire(str(table.home), Retirement(rule="a.b", by="eve", at=NOW, because="x"))
    consents.remember(str(table.home), "Claude Code", "Anthropic", yes=True, by="eve", at=NOW)
    out = table.run("doctor").out
    assert "retired: a.b" in out
    assert "2.1.0, logged in, may receive work" in out
    assert "schema" in out
    consents.remember(str(table.home), "Claude Code", "Anthropic", yes=False, by="eve", at=NOW)
    assert "may not receive work" in table.run("doctor").out


def test_without_git_it_says_so(table: Table, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert states(table)["git"] == "broken"
    (tmp_path / "git").write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    (tmp_path / "git").chmod(0o755)
    assert states(table)["git"] == "broken"


def test_what_a_reviewer_says_of_itself_is_shown_as_text(table: Table) -> None:
    table.scene.healths = (Health(name=HOSTILE, alive=True, version=HOSTILE, says=HOSTILE, next_step=HOSTILE),)
    assert not set(table.run("doctor").out) & {"\x1b", "\x07", "\r", "\u202e"}
