"""A server reads bases from protected refs of the repositories it is configured with, and from nothing else."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from foureyes.app.bases import KnownFiles
from foureyes.core.values import BaseSource
from foureyes.git import mirrors
from foureyes.git.mirrors import Mirror, Mirrors
from foureyes.home.trouble import Trouble

FILES = {"README.md": "one\n", "lib/a.py": "print(1)\n"}


def git(folder: Path, *words: str) -> str:
    named = ("-c", "user.name=ann", "-c", "user.email=ann@shop.example", "-c", "init.defaultBranch=main")
    return subprocess.run(
        ("git", *named, *words), cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


def committed(folder: Path, **files: str) -> str:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "a change")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q")
    committed(folder, README_md="one\n", lib__a_py="print(1)\n")
    return folder


def read(folder: Path, base: str, *paths: str, protected: tuple[str, ...] = ()) -> KnownFiles | None:
    found = Mirrors((Mirror(name="shop", path=folder, protected=protected),))
    return asyncio.run(found.files(base, paths or tuple(FILES)))


def texts(found: KnownFiles | None) -> dict[str, str]:
    return {one.name: found.blobs[one.digest].decode() for one in found.parts} if found else {}


def test_the_files_of_a_protected_ref_are_read_by_commit_tree_and_name(shop: Path) -> None:
    """U-01."""
    head = git(shop, "rev-parse", "HEAD")
    tree = git(shop, "rev-parse", "HEAD^{tree}")
    for base in (head, tree, "main", "refs/heads/main", "shop:main", f"shop:{head}"):
        found = read(shop, base)
        assert texts(found) == FILES, base
        assert found is not None
        assert found.base.source is BaseSource.REPOSITORY
        assert found.base.name.startswith("shop refs/heads/main ")
    assert texts(read(shop, "main", "README.md", "new.py", "readme.md", "lib")) == {"README.md": "one\n"}


@pytest.mark.parametrize("base", ["", "-h", "--all", "HEAD", "main~0", "main^{}", "moon:main", ":", "a" * 40, "main\n"])
def test_what_is_no_id_and_no_protected_ref_is_never_asked_of_git(shop: Path, base: str) -> None:
    """U-01."""
    assert read(shop, base) is None


def test_a_branch_beside_is_no_base_until_it_is_protected_or_merged(shop: Path) -> None:
    """U-01."""
    git(shop, "checkout", "-q", "-b", "feature")
    feature = committed(shop, README_md="evil\n")
    git(shop, "checkout", "-q", "main")
    assert read(shop, feature) is None
    assert read(shop, "feature") is None
    assert texts(read(shop, feature, protected=("feature",)))["README.md"] == "evil\n"
    assert texts(read(shop, feature, protected=("feature", "main"))) == {"lib/a.py": "print(1)\n"}
    git(shop, "merge", "-q", "feature")
    assert texts(read(shop, feature))["README.md"] == "evil\n"


def test_a_file_on_which_protected_refs_differ_is_not_compared_with(shop: Path) -> None:
    """U-01: what one ref has is what another one mended or removed; a mode counts too."""
    git(shop, "branch", "release/1")
    committed(shop, lib__a_py="print(2)\n", docs__new_md="new\n")
    git(shop, "rm", "-q", "README.md")
    git(shop, "commit", "-qm", "remove it")
    both = ("main", "release/*")
    paths = (*FILES, "docs/new.md")
    for base in ("main", "release/1", git(shop, "rev-parse", "release/1")):
        assert texts(read(shop, base, *paths, protected=both)) == {}
    assert texts(read(shop, "main", *paths)) == {"lib/a.py": "print(2)\n", "docs/new.md": "new\n"}
    git(shop, "checkout", "-q", "release/1")
    (shop / "lib/a.py").chmod(0o755)
    committed(shop, lib__a_py="print(2)\n")
    assert texts(read(shop, "main", "lib/a.py", protected=both)) == {}


def test_a_file_beside_which_another_repository_has_something_else_is_not_compared_with(
    shop: Path, tmp_path: Path
) -> None:
    """U-01: another file, folder or link at the path counts; that it has nothing there does not."""
    play = tmp_path / "play"
    play.mkdir()
    git(play, "init", "-q")
    committed(play, README_md="two\n", lib__a_py="print(1)\n")
    committed(shop, docs__shop_md="shop\n", notes="a file\n")
    committed(play, notes__today_md="a folder\n")
    both = Mirrors((Mirror(name="shop", path=shop), Mirror(name="play", path=play)))
    paths = (*FILES, "docs/shop.md", "notes")
    found = asyncio.run(both.files("shop:main", paths))
    assert texts(found) == {"lib/a.py": "print(1)\n", "docs/shop.md": "shop\n"}
    assert texts(asyncio.run(both.files("play:main", paths))) == {"lib/a.py": "print(1)\n"}


def test_no_base_counts_where_a_protected_ref_cannot_be_read(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """U-01: one that is not read could be the one that was mended; so too many of them are no base either."""
    here, moon = Mirror(name="shop", path=shop), Mirror(name="moon", path=tmp_path / "moon")
    for pair in ((here, moon), (moon, here)):
        for base in ("shop:main", git(shop, "rev-parse", "HEAD")):
            assert asyncio.run(Mirrors(pair).files(base, ("README.md",))) is None
    git(shop, "branch", "release/1")
    both = ("main", "release/*")
    assert texts(read(shop, "main", protected=both)) == FILES
    monkeypatch.setattr(mirrors, "TIPS_MAX", 1)
    assert read(shop, "main", protected=both) is None
    with pytest.raises(Trouble, match="more than 1 protected refs"):
        Mirrors((Mirror(name="shop", path=shop, protected=both),)).check()


def test_a_file_that_changed_since_is_not_compared_with(shop: Path) -> None:
    """U-01: an older version would roll a fix back."""
    old = git(shop, "rev-parse", "HEAD")
    committed(shop, lib__a_py="print(2)\n")
    assert texts(read(shop, old)) == {"README.md": "one\n"}


def test_grafts_replacements_and_settings_of_the_repository_count_for_nothing(shop: Path, tmp_path: Path) -> None:
    """U-01: nothing of it is run, and it cannot say what reaches what."""
    main = git(shop, "rev-parse", "HEAD")
    git(shop, "checkout", "-q", "-b", "feature")
    feature = committed(shop, README_md="evil\n")
    git(shop, "checkout", "-q", "main")
    (shop / ".git/info").mkdir(exist_ok=True)
    (shop / ".git/info/grafts").write_text(f"{main} {feature}\n", encoding="utf-8")
    git(shop, "replace", "-f", main, feature)
    git(shop, "config", "core.fsmonitor", f"touch {tmp_path}/ran")
    assert read(shop, feature) is None
    assert texts(read(shop, main)) == FILES
    assert not (tmp_path / "ran").exists()


def test_too_many_bytes_and_too_much_time_are_no_base(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """U-01: fail closed."""
    monkeypatch.setattr(mirrors, "WORK_BYTES_MAX", 3)
    assert read(shop, "main") is None
    monkeypatch.undo()
    monkeypatch.setattr(mirrors, "SECONDS_MAX", 0.0)
    assert read(shop, "main") is None


def test_a_repository_that_is_not_there_is_told_at_the_start_and_is_no_base(shop: Path, tmp_path: Path) -> None:
    """U-01."""
    for mirror in (
        Mirror(name="shop", path=tmp_path / "moon"),
        Mirror(name="shop", path=shop / "lib"),
        Mirror(name="shop", path=shop, protected=("release/*",)),
    ):
        with pytest.raises(Trouble):
            Mirrors((mirror,)).check()
        assert asyncio.run(Mirrors((mirror,)).files("main", ("README.md",))) is None
    Mirrors((Mirror(name="shop", path=shop),)).check()
    git(shop, "checkout", "-q", "-b", "odd")
    git(shop, "branch", "-q", "-D", "main")
    with pytest.raises(Trouble, match="does not say which branch"):
        Mirrors((Mirror(name="shop", path=shop),)).check()
