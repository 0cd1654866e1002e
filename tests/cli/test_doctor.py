"""`foureyes doctor`: what works here, what is missing, and how to fix it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from foureyes import __version__
from foureyes.app.reviewers import Health, Missing
from foureyes.app.reviewing.rulebook import Retirement
from foureyes.home import consents, retired
from tests.cli.colleagues import NOW, Table
from tests.cli.desk import Desk, furnish
from tests.cli.outcomes import HOSTILE
from tests.git.ground import Ground, new


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
        "server": "missing",
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
    assert "1 of 7 do not work" in ran.out
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


def test_a_model_that_is_set_up_and_does_not_answer_is_broken_though_it_has_no_version(table: Table) -> None:
    table.scene.healths = (Health(name="endpoint:own", alive=False, says="nobody listens there"),)
    assert (table.run("doctor").code, states(table)["endpoint:own"]) == (2, "broken")


POLICY = """\
version: 1
name: shop
reviewers:
  expert: [{model: "anthropic:claude-sonnet-5-5"}, {model: "endpoint:own-tune"}]
  house: {program: housekeeping}
  tests: {run: make-nothing-of-it test}
  checks: {run: git status}
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    """A repository with its own policy, no API keys, and no server at its own endpoint."""
    ground = new(tmp_path / "shop")
    ground.write("foureyes.yaml", POLICY)
    ground.commit()
    monkeypatch.chdir(ground.path)
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{Path(shutil.which('git') or '').parent}")
    monkeypatch.setenv("FOUREYES_MODEL_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("FOUREYES_MODEL", "another-tune")
    return ground


def test_whoever_the_policy_of_this_repository_names_is_asked_too(shop: Ground, tmp_path: Path) -> None:
    """D-03: each model of the policy is called once, beside that of the environment; what is missing is named."""
    desk = Desk(home=tmp_path / "home")
    found = {one["name"]: one for one in desk.run("doctor", "--json").data["checks"]}
    assert found["policy"]["says"].startswith("shop (foureyes.yaml at ")
    assert found["endpoint:another-tune"]["state"] == "broken"
    assert found["expert (endpoint:own-tune)"]["state"] == "broken", "a real call was made, and nobody is there"
    assert found["anthropic:claude-sonnet-5-5"]["says"] == "ANTHROPIC_API_KEY is not set"
    assert found["house"]["says"] == "no program is called housekeeping"
    assert (found["tests"]["state"], found["checks"]["state"]) == ("missing", "works")
    assert found["checks"]["says"] == "runs `git status` in every review that you let it run in"
    assert not (shop.path / "x").exists()


def test_what_is_wrong_in_the_policy_of_this_repository_is_told_with_its_line(shop: Ground, tmp_path: Path) -> None:
    shop.commit(foureyes__yaml="version: 1\nname: shop\nreviwers: {}\n")
    found = {one["name"]: one for one in Desk(home=tmp_path / "home").run("doctor", "--json").data["checks"]}
    assert found["policy"]["state"] == "broken"
    assert "foureyes.yaml:3" in found["policy"]["says"]


def test_outside_any_repository_the_built_in_policy_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = {one["name"]: one for one in Desk(home=tmp_path / "home").run("doctor", "--json").data["checks"]}
    assert found["policy"]["says"] == "solo (built in)"


def test_names_stand_in_a_column_that_holds_them(table: Table) -> None:
    table.scene.healths = (
        Missing(name="anthropic:claude-sonnet-5-5", why="no key", next_step="export it"),
        Missing(name="x" * 200, why="too long", next_step="export it"),
    )
    out = table.run("doctor").out
    assert re.search(r"anthropic:claude-sonnet-5-5 +no key", out)
    assert re.search(r"x{31}… +too long", out)
    assert len({line.index(word) for line in out.splitlines() for word in ("no key", "too long") if word in line}) == 1


def test_without_git_it_says_so(table: Table, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert states(table)["git"] == "broken"
    (tmp_path / "git").write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    (tmp_path / "git").chmod(0o755)
    assert states(table)["git"] == "broken"


def test_what_a_reviewer_says_of_itself_is_shown_as_text(table: Table) -> None:
    table.scene.healths = (Health(name=HOSTILE, alive=True, version=HOSTILE, says=HOSTILE, next_step=HOSTILE),)
    assert not set(table.run("doctor").out) & {"\x1b", "\x07", "\r", "\u202e"}
