"""One SQLite file serves several programs, is fast to read, can be copied while written, and is clean after a purge."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from foureyes.app.ports import Unavailable
from foureyes.app.rows import Changes
from foureyes.store.sqlite import SqliteStore, reading
from foureyes.store.sqlite_backup import backup, restore
from tests.conftest import EFFORT
from tests.stores.making import A, append, bodies, grow

PROCESSES = 8
EACH = {"test": 25, "all": 250}[EFFORT]
#: Time limit for eight programs on one disk of a shared machine.
SECONDS_MAX = {"test": 100, "all": 500}[EFFORT]

CHILD = """
import asyncio, sys
from functools import partial
from foureyes.store.sqlite import SqliteStore
from tests.stores.making import grow

async def story(path, number, each):
    async with SqliteStore.open(path) as store:
        for turn in range(each // 5):
            works = [partial(grow, stream="review/1", body=f'"{number}.{turn}.{n}"') for n in range(5)]
            await asyncio.gather(*map(store.write, works))

asyncio.run(story(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
"""


def fill(path: Path, events: int, body: str = "{}") -> None:
    async def story() -> None:
        async with SqliteStore.open(path) as store:
            for _ in range(events):
                await store.write(partial(grow, stream="review/1", body=body))

    asyncio.run(story())


@pytest.mark.timeout(SECONDS_MAX + 20)
def test_eight_programs_on_one_file_lose_nothing(tmp_path: Path) -> None:
    """They even begin at the same moment, when there is no file yet."""
    path = tmp_path / "data" / "store.db"
    children = [
        subprocess.Popen([sys.executable, "-c", CHILD, str(path), str(number), str(EACH)], stderr=subprocess.PIPE)
        for number in range(PROCESSES)
    ]
    ended = [(child.communicate(timeout=SECONDS_MAX)[1].decode(), child.returncode) for child in children]
    assert ended == [("", 0)] * PROCESSES
    with reading(path) as look:
        events = look.events("review/1")
    assert [one.version for one in events] == [one.seq for one in events] == list(range(1, PROCESSES * EACH + 1))
    assert len(set(bodies(events))) == PROCESSES * EACH


def test_a_look_at_the_file_needs_no_event_loop_and_not_the_core() -> None:
    """`check` begins with it, and a shell waits for `check`."""
    code = "import sys, foureyes.store.sqlite; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "foureyes.store.sqlite" in loaded
    assert not {"asyncio", "concurrent.futures", "logging", "foureyes.core", "foureyes.codec", "psycopg"} & loaded


def test_a_look_sees_one_moment(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    fill(path, 2)
    with reading(path) as look:
        assert look.known("review/1", "", "").version == 2
        fill(path, 1)
        assert len(look.events("review/1")) == 2
    with reading(path) as look:
        assert len(look.events("review/1")) == 3


def holds(path: Path, secret: bytes) -> bool:
    return any(secret in one.read_bytes() for one in path.parent.iterdir())


@pytest.mark.parametrize("size", [300, 3_000, 300_000])
def test_purged_bytes_are_in_no_file_any_more(tmp_path: Path, size: int) -> None:
    path, secret = tmp_path / "store.db", os.urandom(size)

    async def story() -> None:
        async with SqliteStore.open(path) as store:
            await store.write(lambda tx: tx.apply(Changes(blobs={A: secret, "b" * 64: os.urandom(5_000)})))
            assert (await store.read(lambda look: look.blob(A))) is not None
            assert holds(path, secret[:200])
            assert await store.write(lambda tx: tx.purge(A, "a token was in it"))
            for part in range(0, size - 100, 100):
                assert not holds(path, secret[part : part + 100])

    asyncio.run(story())
    assert not holds(path, secret[:100])


def test_purged_bytes_go_once_nobody_looks_at_them(tmp_path: Path) -> None:
    """A reader on an older moment keeps the journal; the next commit after it tries again."""
    path, secret = tmp_path / "store.db", os.urandom(3_000)

    async def story() -> None:
        async with SqliteStore.open(path) as store:
            await store.write(lambda tx: tx.apply(Changes(blobs={A: secret})))
            with reading(path) as look:
                assert look.blob(A) is not None
                await store.write(lambda tx: tx.purge(A, "a token was in it"))
                assert holds(path, secret[:200])
            await store.write(partial(grow, stream="review/1"))
            assert not holds(path, secret[:200])

    asyncio.run(story())


def test_a_backup_made_while_others_write_is_one_moment_of_the_store(tmp_path: Path) -> None:
    path, copy = tmp_path / "store.db", tmp_path / "copy.db"
    fill(path, 50, '"' + "x" * 20_000 + '"')
    told: list[tuple[int, int]] = []

    async def story() -> int:
        async with SqliteStore.open(path) as store:
            during = 0
            copying = asyncio.create_task(asyncio.to_thread(backup, path, copy, lambda *one: told.append(one)))
            while not copying.done():
                both = (append(f"review/a{during}", 0, "{}"), append(f"review/b{during}", 0, "{}"))
                await store.write(lambda tx, both=both: tx.apply(Changes(appends=both)))  # type: ignore[misc]
                during += 1
            await copying
            return during

    during = asyncio.run(story())
    assert during > 0
    assert told[-1][1] == 0
    assert copy.stat().st_mode & 0o777 == 0o600
    assert sorted(one.name for one in tmp_path.iterdir() if one.name.startswith("copy")) == ["copy.db"]
    with reading(copy) as look:
        heads = [one.stream for one in look.heads(limit=100_000)]
        assert len(look.events("review/1")) == 50
        assert heads.count("review/1") == 1
        assert len([one for one in heads if "/a" in one]) == len([one for one in heads if "/b" in one])


def test_a_backup_takes_nothings_place_and_leaves_nothing_half_done(tmp_path: Path) -> None:
    path, copy = tmp_path / "store.db", tmp_path / "copy.db"
    fill(path, 1)
    copy.write_text("mine", encoding="utf-8")
    with pytest.raises(Unavailable, match="there already"):
        backup(path, copy)
    assert copy.read_text(encoding="utf-8") == "mine"
    with pytest.raises(Unavailable):
        backup(tmp_path / "nothing.db", tmp_path / "other.db")
    assert sorted(one.name for one in tmp_path.iterdir() if "copy" in one.name or "other" in one.name) == ["copy.db"]


def test_a_restored_backup_takes_the_stores_place_and_the_store_is_kept(tmp_path: Path) -> None:
    path, copy = tmp_path / "store.db", tmp_path / "copy.db"
    fill(path, 2)
    backup(path, copy)
    fill(path, 3)
    kept = restore(copy, path)
    assert kept is not None
    with reading(path) as look, reading(kept) as before:
        assert (len(look.events("review/1")), len(before.events("review/1"))) == (2, 5)
    fill(path, 1)
    with reading(path) as look:
        assert len(look.events("review/1")) == 3
    assert restore(copy, tmp_path / "new" / "store.db") is None
    with reading(tmp_path / "new" / "store.db") as look:
        assert len(look.events("review/1")) == 2


def test_a_store_that_is_open_elsewhere_is_not_replaced(tmp_path: Path) -> None:
    path, copy = tmp_path / "store.db", tmp_path / "copy.db"
    fill(path, 2)
    backup(path, copy)
    fill(path, 1)
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM log").fetchall()
        fill(path, 1)
        with pytest.raises(Unavailable, match="has the store open"):
            restore(copy, path)
        other.execute("ROLLBACK")
    with reading(path) as look:
        assert len(look.events("review/1")) == 4


def test_a_damaged_backup_is_not_restored(tmp_path: Path) -> None:
    path, copy = tmp_path / "store.db", tmp_path / "copy.db"
    fill(path, 30, '"' + "x" * 20_000 + '"')
    backup(path, copy)
    with copy.open("r+b") as file:
        file.seek(30 * 4096)
        file.write(b"\xff" * 4096 * 10)
    with pytest.raises(Unavailable, match="damaged"):
        restore(copy, path)
    with reading(path) as look:
        assert len(look.events("review/1")) == 30
