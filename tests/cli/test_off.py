"""`foureyes off`: hooks of one place block nothing for a while; the person and the reason are stored and shown."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from foureyes.app.silent_places import silences
from foureyes.home import where
from foureyes.home.lock import ServerLock
from foureyes.store import sqlite
from tests.cli.desk import CLEARED, PENDING, WITHDRAWN, Desk

WHY = "the generated client has a thousand false alarms"
FOR_2H = ["off", "--for", "2h", "--because", WHY]


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user in a folder of a repository."""
    place = tmp_path / "repository"
    (place / ".git").mkdir(parents=True)
    (place / "src").mkdir()
    monkeypatch.chdir(place / "src")
    return place


def switched_off(desk: Desk) -> Desk:
    desk.types = ["off 2h\n"]
    assert desk.run(*FOR_2H).code == 0
    desk.types = None
    return desk


def test_a_person_switches_hooks_off_by_typing_so_and_it_is_kept_with_name_and_reason(
    desk: Desk, repository: Path
) -> None:
    """D-12: a way out that leaves a trace."""
    desk.types = ["off 2h\n"]
    ran = desk.run(*FOR_2H, "--json")
    assert ran.code == 0
    assert "The gate answers as ever" in ran.err
    me = desk.assembly().human().name
    off = ran.data["off"]
    assert (off["place"], off["machine"], off["by"], off["reason"]) == (str(repository), where.machine(), me, WHY)
    with sqlite.reading(desk.database) as reading:
        (found,) = silences(reading, datetime.now(UTC))
        (kept,) = reading.events(f"silence/{_stream(reading)}")
    assert found.until - found.since == timedelta(hours=2)
    assert (kept.type, kept.actor, json.loads(kept.body)["reason"]) == ("HooksSilenced", me, WHY)
    assert desk.run("log", "checkpoint").code == 0
    assert desk.run("log", "verify").code == 0


def _stream(reading: object) -> str:
    heads = reading.heads(after="silence/")  # type: ignore[attr-defined]
    return str(heads[0].stream.removeprefix("silence/"))


def test_no_agent_switches_anything_off(desk: Desk) -> None:
    """D-04: where nobody sits nothing is switched off, and a wrong word does nothing."""
    ran = desk.run(*FOR_2H)
    assert ran.code == 2
    assert "A person must confirm this at a terminal" in ran.err
    desk.types = ["yes"]
    assert desk.run(*FOR_2H).code == 2
    with sqlite.reading(desk.database) as reading:
        assert silences(reading, datetime.now(UTC)) == ()


@pytest.mark.parametrize(
    "arguments",
    [
        ["off"],
        ["off", "--for", "2h"],
        ["off", "--because", WHY],
        ["off", "--for", "2h", "--because", " "],
        ["off", "--for", "", "--because", WHY],
        ["off", "--for", "soon", "--because", WHY],
        ["off", "--for", "2", "--because", WHY],
        ["off", "--for", "-2h", "--because", WHY],
        ["off", "--end", "--for", "2h"],
    ],
)
def test_a_line_without_a_time_or_a_reason_is_no_command(desk: Desk, arguments: list[str]) -> None:
    assert desk.run(*arguments).code == 64


@pytest.mark.parametrize(
    ("length", "because"), [("25h", WHY), ("0m", WHY), ("9999h", WHY), ("2h", "test"), ("2h", "no reason")]
)
def test_what_is_too_long_or_says_nothing_is_refused(desk: Desk, length: str, because: str) -> None:
    desk.types = [f"off {length}"]
    assert desk.run("off", "--for", length, "--because", because).code in (2, 64)
    with sqlite.reading(desk.database) as reading:
        assert silences(reading, datetime.now(UTC)) == ()


@pytest.mark.parametrize(("length", "minutes"), [("2h", 120), ("90m", 90), ("1h30m", 90)])
def test_a_time_is_said_in_hours_and_minutes(desk: Desk, length: str, minutes: int) -> None:
    desk.types = [f"off {length}"]
    assert desk.run("off", "--for", length, "--because", WHY).code == 0
    with sqlite.reading(desk.database) as reading:
        (found,) = silences(reading, datetime.now(UTC))
    assert found.until - found.since == timedelta(minutes=minutes)


@pytest.mark.parametrize("digest", [CLEARED, PENDING, WITHDRAWN, "ab" * 32])
def test_check_answers_the_same_and_says_that_hooks_are_off(desk: Desk, digest: str) -> None:
    """D-03, D-12: it silences hooks, never the gate."""
    before = desk.check(digest), desk.check(digest, "--json")
    switched_off(desk)
    for ran, scripted in (
        (desk.check(digest), desk.check(digest, "--json")),
        (desk.run("check", digest), desk.run("check", digest, "--json")),
    ):
        assert ran.code == before[0].code
        assert ran.out.startswith(before[0].out)
        assert WHY in " ".join(ran.out.removeprefix(before[0].out).split())
        told = scripted.data
        assert told.pop("off")["reason"] == WHY
        assert before[1].data | {"off": None} == told | {"off": None}


def test_elsewhere_it_is_not_off(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    switched_off(desk)
    monkeypatch.chdir(tmp_path)
    assert desk.check(PENDING, "--json").data["off"] is None
    ran = desk.run("status", "--json")
    assert (ran.data["off"], len(ran.data["off_anywhere"])) == (None, 1)
    assert WHY in " ".join(desk.run("status").out.split())


def test_status_and_why_say_it(desk: Desk, repository: Path) -> None:
    assert desk.run("status", "--json").data["off"] is None
    switched_off(desk)
    for name in (["status"], ["why", "r1"]):
        ran = desk.run(*name)
        assert ran.code == 0
        assert WHY in " ".join(ran.out.split())
        assert desk.run(*name, "--json").data["off"]["place"] == str(repository)


def test_it_ends_early_and_ending_it_again_is_no_error(desk: Desk) -> None:
    switched_off(desk)
    ran = desk.run("off", "--end")
    assert (ran.code, "on again" in ran.out) == (0, True)
    assert desk.check(PENDING, "--json").data["off"] is None
    again = desk.run("off", "--end", "--json")
    assert (again.code, again.data["ended"]) == (0, False)
    assert "not off" in desk.run("off", "--end").out


def test_it_works_beside_a_server_and_where_nothing_was_reviewed_yet(empty: Desk) -> None:
    empty.types = ["off 2h"]
    empty.home.mkdir(mode=0o700)
    with ServerLock.acquire(str(empty.home), "http://127.0.0.1:8080", now="2026-01-01T00:00:00Z"):
        assert empty.run(*FOR_2H).code == 0
    assert empty.run("off", "--end").code == 0


def test_a_place_is_the_repository_else_the_folder(repository: Path, tmp_path: Path) -> None:
    assert where.place() == str(repository)
    below = tmp_path / "plain" / "below"
    below.mkdir(parents=True)
    os.chdir(below)
    assert where.place() == str(below)


def test_a_place_that_no_text_can_hold_has_a_name_all_the_same(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    os.chdir(odd)
    assert where.place() == f"{tmp_path}/caf?"
