"""Without a repository, named files or stdin are read, and all of it counts as new."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from foureyes.app.looks import kind_of
from foureyes.git import loose
from foureyes.git.reading import read_paths, read_stdin
from foureyes.home.trouble import Trouble
from tests.git.ground import new, one, paths, reasons


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def write(path: Path, text: str = "x\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_files_are_called_as_they_are_from_here_and_all_lines_are_new(work: Path, tmp_path: Path) -> None:
    write(work / "sub" / "a.py", "one\ntwo\n")
    elsewhere = write(tmp_path / "elsewhere" / "b.py")
    for path in (Path("sub/a.py"), work / "sub" / "a.py", Path("sub/../sub/a.py")):
        file = one(read_paths([path]), "sub/a.py")
        assert (file.changed, file.before, file.content) == (((1, 2),), None, b"one\ntwo\n")
    assert paths(read_paths([elsewhere])) == ["b.py"]
    change = read_paths([Path("sub"), elsewhere])
    assert (paths(change), change.kind, change.base, change.policy) == (["b.py", "sub/a.py"], "code", "", None)
    assert read_paths([Path("sub")], kind="plan").kind == "plan"
    assert read_paths([Path("sub")]).place == read_paths([work / "sub"]).place != change.place


def test_a_folder_is_read_with_everything_below_but_git(work: Path, tmp_path: Path) -> None:
    for name in ("a", "b/c", "b/d/e", ".git/config", "b/.GIT/config"):
        write(work / name)
    write(tmp_path / "outside" / "secret")
    (work / "link").symlink_to(tmp_path / "outside")
    (work / "b" / "file").symlink_to(tmp_path / "outside" / "secret")
    os.mkfifo(work / "pipe")
    for change in (read_paths([Path()]), read_paths([work])):
        assert paths(change) == ["a", "b/c", "b/d/e", "b/file", "link"]
        assert one(change, "link").mode == "120000"
        assert reasons(change) == {"pipe": "it is no file but a pipe, a socket or a device"}
    assert paths(read_paths([tmp_path / "outside"])) == ["outside/secret"]
    assert one(read_paths([work / "b" / "file"]), "b/file").text is None


def test_in_a_repository_the_policy_of_its_last_commit_judges_paths_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To name a path is no way round it, from wherever: files are called as they are in the repository."""
    ground = new(tmp_path / "repo")
    ground.write("config/chains.json", "{}")
    ground.commit(foureyes__yaml="version: 1\n")
    ground.write("foureyes.yaml", "version: 2\n")
    ground.write("auth/login.py", "x\n")
    for here, path in ((ground.path, "auth/login.py"), (ground.path / "auth", "login.py"), (tmp_path, "repo/auth")):
        monkeypatch.chdir(here)
        change = read_paths([Path(path)])
        assert (change.policy, change.base) == (("foureyes.yaml", b"version: 1\n"), "")
        assert change.at_base is not None
        assert change.at_base("config/chains.json") == b"{}"
        assert paths(change) == ["auth/login.py"]


def test_elsewhere_no_policy_comes_with_a_path(work: Path) -> None:
    write(work / "foureyes.yaml")
    change = read_paths([work])
    assert (change.policy, change.at_base) == (None, None)


def test_a_folder_is_bounded(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        write(work / f"d{number % 3}" / f"f{number}")
    monkeypatch.setattr(loose, "ENTRIES_MAX", 6)
    change = read_paths([Path()])
    assert paths(change) == ["d0/f0", "d0/f3", "d0/f6"]
    assert reasons(change) == {"d1": "there are more than 6 files and folders; from here on nothing was looked at"}


def test_what_cannot_be_read_is_named(work: Path, tmp_path: Path) -> None:
    write(work / "same")
    write(tmp_path / "other" / "same")
    with (work / "huge").open("wb") as file:
        file.truncate(20 * 1024 * 1024 + 1)
    (work / os.fsdecode(b"odd\xff\n")).touch()
    change = read_paths([Path("same"), tmp_path / "other" / "same", Path("huge"), work / os.fsdecode(b"odd\xff\n")])
    assert paths(change) == ["same"]
    assert reasons(change) == {
        "same": "another file of this review has the same name",
        "huge": "it is larger than 20 MiB",
        "odd\\xff\\n": "its name is not UTF-8",
    }
    with pytest.raises(Trouble, match=r"There is no nowhere\\n"):
        read_paths([Path("nowhere\n")])
    with pytest.raises(Trouble, match="No file was named"):
        read_paths([])


def test_an_empty_folder_is_an_empty_change(work: Path) -> None:
    (work / "empty").mkdir()
    change = read_paths([Path("empty")])
    assert (change.files, change.title) == ((), "Nothing to review in empty")


COMMANDS = [
    "rm -rf /",
    "git push",
    "curl https://example.org/x | sh",
    "FOO=1 ./deploy.sh production",
    "$ kubectl delete namespace prod",
    "psql -c 'drop table users'",
    "#!/bin/sh\necho hello\n",
    "cd /tmp\n# a remark\nmake install && reboot\n",
    "DROP TABLE users;",
    "drop table users",
    "DELETE FROM users",
    "rm -rf .",
    "rm -rf ~/.",
    "select 1\nfrom users;",
    "sudo reboot",
    'git commit -m "fix the bug"',
]
PLANS = ["# Plan\n\n1. Look\n2. Do\n", "- first step\n- second step\n"]
TEXTS = [
    "",
    "Please remove the file.",
    "make the build faster",
    "Hello.\n\nHow are you?\n",
    "go is a language",
    "Drop the table of users",
    "see `a` for more.",
    "\xff\xfe",
    "ls\n" * 11,
]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *((text, "command") for text in COMMANDS),
        *((text, "plan") for text in PLANS),
        *((text, "text") for text in TEXTS),
    ],
)
def test_the_kind_is_told_by_its_looks(text: str, kind: str) -> None:
    assert kind_of(text.encode("utf-8", errors="surrogateescape")) == kind


@pytest.mark.usefixtures("work")
def test_what_comes_in_is_one_file_of_which_all_is_new() -> None:
    change = read_stdin(b"rm -rf /\nls")
    assert (change.kind, change.title, change.unread) == ("command", "A command from stdin", ())
    assert one(change, "stdin").changed == ((1, 2),)
    assert read_stdin(b"rm -rf /", kind="text").kind == "text"
    named = read_stdin(b"# A\n# B\n", name="plan.md")
    assert (paths(named), named.kind) == (["plan.md"], "plan")
    assert named.place == read_stdin(b"# A\n# C\n", name="plan.md").place
    empty = read_stdin(b"")
    assert (empty.files, empty.title) == ((), "Nothing came in from stdin")
    huge = read_stdin(b"x" * (20 * 1024 * 1024 + 1))
    assert (huge.files, reasons(huge)) == ((), {"stdin": "it is larger than 20 MiB"})


def test_ten_megabytes_in_one_line_are_read_at_once(work: Path) -> None:
    started = time.perf_counter()
    change = read_stdin(b"a=" * 5_000_000)
    write(work / "long", "a " * 5_000_000)
    assert len(read_paths([Path("long")]).files) == 1
    assert one(change, "stdin").changed == ((1, 1),)
    assert time.perf_counter() - started < 2
