"""A backup made before a purge has the bytes; restoring it does not bring them back, or says that it does."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.app.purge_notes import NAME, note_purge, noted_purges
from foureyes.app.work import blob_digest
from foureyes.cli import codes
from foureyes.cli.restoring import WORDS
from foureyes.store.postgres import PostgresStore
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import FIRST, policy
from tests.cli.desk import Desk
from tests.postgres.server import Server

SECRET = FIRST["hello.py"]
PART = blob_digest(SECRET)


@pytest.fixture
def backup(desk: Desk, tmp_path: Path) -> Path:
    """A store with a key whose bytes were purged after this backup was made."""
    assert desk.run("log", "checkpoint").code == 0
    folder = Path(desk.run("backup", str(tmp_path / "safe"), "--json").data["folder"])
    desk.types = [f"{PART[:12]}\n"]
    assert desk.run("purge", PART, "--reason", "It held a key").code == 0
    assert desk.run("log", "checkpoint").code == 0
    assert not holding(desk)
    desk.types = [f"{WORDS}\n"]
    return folder


def holding(desk: Desk) -> list[Path]:
    """The files of the data folder with these bytes; one that was set aside as it was before does not count."""
    files = (file for file in desk.home.rglob("*") if file.is_file() and "before-restore" not in file.name)
    return [file for file in files if SECRET in file.read_bytes()]


def assert_nobody_knew(out: str) -> None:
    """Check that the output says that purges may be unknown, and names no returned bytes."""
    told = " ".join(out.split())
    assert "No store was here that knows what was purged after this backup was made" in told
    assert "run `foureyes purge DIGEST` for it again" in told
    assert "CAME BACK" not in told


def lose_the_store(desk: Desk) -> None:
    for file in desk.home.glob("foureyes.db*"):
        file.unlink()


@pytest.mark.parametrize("lost", [False, True])
def test_what_was_purged_after_a_backup_is_purged_again_when_it_is_restored(
    desk: Desk, backup: Path, *, lost: bool
) -> None:
    """T32, F19: by the log of the store that is replaced; where that is lost, by the notes beside the checkpoints."""
    if lost:
        lose_the_store(desk)
    ran = desk.run("restore", str(backup), "--replace", "--json")
    assert ran.code == 0, ran.err
    assert (ran.data["purged_again"], ran.data["came_back"], ran.data["older"]) == ([PART], [], True)
    assert not holding(desk)
    assert desk.run("log", "verify", "--deep").code == 0
    again = desk.run("purge", PART, "--reason", "Once more", "--yes")
    assert "It held a key" in again.err, "the tombstone says why"


def test_what_nobody_remembers_is_said_to_have_come_back(desk: Desk, backup: Path) -> None:
    """T32: neither the store nor the notes are left; the person who restores must know."""
    lose_the_store(desk)
    (desk.home / "checkpoints" / NAME).unlink()
    ran = desk.run("restore", str(backup))
    assert ran.code == 0, ran.err
    assert_nobody_knew(ran.out)
    assert holding(desk)


def _no_store(_: Desk) -> None:
    pass


def _empty_store(desk: Desk) -> None:
    desk.home.mkdir(mode=0o700)
    asyncio.run(SqliteStore.open(desk.home / "foureyes.db").close())


@pytest.mark.parametrize("place", [_no_store, _empty_store])
def test_where_no_store_was_replaced_that_knew_of_purges_the_restore_says_so(
    backup: Path, tmp_path: Path, place: Callable[[Desk], None]
) -> None:
    """T32: on another machine nobody knows what was purged since, also where no checkpoint there is newer."""
    other = Desk(home=tmp_path / "other")
    place(other)
    ran = other.run("restore", str(backup))
    assert ran.code == 0, ran.err
    assert holding(other)
    assert_nobody_knew(ran.out)


def test_on_a_new_database_the_restore_says_that_nobody_knew_of_purges(
    desk: Desk, backup: Path, durable_postgres: Server, tmp_path: Path
) -> None:
    """T32: a machine of a cluster has the key; that something was purged may be noted on another one."""
    other = Desk(home=tmp_path / "other")
    shutil.copytree(desk.home / "keys", other.home / "keys")
    other.home.chmod(0o700)
    with durable_postgres.fresh() as url:
        asyncio.run(PostgresStore.open(url).close())
        ran = other.run("restore", str(backup), "--database", url)
        assert ran.code == 0, ran.err
        assert_nobody_knew(ran.out)


def test_a_script_is_told_whether_the_store_knew_of_purges(desk: Desk, backup: Path, tmp_path: Path) -> None:
    told = desk.run("restore", str(backup), "--replace", "--json").data
    assert told["purges_known"] is True
    assert Desk(home=tmp_path / "other").run("restore", str(backup), "--json").data["purges_known"] is False


def test_who_replaces_a_store_that_knows_is_not_warned(desk: Desk, backup: Path) -> None:
    ran = desk.run("restore", str(backup), "--replace")
    assert ran.code == 0, ran.err
    assert "CAME BACK" not in ran.out


def test_bytes_that_cannot_be_purged_again_are_named(desk: Desk, backup: Path) -> None:
    """T32: a note about bytes that must stay, here a policy, removes nothing and is told."""
    kept = policy().digest
    note_purge(desk.home / "checkpoints", kept, "Somebody wrote this.")
    ran = desk.run("restore", str(backup), "--replace")
    assert ran.code == 0, ran.err
    assert f"CAME BACK: {kept}" in ran.out
    assert not holding(desk)


def test_a_purge_that_cannot_be_noted_says_so_and_is_noted_when_it_is_run_again(desk: Desk) -> None:
    """T32: the bytes are gone, so nothing is left but the note; without it an older backup may bring them back."""
    assert desk.run("log", "checkpoint").code == 0
    note = desk.home / "checkpoints" / NAME
    note.mkdir()
    desk.types = [f"{PART[:12]}\n"] * 3
    for _ in range(2):
        ran = desk.run("purge", PART, "--reason", "It held a key")
        assert ran.code == codes.INCONCLUSIVE
        assert f"{PART} are purged, but that cannot be noted in {note}: " in ran.err
        assert "run the same command again" in ran.err
    note.rmdir()
    again = desk.run("purge", PART, "--reason", "Once more")
    assert (again.code, "These bytes were purged before" in again.err) == (codes.BLOCKED, True)
    assert noted_purges(note.parent) == {PART: "It held a key"}, "the reason is that of the record"


def test_a_purge_that_is_refused_again_is_noted_once(desk: Desk, backup: Path) -> None:
    del backup
    note = desk.home / "checkpoints" / NAME
    before = note.read_bytes()
    assert desk.run("purge", PART, "--reason", "Once more", "--yes").code == codes.BLOCKED
    assert note.read_bytes() == before
