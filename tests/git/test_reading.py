"""A change is read from git exactly: its files, bytes and lines."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path

import pytest

from foureyes.app.reviewers import GONE_MODE
from foureyes.app.work import check_work, work_of_change
from foureyes.git.reading import read_committed, read_default, read_range, read_staged, read_worktree, repository
from foureyes.home.trouble import Trouble
from tests.git.ground import Ground, new, one, paths, reasons

TEN = "".join(f"line {number}\n" for number in range(1, 11))


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return new(tmp_path / "repo")


def test_a_range_has_the_bytes_of_both_sides_and_the_new_lines(ground: Ground) -> None:
    """D-15: only changed lines are judged; where lines went, the one that now stands there."""
    base = ground.commit("First", a__py=TEN)
    head = ground.commit("Second\n\nAnd why", a__py=TEN.replace("line 3\n", "3\n").replace("line 7\n", ""), b__py="x\n")
    change = read_range(ground.path, f"{base}..{head}")
    file = one(change, "a.py")
    assert file.changed == ((3, 3), (7, 7))
    assert file.before == TEN.encode()
    assert file.lines[2] == "3"
    assert (one(change, "b.py").changed, one(change, "b.py").before) == (((1, 1),), None)
    assert (change.base, change.note) == (base, "Second\n\nAnd why")
    assert change.title == f"Commit {head[:12]} of {ground.path.name}: Second"
    assert (change.kind, change.unread) == ("code", ())


EDITS: tuple[tuple[str, tuple[tuple[int, int], ...]], ...] = (
    (TEN.replace("line 1\n", ""), ((1, 1),)),
    (TEN.replace("line 10\n", ""), ((9, 9),)),
    ("", ((1, 1),)),
    (TEN + "no end", ((11, 11),)),
    (TEN.removesuffix("\n"), ((10, 10),)),
    ("new\n" + TEN, ((1, 1),)),
    (TEN.replace("line 5\n", "5\x0b\u2028five\n"), ((5, 5),)),
    (TEN.replace("line 5\n", "diff --git a/x b/x\n@@ -1 +9,9 @@\n"), ((5, 6),)),
)


def test_the_new_lines_are_those_an_editor_would_show(ground: Ground) -> None:
    for number in range(len(EDITS)):
        ground.write(f"f{number}", TEN)
    ground.commit()
    for number, (now, _) in enumerate(EDITS):
        ground.write(f"f{number}", now)
    of_files = read_worktree(ground.path)
    ground.git("add", "-A")
    staged = read_staged(ground.path)
    ground.commit()
    for change in (of_files, staged, read_range(ground.path, "HEAD")):
        assert tuple(file.changed for file in change.files) == tuple(changed for _, changed in EDITS)


def test_one_revision_is_what_it_changed_and_the_first_of_all_is_all_new(ground: Ground) -> None:
    first = ground.commit("First", a__py="a\n", foureyes__yaml="version: 1\n")
    ground.commit("Second", b__py="b\n")
    assert paths(read_range(ground.path, "HEAD")) == ["b.py"]
    change = read_range(ground.path, first)
    assert paths(change) == ["a.py", "foureyes.yaml"]
    assert (change.base, change.policy) == ("", None)


def test_three_dots_leave_out_what_the_other_side_did_since(ground: Ground) -> None:
    base = ground.commit(a__py="a\n")
    ground.git("checkout", "-q", "-b", "feature")
    ground.commit(b__py="b\n")
    ground.git("checkout", "-q", "main")
    ground.commit(c__py="c\n")
    change = read_range(ground.path, "main...feature")
    assert (paths(change), change.base) == (["b.py"], base)
    for spec in ("main..feature", "feature"):
        assert paths(read_range(ground.path, spec)) == ["b.py"], "two dots and a branch name mean the same"
    assert paths(read_range(ground.path, "feature..")) == ["c.py"]


def test_a_merge_is_compared_with_its_first_parent(ground: Ground) -> None:
    ground.commit(a__py="a\n")
    ground.git("checkout", "-q", "-b", "feature")
    ground.commit(b__py="b\n")
    ground.git("checkout", "-q", "main")
    own = ground.commit(c__py="c\n")
    ground.git("merge", "-q", "--no-ff", "-m", "Merge", "feature")
    change = read_range(ground.path, "HEAD")
    assert (paths(change), change.base) == (["b.py"], own)


def test_what_was_renamed_deleted_or_got_another_mode_is_told(ground: Ground) -> None:
    ground.commit(old__py=TEN, gone__py="x\n", run__sh="ls\n")
    ground.git("mv", "old.py", "new.py")
    ground.write("new.py", TEN.replace("line 2\n", "two\n"))
    ground.git("rm", "-q", "gone.py")
    (ground.path / "run.sh").chmod(0o755)
    ground.commit()
    change = read_range(ground.path, "HEAD")
    assert paths(change) == ["gone.py", "new.py", "run.sh"]
    gone, renamed, mode = change.files
    assert (gone.mode, gone.content, gone.before, gone.changed) == (GONE_MODE, None, b"x\n", ())
    assert (renamed.was, renamed.changed, renamed.before) == ("old.py", ((2, 2),), TEN.encode())
    assert (mode.mode, mode.mode_before, mode.changed, mode.content) == ("100755", "100644", (), b"ls\n")
    assert mode.before == mode.content
    work, before, _ = work_of_change(change)
    check_work(work.digest, work.parts)
    assert {part.name for part in before} == {"gone.py", "old.py", "run.sh"}


def test_a_link_is_the_path_it_points_to_and_nobody_follows_it(ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hidden\n", encoding="utf-8")
    ground.commit(a__py="a\n", b__py="b\n")
    (ground.path / "out").symlink_to(tmp_path / "secret")
    (ground.path / "a.py").unlink()
    (ground.path / "a.py").symlink_to("b.py")
    before_commit = read_worktree(ground.path)
    ground.commit()
    for change in (before_commit, read_range(ground.path, "HEAD")):
        out, link = one(change, "out"), one(change, "a.py")
        assert (out.mode, out.content) == ("120000", str(tmp_path / "secret").encode())
        assert (out.text, link.mode, link.mode_before, link.content) == (None, "120000", "100644", b"b.py")
        assert link.changed == ((1, 1),)


def test_binary_and_other_encodings_are_read_as_bytes(ground: Ground) -> None:
    ground.commit()
    ground.write("image", b"\x89PNG\0\0\n\xff")
    ground.write("latin", "käse\n".encode("latin-1"))
    ground.write("empty", b"")
    ground.commit()
    change = read_range(ground.path, "HEAD")
    assert [(file.path, file.text) for file in change.files] == [("empty", ""), ("image", None), ("latin", "käse\n")]
    assert one(change, "empty").changed == ()
    assert one(change, "latin").changed == ((1, 1),)


def test_an_attribute_does_not_hide_lines(ground: Ground) -> None:
    """A file that declares itself binary, or without differences, is compared all the same."""
    ground.commit(_gitattributes="", a__py=TEN)
    ground.write(".gitattributes", "*.py binary -diff -text\n")
    ground.write("a.py", TEN.replace("line 4\n", "4\n"))
    assert one(read_worktree(ground.path), "a.py").changed == ((4, 4),)
    ground.commit()
    assert one(read_range(ground.path, "HEAD"), "a.py").changed == ((4, 4),)


def test_the_work_tree_is_what_lies_there_staged_or_not(ground: Ground) -> None:
    base = ground.commit("First", a__py=TEN, b__py="b\n", c__py="c\n", _gitignore="", d__py="d\n")
    ground.write(".gitignore", "ignored\n")
    ground.write("a.py", TEN + "more\n")
    ground.write("b.py", "staged\n")
    ground.git("add", "b.py")
    ground.write("b.py", "later\n")
    ground.write("new file", "x\n")
    ground.write("ignored", "x\n")
    (ground.path / "c.py").unlink()
    ground.git("rm", "-q", "--cached", "d.py")
    ground.write("planned", "x\n")
    ground.git("add", "-N", "planned")
    change = read_worktree(ground.path)
    assert paths(change) == [".gitignore", "a.py", "b.py", "c.py", "new file", "planned"]
    assert (change.base, change.aliases, change.title) == (
        base,
        (),
        f"Uncommitted changes on main of {ground.path.name}",
    )
    assert one(change, "a.py").changed == ((11, 11),)
    assert one(change, "b.py").content == b"later\n"
    assert one(change, "c.py").mode == GONE_MODE
    staged = read_staged(ground.path)
    assert [(file.path, file.content) for file in staged.files] == [("b.py", b"staged\n"), ("d.py", None)]
    assert staged.title == f"Staged changes on main of {ground.path.name}"
    assert read_default(ground.path).title == change.title


def test_the_index_is_not_touched(ground: Ground) -> None:
    ground.commit(a__py="a\n")
    ground.write("a.py", "b\n")
    index = ground.path / ".git" / "index"
    before = (index.read_bytes(), index.stat().st_mtime_ns, sorted(p.name for p in (ground.path / ".git").iterdir()))
    for read in (read_worktree, read_staged, read_default):
        read(ground.path)
    after = (index.read_bytes(), index.stat().st_mtime_ns, sorted(p.name for p in (ground.path / ".git").iterdir()))
    assert before == after


def test_files_git_was_told_not_to_look_at_are_looked_at(ground: Ground) -> None:
    """Who marks a file as unchanged would otherwise hide a change from every reviewer."""
    ground.commit(a__py="a\n", b__py="b\n", c__py="c\n", d__py="d\n")
    ground.git("update-index", "--assume-unchanged", "a.py", "c.py")
    ground.git("update-index", "--skip-worktree", "b.py", "d.py")
    ground.write("a.py", "hidden\n")
    ground.write("b.py", "hidden too\n")
    (ground.path / "d.py").unlink()
    change = read_worktree(ground.path)
    assert [(file.path, file.content) for file in change.files] == [("a.py", b"hidden\n"), ("b.py", b"hidden too\n")]


def test_what_is_committed_is_the_branch_then_the_last_commit(ground: Ground) -> None:
    ground.commit("First", a__py="a\n")
    base = ground.commit("Second", a__py="b\n")
    assert read_committed(ground.path).title == f"Commit {base[:12]} of {ground.path.name}: Second"
    ground.git("checkout", "-q", "-b", "feature")
    assert read_committed(ground.path).title == f"Commit {base[:12]} of {ground.path.name}: Second"
    ground.commit("Third", b__py="b\n")
    head = ground.commit("Fourth", c__py="c\n")
    change = read_committed(ground.path)
    assert (change.title, paths(change)) == (
        f"2 commits since {base[:12]} on feature of {ground.path.name}",
        ["b.py", "c.py"],
    )
    assert (change.base, change.note) == (base, "Third\n\nFourth")
    ground.git("checkout", "-q", "main")
    ground.git("checkout", "-q", "--detach", head)
    assert read_committed(ground.path).title == f"2 commits since {base[:12]} on {head[:12]} of {ground.path.name}"
    assert read_default(ground.path).files == (), "a clean tree is nothing to look at"
    ground.write("d.py", "d\n")
    assert read_default(ground.path).title == f"Uncommitted changes at {head[:12]} of {ground.path.name}"


def test_what_was_not_pushed_comes_before_what_the_branch_did(tmp_path: Path) -> None:
    origin = new(tmp_path / "origin")
    origin.commit("First", a__py="a\n")
    origin.git("checkout", "-q", "-b", "feature")
    pushed = origin.commit("Second", b__py="b\n")
    origin.git("clone", "-q", str(origin.path), str(tmp_path / "clone"))
    clone = Ground(path=tmp_path / "clone")
    assert paths(read_committed(clone.path)) == ["b.py"]
    clone.commit("Third", c__py="c\n")
    change = read_committed(clone.path)
    assert (change.base, paths(change)) == (pushed, ["c.py"])


def test_nothing_changed_is_an_empty_change_that_says_so(ground: Ground) -> None:
    head = ground.commit("First", a__py="a\n")
    for change in (read_worktree(ground.path), read_staged(ground.path), read_range(ground.path, "HEAD..HEAD")):
        assert (change.files, change.unread) == ((), ())
        assert change.title.startswith("Nothing changed: ")
        assert change.base == head


def test_the_policy_is_that_of_the_base_never_that_of_the_change(ground: Ground) -> None:
    """T20: who changes the rules does not choose the rules that are applied to the change."""
    ground.commit("First", foureyes__yml="old: 1\n")
    assert read_range(ground.path, "HEAD").policy is None
    ground.commit("Second", foureyes__yaml="version: 1\n")
    assert read_range(ground.path, "HEAD").policy == ("foureyes.yml", b"old: 1\n")
    ground.write("foureyes.yaml", "version: 2\n")
    for change in (read_worktree(ground.path), read_default(ground.path)):
        assert change.policy == ("foureyes.yaml", b"version: 1\n")
    ground.git("add", "-A")
    assert read_staged(ground.path).policy == ("foureyes.yaml", b"version: 1\n")
    ground.git("rm", "-q", "--cached", "foureyes.yaml")
    assert read_staged(ground.path).policy == ("foureyes.yaml", b"version: 1\n")


def test_the_next_round_comes_from_the_same_place(ground: Ground, tmp_path: Path) -> None:
    base = ground.commit(a__py="a\n")
    ground.git("checkout", "-q", "-b", "feature")
    ground.commit(b__py="b\n")
    first = read_range(ground.path, "main..HEAD")
    ground.commit(b__py="fixed\n")
    assert read_range(ground.path, f"{base}..feature").place == first.place
    ground.write("c.py", "c\n")
    one_round = read_worktree(ground.path)
    ground.write("c.py", "d\n")
    assert read_worktree(ground.path).place == one_round.place
    assert read_worktree(ground.path).place != read_staged(ground.path).place != first.place
    other = new(tmp_path / "other")
    assert read_worktree(other.path).place != one_round.place
    ground.git("checkout", "-q", "main")
    assert read_worktree(ground.path).place != one_round.place


def test_line_ends_are_compared_as_git_would_store_them(ground: Ground) -> None:
    """Filters do not run; carriage returns that git itself takes away are taken away."""
    windows = TEN.replace("\n", "\r\n")
    ground.commit(a__py=TEN, b__py=windows, c__py=TEN, d__py=TEN)
    ground.write("a.py", windows)
    ground.write("b.py", windows + "more\r\n")
    assert one(read_worktree(ground.path), "a.py").changed == ((1, 10),)
    ground.git("config", "core.autocrlf", "true")
    change = read_worktree(ground.path)
    assert paths(change) == ["b.py"]
    assert one(change, "b.py").changed == ((11, 11),)
    assert one(change, "b.py").lines[10] == "more"
    ground.write("a.py", windows.replace("line 2", "two"))
    assert one(read_worktree(ground.path), "a.py").changed == ((2, 2),)
    ground.write("new.py", windows)
    assert one(read_worktree(ground.path), "new.py").content == TEN.encode()
    ground.write("image", b"\0\r\n")
    assert one(read_worktree(ground.path), "image").content == b"\0\r\n"
    ground.git("config", "core.autocrlf", "false")
    ground.write(".gitattributes", "c.py text\nd.py eol=crlf\na.py -text\n")
    ground.write("c.py", windows + "more\r\n")
    ground.write("d.py", windows)
    change = read_worktree(ground.path)
    assert one(change, "c.py").changed == ((11, 11),)
    assert change.file("d.py") is None
    assert one(change, "a.py").changed == ((1, 10),)


def test_an_unchanged_file_that_lfs_keeps_elsewhere_is_unchanged(ground: Ground) -> None:
    content = b"large\n" * 9
    digest = hashlib.sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n"
    ground.commit(big__bin=pointer)
    ground.write("big.bin", content)
    assert read_worktree(ground.path).files == ()
    ground.write("big.bin", content + b"more\n")
    assert one(read_worktree(ground.path), "big.bin").content == content + b"more\n"


def test_what_is_too_large_or_too_much_is_named_as_unread(ground: Ground) -> None:
    """D-15, T19: a review that left something out says what and why."""
    ground.commit(small__py="a\n")
    ground.write("huge", b"x" * (20 * 1024 * 1024 + 1))
    ground.write("large1", b"1" * (12 * 1024 * 1024))
    ground.write("large2", b"2" * (12 * 1024 * 1024))
    ground.write("small.py", "b\n")
    of_files = read_worktree(ground.path)
    ground.commit()
    for change in (of_files, read_range(ground.path, "HEAD")):
        assert paths(change) == ["large1", "small.py"]
        assert reasons(change) == {
            "huge": "it is larger than 20 MiB",
            "large2": "the files before it already fill the 20 MiB one review can hold",
        }
        check_work(work_of_change(change)[0].digest, work_of_change(change)[0].parts)
    ground.write("huge", b"tiny\n")
    change = read_worktree(ground.path)
    assert (one(change, "huge").before, one(change, "huge").changed) == (None, ((1, 1),))
    assert reasons(change) == {"huge": "its earlier version is too large to compare with"}


def test_a_thousand_files_are_read_in_well_under_two_seconds_and_the_2001st_is_named(ground: Ground) -> None:
    for number in range(1_000):
        ground.write(f"d{number % 37}/f{number}.py", TEN * 5)
    ground.commit()
    for number in range(1_000):
        ground.write(f"d{number % 37}/f{number}.py", TEN * 5 + f"more {number}\n")
    took = {}
    started = time.perf_counter()
    of_files = read_worktree(ground.path)
    took["files"] = time.perf_counter() - started
    ground.commit()
    started = time.perf_counter()
    of_range = read_range(ground.path, "HEAD")
    took["range"] = time.perf_counter() - started
    print(took)
    assert of_files.files == of_range.files
    assert len(of_files.files) == 1_000
    assert all(file.changed == ((51, 51),) for file in of_files.files)
    assert max(took.values()) < 5, took
    for number in range(2_001):
        ground.write(f"n{number:04}", "x\n")
    change = read_worktree(ground.path)
    assert (len(change.files), reasons(change)) == (2_000, {"n2000": "one review holds at most 2000 files"})


def test_a_folder_below_the_top_means_the_whole_repository(ground: Ground) -> None:
    ground.commit(a__py="a\n")
    ground.write("deep/down/b.py", "b\n")
    ground.write("c.py", "c\n")
    assert repository(ground.path / "deep" / "down") == ground.path.resolve()
    assert paths(read_worktree(ground.path / "deep" / "down")) == ["c.py", "deep/down/b.py"]
    ground.commit()
    assert paths(read_range(ground.path / "deep", "HEAD")) == ["c.py", "deep/down/b.py"]


def test_what_the_policy_names_beside_itself_comes_from_the_base_too(ground: Ground) -> None:
    """D-07: a file it names is no way round it."""
    ground.write("foureyes.yaml", "version: 1\n")
    ground.write("config/critic-chains.json", "{}\n")
    ground.commit("one")
    ground.write("config/critic-chains.json", "changed\n")
    change = read_worktree(ground.path)
    assert change.at_base is not None
    assert change.at_base("config/critic-chains.json") == b"{}\n"
    for name in ("config", "none.json", "../outside"):
        with pytest.raises((FileNotFoundError, Trouble)):
            change.at_base(name)
