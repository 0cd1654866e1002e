"""Agents are found where the user installed them, never inside the work."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from foureyes.core.values import WhoKind
from foureyes.reviewers import agents
from tests.agents.fakes import KEYS, NAMES, Place


@pytest.fixture
def installed(place: Place) -> Place:
    for name in NAMES:
        place.install(name, "")
    return place


def test_those_that_are_installed_and_logged_in_are_at_hand(installed: Place, tmp_path: Path) -> None:
    found, missing = agents.at_hand(installed.environ(**KEYS), tmp_path / "work")
    assert [one.who.name for one in found] == ["claude", "codex", "gemini"]
    assert missing == ()


def test_each_says_who_it_is_by_facts(installed: Place) -> None:
    """D-05."""
    who = [installed.reviewer(name).who for name in NAMES]
    assert {one.kind for one in who} == {WhoKind.AGENT}
    assert [one.model_family for one in who] == ["claude", "gpt", "gemini"]
    assert [one.provider for one in who] == ["anthropic", "openai", "google"]
    assert len({one.operator for one in who}) == 1
    assert who[0].operator
    assert len({one.session for one in (*who, installed.reviewer("claude").who)}) == 4


def test_each_says_who_will_receive_what_it_reads(installed: Place) -> None:
    """D-16."""
    sends = {name: installed.reviewer(name).sends for name in NAMES}
    assert sends["claude"] == "Anthropic (api.anthropic.com) by Claude Code, with the key in ANTHROPIC_API_KEY"
    assert sends["codex"].startswith("OpenAI (api.openai.com) by Codex")
    assert sends["gemini"].startswith("Google (generativelanguage.googleapis.com) by Gemini CLI")


def test_another_address_is_another_receiver(installed: Place) -> None:
    """D-16."""
    own = installed.reviewer("claude", **KEYS, ANTHROPIC_BASE_URL="https://gateway.example/v1")
    assert own.sends.startswith("Anthropic (gateway.example, as you set it)")


def test_one_that_is_not_installed_is_missing_with_the_next_step(installed: Place, tmp_path: Path) -> None:
    """D-23."""
    (installed.path / "codex").unlink()
    found, missing = agents.at_hand(installed.environ(**KEYS), tmp_path / "work")
    assert [one.who.name for one in found] == ["claude", "gemini"]
    assert [(one.name, one.why) for one in missing] == [("codex", "Codex is not installed")]
    assert "npm install" in missing[0].next_step


def test_one_without_a_login_is_missing_with_the_next_step(installed: Place, tmp_path: Path) -> None:
    """D-23."""
    found, missing = agents.at_hand(installed.environ(), tmp_path / "work")
    assert found == ()
    assert [one.why.rpartition(" is ")[2] for one in missing] == ["not logged in"] * 3
    assert all(one.next_step for one in missing)


@pytest.mark.parametrize(
    "kept", ["", "{", "[]", '{"claudeAiOauth": 3}', '{"claudeAiOauth": {"accessToken": ""}}', "{" * 9999]
)
def test_a_login_that_cannot_be_read_is_none(installed: Place, tmp_path: Path, kept: str) -> None:
    environ = installed.environ()
    for folder, name in ((".claude", ".credentials.json"), (".codex", "auth.json"), (".gemini", "oauth_creds.json")):
        (Path(environ["HOME"]) / folder).mkdir()
        (Path(environ["HOME"]) / folder / name).write_text(kept, encoding="utf-8")
    assert agents.at_hand(environ, tmp_path / "work")[0] == ()


def test_a_program_in_the_repository_is_never_run(installed: Place, tmp_path: Path) -> None:
    work = tmp_path / "work"
    (work / ".git").mkdir(parents=True)
    (work / "deep" / "er").mkdir(parents=True)
    shutil.copytree(installed.path, work / "bin")
    environ = {**installed.environ(**KEYS), "PATH": f"{work / 'bin'}:/usr/bin"}
    assert agents.at_hand(environ, work / "deep" / "er")[0] == ()


def test_a_program_outside_that_leads_into_the_repository_is_never_run(installed: Place, tmp_path: Path) -> None:
    work, outside = tmp_path / "work", tmp_path / "outside"
    (work / ".git").mkdir(parents=True)
    outside.mkdir()
    shutil.copytree(installed.path, work / "bin")
    (outside / "claude").symlink_to(work / "bin" / "claude")
    (tmp_path / "linked").symlink_to(work / "bin")
    environ = {**installed.environ(**KEYS), "PATH": f"{outside}:{tmp_path / 'linked'}"}
    assert agents.at_hand(environ, work)[0] == ()


@pytest.mark.parametrize("entry", ["", ".", "bin", "./bin", "../bin"])
def test_a_relative_entry_of_the_path_is_left_out(
    installed: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    here = tmp_path / "bin"
    monkeypatch.chdir(here if entry in ("", ".") else tmp_path if "bin" in entry[:5] else here)
    environ = {**installed.environ(**KEYS), "PATH": entry}
    assert agents.at_hand(environ, tmp_path / "work")[0] == ()


def test_the_current_folder_is_left_out_where_it_is_no_repository(
    installed: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(installed.path)
    assert agents.at_hand(installed.environ(**KEYS))[0] == ()


def test_a_file_that_may_not_be_run_is_no_program(installed: Place, tmp_path: Path) -> None:
    (installed.path / "claude").chmod(0o644)
    (installed.path / "codex").unlink()
    (installed.path / "codex").mkdir()
    found, _ = agents.at_hand(installed.environ(**KEYS), tmp_path / "work")
    assert [one.who.name for one in found] == ["gemini"]


def test_a_key_is_taken_before_a_token_and_a_token_before_a_file(installed: Place) -> None:
    environ = installed.environ()
    folder = Path(environ["HOME"]) / ".claude"
    folder.mkdir()
    kept = {"claudeAiOauth": {"accessToken": "a" * 20, "refreshToken": "r" * 20}}
    (folder / ".credentials.json").write_text(json.dumps(kept), encoding="utf-8")
    assert f"the login in {folder}" in installed.reviewer("claude", NOTHING="1").sends
    token = {"CLAUDE_CODE_OAUTH_TOKEN": "t" * 20}
    assert "the token in CLAUDE_CODE_OAUTH_TOKEN" in installed.reviewer("claude", **token).sends
    assert "the key in ANTHROPIC_API_KEY" in installed.reviewer("claude", **token, **KEYS).sends


def test_a_secret_never_shows_in_a_print(installed: Place) -> None:
    """D-16."""
    shown = repr([installed.reviewer(name) for name in NAMES])
    assert not [one for one in KEYS.values() if one in shown]
    assert os.pathsep not in KEYS.values()
