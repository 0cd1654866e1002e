"""`foureyes fix`: the open findings as a prompt for the author's agent, and nothing else on stdout."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.colleagues import Table
from tests.cli.outcomes import CLEAN, EVIL, KEY, MANY, NOTE, PIPE

MARKS = re.compile(r"^----- findings ([0-9a-f]{16}) (begin|end) -----$", re.MULTILINE)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(home=tmp_path / "home")


def test_the_prompt_has_each_finding_with_its_place_and_demands_an_answer_to_each(table: Table) -> None:
    ran = table.run("fix")
    assert (ran.code, ran.err) == (0, "")
    for part in ("1. solo.1-F1, critical, deploy.sh:14", "2. solo.1-F2, important, app/settings.py:3", PIPE.suggestion):
        assert part in ran.out
    for part in (
        "FIX it",
        "REBUT it",
        "leave none out",
        "    foureyes review --fixed NAME",
        "name it again",
        "round 1 of 3",
    ):
        assert part in ran.out
    assert "also: solo.1-F11 app/region_1.py:1, " in ran.out
    assert KEY.quote in ran.out
    assert NOTE.text not in ran.out
    assert NOTE.text in table.run("fix", "--all").out


def test_words_of_strangers_stand_between_marks_they_cannot_make(table: Table) -> None:
    """D-06: content is data, delimited by what it cannot know."""
    table.scene.outcome = EVIL
    out = table.run("fix").out
    (begin, end) = MARKS.finditer(out)
    assert (begin[1], begin[2], end[2]) == (end[1], "begin", "end")
    inside = out[begin.end() : end.start()]
    assert begin[1] not in inside
    assert "@everyone" not in out.replace(inside, "")
    assert not set(out) & {"\x1b", "\x07", "\r", "\u202e", "\u2066"}
    assert all(re.match(r"\d+\. |   \w+: ", line) for line in inside.strip("\n").splitlines())


def test_scripts_get_the_findings_beside_the_prompt(table: Table) -> None:
    data = table.run("fix", "--json").data
    assert len(data["findings"]) == 14
    assert data["prompt"] == table.run("fix").out
    assert (data["review"], data["revision"]) == ("r7", 1)


def test_where_nothing_is_open_stdout_stays_empty(table: Table) -> None:
    table.scene.outcome = CLEAN
    ran = table.run("fix", "r8")
    assert (ran.code, ran.out, ran.err) == (0, "", "Nothing to fix in review r8.\n")


def test_a_review_that_is_not_there_is_told(table: Table) -> None:
    ran = table.run("fix", "other")
    assert (ran.code, ran.out) == (4, "")


def test_many_findings_make_a_prompt_that_can_be_read(table: Table) -> None:
    table.scene.outcome = MANY
    out = table.run("fix").out
    assert "450 more follow when these are settled." in out
    assert len(out) < 50_000
