"""`foureyes worker` where it cannot work: without a shared database, and without its dependencies."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from foureyes.app.workers import Offer
from foureyes.bootstrap.fitness import check_fit
from foureyes.core.values import Who
from foureyes.engine.workers import Workers
from foureyes.home.trouble import Trouble
from tests.cli.desk import Desk
from tests.postgres.server import Server


def test_a_worker_needs_a_database_that_is_shared(tmp_path: Path) -> None:
    ran = Desk(home=tmp_path / "home").run("worker")
    assert ran.code == 64
    assert "A worker shares a PostgreSQL database with servers" in ran.err
    assert "foureyes up" in ran.err
    assert not (tmp_path / "home").exists(), "nothing was made"


def test_a_worker_without_its_packages_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("foureyes.bootstrap.working", "foureyes.engine.durable", "foureyes.engine.tables"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "dbos", None)
    ran = Desk(home=tmp_path / "home").run("worker", "--database", "postgresql://nobody@127.0.0.1:9/none")
    assert ran.code == 4
    assert "pip install '.[cluster]'" in " ".join(ran.err.split())


def test_a_worker_without_its_database_says_so(tmp_path: Path) -> None:
    ran = Desk(home=tmp_path / "home").run("worker", "--database", "postgresql://nobody@127.0.0.1:9/none")
    assert ran.code == 4
    assert "Check the URL and the server." in ran.err


def test_a_server_does_not_load_what_workers_are_built_on() -> None:
    without = "import sys; sys.modules['dbos'] = sys.modules['sqlalchemy'] = None"
    loads = f"{without}; import foureyes.bootstrap.serving"
    assert subprocess.run([sys.executable, "-c", loads], check=False).returncode == 0


def test_status_names_the_workers_that_live_and_whom_they_host(tmp_path: Path) -> None:
    desk = Desk(home=tmp_path / "home")
    desk.home.mkdir(mode=0o700)

    async def signs() -> None:
        async with desk.assembly().new_store() as store:
            now = datetime.now(UTC)
            codex = Offer(who=Who(name="codex"), roles=("agent",))
            for name, at in (("one", now), ("dead", now - timedelta(minutes=1))):
                await Workers(store, lambda at=at: at, name).sign((codex,))  # type: ignore[misc] # the moment of its sign

    asyncio.run(signs())
    assert desk.run("status", "--json").data["workers"] == [
        {"worker": "one", "reviewers": ["codex"], "runs": 0, "queued": 0}
    ]
    assert "one: codex" in desk.run("status").out


def test_a_worker_on_a_home_without_keys_is_fit_and_one_on_an_unguarded_log_is_not(desk: Desk) -> None:
    """It signs nothing and listens nowhere, but works on no store that a server would not serve from."""
    assembly = desk.assembly()

    async def look() -> None:
        async with assembly.new_store() as store:
            await check_fit(assembly, store, "worker")

    asyncio.run(look())
    with closing(sqlite3.connect(desk.database)) as database:
        database.execute("DROP TRIGGER log_is_never_changed")
    with pytest.raises(Trouble) as caught:
        asyncio.run(look())
    assert caught.value.sentence.startswith("The worker does not start. guards: log_is_never_changed")


def test_a_worker_does_not_begin_on_a_database_that_lost_its_guards(tmp_path: Path, durable_postgres: Server) -> None:
    """Refused before it takes a run, or makes a table of its own."""
    desk = Desk(home=tmp_path / "home")
    with durable_postgres.fresh() as url:

        async def make() -> None:
            async with desk.assembly({"database": url}).new_store():
                pass

        asyncio.run(make())
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("DROP TRIGGER streams_only_grow ON streams")
            ran = desk.run("worker", "--database", url)
            assert ran.code == 2
            assert "The worker does not start. guards: streams_only_grow" in ran.err
            found = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'dbos'").fetchone()
            assert found is None, "it made its tables all the same"
