"""U-03, Y5, D-20: a finding is recognised by the hash of its text, in any file and at any line."""

from __future__ import annotations

import pytest

from foureyes.core import commands as c
from foureyes.core.events import FindingRaised, FindingReopened, ReportSubmitted
from foureyes.core.values import Changed, Place, Standing, Verdict
from tests.cast import CODEX, DEV, HUGO, LINTER, Play, finding

TEXT, OTHER = "t2:aaaa:1:o:bbbb:cc:dd:ee", "t2:aaaa:1:o:cccc:cc:dd:ee"
GROUNDS = ("security_risk",)
FIRST, SECOND = "solo.2-F1", "solo.2-F2"


def at(line: int, text: str = TEXT, path: str = "a.py") -> Place:
    return Place(path=path, start=line, end=line, context_hash=text)


def raised(severity: str = "important") -> Play:
    """Codex objects to line 5 of a.py."""
    play = Play()
    play.open("script")
    play.report(
        CODEX, verdict="concerns", grounds=GROUNDS, findings=(finding("it phones home", severity, place=at(5)),)
    )
    return play


def settled() -> Play:
    """A review in which Codex accepted an answer on the unchanged text."""
    play = raised()
    play.do(DEV, c.AnswerFinding(finding=FIRST, text="it is a test host"))
    play.do(CODEX, c.SettleFinding(finding=FIRST, revision=1, resolved=True, note="so it is"))
    return play


def again(play: Play, place: Place, **facts: object) -> ReportSubmitted:
    """A version in which every line changed, with the same finding of Codex at this place."""
    play.know(changed=(Changed(path="a.py", start=1, end=999), Changed(path="b.py")))
    play.revise("d2")
    play.know(**facts)
    play.report(CODEX, verdict="concerns", grounds=GROUNDS, findings=(finding("it phones home", place=place),))
    return play.last(ReportSubmitted)


def stood(text: str = TEXT) -> dict[str, object]:
    return {"settled_texts": frozenset({(FIRST, text)})}


def test_a_settled_finding_is_a_repeat_where_its_text_moved_by_lines() -> None:
    play = settled()
    assert again(play, at(80), **stood()).repeats == (FIRST,)
    assert play.count(FindingRaised) == 1


def test_a_settled_finding_is_a_repeat_where_its_text_moved_to_another_file() -> None:
    play = settled()
    assert again(play, at(8, path="b.py"), moved=frozenset({FIRST}), **stood()).repeats == (FIRST,)
    assert play.count(FindingRaised) == 1


@pytest.mark.parametrize(
    ("place", "facts"),
    [
        (at(5, OTHER), stood()),
        (at(5), {}),
        (at(8, path="b.py"), stood()),
        (at(8, OTHER, path="b.py"), {"moved": frozenset({FIRST}), **stood()}),
    ],
    ids=["other text", "a text that was not there", "a copy in another file", "other text in another file"],
)
def test_a_settled_finding_is_raised_on_other_text(place: Place, facts: dict[str, object]) -> None:
    play = settled()
    assert again(play, place, **facts).repeats == ()
    assert play.review.findings[SECOND].place == place


def test_words_count_beside_the_text() -> None:
    play = settled()
    play.know(changed=(Changed(path="a.py"), Changed(path="b.py")))
    play.revise("d2")
    play.know(moved=frozenset({FIRST}), **stood())
    play.report(
        CODEX, verdict="concerns", grounds=GROUNDS, findings=(finding("it deletes files", place=at(8, path="b.py")),)
    )
    assert play.last(ReportSubmitted).repeats == ()


def test_an_open_finding_keeps_its_name_when_its_text_moves_to_another_file() -> None:
    play = raised()
    assert again(play, at(8, path="b.py"), moved=frozenset({FIRST})).repeats == (FIRST,)
    assert play.review.findings[FIRST].standing is Standing.OPEN
    assert play.count(FindingRaised) == 1


def test_an_answered_finding_is_reopened_where_its_text_moved_to_another_file() -> None:
    play = raised()
    play.know(changed=(Changed(path="a.py"), Changed(path="b.py")))
    play.revise("d2")
    play.do(DEV, c.AnswerFinding(finding=FIRST, text="moved and mended"))
    play.know(moved=frozenset({FIRST}))
    play.report(
        CODEX, verdict="concerns", grounds=GROUNDS, findings=(finding("it phones home", place=at(8, path="b.py")),)
    )
    assert play.last(FindingReopened).finding == FIRST


def test_what_a_human_waived_is_raised_in_another_file_and_not_in_its_own() -> None:
    """A human judged the text where it stood: a test host in a test is another thing than in the program."""
    play = raised()
    play.do(HUGO, c.WaiveFinding(finding=FIRST, reason="a test host"))
    assert again(play, at(8, path="b.py"), moved=frozenset({FIRST}), **stood()).repeats == ()
    play = raised()
    play.do(HUGO, c.WaiveFinding(finding=FIRST, reason="a test host"))
    assert again(play, at(80), **stood()).repeats == (FIRST,)


def test_a_critical_finding_is_raised() -> None:
    play = settled()
    play.know(changed=(Changed(path="a.py"),))
    play.revise("d2")
    play.know(**stood())
    play.report(
        CODEX, verdict="concerns", grounds=GROUNDS, findings=(finding("it phones home", "critical", place=at(80)),)
    )
    assert play.last(ReportSubmitted).repeats == ()


def test_what_a_program_found_again_elsewhere_is_not_settled_by_its_green_run() -> None:
    play = Play()
    play.open("script")
    play.report(LINTER, verdict="approve", findings=(finding("long line", "minor", place=at(5)),))
    name = play.last(FindingRaised).finding
    play.know(changed=(Changed(path="a.py"), Changed(path="b.py")))
    play.revise("d2")
    play.know(moved=frozenset({name}))
    play.report(LINTER, verdict="approve", findings=(finding("long line", "minor", place=at(8, path="b.py")),))
    assert play.last(ReportSubmitted).verdict is Verdict.APPROVE
    assert play.review.findings[name].standing is Standing.OPEN
