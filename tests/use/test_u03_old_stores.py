"""U-03: a store of an earlier release gets its new rows when a server starts on it, without a manual command."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from foureyes.app.ports import Reading
from foureyes.app.projections import beside_log
from foureyes.app.rows import FILLED, INHERITABLE, OBJECTIONS, SIGNALLED, Changes
from foureyes.store.sqlite_store import SqliteStore
from tests.cli.running import Running
from tests.golden import log as golden
from tests.golden.log import Golden, versions
from tests.golden.write import filled
from tests.use.clearing import text_file
from tests.use.judging import judge
from tests.use.served import SHIPPED, served

TEXT = "def start(host):\n    forward('ping ' + host)\n    return host\n"
ADDED = (INHERITABLE, OBJECTIONS, SIGNALLED)
Rows = dict[str, tuple[tuple[str, str], ...]]


def _rows(reading: Reading) -> Rows:
    """The rows of tables that later releases added."""
    return {name: reading.rows(name, limit=100_000) for name in ADDED}


def _rows_in(database: Path) -> Rows:
    with closing(sqlite3.connect(database)) as connection:
        sql = "SELECT key, body FROM rows WHERE projection = ? ORDER BY key"
        return {name: tuple(connection.execute(sql, (name,))) for name in ADDED}


def _forget(database: Path) -> None:
    """Reduce the store to that of an earlier release: the log without the rows added since."""
    with closing(sqlite3.connect(database)) as connection, connection:
        names = (*ADDED, FILLED)
        connection.execute(f"DELETE FROM rows WHERE projection IN ({','.join('?' * len(names))})", names)  # noqa: S608


def _started(folder: Path) -> Running:
    """A server in this home, whose human has signed in before."""
    server = Running(folder)
    server.environment["FOUREYES_POLICY"] = str(SHIPPED / "solo.yaml")
    return server


@pytest.mark.door("http", policy="solo")
def test_an_open_finding_of_an_earlier_release_is_inherited_after_the_first_start(tmp_path: Path) -> None:
    """U-03: the finding was raised and its review withdrawn before the upgrade; the new review has it all the same."""
    with served(tmp_path, "solo") as house:
        author, reviewer = house.account("dev"), house.account("codex")
        assert author.call("signal", session="s1", type="progress", summary="Working on it.").is_ok
        review = author.call("open_review", kind="script", title="A start", files=[text_file("run.py", TEXT)])["review"]
        place = {"path": "run.py", "start": 2, "end": 2}
        said = {"severity": "critical", "text": "Runs whatever it is told.", "evidence": "line 2", "place": place}
        answer = judge(reviewer, review, "reject", findings=[said], grounds=["security_risk"], summary="Not so.")
        assert answer.is_ok, answer.text
        assert author.call("withdraw", review=review, reason="Another way.").is_ok
        assert house.server.end() == 0
    database = house.home / "foureyes.db"
    before = _rows_in(database)
    assert all(before.values()), "each of them is at stake"
    _forget(database)
    with _started(house.server.folder) as again:
        assert _rows_in(database) == before
        author = replace(author, server=again)
        files = [text_file("lib/go.py", TEXT + "\n\nONE = 1\n")]
        opened = author.call("open_review", kind="script", title="A start", files=files)["review"]
        found = author.call("read_review", review=opened)["review"]["findings"]
        assert [(one["from_review"], one["severity"]) for one in found if one["from_review"]] == [(review, "critical")]


@pytest.mark.parametrize("version", [versions()[0], versions()[-1]], ids=lambda one: one.name)
def test_a_server_fills_the_rows_of_a_golden_log(version: Golden, tmp_path: Path) -> None:
    """U-03: whatever release wrote the log, the started server has the rows that the log makes."""
    database = tmp_path / "home/.local/share/foureyes/foureyes.db"
    database.parent.mkdir(parents=True, mode=0o700)
    # Its policies were never stored as text, so no server can use that stream.
    events = [one for one in version.events() if one.stream != "policy"]

    async def write() -> Rows:
        store = await filled(events)
        for name in ADDED:
            await beside_log.write_anew(store, name)
        old = SqliteStore.open(database)
        await old.write(lambda tx: tx.apply(Changes(appends=tuple(golden.appends(events)))))
        await old.close()
        return await store.read(_rows)

    expected = asyncio.run(write())
    assert expected[INHERITABLE], "a log without any such row would show nothing"
    with _started(tmp_path / "home") as server:
        found = _rows_in(database)
        assert server.end() == 0
    assert found == expected
