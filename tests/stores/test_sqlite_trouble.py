"""When the disk fails nothing is acknowledged, nothing acknowledged is lost, and work continues later."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from foureyes.app.ports import Unavailable
from foureyes.app.rows import Changes
from foureyes.store import sqlite
from foureyes.store.sqlite import SqliteStore, reading
from tests.stores.making import append, grow

BIG = '"' + "x" * 20_000 + '"'


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(tmp_path / "data" / "store.db", lock_seconds_max=0.05)
    yield opened
    asyncio.run(opened.close())


def write(store: SqliteStore, body: str = "{}") -> int:
    return asyncio.run(store.write(partial(grow, stream="review/1", body=body)))


def count(store: SqliteStore) -> int:
    return asyncio.run(store.read(lambda look: look.known("review/1", "", ""))).version


def test_a_full_disk_is_said_to_be_full_and_work_goes_on_once_there_is_room(store: SqliteStore) -> None:
    write(store)
    connection = store._writer._connection
    assert connection is not None
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(Unavailable, match="full") as caught:
        write(store, BIG)
    assert caught.value.full
    assert count(store) == 1
    connection.execute("PRAGMA max_page_count = 1000000")
    assert write(store, BIG) == 2
    assert store._writer._connection is connection


#: A child whose files may not grow: SQLite then reports "disk I/O error" in the middle of a commit.
CHILD = """
import asyncio, resource, signal, sys
from functools import partial
from pathlib import Path
from foureyes.app.ports import Unavailable
from foureyes.store.sqlite import SqliteStore
from tests.stores.making import grow

BIG = '"' + "x" * 20_000 + '"'

async def story(path):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = SqliteStore.open(path)
    acknowledged, failures = 0, []
    work = partial(grow, stream="review/1", body=BIG)
    for _ in range(3):
        acknowledged = await store.write(work)
    first = store._writer._connection
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
    while len(failures) < 5:
        results = await asyncio.gather(*(store.write(work) for _ in range(2)), return_exceptions=True)
        done = [one for one in results if isinstance(one, int)]
        failures += [one for one in results if not isinstance(one, int)]
        acknowledged = max([acknowledged, *done])
        read = (await store.read(lambda look: look.known("review/1", "", ""))).version
        assert read == acknowledged, (read, acknowledged)
    assert all(isinstance(one, Unavailable) for one in failures), failures
    assert any(one.unknown for one in failures), failures
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert await store.write(work) == acknowledged + 1
    assert store._writer._connection is not first
    await store.close()
    print(acknowledged + 1)

asyncio.run(story(Path(sys.argv[1])))
"""


def test_after_an_input_output_error_the_file_is_opened_and_checked_anew(tmp_path: Path) -> None:
    """Commands that met it are not acknowledged, reads go on, and the store recovers in the same process."""
    path = tmp_path / "store.db"
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, check=False, timeout=50
    )
    assert done.returncode == 0, done.stderr
    with reading(path) as look:
        assert look.known("review/1", "", "").version == int(done.stdout) == len(look.events("review/1"))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def lose_connection(store: SqliteStore) -> None:
    connection = store._writer._connection
    assert connection is not None
    connection.close()
    store._writer._connection = None


def test_nothing_is_written_when_what_was_acknowledged_is_missing(store: SqliteStore) -> None:
    write(store)
    lose_connection(store)
    last = store._writer._last
    store._writer._last = (2, b"an event that was acknowledged")
    for _ in range(2):
        with pytest.raises(Unavailable, match="missing"):
            write(store)
    assert count(store) == 1
    store._writer._last = last
    assert write(store) == 2


def test_nothing_is_written_into_a_damaged_file(store: SqliteStore) -> None:
    for _ in range(60):
        write(store, BIG)
    asyncio.run(store.write(lambda _: None))
    connection = store._writer._connection
    assert connection is not None
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    lose_connection(store)
    with store.path.open("r+b") as file:
        file.seek(40 * 4096)
        file.write(b"\xff" * 4096 * 20)
    with pytest.raises(Unavailable, match="damaged"):
        write(store)
    with pytest.raises(Unavailable, match="damaged"):
        SqliteStore.open(store.path, check=True)


def test_whoever_waits_too_long_for_another_program_is_told_and_may_ask_again(store: SqliteStore) -> None:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="Other programs") as caught:
            write(store)
        assert not caught.value.unknown
        assert count(store) == 0
        other.execute("ROLLBACK")
    assert write(store) == 1


def test_a_reader_never_waits_for_a_writer_and_cannot_write(store: SqliteStore) -> None:
    write(store)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM reviews")
        with reading(store.path) as look:
            assert look.known("review/1", "", "").version == 1
    with (
        closing(sqlite.connect_reader(store.path)) as reader,
        pytest.raises(sqlite3.OperationalError, match="readonly"),
    ):
        reader.execute("DELETE FROM reviews")


def test_a_folder_that_may_not_be_written_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    with pytest.raises(Unavailable, match="cannot be opened"):
        SqliteStore.open(tmp_path / "file" / "store.db")
    with pytest.raises(Unavailable, match="cannot be opened"), reading(tmp_path / "nothing.db"):
        pass


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ann, " * 1000, encoding="utf-8")
    with pytest.raises(Unavailable, match="damaged"):
        SqliteStore.open(path)
    assert path.read_text(encoding="utf-8") == "Dear Ann, " * 1000


def test_a_wrong_durability_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if SQLite had answered with another synchronous mode than ours."""
    monkeypatch.setattr(sqlite, "_SYNC_FULL", 3)
    with pytest.raises(Unavailable, match="did not take our settings"):
        SqliteStore.open(tmp_path / "store.db")


def test_files_are_for_nobody_elses_eyes(store: SqliteStore) -> None:
    write(store)
    assert store.path.parent.stat().st_mode & 0o777 == 0o700
    files = sorted(store.path.parent.iterdir())
    assert [one.name for one in files] == ["store.db", "store.db-shm", "store.db-wal"]
    assert {one.stat().st_mode & 0o777 for one in files} == {0o600}


def test_a_row_is_not_replaced_in_the_log_either(store: SqliteStore) -> None:
    """INSERT OR REPLACE deletes without asking the trigger for deletions."""
    asyncio.run(store.write(lambda tx: tx.apply(Changes(appends=(append("review/1", 0, "{}", "{}"),)))))
    for seq, version in ((1, 9), (9, 1)):
        with (
            closing(sqlite3.connect(store.path, isolation_level=None)) as other,
            pytest.raises(sqlite3.IntegrityError, match="append-only"),
        ):
            other.execute(
                "INSERT OR REPLACE INTO log "
                "SELECT ?, stream, ?, type, schema, at, actor, cause, 'x', chain FROM log LIMIT 1",
                (seq, version),
            )
    assert count(store) == 2
