"""A backup is complete or absent; a restore loses nothing silently, and discarding data requires a person."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from foureyes.app.work import work_of
from foureyes.cli import restoring
from foureyes.cli.restoring import WORDS
from foureyes.core import commands as c
from foureyes.core.values import Outcome
from foureyes.home import Trouble, backups, files
from foureyes.store.sqlite_store import SqliteStore
from tests.cast import HUGO
from tests.cli.desk import CLEARED, PENDING, Desk

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOTHING = {"sha256": "", "bytes": 0}


@pytest.fixture
def signed(desk: Desk) -> Desk:
    assert desk.run("log", "checkpoint").code == 0
    return desk


@pytest.fixture
def other(tmp_path: Path) -> Desk:
    return Desk(home=tmp_path / "other")


def backed_up(desk: Desk, place: Path, *flags: str) -> Path:
    ran = desk.run("backup", str(place), *flags, "--json")
    assert (ran.code, ran.err) == (0, "")
    return Path(ran.data["folder"])


def test_a_backup_is_a_private_folder_with_a_list_of_its_files(signed: Desk, tmp_path: Path) -> None:
    (signed.home / "config.toml").write_text("checkpoint_seconds = 30\n", encoding="utf-8")
    folder = backed_up(signed, tmp_path / "safe")
    assert folder.name.startswith("foureyes-backup-")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    here = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert here == {*manifest["files"], "manifest.json"}
    assert {"store.sqlite", "settings/config.toml"} < here
    assert any(name.startswith("checkpoints/") for name in here)
    assert [name for name in here if name.endswith(".key")] == []
    assert [path for path in folder.rglob("*") if stat.S_IMODE(path.stat().st_mode) & 0o077] == []
    assert manifest["events"] == manifest["cursor"][1]
    assert manifest["checkpoint"].startswith("1:")
    assert [path.name for path in folder.parent.iterdir()] == [folder.name], "nothing half-made is left"


def test_private_keys_come_along_only_when_asked_for(signed: Desk, tmp_path: Path) -> None:
    folder = backed_up(signed, tmp_path, "--with-keys")
    assert len(list(folder.glob("keys/*.key"))) == 1
    assert "holds private keys" in signed.run("backup", "--with-keys").out


def test_a_backup_while_others_write_is_one_moment(signed: Desk, tmp_path: Path) -> None:
    """F19: online and consistent; what it says it holds is what it holds, and that verifies."""
    ready, done = threading.Event(), threading.Event()

    def write() -> None:
        async def play() -> None:
            async with SqliteStore.open(signed.database) as store:
                house = signed.house(store)
                for number in range(2000):
                    await house.open({"a": str(number).encode()})
                    ready.set()
                    if done.is_set():
                        return

        asyncio.run(play())

    writer = threading.Thread(target=write)
    writer.start()
    ready.wait()
    try:
        folder = backed_up(signed, tmp_path / "safe")
    finally:
        done.set()
        writer.join()
    fresh = Desk(home=tmp_path / "fresh")
    ran = fresh.run("restore", str(folder), "--json")
    assert ran.code == 0, ran.err
    found = ran.data["verified"]
    manifest = backups.read(str(folder))
    assert (found["sound"], found["events"], found["streams"]) == (True, manifest.events, manifest.streams)


def test_a_restored_store_answers_as_the_first_one_did(signed: Desk, other: Desk, tmp_path: Path) -> None:
    folder = backed_up(signed, tmp_path / "safe")
    ran = other.run("restore", str(folder))
    assert (ran.code, ran.err) == (0, "")
    assert "The log is sound" in ran.out
    assert [other.check(one).code for one in (CLEARED, PENDING)] == [0, 3]
    assert stat.S_IMODE(other.home.stat().st_mode) == 0o700
    assert other.run("log", "verify").code == 0
    ran = other.run("log", "checkpoint")
    assert ran.code == 4, "the private key stayed where it was"


def test_a_backup_without_checkpoints_is_restored_and_says_so(desk: Desk, other: Desk, tmp_path: Path) -> None:
    folder = backed_up(desk, tmp_path / "safe")
    ran = other.run("restore", str(folder))
    assert ran.code == 0
    assert "no checkpoints" in ran.out


def test_a_store_with_something_in_it_is_kept(signed: Desk, tmp_path: Path) -> None:
    folder = backed_up(signed, tmp_path / "safe")
    refused = signed.run("restore", str(folder))
    assert refused.code == 2
    assert "--replace" in refused.err
    ran = signed.run("restore", str(folder), "--replace", "--json")
    assert ran.code == 0, ran.err
    assert Path(ran.data["kept"]).stat().st_size
    assert signed.check(CLEARED).code == 0


def test_a_damaged_store_is_replaced_and_kept(signed: Desk, tmp_path: Path) -> None:
    folder = backed_up(signed, tmp_path / "safe")
    signed.database.write_bytes(b"nothing is left of it" * 1000)
    assert signed.run("restore", str(folder)).code == 2
    ran = signed.run("restore", str(folder), "--replace", "--json")
    assert ran.code == 0, ran.err
    assert Path(ran.data["kept"]).read_bytes().startswith(b"nothing is left")
    assert signed.check(CLEARED).code == 0


def test_who_goes_back_to_an_older_program_restores_its_backup(signed: Desk, tmp_path: Path) -> None:
    folder = backed_up(signed, tmp_path / "safe")
    _set_schema(signed.database, 99)
    assert signed.run("restore", str(folder)).code == 2
    assert signed.run("restore", str(folder), "--replace").code == 0
    assert signed.run("why", "r1").code == 0


def test_an_older_backup_needs_the_exact_words_of_a_person_and_is_recorded(signed: Desk, tmp_path: Path) -> None:
    """F19: restoring what is older than the last checkpoint gives something up; a human says so, the log keeps it."""
    folder = backed_up(signed, tmp_path / "safe")
    later = signed.add("later")
    assert signed.run("log", "checkpoint").code == 0
    line = ["restore", str(folder), "--replace", "--reason", "The disk died"]
    nobody = signed.run(*line)
    assert (nobody.code, nobody.out) == (2, "")
    assert WORDS in nobody.err
    signed.types = ["yes\n"]
    assert signed.run(*line).code == 2
    assert signed.check(later).code == 3, "nothing was done"
    signed.types = [f"{WORDS}\n"]
    ran = signed.run(*line, "--json")
    assert ran.code == 0, ran.err
    assert "older than the last checkpoint" in ran.err
    assert ran.data["older"] is True
    assert signed.check(later).code == 2
    assert signed.check(CLEARED).code == 0
    assert signed.run("log", "verify").code == 0

    async def operations() -> list[tuple[str, str, str]]:
        async with SqliteStore.open(signed.database) as store:
            found = await store.read(lambda reading: tuple(reading.events("operations")))
            return [(one.type, one.actor, one.body) for one in found]

    ((kind, actor, body),) = asyncio.run(operations())
    assert (kind, actor) == ("StoreRestored", signed.assembly().human().name)
    assert '"The disk died"' in body


def test_what_was_given_up_is_not_given_up_without_a_key(signed: Desk, tmp_path: Path) -> None:
    """What cannot be recorded is not done."""
    folder = backed_up(signed, tmp_path / "safe")
    later = signed.add("later")
    assert signed.run("log", "checkpoint").code == 0
    for key in (signed.home / "keys").glob("*.key"):
        key.unlink()
    signed.types = [f"{WORDS}\n"]
    assert signed.run("restore", str(folder), "--replace").code == 4
    assert signed.check(later).code == 3


def test_what_no_checkpoint_has_seen_is_not_given_up_unseen(signed: Desk, tmp_path: Path) -> None:
    """A human revokes a clearance, and right after that a process without a terminal restores the last backup."""
    folder = backed_up(signed, tmp_path / "safe")
    _reopened(signed)
    assert signed.check(CLEARED).code == 3
    line = ["restore", str(folder), "--replace", "--reason", "The disk died"]
    nobody = signed.run(*line)
    assert (nobody.code, nobody.out) == (2, "")
    assert WORDS in nobody.err
    assert signed.check(CLEARED).code == 3, "nothing was done"
    signed.types = [f"{WORDS}\n"]
    ran = signed.run(*line, "--json")
    assert ran.code == 0, ran.err
    assert ran.data["older"] is True
    assert any("The disk died" in note for note in ran.data["verified"]["notes"])
    assert signed.check(CLEARED).code == 0
    book = (signed.home / "checkpoints" / "checkpoints.jsonl").read_text(encoding="utf-8")
    assert book.count("\n") == 4, "the first one, what was given up, that it was, and how the log goes on"


def test_what_was_never_signed_is_not_given_up_either(desk: Desk, tmp_path: Path) -> None:
    """Without any key there is no record, so it is not done; who makes a key can do it."""
    folder = backed_up(desk, tmp_path / "safe")
    _reopened(desk)
    desk.types = [f"{WORDS}\n"] * 2
    ran = desk.run("restore", str(folder), "--replace")
    assert (ran.code, ran.out) == (4, "")
    assert "older than the store here" in ran.err
    assert "review/r1" in ran.err
    assert desk.check(CLEARED).code == 3
    assert desk.run("log", "checkpoint").code == 0
    assert desk.run("restore", str(folder), "--replace").code == 0
    assert desk.run("log", "verify").code == 0


def test_a_store_that_another_program_has_open_is_not_replaced(signed: Desk, tmp_path: Path) -> None:
    """A program that embeds the gate holds no server's lock; idle as it is, its next write must not be lost."""
    folder = backed_up(signed, tmp_path / "safe")
    script = (
        "import sys; from pathlib import Path; from foureyes.store import sqlite;"
        "one = sqlite.connect_writer(Path(sys.argv[1])); print('open', flush=True); sys.stdin.readline(); one.close()"
    )
    embedding = [sys.executable, "-c", script, str(signed.database)]
    with subprocess.Popen(embedding, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout
        assert other.stdout.readline() == "open\n"
        ran = signed.run("restore", str(folder), "--replace")
        assert (ran.code, ran.out) == (4, "")
        assert "Another program has the store open" in ran.err
        assert [path.name for path in signed.home.glob("foureyes.db.*")] == ["foureyes.db.lock"]
        other.communicate("\n")
    assert signed.run("restore", str(folder), "--replace").code == 0


def test_what_an_embedding_program_writes_after_a_refused_restore_is_there(signed: Desk, tmp_path: Path) -> None:
    folder = backed_up(signed, tmp_path / "safe")

    async def play() -> int:
        async with SqliteStore.open(signed.database) as store:
            ran = await asyncio.to_thread(signed.run, "restore", str(folder), "--replace")
            await signed.house(store).open({"after.py": b"after\n"})
            return ran.code

    assert asyncio.run(play()) == 4
    assert signed.check(work_of({"after.py": b"after\n"}).digest).code == 3


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "other bytes": (lambda folder: (folder / "store.sqlite").write_bytes(b"x"), "store.sqlite was altered"),
    "a flipped bit": (lambda folder: _flip(folder / "store.sqlite"), "store.sqlite was altered"),
    "a link": (lambda folder: _linked(folder / "store.sqlite"), "store.sqlite was altered"),
    "no store": (lambda folder: (folder / "store.sqlite").unlink(), "store.sqlite is missing"),
    "no store in the list": (lambda folder: _manifest(folder, files={}), "store.sqlite is missing"),
    "no list": (lambda folder: (folder / "manifest.json").unlink(), "is no backup"),
    "half a list": (lambda folder: (folder / "manifest.json").write_text("{"), "manifest.json cannot be read"),
    "words for a number": (lambda folder: _manifest(folder, events="many"), "manifest.json cannot be read"),
    "a later format": (lambda folder: _manifest(folder, format=9), "format 9"),
    "a way out": (lambda folder: _manifest(folder, files={"../x": NOTHING}), "manifest.json cannot be read"),
    "a file elsewhere": (lambda folder: _manifest(folder, files={"/etc/passwd": NOTHING}), "cannot be read"),
}


def test_a_restore_that_died_before_it_was_recorded_is_noticed_and_done_again(
    signed: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store is older than the book by now: nothing is signed over that until a person has said so."""
    folder = backed_up(signed, tmp_path / "safe")
    signed.add("later")
    assert signed.run("log", "checkpoint").code == 0
    signed.types = [f"{WORDS}\n"]
    with monkeypatch.context() as patched:
        patched.setattr(restoring, "_record", _died)
        assert signed.run("restore", str(folder), "--replace").code == 130
    for line in (("log", "verify"), ("log", "checkpoint"), ("status",), ("backup",), ("check", CLEARED)):
        ran = signed.run(*line)
        assert ran.code == 2
        assert f"foureyes restore --replace {folder}" in ran.err
    assert signed.check(CLEARED).code == 2
    signed.types = [f"{WORDS}\n"]
    assert signed.run("restore", str(folder), "--replace").code == 0
    assert signed.run("log", "verify").code == 0


@pytest.mark.parametrize("name", DAMAGES)
def test_a_backup_that_is_not_whole_is_refused_before_anything_is_touched(
    signed: Desk, other: Desk, tmp_path: Path, name: str
) -> None:
    folder = backed_up(signed, tmp_path / "safe")
    damage, word = DAMAGES[name]
    damage(folder)
    ran = other.run("restore", str(folder))
    assert ran.code in (2, 64)
    assert word in ran.err
    assert not other.database.exists()


def test_a_backup_of_a_newer_schema_is_refused(signed: Desk, other: Desk, tmp_path: Path) -> None:
    folder = backed_up(signed, tmp_path / "safe")
    _set_schema(folder / "store.sqlite", 99)
    path = folder / "store.sqlite"
    sha = files.sha256_of(str(path))
    _manifest(folder, files={"store.sqlite": {"sha256": sha, "bytes": path.stat().st_size}}, version="9.9")
    ran = other.run("restore", str(folder))
    assert ran.code == 2
    assert "schema 99" in ran.err
    assert "foureyes 9.9 or a newer one" in ran.err
    assert not other.database.exists()


def test_a_store_of_a_newer_schema_is_not_opened(desk: Desk) -> None:
    _set_schema(desk.database, 99)
    lines = (["why", "r1"], ["upgrade"], ["rebuild", "all"], ["status"])
    for ran in (desk.check(CLEARED), *(desk.run(*line) for line in lines)):
        assert (ran.code, ran.out) == (2, "")
        assert "it must know schema 99" in ran.err


def test_a_store_of_this_schema_needs_no_upgrade(desk: Desk) -> None:
    ran = desk.run("upgrade", "--json")
    assert (ran.code, ran.data["backup"]) == (0, None)
    assert not (desk.home / "backups").exists()


def test_triggers_that_were_removed_are_named_and_an_upgrade_puts_them_back(signed: Desk) -> None:
    """T34: what keeps the log append-only is part of the schema; `log verify` sees that it is gone."""
    with closing(sqlite3.connect(signed.database, isolation_level=None)) as database:
        database.execute("DROP TRIGGER log_is_never_shortened")
    ran = signed.run("log", "verify")
    assert ran.code == 2
    assert "trigger log_is_never_shortened: removed or altered" in ran.out
    assert "foureyes upgrade" in ran.out
    ran = signed.run("upgrade", "--json")
    assert (ran.code, ran.data["put_back"], ran.data["verified"]["sound"]) == (0, ["log_is_never_shortened"], True)
    assert signed.run("log", "verify").code == 0
    with closing(sqlite3.connect(signed.database)) as database, pytest.raises(sqlite3.IntegrityError):
        database.execute("DELETE FROM log")


def test_an_upgrade_backs_up_migrates_and_verifies(signed: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read does not change an older store; `upgrade` does, with a backup."""
    _newer_program(monkeypatch)
    ran = signed.run("why", "r1")
    assert ran.code == 2
    assert "foureyes upgrade" in ran.err
    ran = signed.run("upgrade", "--json")
    assert ran.code == 0, ran.err
    assert (ran.data["from"], ran.data["to"]) == (1, 2)
    assert ran.data["verified"]["sound"] is True
    assert signed.run("why", "r1").code == 0
    with closing(sqlite3.connect(Path(ran.data["backup"], "store.sqlite"))) as kept:
        assert kept.execute("SELECT body FROM meta WHERE name = 'schema'").fetchone() == ("1",)


def test_a_backup_of_an_older_schema_is_upgraded_on_its_way_in(
    signed: Desk, other: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = backed_up(signed, tmp_path / "safe")
    _newer_program(monkeypatch)
    ran = other.run("restore", str(folder))
    assert ran.code == 0, ran.err
    assert other.run("why", "r1").code == 0
    assert [path.name for path in other.home.glob("restoring-*")] == []
    assert backups.read(str(folder)).schema == 1, "the backup itself stays as it was"


def test_a_backup_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fill(folder: str) -> backups.Filled:
        Path(folder, "half").write_text("x", encoding="utf-8")
        raise Trouble("The disk is full.", "Free some.")

    with pytest.raises(Trouble):
        backups.make(str(tmp_path / "safe"), NOW, "1", fill)
    assert list((tmp_path / "safe").iterdir()) == []


def test_two_backups_of_one_second_are_two(tmp_path: Path) -> None:
    def fill(folder: str) -> backups.Filled:
        Path(folder, backups.STORE).write_bytes(b"x")
        return backups.Filled(schema=1, events=0, streams=0, cursor=(0, 0), checkpoint="", with_keys=False)

    names = {backups.make(str(tmp_path), NOW, "1", fill)[0] for _ in range(3)}
    assert len(names) == 3
    assert all(backups.read(name).schema == 1 for name in names)


def _reopened(desk: Desk) -> None:
    async def play() -> None:
        async with SqliteStore.open(desk.database) as store:
            command = c.ReopenReview(reason="It is poisoned.", undoes=Outcome.CLEARED)
            await desk.house(store).do(HUGO, command, "review/r1")

    asyncio.run(play())


async def _died(*_: object) -> None:
    raise KeyboardInterrupt


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _linked(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


def _manifest(folder: Path, **changed: object) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changed), encoding="utf-8")


def _set_schema(path: Path, version: int) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        assert database.execute("UPDATE meta SET body = ? WHERE name = 'schema'", (str(version),)).rowcount


def _newer_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that knows one step more, as the next version will."""
    from foureyes.store import migrate, migrations  # noqa: PLC0415 - patched where they are used

    more = migrations.Step(why="a test", sqlite=("CREATE TABLE test_only (x INTEGER) STRICT",), postgres=())
    steps = (*migrations.STEPS, more)
    monkeypatch.setattr(migrations, "STEPS", steps)
    assert migrate.migrate.__kwdefaults__
    for function in (migrate.migrate, migrate.check_schema):
        defaults = function.__kwdefaults__ or {}
        if "steps" in defaults:
            monkeypatch.setitem(defaults, "steps", steps)
        else:
            monkeypatch.setattr(function, "__defaults__", (steps,))
