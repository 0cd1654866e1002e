"""Several processes in engine tests: a database with the DBOS tables, and workers in their own processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import psycopg
from psycopg import conninfo

from foureyes.engine.port import Run
from foureyes.engine.tables import migrate
from tests.agents.model import ScriptedModel
from tests.postgres.server import Server
from tests.shape import ROOT

#: Made once on each server; every test has a copy.
_MADE: dict[str, str] = {}


@contextmanager
def tables(server: Server) -> Iterator[str]:
    """Lend a database with the tables of DBOS, and nothing in them."""
    if server.url not in _MADE:
        name = "dbos_tables"
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        migrate(server.at(name))
        _MADE[server.url] = str(conninfo.conninfo_to_dict(server.at(name))["dbname"])
    with server.fresh(like=_MADE[server.url]) as url:
        yield url


@dataclass
class Worker:
    """`foureyes worker` in a process of its own, whose only reviewer is a scripted model."""

    folder: Path
    url: str
    model: ScriptedModel
    program: tuple[str, ...] = ("tests.engine.quick_worker",)
    environ: Mapping[str, str] = field(default_factory=dict)

    def __enter__(self) -> Self:
        self.folder.mkdir(mode=0o700)
        self.log = (self.folder / "log").open("wb")
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "FOUREYES_MODEL_URL": f"{self.model.url}/v1",
            **{name: value for name, value in os.environ.items() if name.startswith(("COVERAGE", "PYTHONPATH"))},
        }
        command = [sys.executable, "-m", *self.program, "--yes-send", "all", "--json"]
        self.process = subprocess.Popen(
            [*command, "--database", self.url, "--home", str(self.folder)],
            env={**environment, "FOUREYES_POLICY": str(self.folder.parent / "foureyes.yaml"), **self.environ},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
        )
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        self.log.close()

    def name(self) -> str:
        """Its name, once it waits for runs."""
        assert self.process.stdout
        lines = list[str]()
        for line in self.process.stdout:
            lines.append(line)
            if line == "}\n":
                break
        assert lines, self.logged()
        said = json.loads("".join(lines))
        assert "worker" in said, said
        return str(said["worker"])

    def logged(self) -> str:
        """Its stderr."""
        return (self.folder / "log").read_text(encoding="utf-8")


def begun(url: str) -> dict[str, str]:
    """The executor of each run, according to the DBOS tables."""
    with psycopg.connect(url) as connection:
        asked = "SELECT workflow_uuid, executor_id FROM dbos.workflow_status WHERE status = 'PENDING'"
        return dict(connection.execute(asked).fetchall())


def begin(url: str, run: Run, worker: str) -> None:
    """Dequeue a run as a fake worker."""
    with psycopg.connect(url) as connection:
        begins = "UPDATE dbos.workflow_status SET status = 'PENDING', executor_id = %s WHERE workflow_uuid = %s"
        connection.execute(begins, [worker, run.id])
