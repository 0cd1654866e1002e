"""The model of the disk can fail: unsafe modes of a bare SQLite lose data in it, safe ones do not."""

import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.crash.checking import quick_folder, wrong_on
from tests.crash.disks import Disk, possible
from tests.crash.tracing import Call, Step, steps_of, traced

WANTED = 300


def wrong_rows(folder: Path, marks: Sequence[str]) -> str:
    """The error in a bare database after a power cut, if any."""
    with closing(sqlite3.connect(folder / "bare.sqlite")) as database:
        try:
            (said,) = database.execute("PRAGMA quick_check").fetchone()
            there = database.execute("SELECT 1 FROM sqlite_schema WHERE name = 'kept'").fetchone()
            rows = database.execute("SELECT count(*) FROM kept").fetchone()[0] if there else 0
        except sqlite3.DatabaseError as error:
            return f"corrupt: {error}"
    if said != "ok":
        return f"corrupt: {said}"
    return f"lost: {len(marks)} were acknowledged, {rows} are there" if rows < len(marks) else ""


@pytest.mark.parametrize(
    ("journal", "synchronous", "expected"),
    [
        ("wal", "full", set()),
        ("wal", "normal", {"lost"}),
        ("wal", "off", {"lost", "corrupt"}),
        ("delete", "extra", set()),
        # The journal's removal is the commit, and FULL does not make it safe.
        ("delete", "full", {"lost"}),
        ("delete", "off", {"lost", "corrupt"}),
    ],
)
def test_the_model_tells_safe_modes_from_unsafe_ones(journal: str, synchronous: str, expected: set[str]) -> None:
    """F2: killing the process would show no difference between them."""
    with quick_folder() as folder:
        data = folder / "data"
        data.mkdir()
        run = traced([sys.executable, "-m", "tests.crash.bare", str(data), journal, synchronous], folder / "calls")
        assert run.code == 0, run.output
        states = list(possible(run.steps, data, wanted=WANTED, seed=1))
    assert len(states) == WANTED
    assert {wrong.partition(":")[0] for one in states if (wrong := wrong_on(one, wrong_rows))} == expected


FOLDER = Path("/d")


def played(*lines: str) -> Disk:
    disk = Disk(FOLDER)
    for step in steps_of(f"7 {line}\n" for line in lines):
        disk.play(step)
    return disk


CREATED = 'openat(AT_FDCWD</>, "/d/f", O_RDWR|O_CREAT, 0644) = 3</d/f>'.replace('"/d/f"', '"\\x2f\\x64\\x2f\\x66"')
WRITTEN = 'pwrite64(3</d/f>, "\\x61\\x62", 2, 0) = 2'
OTHER = 'pwrite64(3</d/f>, "\\x63", 1, 1) = 1'
SYNCED, NAMED = "fdatasync(3</d/f>) = 0", "fsync(4</d>) = 0"
FAILED = "fdatasync(3</d/f>) = -1 EIO (Input/output error) (INJECTED)"


@pytest.mark.parametrize(
    ("lines", "least", "most"),
    [
        ((CREATED, WRITTEN), None, b"ab"),
        ((CREATED, WRITTEN, SYNCED), None, b"ab"),
        ((CREATED, NAMED, WRITTEN), b"", b"ab"),
        ((CREATED, WRITTEN, SYNCED, NAMED), b"ab", b"ab"),
        ((CREATED, WRITTEN, SYNCED, NAMED, OTHER), b"ab", b"ac"),
        ((CREATED, NAMED, WRITTEN, FAILED), b"", b"ab"),
        ((CREATED, NAMED, WRITTEN, FAILED, SYNCED), b"", b"ab"),
        ((CREATED, NAMED, WRITTEN, FAILED, OTHER, SYNCED), b"\0c", b"ac"),
    ],
)
def test_what_is_synced_is_there_and_nothing_else_is_sure(
    lines: Sequence[str], least: bytes | None, most: bytes
) -> None:
    disk = played(*lines)
    assert disk.states(0, "none", 0).files.get("f") == least
    assert disk.states(0, "all", 0).files.get("f") == most


def test_a_sync_makes_only_safe_what_was_written_before_it_began() -> None:
    """Two threads: a write that ends while the sync runs may be too late for it."""
    disk = Disk(FOLDER)
    begun = "8 fdatasync(3</d/f> <unfinished ...>"
    ended = "8 <... fdatasync resumed>) = 0"
    for step in steps_of([f"7 {CREATED}", f"7 {NAMED}", f"7 {WRITTEN}", begun, f"7 {OTHER}", ended]):
        disk.play(step)
    assert disk.states(0, "none", 0).files == {"f": b"ab"}


def test_a_long_write_may_be_there_in_some_sectors() -> None:
    content = b"x" * 2_000
    hexed = "\\x78" * len(content)
    disk = played(CREATED, NAMED, f'pwrite64(3</d/f>, "{hexed}", 2000, 100) = 2000')
    seen = {disk.states(0, f"draw {number}", 0).files["f"] for number in range(200)}
    assert len(seen) > 5
    for one in seen:
        for place in range(512, 2_048, 512):
            assert len(set(one[place : place + 512])) <= 1, "a sector is there or not"


def test_what_the_model_does_not_know_is_not_passed_over() -> None:
    call = Call(name="fallocate", descriptor=3, path="/d/f", deleted=False, strings=(), numbers=(), text="", result=0)
    with pytest.raises(NotImplementedError, match="fallocate"):
        Disk(FOLDER).play(Step(call=call, ended=False))
