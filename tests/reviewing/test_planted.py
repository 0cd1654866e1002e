"""The command as a user runs it: on a repository with planted problems, and on a clean one."""

import json
import subprocess
from pathlib import Path

from tests.reviewing.command import User
from tools import planted


def review(folder: Path, home: Path, *words: str) -> tuple[int, str]:
    said = User(folder=folder, home=home).runs("review", *words)
    return said.code, said.out + said.err


def test_what_is_planted_is_found_on_its_line_and_what_is_clean_is_not(tmp_path: Path) -> None:
    """002-05, D-16, D-20: on changed lines only; no secret is shown."""
    planted.plant(tmp_path / "shop")
    code, said = review(tmp_path / "shop", tmp_path, "--no-agents", "--json")
    assert code == 2
    assert planted.problems(json.loads(said)["findings"], said) == []


def test_every_way_of_showing_it_keeps_the_secrets(tmp_path: Path) -> None:
    """D-16."""
    planted.plant(tmp_path / "shop")
    for words in ((), ("--all",), ("--sarif",), ("--markdown",), ("-q",)):
        code, said = review(tmp_path / "shop", tmp_path, "--no-agents", *words)
        assert code == 2
        assert not [one for one in (planted.AWS_KEY, planted.GITHUB_TOKEN) if one in said]


def test_a_clean_change_is_let_go_in_a_few_lines(tmp_path: Path) -> None:
    """D-23: nothing blocks, and it is said who did not look."""
    planted.clean(tmp_path / "shop")
    code, said = review(tmp_path / "shop", tmp_path, "--no-agents")
    assert code == 0
    assert "this is not an approval" in " ".join(said.split())
    assert len(said.splitlines()) <= 12


def test_a_key_in_a_commit_message_is_found_and_shown_nowhere(tmp_path: Path) -> None:
    """002-05, D-16: the message is cleaned before anybody sees it, and what stood there is told."""
    folder = tmp_path / "shop"
    planted.clean(folder)
    git = ("git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@example.com")
    (folder / "more.py").write_text("y = 2\n", encoding="utf-8")
    subprocess.run([*git, "add", "more.py"], check=True)
    subprocess.run([*git, "commit", "-qm", f"deploy with {planted.AWS_KEY}"], check=True)
    code, said = review(folder, tmp_path, "HEAD", "--no-agents")
    assert code == 2
    assert "in the note" in said
    assert planted.AWS_KEY not in said
