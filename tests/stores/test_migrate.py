"""A store of an older version is upgraded to this version with its data, completely or not at all."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from foureyes.app.ports import Unavailable
from foureyes.store import sqlite_store
from foureyes.store.migrate import migrate
from foureyes.store.migrations import STEPS, Step
from foureyes.store.sqlite import SqliteStore, connect_reader, reading, snapshot
from foureyes.store.versions import version_of
from tests.stores.making import bodies, everything, grow, look

#: A migration as a later version might have it: a column with a default, a rebuilt table, an index.
LATER = Step(
    why="to see whether upgrades work",
    sqlite=(
        "ALTER TABLE reviews ADD COLUMN note TEXT NOT NULL DEFAULT ''",
        "UPDATE reviews SET note = title",
        "CREATE TABLE cursors_2 (projection TEXT NOT NULL PRIMARY KEY, tx INTEGER NOT NULL, seq INTEGER NOT NULL)",
        "INSERT INTO cursors_2 SELECT projection, tx, seq FROM cursors",
        "DROP TABLE cursors",
        "ALTER TABLE cursors_2 RENAME TO cursors",
        "CREATE INDEX reviews_note ON reviews (note)",
    ),
    postgres=(),
)
NEXT = (*STEPS, LATER)


def filled(path: Path) -> tuple[object, ...]:
    async def story() -> tuple[object, ...]:
        async with SqliteStore.open(path) as store:
            for number in range(3):
                await store.write(lambda tx, number=number: tx.apply(everything(number)))  # type: ignore[misc]
            await store.write(lambda tx: tx.follow("metrics", {"a": "1"}, (0, 5)))
            return await store.read(lambda reading: look(reading, 1))

    return asyncio.run(story())


def version(path: Path) -> int:
    with closing(connect_reader(path)) as connection:
        return version_of(connection)


def schema(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT name, sql FROM sqlite_schema ORDER BY name").fetchall()


def test_a_new_store_has_this_version(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    assert migrate(path) is None
    assert version(path) == len(STEPS)
    assert migrate(path) is None


def test_an_older_store_is_upgraded_with_its_data_after_a_backup(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    before = filled(path)
    kept = migrate(path, steps=NEXT)
    assert kept is not None
    assert (version(kept), version(path)) == (len(STEPS), len(NEXT))
    with closing(connect_reader(path)) as connection, snapshot(connection) as now, reading(kept) as then:
        assert look(now, 1) == look(then, 1) == before
        assert now.cursor("metrics") == (0, 5)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT DISTINCT note FROM reviews").fetchall() == [("A title",)]


def test_an_upgraded_store_is_like_a_new_one(tmp_path: Path) -> None:
    filled(tmp_path / "old.db")
    migrate(tmp_path / "old.db", steps=NEXT)
    migrate(tmp_path / "new.db", steps=NEXT)
    assert schema(tmp_path / "old.db") == schema(tmp_path / "new.db")


def test_a_newer_store_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    filled(path)
    migrate(path, steps=NEXT)
    before = path.read_bytes()
    with pytest.raises(Unavailable, match=f"has version {len(NEXT)}, this program knows {len(STEPS)}"):
        SqliteStore.open(path)
    with pytest.raises(Unavailable, match="Use the program that wrote it"), reading(path):
        pass
    assert path.read_bytes() == before


def test_a_file_without_a_store_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "store.db").touch()
    with pytest.raises(Unavailable, match="no store in this file"), reading(tmp_path / "store.db"):
        pass


def test_a_step_that_fails_leaves_the_old_store(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    filled(path)
    before = schema(path)
    broken = Step(why="to fail", sqlite=(*LATER.sqlite, "INSERT INTO no_table VALUES (1)"), postgres=())
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        migrate(path, steps=(*STEPS, broken))
    assert (version(path), schema(path)) == (len(STEPS), before)
    assert migrate(path, steps=NEXT) is not None


#: A child that dies at a statement of the step, like a killed process.
CHILD = """
import os, signal, sqlite3, sys
from pathlib import Path
from foureyes.store import sqlite
from foureyes.store import sqlite_store
from foureyes.store.migrate import migrate
from foureyes.store.migrations import STEPS, Step
from tests.stores.test_migrate import LATER

class Deadly(sqlite3.Connection):
    left = int(sys.argv[2])

    def execute(self, sql, *values):
        if sql in LATER.sqlite or sql == "COMMIT":
            if Deadly.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            Deadly.left -= 1
        return super().execute(sql, *values)

connect = sqlite3.connect
sqlite3.connect = lambda *some, **named: connect(*some, **named, factory=Deadly)
migrate(Path(sys.argv[1]), steps=(*STEPS, LATER))
"""


@pytest.mark.parametrize("statement", range(len(LATER.sqlite) + 1))
def test_an_upgrade_killed_half_way_leaves_the_old_store(tmp_path: Path, statement: int) -> None:
    """At the last one the child dies right before the commit."""
    path = tmp_path / "store.db"
    wanted = filled(path)
    before = schema(path)
    done = subprocess.run([sys.executable, "-c", CHILD, str(path), str(statement)], check=False, timeout=50)
    assert done.returncode == -9
    assert (version(path), schema(path)) == (len(STEPS), before)
    assert migrate(path, steps=NEXT) is not None
    with closing(connect_reader(path)) as connection, snapshot(connection) as now:
        assert look(now, 1) == wanted


def test_several_who_upgrade_at_once_do_it_once(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    filled(path)
    with ThreadPoolExecutor(max_workers=6) as pool:
        kept = list(pool.map(lambda _: migrate(path, steps=NEXT), range(6)))
    assert len([one for one in kept if one]) == 1
    assert version(path) == len(NEXT)


def test_an_older_store_is_opened_after_an_upgrade_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening does it: the program that opens knows what it needs."""
    path = tmp_path / "store.db"
    filled(path)
    monkeypatch.setattr(sqlite_store, "migrate", partial(migrate, steps=NEXT))

    async def story() -> list[str]:
        async with SqliteStore.open(path) as store:
            await store.write(partial(grow, stream="review/review-1", body='"new"'))
            return bodies(tuple(await store.read(lambda reading: reading.events("review/review-1"))))

    assert asyncio.run(story())[-1] == '"new"'
    assert version(path) == len(NEXT)
