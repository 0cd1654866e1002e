"""No text crashes the critic, holds it up or slips through by size."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.reviewers.critics.commands import CRITIC, judge_command
from foureyes.reviewers.critics.commands.sql import judge_sql
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
