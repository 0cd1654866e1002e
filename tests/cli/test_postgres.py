"""The same commands on PostgreSQL; a backup of one database is a store of the other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from foureyes.store.postgres import PostgresStore
from tests.app.house import FIRST, SECOND, House
from tests.cli.desk import CLEARED, PENDING, Desk
from tests.postgres.server import Server


@pytest.fixture
def shared(durable_postgres: Server, tmp_path: Path) -> Iterator[Desk]:
    """A desk whose store is in PostgreSQL: a cleared and a pending review."""
    with durable_postgres.fresh() as url:

        async def play() -> None:
            async with PostgresStore.open(url) as store:
                house = House(store=store)
                await house.cleared(FIRST)
                await house.open(SECOND)

        asyncio.run(play())
        home = tmp_path / "home"
        home.mkdir(mode=0o700)
        yield Desk(home=home, environment={"FOUREYES_DATABASE": url})


def test_every_reading_command_works_on_postgresql(shared: Desk) -> None:
    assert shared.run("check", CLEARED).code == 0
    assert shared.run("check", PENDING).code == 3
    assert shared.run("why", "r2").code == 3
    assert shared.run("status", "--json").data["open"] == 1
    assert shared.run("log", "checkpoint").code == 0
    assert shared.run("log", "verify", "--deep").code == 0
    assert shared.run("receipt", CLEARED).code == 0


def test_every_changing_command_works_on_postgresql(shared: Desk) -> None:
    shared.types = []
    assert shared.run("policy", "activate", "team", "--yes").code == 0
    assert shared.run("rebuild", "all").code == 0
    assert shared.run("upgrade").code == 0
    assert shared.run("log", "checkpoint").code == 0
    assert shared.run("log", "verify").code == 0


def test_a_backup_of_postgresql_is_restored_into_sqlite(shared: Desk, tmp_path: Path) -> None:
    assert shared.run("log", "checkpoint").code == 0
    without = shared.run("backup", str(tmp_path / "safe"), "--json").data["folder"]
    folder = shared.run("backup", str(tmp_path / "safe"), "--with-keys", "--json").data["folder"]
    alone = Desk(home=tmp_path / "alone")
    ran = alone.run("restore", without)
    assert ran.code == 4, "the events get other numbers, and without a key that cannot be recorded"
    ran = alone.run("restore", folder)
    assert ran.code == 0, ran.err + ran.out
    assert alone.check(CLEARED).code == 0
    assert alone.check(PENDING).code == 3


def test_a_backup_of_sqlite_is_restored_into_an_empty_postgresql(
    desk: Desk, durable_postgres: Server, tmp_path: Path
) -> None:
    assert desk.run("log", "checkpoint").code == 0
    folder = desk.run("backup", str(tmp_path / "safe"), "--with-keys", "--json").data["folder"]
    with durable_postgres.fresh() as url:
        there = Desk(home=tmp_path / "there", environment={"FOUREYES_DATABASE": url})
        ran = there.run("restore", folder)
        assert ran.code == 0, ran.err + ran.out
        assert there.run("check", CLEARED).code == 0
        again = there.run("restore", folder, "--replace")
        assert again.code == 2
        assert "Create an empty database" in again.err


def test_a_server_that_is_not_there_is_inconclusive_and_keeps_its_password(empty: Desk, tmp_path: Path) -> None:
    empty.environment["FOUREYES_DATABASE"] = f"postgresql://me:secret@/db?host={tmp_path}"
    ran = empty.run("check", CLEARED)
    assert (ran.code, ran.out) == (4, "")
    assert "Check the URL and the server" in ran.err
    assert "secret" not in ran.err
