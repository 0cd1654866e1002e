"""`foureyes dismiss`: a person's decision, typed at a terminal, stored with its reason and marked unproven."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Standing
from tests.cli.colleagues import Table
from tests.cli.outcomes import BLOCKED, EVIL, HOSTILE, KEY, LATER

NAME = "solo.1-F2"


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(home=tmp_path / "home")


def test_a_person_drops_a_finding_by_typing_its_name(table: Table) -> None:
    """D-10: a finding can be contested without a change of code."""
    table.types = [f"{NAME}\n"]
    ran = table.run("dismiss", NAME, "--because", "it is the documented sample key")
    assert ran.code == 0
    assert table.scene.dismissed == [("r7", NAME, "it is the documented sample key")]
    assert "app/settings.py:3" in ran.err
    assert KEY.quote in ran.err
    assert "until the code around it changes; marked unproven" in ran.out


def test_scripts_are_told_that_it_is_unproven(table: Table) -> None:
    table.types = [NAME]
    data = table.run("dismiss", NAME, "--because", "x", "--json").data
    assert (data["exit"], data["dismissed"], data["proven"]) == (0, [NAME], False)


def test_one_issue_of_several_reviewers_is_dropped_for_all_of_them(table: Table) -> None:
    table.scene.outcome = replace(BLOCKED, found=(replace(KEY, ids=("a-F1", "b-F7")),))
    table.types = ["a-F1"]
    assert table.run("dismiss", "b-F7", "--because", "x").code == 0
    assert [one[1] for one in table.scene.dismissed] == ["a-F1", "b-F7"]


def test_no_agent_dismisses_anything(table: Table) -> None:
    """D-04: where nobody sits nothing is dismissed, and a wrong word does nothing."""
    ran = table.run("dismiss", NAME, "--because", "x")
    assert ran.code == 2
    assert "A person must confirm this at a terminal" in ran.err
    table.types = ["yes"]
    assert table.run("dismiss", NAME, "--because", "x").code == 2
    assert table.scene.dismissed == []


def test_a_critical_finding_waits_for_a_signed_in_human(table: Table) -> None:
    table.types = ["solo.1-F1"]
    ran = table.run("dismiss", "solo.1-F1", "--because", "x")
    assert ran.code == 2
    assert "it waits for a person who signs in" in ran.err
    assert "foureyes dismiss --critical solo.1-F1 --because" in ran.err
    assert table.types == ["solo.1-F1"], "nobody was asked"
    assert table.scene.dismissed == []


def test_what_the_gate_refuses_is_refused(table: Table) -> None:
    """A veto is the gate's to know; its refusal is told as it is."""
    table.types = [NAME]
    table.scene.refuses = Refusal(Code.VETOED, "A veto waits for a signed-in human.", "Sign in.")
    ran = table.run("dismiss", NAME, "--because", "x")
    assert (ran.code, ran.out) == (2, "")
    assert "A veto waits for a signed-in human." in ran.err


@pytest.mark.parametrize("because", ["", "   ", "x" * 1001])
def test_a_reason_is_needed_and_short(table: Table, because: str) -> None:
    table.types = [NAME]
    assert table.run("dismiss", NAME, "--because", because).code == 64
    assert table.run("dismiss", NAME).code == 64
    assert table.scene.dismissed == []


def test_an_unknown_finding_or_review_is_told_with_those_there_are(table: Table) -> None:
    table.types = []
    ran = table.run("dismiss", "solo.9-F9", "--because", "x")
    assert ran.code == 64
    assert "It has solo.2-F3, solo.1-F2" in ran.err
    assert table.run("dismiss", NAME, "--because", "x", "--review", "other").code == 4


def test_what_is_settled_cannot_be_dismissed_again(table: Table) -> None:
    table.types = []
    table.scene.outcome = LATER
    assert "is dismissed already" in table.run("dismiss", "solo.2-F9", "--because", "x").err
    table.scene.outcome = replace(BLOCKED, found=(replace(KEY, standing=Standing.RESOLVED),))
    assert "is resolved already" in table.run("dismiss", NAME, "--because", "x").err


def test_what_is_shown_before_the_question_is_harmless(table: Table) -> None:
    """T31: the question cannot be overwritten by the finding it is about."""
    table.types = [HOSTILE]
    table.scene.outcome = EVIL
    ran = table.run("dismiss", HOSTILE, "--because", "x")
    assert not set(ran.err) & {"\x1b", "\x07", "\r", "\u202e"}
