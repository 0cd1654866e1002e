"""How the bootstrap reads the work that a command line names."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.bootstrap.reviewing import read_change
from foureyes.cli.parts import Wanted
from foureyes.home.trouble import Trouble
from tests.git.ground import Ground, new, paths


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    made = new(tmp_path / "repo")
    made.commit("Base", a__py="a\n")
    made.git("checkout", "-q", "-b", "feature")
    made.commit("More", b__py="b\n")
    monkeypatch.chdir(made.path)
    return made


@pytest.mark.parametrize("word", ["main..feature", "feature", "HEAD", "main...feature"])
def test_a_file_does_not_take_the_place_of_the_commits_it_is_named_after(ground: Ground, word: str) -> None:
    """Otherwise a harmless file of that name would be reviewed instead of the branch."""
    assert paths(read_change(Wanted(what=word))) == ["b.py"]
    ground.write(word, "harmless\n")
    with pytest.raises(Trouble, match="both a file and commits") as caught:
        read_change(Wanted(what=word))
    assert caught.value.usage
    assert f"./{word}" in str(caught.value.next_step)
    assert paths(read_change(Wanted(what=f"./{word}"))) == [word]


def test_what_only_looks_like_a_range_is_a_path(ground: Ground) -> None:
    ground.write("main..nowhere", "x\n")
    assert paths(read_change(Wanted(what="main..nowhere"))) == ["main..nowhere"]
    assert "a.py" in paths(read_change(Wanted(what=".")))


def test_what_a_work_is_called_and_said_to_be_holds_no_secret(ground: Ground) -> None:
    """Titles and notes are shown, stored and sent; a commit message is as good a place for a key as a file."""
    key = "AKIA" + "QYLPMN5HHHFPZAM2"
    ground.commit(f"Use {key}\n\nReally: {key}", c__py="c\n")
    change = read_change(Wanted(what="HEAD"))
    assert key not in change.title + change.note
    assert change.title.startswith("Commit ")
    assert "Really" in change.note
    assert key not in read_change(Wanted(what="HEAD", title=f"My {key}")).title
    ground.git("checkout", "-q", "-b", f"try-{key}")
    ground.write("d.py", "d\n")
    assert key not in read_change(Wanted(worktree=True)).title
