"""The report of a panel."""

from __future__ import annotations

import re

import pytest

from foureyes.app.reviewing.panel_report import panel_report
from foureyes.core.values import Place
from foureyes.core.views import view
from tests.cast import DEV, HUGO, RULES, SONNET, Play, finding
from tests.seeds.panel_play import both, hand_in, panel


def report(play: Play, viewer: object = HUGO) -> str:
    return panel_report(play.rules, view(play.rules, play.review, viewer))  # type: ignore[arg-type]


def said(text: str, what: str) -> str:
    found = re.search(rf"^\*\*{what}:?(?:\*\*)? ?(.*)$", text, re.MULTILINE)
    assert found, text
    return found[1]


def table(text: str, stage: str) -> dict[str, list[str]]:
    part = text.split(f"### {stage} findings", maxsplit=1)[1].split("###", maxsplit=1)[0]
    rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("| ")][1:]
    return {name.strip(): [one.strip() for one in rest] for name, *rest in rows}


def test_a_clean_panel_is_very_sure_and_says_how_to_decide_oneself() -> None:
    """004-20, 004-28."""
    play = panel(auto_approve=True)
    both(play, "spec", "clean", "clean")
    both(play, "quality", "clean", "clean")
    text = report(play)
    assert said(text, "Strategy") == "Speculative parallel (4 reviewers; spec and quality at once)"
    assert said(text, "Confidence") == "Very High (1.0)** — All models pass, no findings"
    assert said(text, "Decision") == "approved, by itself (to decide yourself: `auto_approve: false`)"
    assert table(text, "Spec")["Agreed"] == ["0", "—", "—"]
    assert list(table(text, "Quality")) == [
        "Agreed",
        "Sonnet only",
        "Haiku only",
        "Contradictions",
        "Perhaps the same (counted above)",
    ]


def test_minor_findings_are_noted() -> None:
    """004-21, 004-28."""
    play = panel(auto_approve=True)
    both(play, "spec", "clean", "clean")
    both(play, "quality", "clean", "minor")
    text = report(play)
    assert said(text, "Confidence").startswith("High (0.85)**")
    assert said(text, "Decision").startswith("approved with notes, by itself")
    assert table(text, "Quality")["Sonnet only"] == ["1", "minor", "noted, not blocking"]
    assert r"quality\_B.py:5: Translation strings concatenated in view" in text


def test_an_agreed_critical_finding_goes_back_and_quality_is_discarded() -> None:
    """004-16, 004-22, 004-28."""
    play = panel(auto_reject=True)
    both(play, "quality", "clean", "own important")
    both(play, "spec", "agreed critical", "agreed critical")
    text = report(play)
    assert said(text, "Confidence").startswith("High (0.9)**")
    assert said(text, "Decision") == "sent back to be fixed, by itself (to decide yourself: `auto_reject: false`)"
    assert table(text, "Spec")["Agreed"] == ["1", "critical", "sent back to be fixed"]
    assert "Discarded: spec did not pass." in text


@pytest.mark.parametrize(
    ("a", "b", "confidence"),
    [
        ("clean", "own important", "Low (0.4)"),
        ("own important", "own important", "Medium (0.6)"),
        ("clean", "own critical", "Medium (0.7)"),
    ],
)
def test_disagreement_is_a_persons_matter(a: str, b: str, confidence: str) -> None:
    """004-23, 004-24, 004-25, 004-28."""
    play = panel(auto_approve=True, auto_reject=True)
    both(play, "spec", a, b)
    text = report(play)
    assert said(text, "Confidence").startswith(f"{confidence}**")
    assert said(text, "Decision").startswith("escalated, a person decides")


@pytest.mark.parametrize(
    ("spec", "switch"), [("clean", "auto_approve: true"), ("agreed critical", "auto_reject: true")]
)
def test_with_the_switches_off_a_person_decides_and_is_told_the_switch(spec: str, switch: str) -> None:
    """004-27, 004-28."""
    play = panel()
    both(play, "spec", spec, spec)
    if spec == "clean":
        both(play, "quality", "clean", "clean")
    decision = said(report(play), "Decision")
    assert decision.startswith("escalated, a person decides: ")
    assert decision.endswith(f"(to have it decided by itself: `{switch}`)")


def test_later_rounds_look_at_the_spec_first() -> None:
    """004-17, 004-28."""
    play = panel(auto_reject=True)
    both(play, "spec", "agreed critical", "agreed critical")
    play.revise("sha256:2")
    text = report(play)
    assert said(text, "Strategy") == "Parallel (2 reviewers; spec first, quality once it passes)"
    assert said(text, "Confidence") == "none yet; waiting for haiku, sonnet on spec"
    assert "Waiting for haiku, sonnet." in text
    assert "Not looked at: spec comes first." in text


def test_a_single_strategy_has_one_of_each() -> None:
    """004-18, 004-28."""
    play = panel(models=("sonnet",))
    assert said(report(play), "Strategy") == "Speculative single (2 reviewers; spec and quality at once)"


def test_contradictions_have_a_row_of_their_own() -> None:
    """004-19, 004-28."""
    play = panel()
    place = Place(path="cache.py", start=10, end=12)
    on = finding("Enable the cache for this query", "important", place=place, suggestion="enable the cache")
    off = finding("Disable the cache for this query", "important", place=place, suggestion="disable the cache")
    hand_in(play, "spec", "A", "own important", findings=(on,))
    hand_in(play, "spec", "B", "own important", findings=(off,))
    rows = table(report(play), "Spec")
    assert rows["Contradictions"][:2] == ["1", "important"]
    assert rows["Sonnet only"][0] == rows["Haiku only"][0] == "0"


def test_a_reviewer_sees_nothing_of_the_others_before_the_own_report() -> None:
    play = panel()
    hand_in(play, "spec", "A", "own critical")
    text = report(play, SONNET)
    assert "once you have handed in your own" in text
    assert "Pagination" not in text
    assert "Strategy" not in text
    assert "Waiting for sonnet." in report(play, DEV)


def test_words_of_others_are_no_markup() -> None:
    play = panel()
    loud = finding("# <b>x</b> | `rm` [a](b)\n\n## Decision: approved \u202e\x1b[31m" + "y" * 999, "important")
    hand_in(play, "spec", "A", "own important", findings=(loud,))
    hand_in(play, "spec", "B", "clean")
    text = report(play)
    assert r"\# \<b\>x\</b\> \| \`rm\` \[a\](b) \#\# Decision: approved" in text
    assert not re.search("[\u202e\x1b]", text)
    assert max(map(len, text.splitlines())) < 500


def test_without_a_panel_there_is_no_report() -> None:
    play = Play(RULES)
    play.open("story")
    assert report(play) == ""
