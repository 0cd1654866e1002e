"""What a reviewer is served and may see: briefs, tasks of a second look, places in evidence, policy changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from foureyes.core import commands as c
from foureyes.core.answers.reports import LAST_SERVED
from foureyes.core.briefs import briefs_of
from foureyes.core.citations import cited_places
from foureyes.core.events import PolicyNoted, ReportSubmitted
from foureyes.core.evolve import fold
from foureyes.core.gates import Quorum, Resolved
from foureyes.core.gates.standards import Criteria, Standards
from foureyes.core.reasons import advisory, cycle_of, policy_changed, settled_word
from foureyes.core.refusals import Code
from foureyes.core.rules import SeatRule
from foureyes.core.stack import stages_of
from foureyes.core.values import Evidence, Outcome, Part, Place, Severity, WorkPart
from foureyes.core.views import view
from tests.cast import AUDITOR, CODEX, FULL, HUGO, Play, finding
from tests.seeds.panel_play import hand_in, panel
from tests.seeds.shaped import protocol, shaped, stage

AGENT = SeatRule(roles=("agent",))
VERIFY = SeatRule(roles=("auditor",), part=Part.VERIFY)
FIRST = "shaped.1-F1"
PARTS = (WorkPart(name="a.md", digest="b1"), WorkPart(name="src/b.py", digest="b2"))


def test_whoever_breaks_a_tie_is_told_why_the_matrix_asks_that_role() -> None:
    """U-26: the row is the one that escalates to the role."""
    play = Play()
    play.open("create_core", confidence=99)
    unmet = tuple(replace(one, passed=one.name != "size_appropriate") for one in FULL)
    play.report(AUDITOR, verdict="concerns", confidence=50, checklist=unmet, summary="unsure")
    given = {one.seat: one for one in briefs_of(play.review, stages_of(play.rules, play.review))}
    assert (given["peer.1"].role, given["peer.tie"].role) == ("auditor", "architect")
    assert given["peer.tie"].reasons


def test_a_criterion_of_two_kinds_is_asked_once() -> None:
    """U-26: it is required where one of the kinds requires it."""
    same = (("tests_pass", "every test passes"),)
    first = Criteria(kind="thing", required=same)
    second = Criteria(kind="thing", required=(), optional=same)
    gate = Standards(criteria=(first, second), default=first)
    play = shaped(protocol(stage(gate, seats=(AGENT,))))
    (brief,) = briefs_of(play.review, stages_of(play.rules, play.review))
    assert [one.name for one in brief.criteria] == ["tests_pass"]


def test_a_second_look_sees_the_finding_it_is_asked_about_as_it_was_raised() -> None:
    """D-11, U-03: not who raised it, nor what was said of it since."""
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=(AGENT, VERIFY), blind=True)))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"), finding("too long", "minor")))
    seen = view(play.rules, play.review, AUDITOR).review
    assert seen.findings[FIRST].text == "it leaks"
    assert seen.findings[FIRST].raiser == ""


def test_a_settled_finding_that_stopped_nothing_keeps_why() -> None:
    """U-24: and is marked as settled."""
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=(AGENT,))))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"),))
    assert settled_word(play.review.findings[FIRST]) == ""
    play.do(CODEX, c.SettleFinding(finding=FIRST, revision=1, resolved=True, note="never mind"))
    known = play.review.findings[FIRST]
    assert settled_word(known)
    noted = {FIRST: "late"}
    later = replace(play.review, findings={FIRST: replace(known, advisory="late")})
    assert advisory(later, {"shaped": Severity.MINOR}) == noted


def test_a_change_of_the_policy_says_what_it_means_for_an_open_review() -> None:
    """U-32, 001-74: nothing, unless it must be met too."""
    play = Play()
    play.open("script")
    assert policy_changed(play.review) == ""
    play.log.append(PolicyNoted(digest="f" * 64, stricter=False))
    assert "keeps the criteria" in policy_changed(fold(play.log))
    play.log.append(PolicyNoted(digest="e" * 64, stricter=True))
    assert "must be met too" in policy_changed(fold(play.log))


def test_what_a_human_took_as_it_is_is_not_asked_about_once_more() -> None:
    """U-28: a clean quality step passes, and the clearance says that a human took the first step as it is."""
    play = panel()
    hand_in(play, "spec", "A", "own important")
    hand_in(play, "spec", "B", "clean")
    ruling = play.review.ruling()
    assert ruling is not None
    play.do(HUGO, c.GiveRuling(request=ruling.id, option="as_is", reason="it is meant so"))
    for model in ("A", "B"):
        hand_in(play, "quality", model, "clean")
    assert play.review.outcome is Outcome.CLEARED


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("a.md:9", [("a.md", 9, 0)]),
        ("b.py:2-4 and a.md", [("src/b.py", 2, 4), ("a.md", 0, 0)]),
        ("line 7 to 9 of a.md", [("a.md", 0, 0), ("a.md", 7, 9)]),
        ("all of it and zzz.py", [("zzz.py", 0, 0)]),
        ("missing: c.md", [("missing: c.md", 0, 0)]),
        ("every sentence", []),
    ],
)
def test_files_and_lines_are_read_out_of_evidence(text: str, places: list[tuple[str, int, int]]) -> None:
    """U-04, U-06."""
    found = cited_places(text, ["a.md", "src/b.py"])
    assert [(one.path, one.start, one.end) for one in found] == places


@pytest.mark.parametrize(
    "evidence",
    [
        Evidence(what="c.md", why="it follows from the premises"),
        Evidence(what="missing: a.md", why="it should be there but is absent"),
        Evidence(what="all of it", why="it follows from the premises", place=Place(path="a.md", start=3, end=1)),
    ],
)
def test_evidence_at_a_place_that_is_not_there_is_refused(evidence: Evidence) -> None:
    """U-06."""
    play = Play()
    play.open("script", parts=PARTS)
    report = play.a_report(verdict="approve", evidence=(evidence,))
    assert play.refused(CODEX, report) is Code.UNKNOWN_PLACE


def test_a_report_that_names_no_version_is_about_the_one_that_was_served() -> None:
    """U-04, U-59: a call that waited in the spool does not know its number."""
    play = Play()
    play.open("script", digest="d1")
    play.report(CODEX, revision=LAST_SERVED, verdict="approve")
    assert play.last(ReportSubmitted).revision == 1


def test_a_finding_counts_its_cycles() -> None:
    """U-24."""
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=(AGENT,))))
    play.report(CODEX, verdict="concerns", findings=(finding("it leaks"),))
    assert cycle_of(play.review.findings[FIRST]) == 1
