"""A range is known by its newer end, and has the name of that commit only if it consists of that commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.git.reading import names_commits, read_committed, read_range
from tests.git.ground import Ground, new


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """A branch of two commits."""
    made = new(tmp_path / "repo")
    made.commit("Base", a__py="a\n")
    made.git("checkout", "-q", "-b", "feature")
    made.commit("One", b__py="b\n")
    made.commit("Two", c__py="c\n")
    return made


def test_the_place_of_a_range_is_its_newer_end_and_not_what_is_checked_out(ground: Ground) -> None:
    """Else the reviews of two branches would be one, and what was settled in one would be so in the other."""
    ground.git("branch", "other", "feature~1")
    first = read_range(ground.path, "main..feature")
    assert read_range(ground.path, "main..other").place != first.place
    assert read_range(ground.path, "main..").place == first.place == read_committed(ground.path).place
    assert read_range(ground.path, "main..refs/heads/feature").place == first.place
    ground.git("checkout", "-q", "main")
    again = read_range(ground.path, "main..feature")
    assert (again.place, again.title) == (first.place, first.title)
    assert again.title.endswith("on feature of repo")


def test_what_is_counted_from_here_belongs_to_what_is_checked_out(ground: Ground) -> None:
    ground.git("branch", "HEADER", "feature~1")
    on_feature = read_range(ground.path, "main..HEAD~1").place
    named = read_range(ground.path, "main..HEADER").place
    ground.git("checkout", "-q", "-b", "third")
    assert read_range(ground.path, "main..HEAD~1").place != on_feature
    assert read_range(ground.path, "main..HEADER").place == named


def test_only_all_that_a_commit_brings_bears_its_name(ground: Ground) -> None:
    """A yes to the last commit alone must not let those before it go live with it."""
    head, root = ground.git("rev-parse", "feature"), ground.git("rev-parse", "main")
    for spec in ("main..feature", "main...feature", "main..", "feature"):
        assert read_range(ground.path, spec).aliases == (f"git-commit:{head}",)
    assert read_committed(ground.path).aliases == (f"git-commit:{head}",)
    for spec in ("HEAD", head, "feature^0", "feature^..feature", "HEAD~1..", "feature..main"):
        assert read_range(ground.path, spec).aliases == ()
    assert read_range(ground.path, root).aliases == (f"git-commit:{root}",), "there is nothing before it"


def test_a_word_stands_for_commits_if_each_side_of_it_does(ground: Ground) -> None:
    for word in ("main", "main..feature", "..feature", "main...", "HEAD", "@", ground.git("rev-parse", "HEAD")[:8]):
        assert names_commits(ground.path, word), word
    for word in ("a.py", "main..nowhere", "..", ".", "-q", "./main", "../repo", "a\nb"):
        assert not names_commits(ground.path, word), word
    assert not names_commits(ground.path.parent, "main")
