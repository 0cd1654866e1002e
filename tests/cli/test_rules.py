"""`foureyes rules`: what the programs look for, their measured error rate, and the retired rules."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from foureyes.app.reviewing.rulebook import Measured, Retirement, read_measured
from foureyes.home import retired
from foureyes.home.trouble import Trouble
from tests.cli.colleagues import RULES, Table

PIPE, AWS = RULES[0].id, RULES[1].id


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(home=tmp_path / "home")


def test_every_rule_is_listed_with_its_reason_its_severity_and_how_often_it_was_wrong(table: Table) -> None:
    out = " ".join(table.run("rules", "--all").out.split())
    for rule in RULES:
        assert f"{rule.id} {rule.severity}" in out
        assert rule.why in out
    assert "wrong 0.5 in 1,000 (of 2,000 harmless)" in out
    assert out.count("not measured") == 2
    short = " ".join(table.run("rules").out.split())
    assert "3 rules, 1 of them measured, 0 retired." in short
    assert "security.destructive 1 critical" in short
    assert not table.home.exists(), "looking makes nothing"


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("security", [RULES[0].id, RULES[1].id]),
        ("security.destructive", [PIPE]),
        (PIPE, [PIPE]),
        ("format", ["format.trailing-space"]),
    ],
)
def test_a_name_chooses_rules_and_shows_how_to_mend_what_they_find(table: Table, name: str, ids: list[str]) -> None:
    assert [one["id"] for one in table.run("rules", name, "--json").data["rules"]] == ids
    assert "Fix: " in table.run("rules", name).out


@pytest.mark.parametrize("words", [["securty"], ["retire", "format.trailing", "--because", "x"], ["restore", "x"]])
def test_an_unknown_rule_gets_the_nearest_one(table: Table, words: list[str]) -> None:
    table.types = []
    ran = table.run("rules", *words)
    assert (ran.code, ran.out) == (64, "")
    assert "There is no rule or critic" in ran.err


def test_a_person_retires_a_rule_by_typing_its_name(table: Table) -> None:
    table.types = [f"{AWS}\n"]
    ran = table.run("rules", "retire", AWS, "--because", "the keys are samples")
    assert ran.code == 0
    gone = retired.retired(str(table.home))[AWS]
    assert gone.because == "the keys are samples"
    assert stat.S_IMODE((table.home / retired.FILE).stat().st_mode) == 0o600
    assert f"Retired by {gone.by} on 2026-11-16: the keys are samples" in " ".join(
        table.run("rules", "--all").out.split()
    )
    (entry, *_) = table.run("rules", AWS, "--json").data["rules"]
    assert entry["retired"]["because"] == "the keys are samples"


def test_and_puts_it_back(table: Table) -> None:
    table.types = [AWS, AWS]
    table.run("rules", "retire", AWS, "--because", "x")
    assert table.run("rules", "restore", AWS).code == 0
    assert retired.retired(str(table.home)) == {}
    assert table.run("rules", "restore", AWS).code == 0, "nothing to do is no failure"


def test_nobody_who_is_not_signed_in_retires_a_critical_rule(table: Table) -> None:
    """What is critical waits for a human everywhere; to retire its rule would be the way round."""
    table.types = [PIPE]
    ran = table.run("rules", "retire", PIPE, "--because", "x")
    assert (ran.code, ran.out) == (2, "")
    assert "waits for a signed-in human" in ran.err
    assert retired.retired(str(table.home)) == {}
    assert table.types == [PIPE], "nobody was asked to type anything"


def test_no_agent_retires_a_rule(table: Table) -> None:
    """A person confirms at a terminal; a pipe cannot, and a wrong word does nothing."""
    ran = table.run("rules", "retire", AWS, "--because", "x")
    assert ran.code == 2
    assert "A person must confirm this at a terminal" in ran.err
    table.types = ["yes"]
    assert table.run("rules", "retire", AWS, "--because", "x").code == 2
    assert retired.retired(str(table.home)) == {}


@pytest.mark.parametrize(
    "words",
    [["retire"], ["retire", AWS], ["retire", AWS, "--because", "  "], ["a", "b"], ["restore"], ["a", "b", "c"]],
)
def test_half_a_command_is_64(table: Table, words: list[str]) -> None:
    table.types = [AWS]
    assert table.run("rules", *words).code == 64
    assert not table.home.exists()


def test_a_damaged_list_of_retired_rules_is_told_and_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    home = tmp_path / "home"
    retired.retire(str(home), Retirement(rule="r", by="eve", at=datetime(2026, 1, 1, tzinfo=UTC), because="b"))
    assert list(retired.retired(str(home))) == ["r"]
    for text in ("", "{", '{"r": 1}', '{"r": {"by": "eve"}}', '{"r": {"by": "e", "at": "then", "because": "b"}}'):
        (home / retired.FILE).write_text(text, encoding="utf-8")
        with pytest.raises(Trouble):
            retired.retired(str(home))


def test_an_entry_that_says_too_little_stops_everything_until_it_is_taken_out(table: Table) -> None:
    """What is told to be the next step must be one: the rule is back in use afterwards."""
    table.home.mkdir(mode=0o700)
    (table.home / retired.FILE).write_text(f'{{"{AWS}": {{"by": "eve"}}}}', encoding="utf-8")
    ran = table.run("rules")
    assert ran.code == 4
    assert f"does not say who retired {AWS}, when and why" in ran.err
    assert f"Run: foureyes rules restore {AWS}" in ran.err
    table.types = [AWS]
    assert table.run("rules", "restore", AWS).code == 0
    assert table.run("rules").code == 0
    assert retired.retired(str(table.home)) == {}


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("{\n1", "no JSON from line 2, column 1 on"),
        ("[]", "it is no JSON object"),
        ('{"r": 1}', "the entry 'r' holds more than texts"),
        ("[" * 100_000, "no JSON"),
        ('"' + "x" * 1_100_000 + '"', "it has more than 1,048,576 bytes"),
    ],
)
def test_a_file_that_is_damaged_as_a_whole_is_told_with_what_is_wrong_and_the_command_that_helps(
    table: Table, text: str, wrong: str
) -> None:
    table.home.mkdir(mode=0o700)
    file = table.home / retired.FILE
    file.write_text(text, encoding="utf-8")
    for words in (["rules"], ["rules", "restore", AWS], ["rules", "retire", AWS, "--because", "x"]):
        table.types = [AWS]
        ran = table.run(*words)
        assert (ran.code, ran.out) == (4, "")
        assert f"{file} is not as foureyes wrote it: {wrong}" in ran.err
        assert f"mv {file} {file}.damaged" in ran.err
    assert file.read_text(encoding="utf-8") == text, "nothing is lost"


def test_what_was_measured_is_read_and_what_is_odd_is_left_out() -> None:
    good = b'{"rules": {"a": {"harmless": 1000, "blocked": 3}, "b": {"harmless": 1, "blocked": 2}, "c": 3, "d": {}}}'
    assert read_measured(good) == {"a": Measured(harmless=1000, blocked=3)}
    assert read_measured(good)["a"].per_thousand == 3.0
    assert Measured(harmless=0, blocked=0).per_thousand == 0
    for text in (b"", b"[]", b"{", b'{"rules": []}', b"\xff"):
        assert read_measured(text) == {}
