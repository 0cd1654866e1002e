"""`foureyes worker` where it cannot work: without a database that is shared, and without what it is built on."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from foureyes.app.workers import Offer
from foureyes.core.values import Who
from foureyes.engine.workers import Workers
from tests.cli.desk import Desk


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
    assert "pip install 'foureyes[cluster]'" in ran.err


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
    assert desk.run("status", "--json").data["workers"] == [{"worker": "one", "reviewers": ["codex"]}]
    assert "one: codex" in desk.run("status").out
