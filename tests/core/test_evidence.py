"""What counts as evidence, and which places a report may name."""

import pytest

from foureyes.core import commands as c
from foureyes.core.checks import VERDICTS, verdict_of
from foureyes.core.citations import missing_path
from foureyes.core.evidence import has_words, is_evidence, names_any, words_of
from foureyes.core.refusals import Code, Refusal
from foureyes.core.values import Criterion, Evidence, Failure, Place, Verdict, WorkPart
from tests.cast import AUDITOR, CODEX, FULL, Play, finding

PATHS = ("docs/a.md", "hello.py")


def part(name: str, mode: str = "100644") -> WorkPart:
    return WorkPart(name=name, media_type="text/plain", digest="ab" * 32, size=3, mode=mode)


def opened(*names: str) -> Play:
    """A work with these files, and one reviewer who has read it."""
    play = Play()
    play.open("script", parts=tuple(part(one) for one in names or PATHS))
    return play


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("." * 40, 0),
        ("aaaa bbbb 1234", 0),
        ("read read read", 1),
        ("I read a line", 4),
        ("Zażółć gęślą jaźń", 3),
        ("पूरा काम पढ़ा", 3),
        ("读了全部", 4),
        ("ไฟล์", 3),
        ("прочитал каждую строку", 3),
    ],
)
def test_words_are_counted_in_every_script(text: str, count: int) -> None:
    """U-04: repeated characters are no words, and letters of scripts without spaces are."""
    assert len(words_of(text)) == count
    assert has_words(text) is (count >= 3)


@pytest.mark.parametrize("text", ["docs/a.md", "a.md: the first line", "(hello.py)", "hello.py#main"])
def test_a_text_names_a_file_of_the_work(text: str) -> None:
    assert names_any(text, PATHS)


@pytest.mark.parametrize("text", ["the engine runs", "LGTM, all ok", "all of it", "Fully fine to me"])
def test_a_text_may_name_nothing(text: str) -> None:
    assert not names_any(text, PATHS)


@pytest.mark.parametrize(
    ("what", "taken"),
    [
        ("the whole work", True),
        ("The  whole work: its loops", True),
        ("all of the files, one by one", True),
        ("Every file", True),
        ("the whole", False),
        ("every word", False),
        ("all of it", False),
        ("not the whole work", False),
        ("the whole workshop", False),
    ],
)
def test_all_of_the_work_is_named_in_so_many_words(what: str, taken: bool) -> None:
    """U-04: and in `what` alone."""
    assert is_evidence(Evidence(what=what, why="each line holds up"), PATHS) is taken
    assert not is_evidence(Evidence(what="", why=f"I looked at {what} here"), PATHS)


def test_what_a_refusal_leaves_to_be_filled_in_is_no_evidence() -> None:
    """U-04: the placeholder of a refusal, sent back as it is, says nothing; nor do letters."""
    assert not has_words("a b c")
    assert not has_words("<what you checked and why it holds>")


@pytest.mark.parametrize(
    ("what", "taken"), [("hello.py", True), ("the rules", False), ("# Rules", True), ("", False), ("a b.md", False)]
)
def test_evidence_names_something_in_the_work(what: str, taken: bool) -> None:
    """U-04: a file, a section that stands there, or all of it."""
    said = Evidence(what=what, why="it greets people kindly")
    assert is_evidence(said, PATHS, quoted=("# Rules",)) is taken
    assert is_evidence(said, ("a b.md", "x"), quoted=("# Rules",)) is (what in ("a b.md", "# Rules"))


def test_whatever_is_named_is_in_the_only_file() -> None:
    assert is_evidence(Evidence(what="chapter one", why="each year follows"), ("story.md",))
    assert not is_evidence(Evidence(what="", why="years follow years nicely"), ("story.md",))


def test_an_approval_rests_on_evidence_or_on_a_summary_that_names_the_work() -> None:
    """U-04: also beside findings that do not block."""
    play = opened()
    minor = (finding("A name is short", "minor"),)
    play.reads, play.facts = False, play.facts_at(play.review)
    assert play.refused(CODEX, play.a_report(verdict="approve", findings=minor)) is Code.EVIDENCE_MISSING
    assert play.refused(CODEX, play.a_report(verdict="approve", summary="It is very nice")) is Code.EVIDENCE_MISSING
    play.report(CODEX, verdict="approve", summary="Read hello.py twice, and it greets")


def test_many_files_are_named_in_part() -> None:
    play = opened(*(f"f{number}.py" for number in range(30)))
    play.reads, play.facts = False, play.facts_at(play.review)
    with pytest.raises(Refusal) as caught:
        play.report(CODEX, verdict="approve")
    assert "and 10 more" in caught.value.next_step
    with pytest.raises(Refusal) as caught:
        play.report(CODEX, verdict="reject", findings=(finding("gap", place=Place(path="none.py")),))
    assert "and 10 more" in caught.value.next_step


@pytest.mark.parametrize(
    ("place", "taken"),
    [
        (Place(path="hello.py"), True),
        (Place(path="hello.py", start=2, end=3), True),
        (Place(path="hello.py", start=4), False),
        (Place(path="hello.py", start=1, end=4), False),
        (Place(path="docs/a.md", start=900), True),
        (Place(path="nope.py"), False),
        (Place(path="missing: nope.py"), True),
        (Place(path="missing: hello.py"), False),
    ],
)
def test_a_place_is_in_the_version_that_is_judged(place: Place, taken: bool) -> None:
    """U-06: of a file whose lines the shell did not count, only the path is checked."""
    play = opened()
    play.know(lines={"hello.py": 3})
    report = play.a_report(verdict="reject", findings=(finding("gap", place=place),))
    if taken:
        play.do(CODEX, report)
    else:
        assert play.refused(CODEX, report) is Code.UNKNOWN_PLACE


def test_a_removed_file_is_missing_and_can_be_named() -> None:
    play = Play()
    play.open("script", parts=(part("hello.py"), part("gone.py", mode="000000")))
    play.know(deleted=frozenset({"gone.py"}))
    places = (Place(path="gone.py"), Place(path="missing: gone.py"))
    play.report(CODEX, verdict="reject", findings=tuple(finding(f"gap {one.path}", place=one) for one in places))
    assert missing_path("missing: gone.py") == "gone.py"
    assert missing_path("gone.py") == ""


def test_evidence_of_another_file_is_refused() -> None:
    """U-06: by its place, and where the text is nothing but a path."""
    play = opened()
    for said in (
        Evidence(what="all of it", why="read all of it", place=Place(path="other.py")),
        Evidence(what="other.py", why="read all of it"),
        Evidence(what="src/other", why="read all of it"),
    ):
        assert play.refused(CODEX, play.a_report(verdict="approve", evidence=(said,))) is Code.UNKNOWN_PLACE


def test_what_was_found_before_a_run_failed_has_a_place_too() -> None:
    play = opened()
    play.do(CODEX, c.TakeSeat())
    seat = next(one.id for one in play.review.seats.values() if one.reviewer == CODEX)
    found = (finding("gap", place=Place(path="nope.py")),)
    failed = c.ReportInconclusive(seat=seat, revision=1, reason=Failure.CRASHED, findings=found)
    assert play.refused(CODEX, failed) is Code.UNKNOWN_PLACE
    assert play.reads


def test_every_spelling_of_a_verdict_is_understood_in_any_case() -> None:
    """U-05: and every other word is refused."""
    for word, verdict in VERDICTS.items():
        assert verdict_of(f" {word.upper().replace('_', '-')} ") is verdict
    assert {*VERDICTS.values()} == {*Verdict}
    with pytest.raises(Refusal) as caught:
        verdict_of("LGTM")
    assert "changes_requested" in str(caught.value.fields["allowed"])


def test_a_criterion_that_the_standards_do_not_have_is_refused() -> None:
    """U-05: also where it is marked as failed, which would be a ground."""
    play = Play()
    play.open("create_core")
    unknown = (*FULL, Criterion(name="vibes", passed=False))
    assert play.refused(AUDITOR, play.a_report(verdict="concerns", checklist=unknown)) is Code.UNKNOWN_WORD


def test_a_scope_that_nobody_has_is_refused() -> None:
    play = opened()
    drafts = (finding("gap", scope="vibes"),)
    assert play.refused(CODEX, play.a_report(verdict="reject", findings=drafts)) is Code.UNKNOWN_WORD
    play.report(CODEX, verdict="reject", findings=(finding("gap", scope="security"),))


def test_of_two_equal_findings_the_graver_is_kept() -> None:
    """U-05: and a word that is unknown is refused in either of them."""
    play = opened()
    same = ("It leaks.", "It leaks.")
    drafts = tuple(finding(text, word) for text, word in zip(same, ("minor", "critical"), strict=True))
    play.report(CODEX, verdict="concerns", findings=drafts)
    assert [one.severity.name for one in play.review.findings.values()] == ["CRITICAL"]
    wrong = (finding("It leaks.", "minor"), finding("It leaks.", "terrible"))
    again = opened()
    assert again.refused(CODEX, again.a_report(verdict="concerns", findings=wrong)) is Code.UNKNOWN_WORD
