"""`foureyes check` says quickly whether exactly these bytes may go live, and 0 is the only yes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from foureyes import bootstrap
from foureyes.app.glance import glance
from foureyes.app.rows import Listing
from foureyes.cli.check import asked
from foureyes.cli.judging import judge
from foureyes.core import commands as c
from foureyes.home.lock import ServerLock
from foureyes.policy.load import DEFAULT, shipped
from foureyes.store import sqlite
from foureyes.store.sqlite_store import SqliteStore
from tests.app.house import tamper
from tests.cast import HARDIN, SELDON, finding
from tests.cli.desk import CLEARED, PENDING, WITHDRAWN, Desk

NEVER = "ab" * 32
HEAVY = ("asyncio", "click", "cryptography", "psycopg", "pydantic", "sqlalchemy", "yaml", "foureyes.cli.program")
ANSWERS = [(CLEARED, "cleared", 0), (PENDING, "pending", 3), (WITHDRAWN, "blocked", 2), (NEVER, "unknown", 2)]


@pytest.mark.parametrize(("digest", "state", "code"), ANSWERS)
def test_each_answer_has_its_exit_code_on_both_ways(desk: Desk, digest: str, state: str, code: int) -> None:
    for ran in (desk.check(digest), desk.run("check", digest)):
        assert (ran.code, ran.err) == (code, "")
        assert ran.out.startswith(f"{state}: ")
        assert ran.out.count("\n") == 1


@pytest.mark.parametrize(("digest", "state", "code"), ANSWERS)
def test_scripts_get_the_same_answer_as_an_object(desk: Desk, digest: str, state: str, code: int) -> None:
    for ran in (desk.check(digest, "--json"), desk.run("check", digest, "--json")):
        assert ran.code == ran.data["exit"] == code
        assert set(ran.data) == {"exit", "state", "digest", "review", "reason", "level", "flags", "off"}
        assert (ran.data["state"], ran.data["digest"]) == (state, digest)
        assert bool(ran.data["reason"]) == bool(code)


def test_a_row_that_says_cleared_opens_nothing(desk: Desk) -> None:
    """The rows can only say no; a row that says cleared is re-evaluated from the log."""
    tamper(desk.database, "UPDATE digests SET cleared = 1")
    ran = desk.check(PENDING)
    assert ran.code == 4
    assert ran.out.startswith("damaged: ")


def test_an_altered_event_is_noticed_and_is_no_yes(desk: Desk) -> None:
    tamper(desk.database, "UPDATE log SET at = '2020-01-01T00:00:00.000000Z' WHERE seq = 2")
    assert desk.check(CLEARED).code == 4


def test_a_file_that_is_no_store_is_inconclusive(desk: Desk) -> None:
    for side in ("", "-wal", "-shm"):
        desk.database.with_name(desk.database.name + side).unlink(missing_ok=True)
    desk.database.write_bytes(b"this is no database" * 1000)
    ran = desk.check(CLEARED)
    assert ran.code == 4
    assert "restore the last backup" in ran.err


def test_without_a_store_nothing_is_said_and_nothing_is_made(empty: Desk) -> None:
    ran = empty.check(CLEARED)
    assert ran.code == 4
    assert "There is no data folder" in ran.err
    assert not empty.home.exists()
    empty.home.mkdir(mode=0o700)
    assert "There is no store" in empty.check(CLEARED).err
    assert list(empty.home.iterdir()) == []


def test_wrong_settings_are_usage(desk: Desk) -> None:
    (desk.home / "config.toml").write_text("x = 1\n", encoding="utf-8")
    ran = desk.check(CLEARED)
    assert ran.code == 64
    assert "config.toml:1" in ran.err


def test_it_reads_beside_a_server(desk: Desk) -> None:
    with ServerLock.acquire(str(desk.home), "http://127.0.0.1:1", now="now"):
        assert desk.check(CLEARED).code == 0


def test_the_rows_say_what_the_log_says(desk: Desk) -> None:
    """What is answered without the core is what the core would have answered, word for word."""

    async def more() -> None:
        async with SqliteStore.open(desk.database) as store:
            house = desk.house(store)
            stream = await house.open({"a": b"1"})
            await house.revise(stream, {"a": b"2"})
            vetoed = await house.open({"v": b"1"}, kind="security_step")
            await house.do(SELDON, c.SubmitReport(revision=1, verdict="approve"), vetoed)
            found = (finding("It leaks", scope="security"),)
            await house.do(HARDIN, c.SubmitReport(revision=1, verdict="reject", findings=found), vetoed)

    asyncio.run(more())
    seen = set()
    with sqlite.reading(desk.database) as reading:
        names = {row.digest for row in reading.reviews(Listing())} | {CLEARED, PENDING, WITHDRAWN, NEVER}
        for name in sorted(names):
            shut = glance(reading, name)
            found = judge(reading, name, "", datetime.now(UTC), default=desk.assembly().policy)
            seen.add(found.state)
            if shut is None:
                assert found.state == "cleared"
            else:
                assert (shut.state, shut.digest, shut.review, shut.reason) == (
                    found.state,
                    found.digest,
                    found.review,
                    found.reason,
                )
    assert seen == {"cleared", "pending", "blocked", "unknown"}


def test_a_no_needs_neither_the_core_nor_anything_heavy(desk: Desk) -> None:
    loaded = _modules(desk, PENDING, 3)
    assert [name for name in loaded if name.split(".")[0] in HEAVY or name in HEAVY] == []
    assert [name for name in loaded if name.startswith(("foureyes.core", "foureyes.codec", "foureyes.policy"))] == []


def test_a_yes_needs_the_core_but_nothing_heavy(desk: Desk) -> None:
    loaded = _modules(desk, CLEARED, 0)
    assert "foureyes.core.assess" in loaded
    assert [name for name in loaded if name.split(".")[0] in HEAVY or name in HEAVY] == []


DEMANDING = """
version: 1
reviewers:
  agent: {command: codex}
kinds: {default: solo}
solo: {agents: [agent], quorum: 1}
targets: {production: 3, elsewhere: 1}
"""


def test_a_target_of_the_policy_file_holds_before_anything_is_activated(desk: Desk) -> None:
    """What `check` lets through the gate lets through: both know the policy that the settings name."""
    file = desk.home / "foureyes.yaml"
    file.write_text(DEMANDING, encoding="utf-8")

    async def gate() -> str:
        async with SqliteStore.open(desk.database) as store:
            return (await desk.assembly().gate(store).may_go_live(CLEARED, "production")).reason

    reason = asyncio.run(gate())
    assert "demands level 3" in reason
    for ask in (desk.check, lambda *line: desk.run("check", *line)):
        ran = ask(CLEARED, "--target", "production")
        assert (ran.code, ran.out) == (2, f"blocked: {reason}\n")
        assert ask(CLEARED, "--target", "elsewhere").code == 0
        assert ask(CLEARED).code == 2, "no name is no way round it"


def test_the_shipped_default_demands_nothing_of_a_target() -> None:
    """So a yes needs no YAML where nobody wrote a policy."""
    assert shipped(DEFAULT).policy.targets == ()


@pytest.mark.parametrize("name", ["foureyes.yaml", "foureyes.yml"])
def test_a_policy_file_that_cannot_be_read_lets_nothing_onto_a_target(desk: Desk, name: str) -> None:
    (desk.home / name).write_text("targets: {production: 3\n", encoding="utf-8")
    for ask in (desk.check, lambda *line: desk.run("check", *line)):
        ran = ask(CLEARED, "--target", "production")
        assert (ran.code, ran.out) == (4, "")
        assert name in ran.err
        assert "policy check" in ran.err
        assert ask(PENDING, "--target", "production").code == 3


def test_an_activated_policy_is_judged_by_without_the_file(desk: Desk) -> None:
    (desk.home / "foureyes.yaml").write_text(DEMANDING, encoding="utf-8")
    desk.types = []
    ran = desk.run("policy", "activate", str(desk.home / "foureyes.yaml"), "--yes")
    assert ran.code == 0, ran.err
    (desk.home / "foureyes.yaml").write_text("x", encoding="utf-8")
    assert desk.check(CLEARED, "--target", "production").code == 2
    assert desk.check(CLEARED, "--target", "elsewhere").code == 0


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("check x", "check"),
        ("--json --home check check x", "check"),
        ("--home=h check x", "check"),
        ("policy check", "policy"),
        ("receipt --check check", "receipt"),
        ("why check", "why"),
        ("--home check", ""),
        ("", ""),
    ],
)
def test_only_a_check_is_quickened(line: str, wanted: str) -> None:
    """Its process ends with its answer; every other command keeps the value classes it was tested with."""
    assert bootstrap._command(line.split()) == wanted


def test_another_command_that_names_a_check_is_not_quickened(desk: Desk) -> None:
    script = (
        "import dataclasses, sys; from foureyes.bootstrap import main; sys.argv = ['foureyes', 'policy', 'check'];"
        "code = main(); sys.exit(9 if getattr(getattr(dataclasses, '_create_fn', None), 'is_quick', False) else code)"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "FOUREYES"))}
    done = subprocess.run(
        [sys.executable, "-c", script],
        check=False,
        capture_output=True,
        env=environment | {"FOUREYES_HOME": str(desk.home)},
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("check x", ("x", "", False, None)),
        ("check x --json --target production", ("x", "production", True, None)),
        ("--home h check --target=production x", ("x", "production", False, "h")),
        ("check --home=h x --debug", ("x", "", False, "h")),
    ],
)
def test_a_plain_line_is_read_without_click(line: str, wanted: tuple[str, str, bool, str | None]) -> None:
    found = asked(line.split())
    assert found
    assert (found.name, found.target, found.as_json, found.flags["home"]) == wanted


@pytest.mark.parametrize(
    "line",
    ["", "check", "check -h x", "check --help", "check x y", "check x --nonsense", "check x --home", "why check", "x"],
)
def test_any_other_line_is_left_to_click(line: str) -> None:
    assert asked(line.split()) is None


@pytest.mark.parametrize("arguments", [["check"], ["check", "x", "y"], ["check", "x", "--nonsense"]])
def test_click_says_what_is_wrong_with_it(desk: Desk, arguments: list[str]) -> None:
    ran = desk.run(*arguments)
    assert ran.code == 64
    assert "foureyes check --help" in ran.err


def test_value_classes_made_later_are_the_same_value_classes() -> None:
    """The methods are compiled by the standard library itself, only when they are first called."""
    code = """
import dataclasses
from foureyes.cli.quick import quicken
assert quicken() is hasattr(dataclasses, "_create_fn")
assert not quicken()
from foureyes.core.values import Place, Who
one, same, other = Place(path="a", start=1), Place(path="a", start=1), Place(path="b")
assert one == same and hash(one) == hash(same) and one != other and one != "a"
assert repr(one) == "Place(path='a', start=1, end=0, context_hash='')", repr(one)
assert dataclasses.replace(one, path="b", start=0) == other
assert Place.__eq__.__qualname__ == "Place.__eq__" and Place.__match_args__ == ()
try:
    one.path = "c"
except dataclasses.FrozenInstanceError as error:
    assert str(error) == "cannot assign to field 'path'"
else:
    raise AssertionError("it is not frozen")
try:
    Place("a")
except TypeError as error:
    assert "positional" in str(error)
else:
    raise AssertionError("it takes positions")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def _modules(desk: Desk, digest: str, code: int) -> list[str]:
    """The modules that a real process has loaded after its answer."""
    script = (
        "import sys; from foureyes.bootstrap import main; sys.argv = ['foureyes', 'check', sys.argv[1]]; code = main();"
        "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "FOUREYES"))}
    done = subprocess.run(
        [sys.executable, "-c", script, digest],
        capture_output=True,
        text=True,
        check=False,
        env=environment | {"FOUREYES_HOME": str(desk.home)},
    )
    assert done.returncode == code, done.stderr
    return done.stderr.split()
