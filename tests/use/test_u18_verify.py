"""U-18: `log verify --deep` compares everything else with the log, and no server starts on an edited past."""

# ruff: noqa: S608 - a forger builds his statements as he likes

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.house import tamper
from tests.use.clearing import opened, text_file
from tests.use.served import Served, served

pytestmark = pytest.mark.door("command", policy="peer")

SOUND, NO = 0, 2


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A store with reviews that wait, and a signed log; its server has ended."""
    with served(tmp_path_factory.mktemp("peer"), "peer") as house:
        author = house.account("dev", "core_developer")
        house.account("aud", "auditor")
        opened(author, text_file("a.txt"))
        opened(author, text_file("b.txt", "two\n"))
        assert house.server.end() == 0
        yield house


@pytest.fixture
def database(house: Served) -> Iterator[Path]:
    """The store's file, which is afterwards as it was before."""
    path = house.home / "foureyes.db"
    kept = path.read_bytes()
    yield path
    for side in ("-wal", "-shm"):
        path.with_name(path.name + side).unlink(missing_ok=True)
    path.write_bytes(kept)


def _deep(house: Served) -> tuple[int, list[str]]:
    done = house.run("log", "verify", "--deep", "--json")
    assert done.returncode in (SOUND, NO), done.stdout + done.stderr
    return done.returncode, [f"{one['place']}: {one['what']}" for one in json.loads(done.stdout)["damages"]]


def _rows(path: Path, sql: str) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(sql).fetchall()


def test_what_nobody_touched_is_sound(house: Served) -> None:
    """U-18: everything that is compared is as the log has it."""
    assert _deep(house) == (SOUND, [])


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("DELETE FROM inbox", "the inbox does not say so"),
        ("UPDATE inbox SET due = '2099-01-01T00:00:00.000000Z'", "the inbox does not say so"),
        (
            "INSERT INTO inbox SELECT review, 'x', 'eve', kind, held, queued, revision, due, lease FROM inbox LIMIT 1",
            "forged",
        ),
        ("DELETE FROM answered", "is not known"),
        ("DELETE FROM blobs WHERE length(content) < 10", "are gone"),
        ("UPDATE blobs SET content = x'00' WHERE length(content) < 10", "are not those of"),
        ("INSERT INTO trust VALUES ('create_core', 'dev', '{}', 'x')", "trust create_core dev"),
    ],
)
def test_rows_that_are_not_what_the_log_says_are_found(house: Served, database: Path, sql: str, told: str) -> None:
    """U-18: the inbox, answered keys, track records and blobs are held against the log."""
    tamper(database, sql)
    code, damages = _deep(house)
    assert code == NO
    assert any(told in one for one in damages), damages


def test_a_log_cut_within_an_opening_is_told_and_no_crash(house: Served, database: Path) -> None:
    """U-18: only the first event of a review is left."""
    (name,) = _rows(database, "SELECT name FROM streams WHERE name LIKE 'review/%' ORDER BY name LIMIT 1")[0]
    where = f"stream = (SELECT id FROM streams WHERE name = '{name}')"
    (chain,) = _rows(database, f"SELECT hex(chain) FROM log WHERE version = 1 AND {where}")[0]
    tamper(
        database,
        f"DELETE FROM log WHERE version > 1 AND {where}",
        f"UPDATE streams SET version = 1, chain = x'{chain}' WHERE name = '{name}'",
    )
    code, damages = _deep(house)
    assert code == NO
    assert any(one.startswith(name) and "truncated" in one for one in damages), damages


def test_no_server_starts_on_a_past_that_was_edited(house: Served, database: Path) -> None:
    """U-18: one event of the signed past, far from its end."""
    tamper(database, "UPDATE log SET at = '2020-01-01T00:00:00.000000Z' WHERE seq = 2")
    done = house.run("up", "--port", "0", "--json", timeout=20)
    said = done.stdout + done.stderr
    assert done.returncode == NO, said
    assert "edited" in said
    assert "backup" in said, "it says what to do"
