"""The folder of a run is private and removed after it, even when the parent process was killed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from foureyes.app.reviewers import Change
from foureyes.reviewers.agents import laying
from foureyes.reviewers.agents.scratch import PREFIX, clear_stale, scratch
from tests.agents.fakes import task


def test_nobody_else_can_look_into_it() -> None:
    with scratch() as made:
        kept = made.put("home/login", b"x")
        assert [oct(one.stat().st_mode & 0o777) for one in (made.folder, made.home, kept)] == [
            "0o700",
            "0o700",
            "0o600",
        ]
    assert not made.folder.exists()


def test_it_is_removed_whatever_lies_in_it(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("x", encoding="utf-8")
    with scratch() as made:
        (made.work / "deep").mkdir()
        (made.work / "deep" / "file").write_text("x", encoding="utf-8")
        (made.work / "link").symlink_to(tmp_path)
        (made.work / "deep").chmod(0o000)
        made.work.chmod(0o500)
    assert not made.folder.exists()
    assert kept.exists()


def test_an_error_removes_it_too() -> None:
    with pytest.raises(RuntimeError), scratch() as made:
        raise RuntimeError
    assert not made.folder.exists()


def test_what_a_killed_run_left_is_cleared_by_the_next() -> None:
    """D-16."""
    dead = subprocess.Popen([sys.executable, "-IS", "-c", ""])
    dead.wait()
    around = Path(tempfile.gettempdir())
    left, other, living = (around / name for name in (f"{PREFIX}{dead.pid}-abc", "other", f"{PREFIX}{os.getpid()}-abc"))
    for folder in (left, other, living):
        (folder / "home").mkdir(parents=True)
    clear_stale()
    assert not left.exists()
    assert other.exists()
    assert living.exists()
    for folder in (other, living):
        (folder / "home").rmdir()
        folder.rmdir()


def test_links_are_taken_out_of_what_was_laid_out(tmp_path: Path) -> None:
    def lay_out(folder: Path) -> None:
        (folder / "file").symlink_to("/etc/passwd")
        (folder / "folder").symlink_to("/etc")

    folder = tmp_path / "laid"
    folder.mkdir()
    laying.laying(Change(title="t", kind="code", files=(), lay_out=lay_out), frozenset())(folder)
    assert list(folder.iterdir()) == []


def test_there_is_room_for_what_is_nearest_to_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lay_out(folder: Path) -> None:
        for name in ("app.py", "beside.py", "away/a.py", "away/b.py"):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text("x = 1\n", encoding="utf-8")

    monkeypatch.setattr(laying, "FILES_MAX", 3)
    change = task().change
    folder = tmp_path / "laid"
    folder.mkdir()
    laying.laying(replace(change, lay_out=lay_out), frozenset())(folder)
    assert sorted(one.relative_to(folder).as_posix() for one in folder.rglob("*.py")) == [
        "app.py",
        "away/a.py",
        "beside.py",
    ]
