"""How much a person has to read: filters reduce the output without hiding what must be fixed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from foureyes.app.reviewing.outcome import LookedState, NotLooked, Outcome
from foureyes.cli import telling
from foureyes.cli.showing import Picked, shown
from foureyes.core.values import Severity
from tests.cli.colleagues import Table
from tests.cli.outcomes import BLOCKED, CLEAN, CRITICS, KEY, MANY, NOTE, PIPE, program


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(home=tmp_path / "home")


def screen(outcome: Outcome, picked: Picked, *, everything: bool = False, quiet: bool = False) -> str:
    lines = shown(outcome, width=100, everything=everything, quiet=quiet, picked=picked)
    return "".join(f"{line}\n" for line in lines)


def test_only_what_is_grave_enough_is_shown_and_the_rest_is_counted() -> None:
    """D-21: min severity."""
    text = screen(BLOCKED, Picked(least=Severity.CRITICAL))
    assert PIPE.text in text
    assert KEY.text not in text
    assert "Left out, as you asked: 1 to fix and 1 note." in text
    assert text.startswith("✗ 2 things to fix"), "what it comes to stays the same"


def test_only_the_categories_that_are_named_are_shown() -> None:
    """D-21: categories."""
    text = screen(BLOCKED, Picked(categories=("other",)), everything=True)
    assert NOTE.text in text
    assert PIPE.text not in text
    assert "Left out, as you asked: 2 to fix." in text
    assert "Left out" not in screen(BLOCKED, Picked(categories=("security", "other")), everything=True)


def test_so_many_things_are_told_in_full() -> None:
    """D-21: max items."""
    full = [screen(MANY, Picked(most=most)).count("  Why   ") for most in (1, 5, 20)]
    assert full == [1, 5, 20]
    assert "480 more to fix:" in screen(MANY, Picked(most=20))


def test_who_asks_for_little_is_still_told_that_there_is_something_to_fix() -> None:
    """D-21: nothing that blocks is left out without a word, however quiet it shall be."""
    for quiet in (False, True):
        text = screen(BLOCKED, Picked(categories=("nonsense",)), quiet=quiet)
        assert text.startswith("✗ 2 things to fix")
        assert "Left out, as you asked: 2 to fix and 1 note." in text


@pytest.mark.parametrize(
    "words",
    [["--severity", "critical"], ["--category", "Security"], ["--most", "1"], ["--severity", "minor", "-q"]],
)
def test_what_one_asks_to_see_changes_neither_the_exit_code_nor_what_scripts_read(
    table: Table, words: list[str]
) -> None:
    """D-21: it is a matter of the screen alone."""
    plain = table.run("review", "--json")
    asked = table.run("review", "--json", *words)
    assert (asked.code, asked.data) == (plain.code, plain.data)
    assert table.run("review", *words).code == 2
    assert PIPE.text in table.run("review", *words).out


@pytest.mark.parametrize("words", [["--severity", "bad"], ["--most", "0"], ["--most", "few"]])
def test_what_cannot_be_meant_is_64(table: Table, words: list[str]) -> None:
    assert table.run("review", *words).code == 64


def test_agents_that_are_not_here_for_the_same_reason_share_their_words() -> None:
    """D-23: said, and in one line."""
    names = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI"}
    absent = tuple(
        NotLooked(who=who, why=f"{called} is not installed", next_step=f"install {who}")
        for who, called in names.items()
    )
    text = screen(replace(CLEAN, not_looked=absent), Picked())
    assert "Did not look  claude, codex and gemini (not installed)." in text
    assert len(text.splitlines()) <= 4
    every = screen(replace(CLEAN, not_looked=absent), Picked(), everything=True)
    assert all(f"install {who}" in every for who in names)
    mixed = (
        *absent[:2],
        NotLooked(who="gemini", why="Gemini CLI is not logged in"),
        NotLooked(who="x", why="you left it out"),
    )
    text = " ".join(screen(replace(CLEAN, not_looked=mixed), Picked()).split())
    assert "claude and codex (not installed); gemini (not logged in); x (you left it out)." in text


def test_a_model_whose_library_is_missing_is_not_said_to_be_missing_itself() -> None:
    names = ("claude", "codex", "gemini")
    absent = tuple(NotLooked(who=who, why=f"{who} is not installed") for who in names)
    model = NotLooked(who="anthropic:claude", why="what speaks to models is not installed", next_step="pip install it")
    text = " ".join(screen(replace(CLEAN, not_looked=(*absent, model)), Picked()).split())
    assert "(not installed); anthropic:claude (what speaks to models is not installed)." in text


def test_programs_that_were_stopped_share_a_line() -> None:
    """Results come first, and a shared reason is printed only once."""
    looked = tuple(
        replace(program(name, LookedState.INCONCLUSIVE), reason="stopped before it was done") for name in CRITICS
    )
    outcome = replace(BLOCKED, interrupted=True, looked=(*looked, *BLOCKED.looked[-1:]))
    text = " ".join(screen(outcome, Picked()).split())
    assert "not done when it was stopped: format, security, injection, factual and python" in text
    assert "stopped before it was done" not in text
    assert "Codex could not say" in text
    assert "Waiting for" not in text, "nobody owes anything while it is no answer"
    assert " ".join(screen(outcome, Picked(), everything=True).split()).count("stopped before it was done") == 5


def test_bytes_that_are_not_taken_in_again_lead_to_the_fix_and_not_to_the_same_command() -> None:
    held = replace(BLOCKED, held_up="against these very bytes stand findings", waits=())
    lines = [one.line for one in telling.next_commands(held)]
    assert lines[0] == "foureyes fix"
    assert "foureyes doctor" not in lines


def test_one_folded_note_is_it_and_not_them() -> None:
    assert "1 note that does not block; --all shows it" in screen(BLOCKED, Picked())
    two = replace(BLOCKED, found=(*BLOCKED.found, replace(NOTE, ids=("solo.2-F4",))))
    assert "2 notes that do not block; --all shows them" in screen(two, Picked())
