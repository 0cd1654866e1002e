"""U-59: the next step that a command names exists."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.use.laptop import commit, foureyes, git, repository, result_of, review

UNSAFE = "import subprocess\n\n\ndef run(name):\n    subprocess.run('ls ' + name, shell=True)\n"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A repository whose last commit holds a finding, and nothing that is not committed."""
    work = repository(tmp_path / "shop")
    commit(work, "two")
    (work / "my tool.py").write_text(UNSAFE, encoding="utf-8")
    commit(work, "three")
    return work


@pytest.mark.parametrize("named", [("HEAD~1..HEAD",), ("HEAD",), ("my tool.py",), ("--staged",)])
@pytest.mark.door("command", policy="solo")
def test_after_dismissing_the_same_work_is_named(work: Path, named: tuple[str, ...]) -> None:
    """U-59: on a clean tree `foureyes review` alone said "Nothing to look at"."""
    if named == ("--staged",):
        (work / "other.py").write_text(UNSAFE, encoding="utf-8")
        git(work, "add", "-A")
    found = result_of(review(work, "--no-agents", "--json", *named))
    assert found["exit"] == 2, found
    finding = found["findings"][0]["id"]  # type: ignore[index] # of a document
    again = f"foureyes review {shlex.join(named)}"
    for command in ("why", "status"):
        said = foureyes(work, command).stdout
        assert again in said
        assert "name the work as before" not in said
    ran = foureyes(work, "dismiss", finding, "--because", "It is a tool of mine.", types=finding)
    assert f"Next: {again}\n" in ran.stdout, ran.stdout + ran.stderr
    assert "Nothing blocks" in " ".join(review(work, "--no-agents", *named).stdout.split())


@pytest.mark.door("command", policy="solo")
def test_why_of_a_local_review_names_no_server_and_no_due_time(work: Path) -> None:
    """U-59: nobody starts a server for a local review, and none keeps to its times."""
    assert review(work, "--no-agents", "HEAD").returncode == 2
    said = foureyes(work, "why").stdout
    assert "Waiting for agent: a report." in said
    assert "`foureyes doctor`" in said
    assert "--yes-send" not in said
    assert "Due" not in said
    turns = result_of(foureyes(work, "why", "--json"))["turns"]
    assert [one["due"] for one in turns] == [None]  # type: ignore[attr-defined] # of a document
