"""`foureyes review`: its options reach the round, and its result reaches the person."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from foureyes.app.reviewers import Unread
from foureyes.app.reviewing.outcome import Options, Outcome, Watch
from foureyes.cli.parts import Wanted
from foureyes.cli.review import READING
from foureyes.core.refusals import Code, Refusal
from foureyes.home import consents
from foureyes.home.trouble import Trouble
from tests.cli.colleagues import CHANGE, NOW, Table
from tests.cli.outcomes import BLOCKED, CLEAN, EVERY, STOPPED
from tests.cli.test_plain import Terminal
from tests.cli.test_showing import RESULTS


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(home=tmp_path / "home")


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("manner", [(), ("--json",), ("--sarif",), ("--markdown",), ("--quiet",), ("--all",)])
def test_the_exit_code_is_what_the_round_came_to_however_it_is_shown(
    table: Table, name: str, manner: tuple[str, ...]
) -> None:
    table.scene.outcome = EVERY[name]
    ran = table.run("review", *manner)
    assert ran.code == RESULTS[name][1]
    assert ran.out
    assert ran.err == ""


def test_scripts_get_one_object(table: Table) -> None:
    data = table.run("review", "--json").data
    assert (data["exit"], data["result"], data["shape"]) == (2, "blocked", "foureyes.review/1")
    assert json.loads(table.run("review", "--sarif").out)["version"] == "2.1.0"
    assert table.run("review", "--markdown").out.startswith("### ❌ 2 things to fix")


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], Wanted()),
        (["main..HEAD"], Wanted(what="main..HEAD")),
        (["plan.md", "--kind", "plan", "--title", "The plan"], Wanted(what="plan.md", kind="plan", title="The plan")),
        (["-"], Wanted(what="-")),
        (["--staged"], Wanted(staged=True)),
        (["--worktree"], Wanted(worktree=True)),
    ],
)
def test_the_work_is_named_in_many_ways(table: Table, arguments: list[str], wanted: Wanted) -> None:
    table.run("review", *arguments)
    assert table.scene.wanted == [wanted]


@pytest.mark.parametrize(
    ("arguments", "again"),
    [
        ([], "foureyes review"),
        (["main..HEAD"], "foureyes review main..HEAD"),
        (["my plan.md", "--all"], "foureyes review 'my plan.md'"),
        (["-"], "foureyes review -"),
        (["--staged", "--no-agents"], "foureyes review --staged"),
        (["--worktree"], "foureyes review --worktree"),
    ],
)
def test_the_next_command_looks_at_the_same_work_again(
    table: Table, arguments: list[str], again: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever copies it must not be told of another work."""
    monkeypatch.setenv("COLUMNS", "100")
    lines = {one["does"]: one["line"] for one in table.run("review", *arguments, "--json").data["next"]}
    assert lines["looks again after the fix"] == again
    assert f"  {again}  " in table.run("review", *arguments).out
    table.scene.outcome = STOPPED
    assert again in {one["line"] for one in table.run("review", *arguments, "--json").data["next"]}


def test_what_is_asked_for_reaches_the_round(table: Table) -> None:
    names = ["--only", "security", "--only", "Codex", "--without", "Gemini CLI"]
    table.run("review", *names, "--style", "panel", "--no-agents", "--budget-usd", "0.5", "--timeout", "90")
    (options,) = table.scene.options
    assert (options.only, options.without) == (("security", "Codex"), ("Gemini CLI",))
    assert (options.style, options.critics_only) == ("panel", True)
    assert (options.usd_micro_max, options.seconds_max) == (500_000, 90)


def test_the_author_answers_findings_of_the_last_round_and_may_start_over(table: Table) -> None:
    table.run(
        "review", "--fixed", "F1", "pinned", "--rebut", "F2", "a sample: see a.py:3", "--rebut", "F3", "no", "--anew"
    )
    (options,) = table.scene.options
    assert [(one.finding, one.text, one.rebuttal) for one in options.answers] == [
        ("F1", "pinned", False),
        ("F2", "a sample: see a.py:3", True),
        ("F3", "no", True),
    ]
    assert options.anew


@pytest.mark.parametrize(
    "arguments",
    [
        ["--rebut", "F1"],
        ["a..b", "--staged"],
        ["--staged", "--worktree"],
        ["--json", "--sarif"],
        ["--sarif", "--markdown"],
        ["--budget-usd", "much"],
        ["--budget-usd", "-1"],
        ["--budget-usd", "nan"],
        ["--timeout", "0"],
        ["one", "two"],
        ["nothing"],
    ],
)
def test_what_cannot_be_meant_is_64_and_nobody_is_asked(table: Table, arguments: list[str]) -> None:
    ran = table.run("review", *arguments)
    assert ran.code == 64
    assert table.scene.options == []


def test_where_nothing_changed_nobody_is_asked_and_nothing_is_stored(table: Table) -> None:
    table.scene.change = replace(CHANGE, files=())
    ran = table.run("review")
    assert (ran.code, table.scene.options) == (0, [])
    assert "Nothing to look at: nothing has changed here." in ran.out
    assert not table.home.exists()
    assert table.run("review", "--json").data["nothing"] is True


def test_an_empty_stdin_is_no_answer(table: Table) -> None:
    """Fail closed: what should have come in never came, so nobody may take it for harmless."""
    table.scene.change = replace(CHANGE, files=())
    ran = table.run("review", "-")
    assert (ran.code, ran.out) == (4, "")
    assert "Nothing came in on stdin" in ran.err
    assert table.scene.options == []


def test_what_cannot_be_read_at_all_is_not_taken_for_no_change(table: Table) -> None:
    """D-15: unread is said, and is no yes."""
    table.scene.change = replace(CHANGE, files=(), unread=(Unread(path="disk.img", why="too large"),))
    ran = table.run("review")
    assert (ran.code, ran.out) == (4, "")
    assert "disk.img: too large" in ran.err


def interrupting(then: Callable[[], Outcome]) -> Callable[[Options, Watch], Awaitable[Outcome]]:
    """A round that a person stops with Ctrl-C while it waits."""

    async def play(options: Options, watch: Watch) -> Outcome:
        del options
        watch.started("Claude Code")
        assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return then()
        raise AssertionError

    return play


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Restore Ctrl-C, which background jobs of a shell ignore; the tests may run as one."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_shows_what_there_is(table: Table) -> None:
    """D-09: what was found so far is kept, and it is never taken for an answer."""
    table.scene.play = interrupting(lambda: STOPPED)
    ran = table.run("review")
    assert ran.code == 4
    assert "Stopped before everybody was done: this is no answer." in ran.out
    assert "deploy.sh:14" in ran.out
    table.scene.play = interrupting(lambda: STOPPED)
    assert table.run("review", "--json").data["interrupted"] is True


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_before_anybody_said_a_word_is_no_answer_either(table: Table) -> None:
    def gone() -> Outcome:
        raise asyncio.CancelledError

    table.scene.play = interrupting(gone)
    ran = table.run("review")
    assert (ran.code, ran.out) == (4, "")
    assert "Stopped before anybody was done" in ran.err


@pytest.mark.parametrize(
    ("error", "code"),
    [(Trouble("No.", "Do."), 4), (Refusal(Code.VETOED, "No.", "Do."), 2), (ZeroDivisionError(), 1)],
)
def test_a_round_that_fails_is_told(table: Table, error: Exception, code: int) -> None:
    async def play(options: Options, watch: Watch) -> Outcome:
        del options, watch
        raise error

    table.scene.play = play
    ran = table.run("review")
    assert (ran.code, ran.out) == (code, "")


def asking(*questions: tuple[str, str]) -> Callable[[Options, Watch], Awaitable[Outcome]]:
    """A round that asks for consent to send, and records who got the work."""

    async def play(options: Options, watch: Watch) -> Outcome:
        del watch
        return replace(CLEAN, notes=tuple(name for name, sends in questions if options.may_send(name, sends)))

    return play


CLAUDE = ("Claude Code", "Anthropic, with the login of this machine")


def sent(table: Table, *arguments: str) -> list[str]:
    notes = table.run("review", "--json", *arguments).data["notes"]
    assert isinstance(notes, list)
    return notes


def test_nothing_is_sent_out_before_a_person_said_yes_and_then_it_is_remembered(table: Table) -> None:
    table.scene.play = asking(CLAUDE)
    assert sent(table) == [], "nobody sits there"
    table.types = ["yes\n"]
    assert sent(table) == ["Claude Code"]
    assert table.types == []
    assert sent(table) == ["Claude Code"], "not asked twice"
    assert consents.every(str(table.home))["Claude Code"]["at"] == NOW.isoformat()


@pytest.mark.parametrize(
    ("typed", "got", "kept"),
    [
        (["y"], ["Claude Code"], "yes"),
        (["N"], [], "no"),
        (["sure", "YES"], ["Claude Code"], "yes"),
        (["sure", "why not"], [], None),
        (["what?", ""], [], None),
    ],
)
def test_who_mistypes_is_asked_once_more_and_a_letter_will_do(
    table: Table, typed: list[str], got: list[str], kept: str | None
) -> None:
    table.scene.play = asking(CLAUDE)
    table.types = list(typed)
    assert sent(table) == got
    assert table.types == []
    assert consents.every(str(table.home)).get("Claude Code", {}).get("answer") == kept


def test_a_no_is_remembered_and_silence_is_not(table: Table) -> None:
    table.scene.play = asking(CLAUDE)
    table.types = ["\n", "no\n"]
    assert sent(table) == []
    assert sent(table) == []
    assert sent(table) == [], "not asked again"
    table.types = ["yes\n"]
    assert sent(table, "--ask") == ["Claude Code"]


def test_a_yes_holds_for_who_was_named_and_nobody_else(table: Table) -> None:
    table.scene.play = asking(CLAUDE)
    table.types = ["yes\n"]
    sent(table)
    table.types = None
    table.scene.play = asking((CLAUDE[0], "somebody else"), ("Codex", "OpenAI"))
    assert sent(table) == []


MAKE = ("run: make test", "the policy of the repository /a wants to run `make test` on this machine")


def test_a_command_of_a_policy_is_asked_for_once_in_each_repository(table: Table) -> None:
    other = (MAKE[0], MAKE[1].replace("/a", "/b"))
    table.types = ["yes\n", "no\n"]
    table.scene.play = asking(MAKE, other)
    assert sent(table) == [MAKE[0]]
    assert sent(table) == [MAKE[0]], "neither answer took the other's place"
    table.types = None
    table.scene.play = asking(("run: make all", MAKE[1].replace("test", "all")))
    assert sent(table) == [], "another command is another question"


def test_leave_to_send_is_no_leave_to_run(table: Table) -> None:
    """`all` stands for reviewers; a command is named as it would run."""
    table.scene.play = asking(CLAUDE, MAKE)
    assert sent(table, "--yes-send", "all") == ["Claude Code"]
    assert sent(table, "--yes-send", "RUN: MAKE TEST") == []
    assert sent(table, "--yes-send", "run: make test") == [MAKE[0]]


def test_the_question_says_what_would_run_and_that_nothing_holds_it(table: Table) -> None:
    table.scene.play = asking(MAKE)
    table.types = ["no\n"]
    said = " ".join(table.run("review").err.split())
    assert "the policy of the repository /a wants to run `make test` on this machine." in said
    assert "in no sandbox" in said


def test_a_question_stands_by_itself_and_nothing_is_left_of_what_was_drawn(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was drawn before is gone when a person is asked; else the next drawing would rub out the question."""
    monkeypatch.setattr("tests.cli.desk.io.StringIO", Terminal)
    monkeypatch.setenv("TERM", "xterm")
    table.types = ["y"]
    table.scene.play = asking(("Claude Code", "Anthropic"))
    err = table.run("review", "--no-color").err
    drawn, question = err.index(READING), err.index("Anthropic")
    assert "\x1b[1A\x1b[J" in err[drawn:question]
    assert err.count("\x1b[J") == 1


def test_the_question_says_who_will_receive_what(table: Table) -> None:
    table.scene.play = asking(CLAUDE)
    table.types = ["no\n"]
    ran = table.run("review")
    assert "It goes to: Anthropic, with the login of this machine" in ran.err
    assert "secrets taken out" in ran.err


def test_a_yes_on_the_command_line_is_for_this_run_alone(table: Table) -> None:
    table.scene.play = asking(CLAUDE, ("Codex", "OpenAI"))
    assert sent(table, "--yes-send", "claude code") == ["Claude Code"]
    assert sent(table, "--yes-send", "all") == ["Claude Code", "Codex"]
    assert sent(table) == []
    assert not (table.home / consents.FILE).exists()


def test_a_damaged_list_of_consents_sends_nothing(table: Table) -> None:
    table.home.mkdir(mode=0o700)
    table.scene.play = asking(CLAUDE)
    for text in ("{", "[]", '{"Claude Code": "yes"}', '{"Claude Code": {"answer": true}}', "[" * 100_000):
        (table.home / consents.FILE).write_text(text, encoding="utf-8")
        ran = table.run("review")
        assert (ran.code, ran.out) == (4, "")
        assert "is not as foureyes wrote it" in ran.err


def test_without_a_terminal_nothing_is_drawn_and_verbose_says_who_begins_and_ends(table: Table) -> None:
    assert table.run("review").err == ""
    said = table.run("review", "--verbose").err.splitlines()
    assert "Claude Code is looking" in said
    assert "Claude Code: 2 findings, 41 s, $0.12, 18,400 tokens" in said
    assert "Codex: could not say: over its limit" in said


def test_the_help_teaches() -> None:
    table = Table(home=Path("/nowhere"))
    said = " ".join(table.run("review", "--help").out.split())
    for part in ("foureyes review --staged", "main..HEAD", "Exit codes: 0", "foureyes fix", "Ctrl-C"):
        assert part in said


def test_no_color_is_plain_even_on_a_terminal(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("foureyes.cli.answer._colours", lambda _stream: True)
    assert "\x1b[" in table.run("review").out
    assert "\x1b[" not in table.run("review", "--no-color").out
    assert table.scene.outcome is BLOCKED
