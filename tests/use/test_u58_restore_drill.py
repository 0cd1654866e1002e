"""U-58: the restore drill of docs/howto/back-up-and-restore.md, typed as printed beside a running server."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.test_server_guide import after
from tests.doors_used import note_typed
from tests.postgres.server import Server
from tests.shape import ROOT
from tests.use.served import Served, served

PAGE = (ROOT / "docs" / "howto" / "back-up-and-restore.md").read_text(encoding="utf-8")
(DRILL,) = re.findall(r"```sh\n(.*?)```", after(PAGE, "Try it"), re.DOTALL)
TRIAL = re.findall(r"^rm -r (\S+)$", DRILL, re.MULTILINE)[0]
SECRET = "The word of the day is heliotrope.\n"


@pytest.fixture(params=["sqlite", "postgres", "postgres in config.toml"])
def at_work(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Served]]:
    """A server at work with a review of a file, on each kind of database and however that is named."""
    with ExitStack() as stack:
        environment = {}
        if request.param != "sqlite":
            server: Server = request.getfixturevalue("durable_postgres")
            url = stack.enter_context(server.fresh())
            if request.param == "postgres":
                environment["FOUREYES_DATABASE"] = url
            else:
                data = tmp_path / "home/.local/share/foureyes"
                data.mkdir(parents=True)
                data.chmod(0o700)
                (data / "config.toml").write_text(f'database = "{url}"\n', encoding="utf-8")
        up = stack.enter_context(served(tmp_path, "solo", **environment))
        dev = up.account("dev")
        files = [{"path": "notes.md", "text": SECRET}]
        assert dev.call("open_review", kind="script", title="Words", files=files).is_ok
        yield request.param, up


def typed(up: Served, commands: str, trial: Path, backup: Path) -> subprocess.CompletedProcess[str]:
    """The commands of the page, with the paths of this test."""
    said = commands.replace(TRIAL, str(trial)).replace("~", str(up.server.folder))
    said = re.sub(r"/mnt/safe/foureyes-backup-\w+", str(backup), said)
    note_typed(said, up.server.environment, up.server.policy)
    return subprocess.run(
        ["sh", "-eu", "-c", said],
        env=up.server.environment,
        cwd=up.server.folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


@pytest.mark.timeout(180)
@pytest.mark.door("http", "command", policy="solo")
def test_the_drill_works_as_the_page_says(at_work: tuple[str, Served], tmp_path: Path) -> None:
    """U-58: beside the server, on PostgreSQL and SQLite; the server's own database is left alone."""
    kind, up = at_work
    made = up.run("backup", str(tmp_path / "safe"))
    assert made.returncode == 0, made.stderr
    (backup,) = (tmp_path / "safe").iterdir()
    trial = tmp_path / "trial"
    *preparing, restoring, verifying, removing = DRILL.strip().splitlines()
    ran = typed(up, "\n".join((*preparing, restoring)), trial, backup)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.startswith("Restored "), ran.stdout
    assert "CAME BACK" not in ran.stdout
    assert ("names another database and was not put back" in ran.stdout) is (kind == "postgres in config.toml")
    assert not (trial / "config.toml").exists()
    verified = typed(up, verifying, trial, backup)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    events = re.search(r"Restored (\d+) events", ran.stdout)
    assert events
    assert int(events[1]) > 0
    assert up.human.call("list_reviews")["reviews"], "the server goes on"
    assert typed(up, removing, trial, backup).returncode == 0
    assert not trial.exists()


@pytest.mark.timeout(180)
def test_what_stands_in_the_way_of_a_drill_is_told_with_the_way_out(
    at_work: tuple[str, Served], tmp_path: Path
) -> None:
    """U-58: the two refusals of the old page, each with the option or file that is missing."""
    kind, up = at_work
    if kind != "postgres":
        return
    made = up.run("backup", str(tmp_path / "safe"))
    assert made.returncode == 0, made.stderr
    (backup,) = (tmp_path / "safe").iterdir()
    ran = up.run("restore", "--home", str(tmp_path / "first"), str(backup))
    assert ran.returncode == 2
    assert "--database FOLDER/foureyes.db" in " ".join(ran.stderr.split())
    second = tmp_path / "second"
    ran = up.run("restore", "--home", str(second), "--database", str(second / "foureyes.db"), str(backup))
    assert ran.returncode == 4, ran.stdout
    told = " ".join(ran.stderr.split())
    assert "gives the events other numbers, which is recorded and signed" in told
    assert f"Copy the signing key (*.key) into {second / 'keys'}" in told
    assert not (second / "foureyes.db").exists(), "nothing was done"


@pytest.mark.timeout(180)
@pytest.mark.parametrize("at_work", ["sqlite"], indirect=True)
@pytest.mark.door("http", "command", policy="solo")
def test_only_bytes_that_were_purged_are_said_to_have_come_back(at_work: tuple[str, Served], tmp_path: Path) -> None:
    """U-58: a drill with a backup from before a purge purges again by the notes, and names the bytes."""
    _, up = at_work
    assert up.run("backup", str(tmp_path / "safe")).returncode == 0
    (backup,) = (tmp_path / "safe").iterdir()
    digest = up.human.call("list_reviews")["reviews"][0]["digest"]
    trial = tmp_path / "trial"
    *preparing, restoring, _, _ = DRILL.strip().splitlines()
    keys = "\n".join(preparing)
    assert typed(up, keys, trial, backup).returncode == 0
    part = subprocess.run(["sha256sum"], input=SECRET, capture_output=True, text=True, check=True).stdout.split()[0]
    assert part != digest
    (trial / "checkpoints").mkdir(mode=0o700)
    note = f'{{"digest":"{part}","reason":"It named the word."}}\n'
    (trial / "checkpoints" / "purged.jsonl").write_text(note, encoding="utf-8")
    ran = typed(up, restoring, trial, backup)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert f"Purged again, as it was purged after this backup: {part}" in " ".join(ran.stdout.split())
    assert SECRET.encode() not in (trial / "foureyes.db").read_bytes()
    shutil.rmtree(trial)
