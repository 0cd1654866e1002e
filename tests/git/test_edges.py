"""Unusual repositories are read, or refused with a sentence that says what to do."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from foureyes.app.reviewers import GONE_MODE
from foureyes.app.work import check_work, work_of_change
from foureyes.git.reading import read_committed, read_default, read_range, read_staged, read_worktree, repository
from foureyes.home.trouble import Trouble
from tests.git.ground import Ground, new, one, paths, reasons


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return new(tmp_path / "repo")


def refused(folder: Path, spec: str = "HEAD") -> str:
    with pytest.raises(Trouble) as caught:
        read_range(folder, spec)
    assert caught.value.next_step
    return caught.value.sentence


def test_a_folder_outside_any_repository_is_refused_with_the_way_on(tmp_path: Path) -> None:
    assert repository(tmp_path) is None
    for read in (read_default, read_worktree, read_staged):
        with pytest.raises(Trouble, match=r"is not in a git repository.*foureyes review FILE"):
            read(tmp_path)
    assert "There is no file called 'HEAD', and this folder is in no git repository" in refused(tmp_path)
    assert "is not in a git repository" in refused(tmp_path, "a..b")
    with pytest.raises(Trouble, match="There is no folder"):
        read_default(tmp_path / "nowhere")


def test_before_the_first_commit_everything_is_new(ground: Ground) -> None:
    assert read_default(ground.path).title == f"Nothing changed: Uncommitted changes on main of {ground.path.name}"
    ground.write("a.py", "a\n")
    ground.write("foureyes.yaml", "version: 1\n")
    ground.git("add", "a.py")
    change = read_default(ground.path)
    assert (paths(change), change.base, change.policy) == (["a.py", "foureyes.yaml"], "", None)
    assert one(change, "a.py").changed == ((1, 1),)
    assert paths(read_staged(ground.path)) == ["a.py"]
    assert refused(ground.path) == "There are no commits here yet."


def test_a_detached_head_is_read_like_any_other(ground: Ground) -> None:
    first = ground.commit(a__py="a\n")
    ground.commit(a__py="b\n")
    ground.git("checkout", "-q", "--detach", first)
    assert paths(read_range(ground.path, "HEAD")) == ["a.py"]
    assert paths(read_committed(ground.path)) == ["a.py"]
    ground.write("a.py", "c\n")
    assert read_worktree(ground.path).base == first


def test_a_shallow_clone_says_what_to_fetch(ground: Ground, tmp_path: Path) -> None:
    first = ground.commit("First", a__py="a\n")
    ground.commit("Second", b__py="b\n")
    ground.commit("Third", c__py="c\n")
    ground.git("clone", "-q", "--depth=2", f"file://{ground.path}", str(tmp_path / "clone"))
    clone = tmp_path / "clone"
    assert paths(read_range(clone, "HEAD")) == ["c.py"]
    with pytest.raises(Trouble, match=r"only the newest commits.*git fetch --unshallow"):
        read_range(clone, "HEAD^")
    with pytest.raises(Trouble, match=r"only the newest commits.*git fetch --unshallow"):
        read_range(clone, f"{first}..HEAD")
    assert read_worktree(clone).title.startswith("Nothing changed")
    ground.git("checkout", "-q", "--orphan", "other")
    ground.commit("Other")
    ground.git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{ground.path}", str(tmp_path / "two"))
    with pytest.raises(Trouble, match=r"where the two parted is not among them.*--unshallow"):
        read_range(tmp_path / "two", "origin/main...origin/other")


def test_a_clone_that_left_bytes_on_the_server_fetches_nothing(ground: Ground, tmp_path: Path) -> None:
    ground.git("config", "uploadpack.allowFilter", "true")
    ground.commit("First", a__py="old\n", b__py="same\n")
    ground.commit("Second", a__py="new\n")
    ground.git("clone", "-q", "--filter=blob:none", f"file://{ground.path}", str(tmp_path / "clone"))
    clone = tmp_path / "clone"
    before = sorted(path.name for path in (clone / ".git" / "objects" / "pack").iterdir())
    change = read_range(clone, "HEAD")
    assert (one(change, "a.py").content, one(change, "a.py").before) == (b"new\n", None)
    assert one(change, "a.py").changed == ((1, 1),)
    assert "partial clone" in reasons(change)["a.py"]
    change = read_range(clone, "HEAD^")
    assert paths(change) == ["b.py"]
    assert list(reasons(change)) == ["a.py"]
    assert sorted(path.name for path in (clone / ".git" / "objects" / "pack").iterdir()) == before


NO_COMMITS = (
    "nothing",
    "HEAD~9",
    "-x",
    "--output=x",
    "",
    "a b",
    "HEAD:a.py",
    "HEAD^{tree}",
    "\x1b[31m",
    "..nothing",
    "0",
)


def test_a_name_that_is_no_commit_is_refused(ground: Ground) -> None:
    ground.commit(a__py="a\n")
    for name in NO_COMMITS:
        sentence = refused(ground.path, name)
        assert sentence.startswith("There is no file and no commit called")
        assert sentence.isprintable()
    assert not (ground.path / "x").exists()


def test_a_name_for_two_things_is_refused(ground: Ground) -> None:
    ground.commit(a__py="a\n")
    ground.git("tag", "same")
    ground.git("branch", "same")
    assert refused(ground.path, "same") == "same stands for more than one thing here."
    assert paths(read_range(ground.path, "refs/tags/same")) == ["a.py"]


def test_two_histories_without_a_common_commit_have_no_place_where_they_parted(ground: Ground) -> None:
    ground.commit(a__py="a\n")
    ground.git("checkout", "-q", "--orphan", "other")
    ground.commit(b__py="b\n")
    assert refused(ground.path, "main...other") == "The two have no commit in common."
    assert paths(read_range(ground.path, "main..other")) == ["b.py"]


HOSTILE = {
    b"new\nline": "control characters",
    b"esc\x1b[2Jape": "control characters",
    b"not \xff utf-8": "not UTF-8",
    b"back\\slash": "backslash",
}
HARMLESS = [
    '"quoted".py',
    "'single'",
    "--output=x",
    "-rf",
    "a\u202eb.py",
    " space ",
    ":(glob)*",
    "*",
    "ünï",
    "$(touch x)",
]


def test_hostile_names_are_read_or_named_and_never_obeyed(ground: Ground) -> None:
    """T20: a name is a label; what cannot be one is shown with its odd characters written out."""
    ground.commit()
    for name in (*HOSTILE, *map(os.fsencode, HARMLESS)):
        ground.write(name, "x\n")
    of_files = read_worktree(ground.path)
    ground.commit()
    for change in (of_files, read_range(ground.path, "HEAD")):
        assert sorted(paths(change)) == sorted(HARMLESS)
        found = reasons(change)
        assert sorted(found) == ["back\\slash", "esc\\x1b[2Jape", "new\\nline", "not \\xff utf-8"]
        assert all(any(why in text for why in HOSTILE.values()) for text in found.values())
        check_work(work_of_change(change)[0].digest, work_of_change(change)[0].parts)
    for harmless in HARMLESS:
        ground.write(harmless, "y\n")
    assert sorted(paths(read_worktree(ground.path))) == sorted(HARMLESS)
    assert all(file.changed == ((1, 1),) for file in read_worktree(ground.path).files)


def test_names_that_only_capitals_tell_apart_are_two_files(ground: Ground) -> None:
    ground.commit(readme="a\n", README="b\n")
    assert paths(read_range(ground.path, "HEAD")) == ["README", "readme"]


def test_a_very_long_path_is_read_and_one_beyond_the_limit_is_named(ground: Ground) -> None:
    ground.commit()
    long, longer = "/".join(["d" * 200] * 4), "/".join(["d" * 200] * 6)
    ground.write(f"{long}/a.py", "a\n")
    ground.write(f"{longer}/b.py", "b\n")
    change = read_worktree(ground.path)
    assert paths(change) == [f"{long}/a.py"]
    ((name, why),) = reasons(change).items()
    assert len(name) <= 300
    assert why == "its name is longer than 1000 characters"


def test_a_file_that_became_a_folder_and_the_other_way_round(ground: Ground) -> None:
    ground.write("file", "a\n")
    ground.write("folder/inside", "b\n")
    ground.commit()
    (ground.path / "file").unlink()
    shutil.rmtree(ground.path / "folder")
    ground.write("file/inside", "new\n")
    ground.write("folder", "other\n")
    of_files = read_worktree(ground.path)
    ground.commit()
    for change in (of_files, read_range(ground.path, "HEAD")):
        modes = {file.path: file.mode for file in change.files}
        assert modes == {"file": GONE_MODE, "file/inside": "100644", "folder": "100644", "folder/inside": GONE_MODE}


def test_a_folder_that_became_a_link_is_not_entered(ground: Ground, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "inside").write_text("secret\n", encoding="utf-8")
    ground.write("folder/inside", "b\n")
    ground.commit()
    shutil.rmtree(ground.path / "folder")
    (ground.path / "folder").symlink_to(outside)
    change = read_worktree(ground.path)
    assert {file.path: file.mode for file in change.files} == {"folder": "120000", "folder/inside": GONE_MODE}
    assert all(b"secret" not in (file.content or b"") for file in change.files)


def test_a_bare_repository_has_ranges_and_no_files(ground: Ground, tmp_path: Path) -> None:
    ground.commit(a__py="a\n")
    ground.git("clone", "-q", "--bare", str(ground.path), str(tmp_path / "bare.git"))
    bare = tmp_path / "bare.git"
    assert repository(bare) == bare.resolve()
    assert paths(read_range(bare, "main")) == ["a.py"]
    assert paths(read_default(bare)) == ["a.py"]
    for read in (read_worktree, read_staged):
        with pytest.raises(Trouble, match=r"it is bare.*foureyes review A..B"):
            read(bare)


def test_a_second_work_tree_has_its_own_files_and_place(ground: Ground, tmp_path: Path) -> None:
    ground.commit(a__py="a\n")
    ground.git("worktree", "add", "-q", "-b", "other", str(tmp_path / "second"))
    second = Ground(path=tmp_path / "second")
    second.write("b.py", "b\n")
    change = read_worktree(second.path)
    assert (paths(change), change.title) == (["b.py"], f"Uncommitted changes on other of {ground.path.name}")
    assert read_worktree(ground.path).files == ()
    second.git("add", "b.py")
    assert paths(read_staged(second.path)) == ["b.py"]
    assert read_staged(ground.path).files == ()
    assert repository(second.path) == second.path.resolve()
    assert read_worktree(ground.path).place != change.place


def _with_submodule(ground: Ground, tmp_path: Path) -> Ground:
    inner = new(tmp_path / "inner")
    inner.commit("One", x__py="x\n")
    ground.commit(a__py="a\n")
    ground.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.path), "vendor")
    return Ground(path=ground.path / "vendor")


def test_a_submodule_is_the_commit_it_stands_at(ground: Ground, tmp_path: Path) -> None:
    module = _with_submodule(ground, tmp_path)
    first = module.git("rev-parse", "HEAD")
    added = read_worktree(ground.path)
    assert (one(added, "vendor").mode, one(added, "vendor").content) == ("160000", first.encode())
    ground.commit("Add")
    assert one(read_range(ground.path, "HEAD"), "vendor").content == first.encode()
    second = module.commit("Two", x__py="y\n")
    ground.write(".gitmodules", (ground.path / ".gitmodules").read_text(encoding="utf-8") + "\tignore = all\n")
    change = read_worktree(ground.path)
    vendor = one(change, "vendor")
    assert (vendor.content, vendor.before, vendor.text) == (second.encode(), first.encode(), None)
    assert repository(module.path) == module.path.resolve()
    ground.commit("Move")
    assert one(read_range(ground.path, "HEAD"), "vendor").content == second.encode()
    ground.git("rm", "-q", "-f", "vendor")
    assert one(read_staged(ground.path), "vendor").mode == GONE_MODE


def test_a_repository_inside_a_repository_is_named_and_not_entered(ground: Ground) -> None:
    ground.commit(a__py="a\n")
    inner = new(ground.path / "inner")
    inner.commit(b__py="b\n")
    change = read_worktree(ground.path)
    assert (change.files, list(reasons(change))) == ((), ["inner/"])
    assert "repository of its own" in reasons(change)["inner/"]
    clean = read_default(ground.path)
    assert (clean.files, clean.unread) == ((), ()), "there is nothing to look at here"
    assert paths(read_committed(ground.path)) == ["a.py"]
    assert paths(read_committed(inner.path)) == ["b.py"]


def test_without_git_the_way_on_is_told(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    ground.commit(a__py="a\n")
    for path in ("", "/nowhere", ".", "bin:."):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(Trouble, match=r"There is no git on the PATH.*Install git"):
            read_default(ground.path)


def test_what_a_sparse_checkout_leaves_out_is_not_gone(ground: Ground) -> None:
    ground.write("in/a.py", "a\n")
    ground.write("out/b.py", "b\n")
    ground.commit()
    ground.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    assert not (ground.path / "out").exists()
    assert read_worktree(ground.path).files == ()
    ground.write("in/a.py", "new\n")
    assert paths(read_worktree(ground.path)) == ["in/a.py"]
    ground.write("out/b.py", "there again\n")
    assert paths(read_worktree(ground.path)) == ["in/a.py", "out/b.py"]


def test_a_conflict_is_read_as_it_lies_there_and_is_not_ready_to_be_staged(ground: Ground) -> None:
    ground.commit(a__py="a\n")
    ground.git("checkout", "-q", "-b", "other")
    ground.commit(a__py="b\n")
    ground.git("checkout", "-q", "main")
    ground.commit(a__py="c\n")
    ground.git("-c", "merge.conflictStyle=merge", "rev-parse", "other")
    with pytest.raises(AssertionError):
        ground.git("merge", "-q", "other")
    change = read_worktree(ground.path)
    assert b"<<<<<<<" in (one(change, "a.py").content or b"")
    assert "in conflict" in reasons(read_staged(ground.path))["a.py"]


def test_a_repository_that_counts_with_sha256_is_read(tmp_path: Path) -> None:
    ground = new(tmp_path / "repo", "--object-format=sha256")
    ground.commit(a__py="a\n")
    head = ground.commit(a__py="b\n")
    assert len(head) == 64
    assert one(read_range(ground.path, "HEAD"), "a.py").before == b"a\n"
    ground.write("a.py", "c\n")
    assert one(read_worktree(ground.path), "a.py").changed == ((1, 1),)


def test_a_split_index_is_read(ground: Ground) -> None:
    ground.commit(a__py="a\n", b__py="b\n")
    ground.git("update-index", "--split-index")
    ground.write("a.py", "new\n")
    ground.git("add", "a.py")
    assert list((ground.path / ".git").glob("sharedindex.*"))
    assert paths(read_staged(ground.path)) == paths(read_worktree(ground.path)) == ["a.py"]


def test_inside_a_commit_hook_the_index_git_names_is_read(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git commit FILE` stages into an index of its own; one outside the repository is not believed."""
    ground.commit(a__py="a\n")
    ground.write("a.py", "b\n")
    shutil.copy(ground.path / ".git" / "index", ground.path / ".git" / "next-index-1.lock")
    ground.git("add", "a.py")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1.lock")
    assert read_staged(ground.path).files == ()
    monkeypatch.setenv("GIT_INDEX_FILE", "/dev/null")
    assert paths(read_staged(ground.path)) == ["a.py"]


def test_a_damaged_repository_is_refused_in_words_and_never_taken_for_a_new_one(ground: Ground) -> None:
    head = ground.commit(a__py="a\n")
    branch = ground.path / ".git" / "refs" / "heads" / "main"
    for text in ("garbage\n", "0123456789" * 4 + "\n", ""):
        branch.write_text(text, encoding="utf-8")
        for read in (read_default, read_worktree, read_staged):
            with pytest.raises(Trouble, match="last commit of this repository cannot be read"):
                read(ground.path)
    branch.write_text(head + "\n", encoding="utf-8")
    ground.write("a.py", "b\n")
    tree = ground.git("rev-parse", "HEAD^{tree}")
    (ground.path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(Trouble, match=r"git could not read the repository.*git fsck"):
        read_worktree(ground.path)


def test_a_disk_that_knows_no_modes_and_no_links_makes_none(ground: Ground) -> None:
    ground.commit(a__sh="a\n")
    (ground.path / "link").symlink_to("a.sh")
    ground.commit()
    (ground.path / "a.sh").chmod(0o755)
    (ground.path / "link").unlink()
    ground.write("link", "a.sh")
    assert {file.path: file.mode for file in read_worktree(ground.path).files} == {"a.sh": "100755", "link": "100644"}
    ground.git("config", "core.fileMode", "false")
    ground.git("config", "core.symlinks", "false")
    assert read_worktree(ground.path).files == ()


def test_pipes_and_files_one_may_not_read_are_named(ground: Ground) -> None:
    ground.commit(a__py="a\n", b__py="b\n")
    (ground.path / "a.py").unlink()
    os.mkfifo(ground.path / "a.py")
    change = read_worktree(ground.path)
    assert reasons(change) == {"a.py": "it is no file but a pipe, a socket or a device"}


def test_what_this_person_ignores_everywhere_is_ignored(
    ground: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.commit(a__py="a\n")
    for name in ("by-config", "by-default", "by-info", "seen"):
        ground.write(name, "x\n")
    (ground.path / ".git" / "info").mkdir(exist_ok=True)
    ground.write(".git/info/exclude", "by-info\n")
    (tmp_path / "home" / "git").mkdir(parents=True)
    (tmp_path / "home" / "git" / "ignore").write_text("by-default\n", encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    assert paths(read_worktree(ground.path)) == ["by-config", "seen"]
    (tmp_path / "mine").write_text("by-config\nby-default\n", encoding="utf-8")
    ground.git("config", "core.excludesFile", str(tmp_path / "mine"))
    assert paths(read_worktree(ground.path)) == ["seen"]
