"""The Python critic passes on what its tools find, and trusts nothing that it reads."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes.app.reviewers import Change, File
from foureyes.reviewers.critics.critic import State
from foureyes.reviewers.critics.python import CRITIC, tools
from foureyes.reviewers.critics.python.tools import ToolError
from tests.critics.works import file, hits_of, look, rules_of, work

UNSAFE = """import subprocess


def run(name):
    subprocess.call(
        "ls " + name,
        shell=True,
    )
    return eval(name)
"""


def test_what_is_unsafe_blocks_on_its_line_and_is_said_once() -> None:
    """By the number that people look up."""
    judged = look(CRITIC, "a.py", UNSAFE)
    (shell,) = [hit for hit in judged.hits if hit.rule.id.endswith("602")]
    assert (shell.rule.id, shell.state, shell.line) == ("python.bandit.B602", State.BLOCK, 7)
    (evaluated,) = [hit for hit in judged.hits if hit.rule.id.endswith("307")]
    assert (evaluated.state, evaluated.line) == (State.UNKNOWN, 9)
    assert judged.unread == ()
    assert "1 Python file" in judged.looked_at


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("def f(:\n", "python.ruff.syntax"),
        ("print(undefined_name)\n", "python.ruff.F821"),
        ("a = 1\n\n\ndef f():\n    print(a)\n    a = 2\n", "python.ruff.F823"),
        ("'%s %s' % (1,)\n", "python.ruff.F507"),
        ("class A:\n    def __init__(self):\n        return 1\n", "python.ruff.PLE0101"),
    ],
)
def test_what_cannot_work_blocks(text: str, rule: str) -> None:
    assert rule in rules_of(look(CRITIC, "a.py", text), least=State.BLOCK)


def test_tests_are_judged_more_softly() -> None:
    assert State.BLOCK not in {hit.state for hit in look(CRITIC, "tests/test_a.py", UNSAFE).hits}
    assert look(CRITIC, "tests/test_a.py", "password = 'hunter2'\n").hits == ()
    assert "python.ruff.F821" in rules_of(look(CRITIC, "tests/test_a.py", "nothing\n"), least=State.BLOCK)


def test_a_password_is_found_and_never_repeated() -> None:
    judged = look(CRITIC, "a.py", "password = 'correct-horse-battery'\n")
    assert "python.bandit.B105" in rules_of(judged)
    assert "correct-horse" not in repr(judged)


def test_no_comment_for_a_whole_file_and_no_configuration_of_the_work_silences_it() -> None:
    """The rules are not taken from what is under review."""
    judged = CRITIC.look(work(ruff__toml='lint.ignore = ["ALL"]\n', a__py="# ruff: noqa\n" + UNSAFE))
    assert "python.bandit.B602" in rules_of(judged, least=State.BLOCK)


@pytest.mark.parametrize("comment", ["# nosec", "# nosec B602", "# noqa", "# noqa: S602", "# nosec B101, B602"])
def test_a_comment_on_the_statement_that_allows_the_check_makes_a_note_of_it(comment: str) -> None:
    """It is told with the finding, which no longer stops the work."""
    allowed = UNSAFE.replace("shell=True,", f"shell=True,  {comment}")
    (noted,) = hits_of(look(CRITIC, "a.py", allowed), "python.bandit.B602")
    assert noted.state is State.CLEAR
    assert "a comment on the line allows it" in noted.evidence


@pytest.mark.parametrize("comment", ["# nosec B101", "# noqa: E501", "# type: ignore"])
def test_a_comment_that_allows_something_else_allows_nothing(comment: str) -> None:
    other = UNSAFE.replace("shell=True,", f"shell=True,  {comment}")
    (blocked,) = hits_of(look(CRITIC, "a.py", other), "python.bandit.B602")
    assert blocked.state is State.BLOCK


def test_a_comment_that_stood_at_the_base_makes_a_note_of_it() -> None:
    before = UNSAFE.replace("shell=True,", "shell=True,  # nosec").encode()
    one = File(path="a.py", content=before + b"\n\nX = 1\n", before=before, changed=((10, 12),))
    (noted,) = hits_of(CRITIC.look(Change(title="t", kind="code", files=(one,))), "python.bandit.B602")
    assert noted.state is State.CLEAR
    assert "allows" in noted.evidence


def test_no_configuration_above_the_copies_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor one in the folder of temporary files."""
    (tmp_path / "ruff.toml").write_text('exclude = ["*"]\nforce-exclude = true\n', encoding="utf-8")
    (tmp_path / ".gitignore").write_text("*\n", encoding="utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert "python.ruff.F821" in rules_of(look(CRITIC, "a.py", "nothing\n"), least=State.BLOCK)


def test_works_without_python_do_not_load_the_tools() -> None:
    code = (
        "import sys\n"
        "from tests.critics.works import look\n"
        "from foureyes.reviewers.critics.python import CRITIC\n"
        "assert look(CRITIC, 'a.md', 'text').looked_at == 'no Python'\n"
        "assert CRITIC.rules\n"
        "assert not {'bandit', 'ruff'} & set(sys.modules)\n"
        "assert not look(CRITIC, 'a.py', 'x = 1\\n').hits\n"
        "assert 'bandit' not in sys.modules, 'nothing suspect'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])


def test_python_is_told_by_its_first_line_too() -> None:
    assert "python.ruff.F821" in rules_of(look(CRITIC, "bin/tool", "#!/usr/bin/env python3\nnothing\n"))
    assert look(CRITIC, "bin/tool", "#!/bin/sh\nnothing\n").hits == ()


def test_hostile_names_reach_no_command_line() -> None:
    judged = CRITIC.look(work(**{"--config=evil__py": "nothing\n", "$(touch x)\n__py": "nothing\n"}))
    assert len(hits_of(judged, "python.ruff.F821")) == 2


def test_a_missing_tool_is_said_and_the_other_still_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that fails is neither a veto nor an approval."""

    def missing(_folder: Path) -> list[str]:
        raise ToolError("ruff is not installed")

    monkeypatch.setattr(tools, "_ruff_command", missing)
    judged = look(CRITIC, "a.py", UNSAFE)
    assert [one.why for one in judged.unread] == ["ruff is not installed"]
    assert "python.bandit.B602" in rules_of(judged, least=State.BLOCK)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (["/bin/false"], "exit code 1"),
        (["/nowhere/ruff"], "cannot be started"),
        (["/bin/echo", "no json"], "cannot be read"),
    ],
)
def test_a_tool_that_answers_garbage_is_said(monkeypatch: pytest.MonkeyPatch, command: list[str], why: str) -> None:
    monkeypatch.setattr(tools, "_ruff_command", lambda _folder: command)
    judged = look(CRITIC, "a.py", "x = 1\n")
    assert [why in one.why for one in judged.unread] == [True]
    assert judged.hits == ()


def test_a_tool_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "RUFF_SECONDS_MAX", 0.2)
    monkeypatch.setattr(tools, "_ruff_command", lambda _folder: ["/bin/sh", "-c", "sleep 60 & wait"])
    judged = look(CRITIC, "a.py", "x = 1\n")
    assert ["took longer" in one.why for one in judged.unread] == [True]


def test_what_is_too_large_or_no_text_is_said() -> None:
    large = file("large__py", "x = 1\n" * 200_000)
    broken = file("broken__py", b"x = '\xff'\n")
    gone = file("gone__py", b"", mode="000000")
    judged = CRITIC.look(Change(title="", kind="code", files=(large, broken, gone)))
    assert {one.path for one in judged.unread} == {"large.py", "broken.py"}


@pytest.mark.parametrize(
    "text", ["(" * 3000, "-" * 20_000 + "1\n", "x = " + "[" * 5000, "a" + ".a" * 20_000 + "\n", "\x00\n"]
)
def test_deep_nesting_breaks_nothing(text: str) -> None:
    judged = look(CRITIC, "a.py", "import pickle\npickle.loads(x)\n" + text)
    assert judged.hits or judged.unread


@given(text=st.text(max_size=200))
@settings(max_examples=15)
def test_no_text_breaks_it(text: str) -> None:
    lines = text.count("\n") + 2
    assert all(0 < hit.line <= lines for hit in look(CRITIC, "a.py", text).hits)


def test_clean_python_is_not_stopped() -> None:
    own = (Path(tools.__file__).parent / "known.py").read_text(encoding="utf-8")
    assert look(CRITIC, "a.py", own).hits == ()


def test_every_finding_is_listed_among_the_rules() -> None:
    listed = {rule.id for rule in CRITIC.rules}
    assert len(listed) == len(CRITIC.rules)
    assert rules_of(look(CRITIC, "a.py", UNSAFE + "import os\nnothing\n")) <= listed
