"""Policies are checked, shown, compared, and activated by a person at a terminal."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from foureyes.policy.load import SHIPPED, shipped
from foureyes.policy.policy import policy_text
from foureyes.store.sqlite_store import SqliteStore
from tests.cli.desk import CLEARED, Desk
from tests.cli.test_program import FOUREYES

SOLO, SERVER, TEAM = (shipped(one).policy for one in ("solo", "server", "team"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "foureyes.yaml"
    path.write_text("version: 1\nkinds: {default: resolve}\n", encoding="utf-8")
    return path


def test_a_sound_file_gets_its_digest(empty: Desk, file: Path) -> None:
    found = empty.run("policy", "check", str(file), "--json").data
    assert found["exit"] == 0
    assert len(found["digest"]) == 64
    assert found["digest"] in empty.run("policy", "check", str(file)).out


def test_everything_wrong_is_named_with_file_and_line(empty: Desk, tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("version: 1\nkindz: {}\nresolve: {min_reviewers: 0}\n", encoding="utf-8")
    ran = empty.run("policy", "check", str(path))
    assert (ran.code, ran.out) == (2, "")
    assert "bad.yaml:2: " in ran.err
    assert "bad.yaml:3: " in ran.err
    assert len(empty.run("policy", "check", str(path), "--json").data["details"]) >= 2


def test_without_a_file_the_one_of_the_settings_is_checked(empty: Desk, file: Path) -> None:
    ran = empty.run("policy", "check")
    assert ran.code == 0
    assert "the shipped policy solo is used" in ran.out
    empty.environment["FOUREYES_POLICY"] = str(file)
    assert empty.run("policy", "check", "--json").data["digest"] != SOLO.digest
    assert empty.run("policy", "check", "nowhere.yaml").code == 64


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_policy_is_shown_and_explained(empty: Desk, name: str) -> None:
    ran = empty.run("policy", "show", name)
    assert ran.code == 0
    assert shipped(name).policy.digest in ran.out
    ran = empty.run(
        "policy", "explain", "security_change", "--path", "auth/login.py", "--risk", "high", "--source", name
    )
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("security_change of high risk under policy")


def test_without_a_store_the_policy_of_a_lone_developer_is_shown(empty: Desk) -> None:
    assert empty.run("policy", "show", "--json").data["digest"] == SOLO.digest


def test_the_policy_in_force_is_shown_when_none_is_named(desk: Desk) -> None:
    assert desk.run("policy", "show", "--json").data["text"] == policy_text(SERVER).decode()


def test_a_policy_in_the_store_is_shown_by_its_digest(desk: Desk) -> None:
    unknown = desk.run("policy", "show", "0" * 64)
    assert unknown.code == 2
    desk.types = [TEAM.digest[:12]]
    assert desk.run("policy", "activate", "team").code == 0
    assert desk.run("policy", "show", TEAM.digest, "--json").data["name"] == "team"


def test_an_unknown_source_is_usage(empty: Desk) -> None:
    ran = empty.run("policy", "show", "teem")
    assert ran.code == 64
    assert "solo, server, team" in ran.err


def test_differences_say_what_becomes_weaker(empty: Desk) -> None:
    ran = empty.run("policy", "diff", "team", "solo")
    assert ran.code == 0
    assert "weaker: " in ran.out
    found = empty.run("policy", "diff", "team", "--json").data
    assert (found["old"], found["new"]) == (SOLO.digest, TEAM.digest)
    assert {one["direction"] for one in found["changes"]} == {"stricter", "weaker", "other"}
    assert empty.run("policy", "diff", "solo", "solo").out == "They say the same.\n"


def test_a_policy_comes_into_force_when_a_person_types_its_digest(empty: Desk) -> None:
    """Activation is an event by a human; without a terminal there is none, whatever the flags say."""
    for flags in ([], ["--yes"]):
        ran = empty.run("policy", "activate", "team", *flags)
        assert (ran.code, ran.out) == (2, "")
        assert "at a terminal" in ran.err
    empty.types = ["yes\n"]
    assert empty.run("policy", "activate", "team").code == 2
    assert not empty.database.exists()
    empty.types = [f"{TEAM.digest[:12]}\n"]
    ran = empty.run("policy", "activate", "team", "--json")
    assert ran.code == 0
    assert (ran.data["digest"], ran.data["replaces"]) == (TEAM.digest, SOLO.digest)
    assert "You act as " in ran.err
    assert "stricter: " in ran.err
    assert empty.run("policy", "show", "--json").data["digest"] == TEAM.digest
    empty.types = []
    again = empty.run("policy", "activate", "team", "--yes")
    assert again.code == 2
    assert "in force already" in again.err


def test_a_real_terminal_is_asked(empty: Desk) -> None:
    """Through a pseudo-terminal, as a person has one."""
    ours, theirs = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "HOME": str(empty.home), "FOUREYES_HOME": str(empty.home)}
    with subprocess.Popen(
        [FOUREYES, "policy", "activate", "team", "--json"],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as program:
        os.write(ours, f"{TEAM.digest[:12]}\n".encode())
        out, err = program.communicate()
    os.close(ours)
    os.close(theirs)
    assert program.returncode == 0, out + err
    assert json.loads(out)["digest"] == TEAM.digest
    assert f"Type exactly: {TEAM.digest[:12]}" in err


def test_a_target_that_demands_less_is_asked_for_by_name(desk: Desk) -> None:
    desk.types = []
    policy = desk.home / "strict.yaml"
    policy.write_text("version: 1\ntargets: {moon: 3, earth: 1}\n", encoding="utf-8")
    assert desk.run("policy", "activate", str(policy), "--yes").code == 0
    for way in (desk.check, lambda *line: desk.run("check", *line)):
        assert way(CLEARED, "--target", "Earth").code == 0
        assert way(CLEARED).code == 2
        assert way(CLEARED, "--target", "elsewhere").code == 2
        ran = way(CLEARED, "--target", "moon")
        assert ran.code == 2
        assert "Target moon demands level 3" in ran.out


def test_who_activated_it_is_in_the_log(desk: Desk) -> None:
    desk.types = []
    assert desk.run("policy", "activate", "team", "--yes", "--in-flight").code == 0

    async def last() -> tuple[str, str]:
        async with SqliteStore.open(desk.database) as store:
            (event,) = await store.read(lambda reading: tuple(reading.events("policy")))
            return event.actor, event.body

    actor, body = asyncio.run(last())
    assert actor == desk.assembly().human().name
    assert '"applies_in_flight":true' in body
    assert desk.run("why", "r2").code == 3
