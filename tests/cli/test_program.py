"""Every command has help, refuses unknown arguments with 64, and fails with a sentence."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from foureyes.app.keys import KeyTrouble
from foureyes.app.ports import Conflict, Damaged, Unavailable
from foureyes.cli import program as programs
from foureyes.cli.completion import SHELLS
from foureyes.cli.errors import CRASHES_MAX, Manner, expected, tell
from foureyes.cli.program import COMMANDS, program
from foureyes.core.refusals import Code, Refusal
from foureyes.home import Trouble
from foureyes.policy.nodes import PolicyErrors, Problem
from tests.cli.desk import CLEARED, Desk

FOUREYES = str(Path(sys.executable).with_name("foureyes"))


def commands(group: click.Group = program, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command, with its path."""
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        assert found
        yield f"{path}{name}", found
        if isinstance(found, click.Group):
            yield from commands(found, f"{path}{name} ")


ALL = dict(commands())
LEAVES = [path for path, one in ALL.items() if not isinstance(one, click.Group)]


@pytest.mark.parametrize("path", ALL)
def test_every_command_says_in_a_sentence_what_it_is_for(path: str, empty: Desk) -> None:
    text = (ALL[path].help or "").splitlines()[0]
    assert re.fullmatch(r"[A-Z].*\.", text), text
    for parameter in ALL[path].params:
        if isinstance(parameter, click.Option):
            assert re.fullmatch(r"[A-Z].*\.", parameter.help or ""), (path, parameter.name)
    ran = empty.run(*path.split(), "--help")
    assert (ran.code, ran.err) == (0, "")
    assert text.split(":")[0][:40] in " ".join(ran.out.split())


def test_the_table_of_commands_says_what_they_say_themselves() -> None:
    assert {name: (ALL[name].help or "").splitlines()[0] for name in COMMANDS} == {
        name: text for name, (_, text) in COMMANDS.items()
    }


@pytest.mark.parametrize("path", LEAVES)
def test_every_command_speaks_json_and_takes_a_folder(path: str) -> None:
    names = {name for parameter in ALL[path].params for name in parameter.opts}
    assert {"--json", "--home", "--database", "--debug"} <= names


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["chekc"], "Did you mean 'check'?"),
        (["polcy"], "Did you mean 'policy'?"),
        (["policy", "activat"], "Did you mean 'activate'?"),
        (["nothing-like-it"], "does not know 'nothing-like-it'."),
    ],
)
def test_an_unknown_command_gets_the_nearest_one(empty: Desk, arguments: list[str], hint: str) -> None:
    ran = empty.run(*arguments)
    assert (ran.code, ran.out) == (64, "")
    assert hint in ran.err


@pytest.mark.parametrize("path", LEAVES)
def test_what_click_does_not_understand_is_64_and_never_2(path: str, empty: Desk) -> None:
    """2 means blocked; a misspelt option must not look like it."""
    ran = empty.run(*path.split(), "--no-such-option")
    assert (ran.code, ran.out) == (64, "")
    assert f"`foureyes {path} --help`" in ran.err
    assert empty.run(*path.split(), "--no-such-option", "--json").data["exit"] == 64


@pytest.mark.parametrize("path", [path for path, one in ALL.items() if isinstance(one, click.Group)])
def test_a_group_without_a_command_shows_its_commands(path: str, empty: Desk) -> None:
    ran = empty.run(*path.split())
    assert (ran.code, ran.out) == (64, "")
    assert "Commands:" in ran.err


def test_the_help_begins_with_what_one_needs_every_day_and_names_every_command_once(empty: Desk) -> None:
    out = empty.run("--help").out
    named = re.findall(r"^  ([a-z]+)  +[A-Z]", out, flags=re.MULTILINE)
    assert sorted(named) == sorted(COMMANDS)
    assert named[:4] == ["review", "fix", "dismiss", "status"]


@pytest.mark.parametrize("name", ["policy", "log", "config"])
def test_a_group_shows_the_whole_first_sentence_of_its_commands(empty: Desk, name: str) -> None:
    assert "..." not in empty.run(name, "--help").out.partition("Commands:")[2]


def test_without_arguments_the_help_is_shown(empty: Desk) -> None:
    ran = empty.run()
    assert (ran.code, ran.err) == (0, "")
    assert "Usage: foureyes" in ran.out


#: Commands that need no store.
STORELESS = {"completion", "config", "doctor", "policy", "review", "rules", "up"}


@pytest.mark.parametrize("path", [path for path in LEAVES if path.split()[0] not in STORELESS])
def test_without_a_store_every_command_says_what_to_do_and_makes_none(path: str, empty: Desk) -> None:
    empty.types = ["x"] * 3
    needs = {
        "check": ["x"],
        "why": ["x"],
        "dismiss": ["x", "--because", "y"],
        "receipt": ["x"],
        "purge": ["x", "--reason", "y", "--yes"],
        "rebuild": ["all"],
        "log rotate": ["--reason", "x"],
        "restore": ["."],
    }
    ran = empty.run(*path.split(), *needs.get(path, []))
    assert ran.code in (4, 64)
    assert ran.out == ""
    assert len(ran.err.splitlines()) >= 2
    assert not empty.database.exists()


FAILURES = [
    (Refusal(Code.VETOED, "No.", "Do this."), 2, "vetoed"),
    (Unavailable("The store sleeps.", "Wake it."), 4, "unavailable"),
    (KeyTrouble("No key.", "Make one."), 4, "unavailable"),
    (Damaged("Event 3 was altered."), 4, "damaged"),
    (Conflict(), 4, "busy"),
    (PolicyErrors((Problem(file="a.yaml", line=3, wrong="w", allowed="a"),)), 2, "policy"),
    (Trouble("Taken.", "Wait.", blocked=True), 2, "trouble"),
    (Trouble("Wrong.", "Mend it.", usage=True), 64, "trouble"),
    (Trouble("Gone.", "Look."), 4, "trouble"),
    (KeyboardInterrupt(), 130, "interrupted"),
    (OSError(28, "No space left on device", "/data"), 4, "machine"),
    (PermissionError(13, "Permission denied", "/data"), 4, "machine"),
    (ModuleNotFoundError("No module named 'psycopg'", name="psycopg"), 4, "trouble"),
]


@pytest.mark.parametrize(("error", "code", "kind"), FAILURES)
def test_every_expected_failure_has_its_code_and_its_sentence(error: BaseException, code: int, kind: str) -> None:
    told = expected(error)
    assert told
    assert (told.code, told.kind) == (code, kind)
    assert told.sentence.endswith(".")


def test_each_problem_of_a_policy_is_a_line_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    problems = tuple(Problem(file="a.yaml", line=line, wrong="wrong", allowed="allowed") for line in (3, 9))
    assert tell(PolicyErrors(problems), Manner()) == 2
    said = capsys.readouterr().err.splitlines()
    assert [line.strip() for line in said if "a.yaml" in line] == [
        "a.yaml:3: wrong; allowed",
        "a.yaml:9: wrong; allowed",
    ]


def test_an_unexpected_failure_is_one_line_and_a_private_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback on the screen; what is in the file is for its owner, and without passwords."""
    code = tell(ZeroDivisionError("postgresql://me:secret@host/db"), Manner(home=lambda: str(tmp_path)))
    assert code == 1
    said = capsys.readouterr().err
    assert "foureyes failed: ZeroDivisionError." in said
    assert "Traceback" not in said
    (crash,) = (tmp_path / "crashes").iterdir()
    assert str(crash) in said
    assert stat.S_IMODE(crash.stat().st_mode) == 0o600
    text = crash.read_text(encoding="utf-8")
    assert "ZeroDivisionError: postgresql://me:•••@host/db" in text
    assert "secret" not in text


def test_crash_files_do_not_pile_up(tmp_path: Path) -> None:
    for number in range(CRASHES_MAX + 5):
        tell(ZeroDivisionError(number), Manner(home=lambda: str(tmp_path), as_json=True))
    assert len(list((tmp_path / "crashes").iterdir())) == CRASHES_MAX


def test_a_crash_makes_no_data_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tell(ZeroDivisionError(), Manner(home=lambda: str(tmp_path / "none"))) == 1
    assert "--debug" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_debug_shows_where_it_happened(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(programs.COMMANDS, "why", ("foureyes.cli.codes:OK", "x"))
    ran = desk.run("why", "x", "--debug")
    assert ran.code == 1
    assert "Traceback" in ran.err
    assert "is no command" in ran.err


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_a_script_for_the_shell(shell: str, empty: Desk) -> None:
    ran = empty.run("completion", shell)
    assert ran.code == 0
    assert f"_FOUREYES_COMPLETE={shell}_complete" in ran.out


def test_a_real_shell_completes_commands(tmp_path: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "COMP_WORDS": "foureyes po",
        "COMP_CWORD": "1",
        "_FOUREYES_COMPLETE": "bash_complete",
    }
    done = subprocess.run([FOUREYES], capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout.split()) == (0, ["plain,policy"])
    assert list(tmp_path.iterdir()) == []


def test_the_installed_program_on_a_fresh_home(tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}

    def said(*arguments: str) -> tuple[int, str, str]:
        done = subprocess.run([FOUREYES, *arguments], capture_output=True, text=True, check=False, env=environment)
        return done.returncode, done.stdout, done.stderr

    code, out, _ = said("config", "show")
    assert code == 0
    assert f"{tmp_path}/.local/share/foureyes" in out
    assert said("check", CLEARED)[0] == 4
    assert said("chekc")[0] == 64
    assert list(tmp_path.iterdir()) == [], "looking makes nothing"


def test_somebody_who_stops_reading_is_no_crash(desk: Desk) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(desk.home), "FOUREYES_HOME": str(desk.home)}
    line = f"'{FOUREYES}' policy show solo | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False, env=environment)
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert not (desk.home / "crashes").exists()
