"""U-18: one server per database, whatever its data folder, and none after an interrupted restore."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import FOUREYES, Running
from tests.doors_used import COMMAND, RECORD
from tests.use.clearing import cleared
from tests.use.served import Served, served

pytestmark = pytest.mark.door("http", "command", policy="peer")

NO = 2


def _second(house: Served, folder: Path, database: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command with a data folder of its own, on this database."""
    environment = {**house.server.environment, "FOUREYES_HOME": str(folder), "FOUREYES_DATABASE": str(database)}
    RECORD.note(COMMAND, house.server.policy)
    line = [FOUREYES, *(words or ("up", "--port", "0", "--json"))]
    try:
        return subprocess.run(line, env=environment, capture_output=True, text=True, check=False, timeout=20)
    except subprocess.TimeoutExpired as error:
        pytest.fail(f"a second server is at work on the same database: {error.stdout!r}")


@pytest.mark.door("command", policy="peer")
def test_a_second_server_on_the_same_database_does_not_start(tmp_path: Path) -> None:
    """U-18: neither by the path of the file nor by a link to it or to its folder."""
    with served(tmp_path, "peer") as house:
        database = house.home / "foureyes.db"
        link, folder = tmp_path / "link.db", tmp_path / "linked"
        link.symlink_to(database)
        folder.symlink_to(house.home)
        for number, name in enumerate((database, link, folder / "foureyes.db")):
            done = _second(house, tmp_path / f"other{number}", name)
            assert done.returncode == NO, done.stdout
            assert house.server.begun["address"] in done.stdout + done.stderr, "it says who is at work"
            assert "--database" in done.stdout + done.stderr, "and what to do"
        done = _second(house, tmp_path / "restorer", database, "rebuild", "all")
        assert done.returncode == NO, "whatever changes things waits for the server to end"
        assert house.server.end() == 0
        assert _second(house, tmp_path / "restorer", database, "rebuild", "all").returncode == 0


def test_a_server_says_how_to_go_on_with_a_restore_that_was_cut_off(tmp_path: Path) -> None:
    """U-18: killed behind the exchange of the stores, before it is recorded; going on works."""
    with served(tmp_path, "peer") as house:
        work = cleared(house, house.account("dev", "core_developer"))
        copied = house.run("backup", str(tmp_path / "safe"), "--json")
        backup = json.loads(copied.stdout)["folder"]
        assert house.server.end() == 0
        log = str(tmp_path / "calls")
        # The note is removed last: a process that dies there has done all the rest.
        dies = ["strace", "-f", "-qq", "-o", log, "-e", "trace=unlink", "-e", "inject=unlink:signal=SIGKILL:when=1"]
        killed = subprocess.run(
            [*dies, "-P", f"{house.home}/foureyes.db.restore.json", FOUREYES, "restore", "--replace", backup],
            env=house.server.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert killed.returncode != 0, killed.stdout
        for words in (("up", "--port", "0", "--json"), ("check", work.digest), ("status",)):
            done = house.run(*words)
            assert done.returncode == NO, done.stdout
            assert f"foureyes restore --replace {backup}" in done.stdout + done.stderr
        assert house.run("restore", "--replace", backup).returncode == 0
        assert house.run("check", work.digest).returncode == 0
        again = Running(house.server.folder)
        again.environment = house.server.environment
        with again:
            assert again.run("status").returncode == 0
