"""Several processes write to one review: nothing is lost, versions have no gap, a kill leaves no half command."""

import asyncio
import itertools
import subprocess
import sys
from collections.abc import Iterator

import psycopg
import pytest

from foureyes.store.postgres import PostgresStore
from tests.conftest import EFFORT
from tests.postgres.commands import faults_in
from tests.postgres.server import Server
from tests.shape import ROOT

COMMANDS = {"test": 400, "all": 4000}[EFFORT]
KILLED = {"test": 5, "all": 25}[EFFORT]
#: More than a process gets done before it is killed.
ENDLESS = 1_000_000
UNDER_WAY = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'foureyes'"


@pytest.fixture
def url(postgres: Server) -> Iterator[str]:
    with postgres.fresh() as url:
        yield url


def test_two_processes_on_one_review_lose_nothing_and_leave_no_gap(url: str) -> None:
    racers = [_racer(url, name, COMMANDS // 2) for name in ("one", "two")]
    answers: dict[str, str] = {}
    for racer in racers:
        said, _ = racer.communicate()
        assert racer.returncode == 0
        answers |= dict(_told(said.splitlines()))
    assert len(answers) == COMMANDS
    assert len(set(answers.values())) == COMMANDS
    assert _faults(url, answers) == []


def test_a_killed_process_leaves_whole_commands_only(url: str) -> None:
    """What it had printed is there; the one it was at is there wholly, or not at all."""
    answers: dict[str, str] = {}
    for number in range(KILLED):
        racer = _racer(url, f"killed-{number}", ENDLESS)
        assert racer.stdout is not None
        lines = list(itertools.islice(racer.stdout, 10 + number))
        racer.kill()
        said, _ = racer.communicate()
        answers |= dict(_told([*lines, *said.splitlines()]))
    _until_quiet(url)
    found = _faults(url, answers)
    untold = [fault for fault in found if fault.endswith("nobody was told")]
    assert found == untold
    assert len(untold) <= 2 * KILLED


def _racer(url: str, name: str, commands: int) -> subprocess.Popen[str]:
    arguments = [sys.executable, "-m", "tests.postgres.racer", url, name, str(commands)]
    return subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _told(lines: list[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        key, _, reply = line.strip().partition(" ")
        # The kill may have cut the last line; then it acknowledged nothing.
        if reply.endswith("}"):
            yield key, reply


def _until_quiet(url: str) -> None:
    """Wait for backends whose caller is gone, which still finish their statement."""
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute(UNDER_WAY).fetchone() != (0,):
            pass


def _faults(url: str, answers: dict[str, str]) -> list[str]:
    async def look() -> list[str]:
        async with PostgresStore.open(url, durable=False) as store:
            return await store.read(lambda look: faults_in(look, answers))

    return asyncio.run(look())
