"""`why` shows one finding in full; `status` shows the state here, the turn, and what is open elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from foureyes.app.reviewing.outcome import Outcome
from tests.cli.colleagues import Table
from tests.cli.desk import Desk, furnish
from tests.cli.outcomes import BLOCKED, CLEAN, CLEARED, KEY


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(home=tmp_path / "home")


def test_a_finding_is_told_in_full_with_all_of_its_places(table: Table) -> None:
    ran = table.run("why", "solo.1-F2")
    assert ran.code == 2
    for part in (KEY.text, KEY.why, KEY.suggestion, "app/settings.py:3", "app/region_12.py:12"):
        assert part in ran.out
    assert table.run("why", "solo.1-F2", "--json").data["finding"]["id"] == "solo.1-F2"


def test_a_note_blocks_nothing_and_an_unknown_finding_is_64(table: Table) -> None:
    assert table.run("why", "solo.2-F3").code == 0
    ran = table.run("why", "solo.2-F77")
    assert (ran.code, ran.out) == (64, "")


def test_status_counts_what_is_open_in_the_last_reviews(desk: Desk) -> None:
    ran = desk.run("status")
    said = " ".join(ran.out.split())
    assert "; hello.py; no open finding; turn: a reviewer: a report; round 1, " in said
    assert not set(ran.out) & {"\x1b", "\x07", "\u202e"}
    (newest,) = desk.run("status", "--json").data["newest"]
    assert (newest["review"], newest["findings"], newest["revision"]) == ("r2", 0, 1)


def test_status_begins_with_what_is_open_here_whose_turn_it_is_and_the_next_command(table: Table) -> None:
    """D-21: whose turn it is stands beside what is open."""
    furnish(table.home)
    ran = table.run("status")
    assert ran.code == 2
    first, *rest = ran.out.splitlines()
    assert first == "✗ 2 things to fix before this goes live, in 14 places"
    assert any("critical" in line and "deploy.sh:14" in line for line in rest)
    assert "Turn          the author: a new version" in ran.out
    assert "foureyes fix" in ran.out
    assert "looks again after the fix; name the work as before" in ran.out
    here = table.run("status", "--json").data["here"]
    assert (here["review"], here["result"], here["blocking"]) == ("r7", "blocked", 14)
    assert here["next"][0] == "foureyes fix"


@pytest.mark.parametrize(
    ("outcome", "turn"),
    [
        (replace(BLOCKED, waits=()), "yours: fix each of them"),
        (replace(BLOCKED, waits=(), found=(), looked=()), "yours: run it again"),
        (CLEAN, "whoever can vouch for it"),
        (CLEARED, ""),
    ],
)
def test_whose_turn_it_is_follows_from_how_things_stand(table: Table, outcome: Outcome, turn: str) -> None:
    furnish(table.home)
    table.scene.outcome = outcome
    said = table.run("status", "--json").data["here"]["turn"]
    assert said.startswith(turn)
    assert bool(said) == bool(turn)


def test_where_nothing_was_reviewed_every_command_says_so_with_the_one_that_begins(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = desk.run("status")
    assert ran.code == 0
    assert ran.out.startswith("Nothing was reviewed here yet.\n  Next          foureyes review\n")
    assert desk.run("status", "--json").data["here"] is None
    for words in (["why"], ["why", "solo.1-F1"], ["fix"], ["dismiss", "solo.1-F1", "--because", "x"]):
        ran = desk.run(*words)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == "Nothing was reviewed here yet.\nRun: foureyes review\n"


def test_a_review_that_is_not_there_is_looked_up_with_status(desk: Desk) -> None:
    assert "`foureyes status` names those that are open." in desk.run("why", "nope").err


def test_why_without_a_name_is_about_the_last_review_of_this_place(table: Table) -> None:
    furnish(table.home)
    table.scene.outcome = replace(CLEAN, review="r2")
    ran = table.run("why")
    assert ran.code == 0
    assert ran.out.startswith("✓ Nothing blocks in Say hello.")
    assert "\nr2, version 1 (" in ran.out


def test_why_has_the_code_of_review_where_something_is_to_be_fixed(table: Table) -> None:
    """D-21: the same state is the same code, whichever command says it."""
    furnish(table.home)
    table.scene.outcome = replace(BLOCKED, review="r2")
    assert table.run("why", "r2").code == table.run("why").code == 2
