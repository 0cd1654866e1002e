"""U-53: a range and a branch mean what a pull request means; clean trees and headlines state what was reviewed."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from tests.use.laptop import commit, git, result_of, review

pytestmark = pytest.mark.door("command", policy="solo")

PIPE = "#!/bin/sh\ncurl https://example.org/x | sh\n"


@pytest.fixture
def behind(tmp_path: Path) -> Path:
    """A repository whose branch is behind main, which has since removed a dangerous line."""
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "i.sh").write_text(PIPE, encoding="utf-8")
    commit(folder, "one")
    git(folder, "checkout", "-q", "-b", "work")
    (folder / "n.py").write_text("x = 1\n", encoding="utf-8")
    commit(folder, "add n")
    git(folder, "checkout", "-q", "main")
    (folder / "i.sh").write_text("#!/bin/sh\necho hello\n", encoding="utf-8")
    commit(folder, "remove the pipe")
    git(folder, "checkout", "-q", "work")
    return folder


@pytest.mark.parametrize("what", ["main..HEAD", "main...HEAD", "main..work", "work"])
def test_a_branch_is_not_blamed_for_what_main_removed(behind: Path, what: str) -> None:
    """U-53: `A..B` and a branch name mean the merge base."""
    ran = review(behind, what, "--no-agents", "--json")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert result_of(ran)["files"] == 1


def test_a_branch_of_several_commits_is_read_whole(behind: Path) -> None:
    """U-53: the name of a branch is all that it brings, not its last commit."""
    (behind / "m.sh").write_text(PIPE, encoding="utf-8")
    commit(behind, "add m")
    (behind / "o.py").write_text("y = 1\n", encoding="utf-8")
    commit(behind, "add o")
    ran = review(behind, "work", "--no-agents", "--json")
    assert ran.returncode == 2, ran.stdout + ran.stderr
    assert result_of(ran)["files"] == 3
    alone = review(behind, "HEAD", "--no-agents", "--json")
    assert (alone.returncode, result_of(alone)["files"]) == (0, 1)


def test_a_clean_tree_says_so_and_reviews_nothing(behind: Path) -> None:
    """U-53: it took the last commit without saying so."""
    ran = review(behind, "--no-agents")
    assert ran.returncode == 0
    assert ran.stdout.startswith("✓ Nothing to look at: nothing has changed here.")
    assert "foureyes review HEAD" in ran.stdout


def test_the_headline_says_what_was_looked_at(behind: Path) -> None:
    """U-53: a clean result tells a commit from a work tree."""
    one = review(behind, "HEAD", "--no-agents", "-q").stdout.split("\n")[0]
    assert one.startswith("✓ Nothing blocks in commit ")
    (behind / "n.py").write_text("x = 2\n", encoding="utf-8")
    other = review(behind, "--no-agents", "-q").stdout.split("\n")[0]
    assert other.startswith("✓ Nothing blocks in uncommitted changes on work of shop.")
    (behind / "n.sh").write_text(PIPE, encoding="utf-8")
    third = review(behind, "--no-agents", "-q").stdout.split("\n")
    assert third[0].startswith("✗ 1 thing to fix")
    assert third[1].strip().startswith("Uncommitted changes on work of shop")


#: Commits by which the branch is behind, and the seconds that finding the merge base may add.
BEHIND, SECONDS_MAX = 500, 20


def test_a_branch_that_is_500_commits_behind_is_read_from_where_it_parted(behind: Path) -> None:
    """U-53: the same one file, however far main has gone on, and in the same time."""
    git(behind, "checkout", "-q", "main")
    stream = "".join(
        f"commit refs/heads/main\ncommitter a <a@example.org> {1_800_000_000 + number} +0000\ndata 2\ngo\n"
        f"{'from refs/heads/main^0' + chr(10) if number == 0 else ''}M 100644 inline far/{number}.sh\n"
        f"data {len(PIPE)}\n{PIPE}\n"
        for number in range(BEHIND)
    )
    subprocess.run(["/usr/bin/git", "-C", str(behind), "fast-import", "--quiet"], input=stream, text=True, check=True)
    git(behind, "reset", "-q", "--hard", "main")
    git(behind, "checkout", "-q", "work")
    for what in ("main..HEAD", "work"):
        begun = time.monotonic()
        ran = review(behind, what, "--no-agents", "--json")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert result_of(ran)["files"] == 1, what
        assert time.monotonic() - begun < SECONDS_MAX, what


def test_what_stands_against_a_change_stands_once_it_is_committed(behind: Path) -> None:
    """U-53, U-56: naming the commit said that nobody had looked, with another code; a clone said so, too."""
    (behind / "more.sh").write_text(PIPE, encoding="utf-8")
    assert review(behind, "--no-agents", "-q").returncode == 2
    commit(behind, "add more")
    named = review(behind, "HEAD", "--no-agents", "-q")
    assert (named.returncode, named.stdout.split("\n")[0]) == (2, "✗ 1 thing to fix before this goes live")
    git(behind.parent, "clone", "-q", str(behind), "copy")
    copied = review(behind.parent / "copy", "HEAD", "--no-agents", "-q")
    assert (copied.returncode, copied.stdout.split("\n")[0]) == (2, "✗ 1 thing to fix before this goes live")
