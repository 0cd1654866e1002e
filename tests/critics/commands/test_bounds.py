"""No text crashes the critic, delays it or evades it by size."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.reviewers import Change, File
from foureyes.reviewers.critics.commands import CRITIC, judge_command
from foureyes.reviewers.critics.commands.sql import judge_sql
from foureyes.reviewers.critics.commands.syntax import narrow
from foureyes.reviewers.critics.commands.tools import FAMILIES
from foureyes.reviewers.critics.critic import State
from tests.critics.works import look

SHELL = st.text(alphabet=st.sampled_from(list("rm -f/$(){}[]|&;<>\"'`\\\n#=~*?!:.,abcX0é\u202e")), max_size=120)
WORDS = st.sampled_from(
    ["--", "-rf", "-c", "-e", "/", "*", "$X", "delete", "--force", "=", "{}", ";", "-", "x=1", "@", "''", "-X", "\\;"]
)


PATHS = [
    *("a.sh", "Makefile", "Dockerfile", ".github/workflows/x.yml", "package.json", "crontab", "a.service", "README.md"),
    *("a.sql", "a.py", "a.tf", "Jenkinsfile", "pyproject.toml", "justfile", "Procfile", "x"),
]


@given(st.text(max_size=200))
def test_any_text_is_judged(text: str) -> None:
    assert judge_command(text).state in State


@given(SHELL)
def test_any_shell_like_text_is_judged(text: str) -> None:
    assert judge_command(text).state in State
    assert judge_command("rm -rf /\n" + text.replace("\n", " ")).state in State


@given(st.sampled_from(sorted(FAMILIES)), st.lists(WORDS, max_size=6))
def test_every_known_tool_takes_any_words(name: str, words: list[str]) -> None:
    assert judge_command(" ".join([name, *words])).state in State


@given(
    st.text(max_size=120),
    st.sampled_from(["", "DROP ", "DELETE FROM ", "UPDATE ", "ALTER TABLE a ", "GRANT ", "DO $$ "]),
)
def test_any_sql_is_judged(text: str, start: str) -> None:
    assert all(line >= 1 for line, _ in judge_sql(start + text))


@given(
    st.sampled_from(PATHS),
    st.text(max_size=200),
)
def test_any_file_is_judged(path: str, text: str) -> None:
    assert look(CRITIC, path, text).state in State


@pytest.mark.parametrize("unit", ["a", "a ", "(", "$(", "a|", '"', "'", "`", "{a,b}", "<<A ", "rm -rf / ", "\\", "é"])
def test_a_line_of_ten_megabytes_is_refused_at_once_and_not_called_clear(unit: str) -> None:
    text = (unit * (10_000_000 // len(unit) + 1))[:10_000_000]
    start = time.process_time()
    assert judge_command(text).state is not State.CLEAR
    assert look(CRITIC, "a.sh", text).unread != ()
    assert time.process_time() - start < 2


UNITS = [
    "(",
    "$(",
    "{ ",
    '"$(',
    "a|",
    "a|\n",
    "<<A ",
    "if ",
    "`",
    "[[",
    "${a:-",
    "<(",
    "((",
    "case a in ",
    "a=(",
    "{a,",
    "$((1+",
    "f(){ ",
]


@pytest.mark.parametrize(
    "unit", [*UNITS, "sudo ", "env ", "eval ", "eval '", "x=$x$x;", "f(){ f;f; };f\n", "a && ", "bash -c '"]
)
def test_deep_nesting_ends_in_time(unit: str) -> None:
    for size in (500, 4_000, 60_000):
        start = time.process_time()
        judge_command((unit * (size // len(unit) + 1))[:size])
        assert time.process_time() - start < 3


def test_time_grows_with_the_size_and_no_faster() -> None:
    script = 'for f in a b; do\n  echo "$f"\n  mkdir -p "out/$f" && cp "$f" out/\ndone\ngit status\n'
    judge_command(script)
    took = []
    for times in (40, 320):
        start = time.process_time()
        judge_command(script * times)
        took.append(time.process_time() - start)
    assert took[1] < took[0] * 8 * 3 + 0.2


def test_what_is_inside_too_many_layers_is_unknown() -> None:
    text = "ls"
    for _ in range(12):
        text = "sh -c " + "'" + text.replace("'", "'\\''") + "'"
    assert judge_command(text).state is State.UNKNOWN


def test_a_file_too_long_to_read_is_named_as_unread() -> None:
    judged = look(CRITIC, "a.sh", "ls\n" * 100_000)
    assert [one.path for one in judged.unread] == ["a.sh"]
    assert judged.state is State.UNKNOWN


TOO_LONG = ("security.unread.too-long", State.UNKNOWN, 0)


def of_long(path: str, text: str) -> set[tuple[str, State, int]]:
    start = time.process_time()
    found = look(CRITIC, path, text)
    assert time.process_time() - start < 2
    assert found.unread != ()
    return {(hit.rule.id, hit.state, hit.line) for hit in found.hits}


@pytest.mark.parametrize("path", ["big.sh", "Dockerfile", "big.sql"])
def test_a_script_that_is_not_read_to_its_end_is_unknown_as_a_whole(path: str) -> None:
    """D-12: what nobody read is never a quiet yes, wherever in the file this work's lines are."""
    assert TOO_LONG in of_long(path, "x" * 9_000_000 + "\n")


def test_the_other_lines_of_a_file_with_an_endless_one_are_judged() -> None:
    found = of_long("big.sh", f"#!/bin/sh\n: {'x' * 9_000_000}\ncurl https://example.com/x | sudo sh\n")
    assert found >= {TOO_LONG, ("security.remote-code", State.BLOCK, 3)}


def test_a_script_of_many_lines_is_judged_in_parts_where_this_work_has_lines() -> None:
    many = "echo one more line of a script\n" * 20_000
    text = f"rm -rf /\n{many}rm -rf /etc\n".encode()
    end = text.count(b"\n")
    file = File(path="big.sh", content=text, before=text[:-12], changed=((end, end),))
    start = time.process_time()
    found = CRITIC.look(Change(title="t", kind="code", files=(file,)))
    assert time.process_time() - start < 2
    assert [hit.line for hit in found.hits] == [0, end]


def test_data_that_is_too_long_is_said_and_nothing_more() -> None:
    assert of_long("package-lock.json", "{\n" + '"a": "b",\n' * 300_000 + "}\n") == set()


@pytest.mark.parametrize(
    "text", ["n{\U0004d136\n", "O\r{\U000fe7df5", "[[ -\U00010348 x ]]", "{1..\u2028}", "é{\ud800"]
)
def test_the_parser_never_meets_a_character_it_has_no_table_for(text: str) -> None:
    """It reads such a one out of bounds, and sometimes the process dies of that."""
    assert max(map(ord, narrow(text))) < 256
    assert len(narrow(text)) == len(text)
    assert judge_command(text).state in State


def test_what_a_wide_character_stands_beside_is_still_seen() -> None:
    assert judge_command("rm -rf /数据").state is State.BLOCK
    assert judge_command("echo 数据 && rm -rf / {\U0004d136").state is State.BLOCK
