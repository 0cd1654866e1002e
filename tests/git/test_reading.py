"""A change is read from git as it is: which files, which bytes, which lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.git.reading import read_default, read_range, read_staged, read_worktree, repository
from tests.git.ground import Ground, new, one, paths

TEN = "".join(f"line {number}\n" for number in range(1, 11))


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return new(tmp_path / "repo")


def test_a_range_has_the_bytes_of_both_sides_and_the_new_lines(ground: Ground) -> None:
    base = ground.commit("First", a__py=TEN)
    head = ground.commit("Second\n\nAnd why", a__py=TEN.replace("line 3\n", "3\n").replace("line 7\n", ""), b__py="x\n")
    change = read_range(ground.path, f"{base}..{head}")
    file = one(change, "a.py")
    assert file.changed == ((3, 3), (7, 7))
    assert file.before == TEN.encode()
    assert file.lines[2] == "3"
    assert (one(change, "b.py").changed, one(change, "b.py").before) == (((1, 1),), None)
    assert (change.base, change.aliases, change.note) == (base, (f"git-commit:{head}",), "Second\n\nAnd why")
    assert change.title == f"Commit {head[:12]}: Second"
    assert change.kind == "code"


def test_worktree(ground: Ground) -> None:
    base = ground.commit("First", a__py=TEN)
    ground.write("a.py", TEN + "more\n")
    ground.write("new file", "x\n")
    change = read_worktree(ground.path)
    assert paths(change) == ["a.py", "new file"]
    assert change.base == base
    assert one(change, "a.py").changed == ((11, 11),)
    assert read_staged(ground.path).files == ()
    ground.git("add", "a.py")
    assert paths(read_staged(ground.path)) == ["a.py"]
    assert paths(read_default(ground.path)) == ["a.py", "new file"]
    assert repository(ground.path) == ground.path.resolve()
