"""The parts of an answer that count, and those that are refused."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.app.reviewers import Earlier, Inconclusive, Look
from foureyes.core.commands import Draft
from foureyes.core.values import Failure, Place, Standing
from foureyes.reviewers.answers import read_answer
from tests.answers.samples import AFTER, answer, finding, shop, task


def read(data: object, **values: Any) -> Look:
    return read_answer(data, task(**values))


def test_a_finding_with_its_words_on_its_line_counts_as_it_is() -> None:
    """D-11."""
    look = read(answer(finding(), verdict="reject"))
    (found,) = look.findings
    assert (found.severity, found.place) == ("critical", Place(path="shop/cart.py", start=9, end=9))
    assert found.evidence == 'os.system("rm -rf " + path)'
    assert (look.verdict, look.confidence) == ("reject", 90)


@pytest.mark.parametrize("verdict", ["approve", "concerns", "reject"])
def test_beside_a_critical_finding_every_verdict_is_a_rejection(verdict: str) -> None:
    look = read(answer(finding(), verdict=verdict))
    assert look.verdict == "reject"
    assert ("The reviewer said" in look.summary) == (verdict != "reject")


@pytest.mark.parametrize(("said", "counts"), [("approve", "concerns"), ("concerns", "concerns"), ("reject", "reject")])
def test_beside_an_important_finding_an_approval_is_a_concern(said: str, counts: str) -> None:
    assert read(answer(finding(severity="important"), verdict=said)).verdict == counts


@pytest.mark.parametrize("said", ["approve", "concerns"])
def test_notes_alone_hold_nothing_up(said: str) -> None:
    assert read(answer(finding(severity="minor"), verdict=said)).verdict == "approve"


def baseless(data: object, why: str) -> Look:
    """Check that a doubt without a ground is inconclusive, neither an approval nor a veto; what it said is kept."""
    with pytest.raises(Inconclusive, match=why) as caught:
        read(data)
    assert caught.value.reason is Failure.INCOMPLETE
    found = caught.value.found
    assert found is not None
    assert found.verdict == ""
    assert found.confidence == 40
    return found


def test_notes_alone_are_no_ground_to_reject() -> None:
    baseless(answer(finding(severity="minor"), verdict="reject"), "it names no ground")


@pytest.mark.parametrize("verdict", ["concerns", "reject"])
def test_a_doubt_without_any_ground_is_no_answer(verdict: str) -> None:
    """D-03."""
    baseless(answer(verdict=verdict, confidence=99), "it names no ground")


def test_a_finding_in_a_file_that_is_not_there_is_none_and_is_said() -> None:
    """D-11."""
    look = baseless(answer(finding(path="shop/invented.py"), verdict="reject"), "could be proven")
    assert look.findings == ()
    assert "1 finding left out: it names a file or a line that is not in the work." in look.summary


def test_a_finding_on_a_line_that_is_not_there_is_none() -> None:
    said = finding(line=400, end_line=400, evidence="nowhere at all")
    assert baseless(answer(said, verdict="reject"), "could be proven").findings == ()


def test_a_miscounted_line_is_found_by_its_words() -> None:
    (found,) = read(answer(finding(line=400, end_line=401))).findings
    assert found.place == Place(path="shop/cart.py", start=9, end=9)


@pytest.mark.parametrize("evidence", ["", "subprocess.run(path)", "))"])
def test_a_finding_without_words_of_the_work_is_a_minor_note(evidence: str) -> None:
    """D-11."""
    look = baseless(answer(finding(evidence=evidence), verdict="reject"), "could be proven")
    (found,) = look.findings
    assert (found.severity, found.evidence) == ("minor", "")
    assert "(unproven: " in found.text
    assert "its evidence is not in the work" in look.summary


@pytest.mark.parametrize(
    "evidence",
    [
        '   os.system( "rm -rf "  +  path )',
        '     9 + |     os.system("rm -rf " + path)',
        '9: os.system("rm -rf " + path)',
        '+    os.system("rm -rf " + path)',
        "```\ndef remove(path):\n    os.system(...\n    return True\n```",
        'def remove(path):\n     9 + |     os.system("rm -rf " + path)',
    ],
)
def test_white_space_line_numbers_diff_signs_and_ellipses_do_not_make_a_quote_wrong(evidence: str) -> None:
    (found,) = read(answer(finding(evidence=evidence))).findings
    assert found.severity == "critical"


def test_an_invented_note_beside_an_approval_is_left_out() -> None:
    look = read(answer(finding(path="no.py", severity="minor")))
    assert (look.verdict, look.findings) == ("approve", ())


@pytest.mark.parametrize("verdict", ["approve", "concerns", "reject"])
def test_whoever_claims_something_grave_that_cannot_be_proven_does_not_approve(verdict: str) -> None:
    """D-11."""
    both = (finding(evidence="not there at all"), finding(path="no.py"))
    baseless(answer(*both, verdict=verdict), "none of its grave findings could be proven")


def test_what_was_taken_out_can_be_the_proof() -> None:
    file = shop(content=b"import os\n", changed=((1, 1),))
    look = read_answer(answer(finding(line=1, end_line=1, evidence="return sum(items)")), task(file))
    assert look.verdict == "reject"


@pytest.mark.parametrize("verdict", ["approve", "concerns", "reject"])
def test_a_grave_finding_on_lines_that_are_not_this_works_own_is_a_note_and_never_an_approval(verdict: str) -> None:
    """D-11: a changed line can make an older one dangerous, and nobody can say here that it does not."""
    old = finding(line=5, end_line=5, evidence="return sum(items)", severity="important")
    look = baseless(answer(old, verdict=verdict), "on lines that this work does not change")
    (found,) = look.findings
    assert found.severity == "minor"
    assert found.text.endswith("(on lines that this work does not change)")


def test_a_minor_finding_on_older_lines_is_no_doubt() -> None:
    old = finding(line=5, end_line=5, evidence="return sum(items)", severity="minor")
    assert read(answer(old)).verdict == "approve"


@pytest.mark.parametrize("how", [{"mode_before": "100644", "mode": "100755"}, {"was": "old.py"}])
def test_a_finding_about_a_file_whose_mode_or_name_alone_changes_counts(how: dict[str, Any]) -> None:
    file = shop(content=AFTER, before=AFTER, changed=(), **how)
    said = finding(line=0, end_line=0, evidence="", text="It may be run now.", severity="minor")
    assert read_answer(answer(said), task(file)).findings[0].text == "It may be run now."
    grave = finding(line=0, end_line=0, severity="important")
    look = read_answer(answer(grave), task(file))
    assert (look.findings[0].severity, look.findings[0].place) == ("important", Place(path="shop/cart.py"))


@pytest.mark.parametrize("path", ["./shop/cart.py", "a/shop/cart.py", "b/shop/cart.py", "`shop/cart.py`"])
def test_a_path_as_diffs_and_checkouts_write_it_is_understood(path: str) -> None:
    (found,) = read(answer(finding(path=path))).findings
    assert found.place is not None
    assert found.place.path == "shop/cart.py"


def test_a_finding_about_the_whole_needs_words_of_the_work_too() -> None:
    whole = finding(path="", line=0, end_line=0, evidence="def remove(path):")
    (kept,) = read(answer(whole)).findings
    assert (kept.severity, kept.place) == ("critical", None)
    (weak,) = baseless(answer(whole | {"evidence": "no test for it"}), "could be proven").findings
    assert weak.severity == "minor"
    (old,) = baseless(answer(whole | {"evidence": "return sum(items)"}), "does not change").findings
    assert old.severity == "minor"
    assert old.text.endswith("(on lines that this work does not change)")


def test_a_finding_cannot_count_by_naming_the_whole_file_where_only_old_lines_prove_it() -> None:
    old = finding(line=0, end_line=10, evidence="return sum(items)")
    assert [one.severity for one in baseless(answer(old), "does not change").findings] == ["minor"]


def test_the_same_issue_twice_is_one_finding() -> None:
    """D-20."""
    twice = (finding(), finding(severity="important", text="A path in a shell, unquoted: a name runs a command."))
    assert len(read(answer(*twice)).findings) == 1
    other = finding(line=10, end_line=10, evidence="return True", text="It claims success always.", rule="")
    assert len(read(answer(finding(), other)).findings) == 2


def test_more_findings_than_anybody_reads_are_cut_at_the_gravest() -> None:
    many = [finding(severity="minor", text=f"Note {index}: {'x' * index}", rule=f"r{index}") for index in range(80)]
    look = read(answer(*many, finding()))
    assert look.findings[0].severity == "critical"
    assert "31 findings left out: more than 50 were handed in." in look.summary


def test_every_item_of_the_checklist_is_owed() -> None:
    """D-15."""
    passed = [{"number": 1, "note": "seen", "passed": True}]
    with pytest.raises(Inconclusive, match=r"1 of 2 checklist items: docs") as caught:
        read(answer(checklist=passed), checklist=("tests", "docs"))
    assert caught.value.reason is Failure.INCOMPLETE
    assert caught.value.found is not None
    assert caught.value.found.verdict == ""
    look = read(
        answer(checklist=[*passed, {"number": 2, "note": "none", "passed": False}]), checklist=("tests", "docs")
    )
    assert [one.passed for one in look.checklist] == [True, False]
    assert look.verdict == "concerns"


def test_an_item_that_is_passed_and_failed_is_failed() -> None:
    both = [{"number": 1, "note": "", "passed": True}, {"number": 1, "note": "", "passed": False}]
    assert read(answer(checklist=both), checklist=("tests",)).verdict == "concerns"


def test_every_question_of_the_author_is_answered_in_order() -> None:
    said = [{"number": 2, "answer": "yes"}, {"number": 1, "answer": "no"}]
    assert read(answer(answers=said), questions=("a?", "b?")).answers == ("no", "yes")
    with pytest.raises(Inconclusive, match="1 of 2 questions of the author: b"):
        read(answer(answers=said[1:]), questions=("a?", "b?"))


def test_an_approval_says_what_was_checked() -> None:
    with pytest.raises(Inconclusive, match="what it examined"):
        read(answer(examined=[]))
    vague = {"path": "", "line": 0, "what": "all", "why": "ok"}
    with pytest.raises(Inconclusive, match="what it examined"):
        read(answer(examined=[vague]))
    invented = {"path": "no/such.py", "line": 1, "what": "everything there", "why": "looks very good"}
    with pytest.raises(Inconclusive, match="what it examined"):
        read(answer(examined=[invented]))


EARLIER = (
    Earlier(finding="a-F1", draft=Draft(severity="important", text="x"), standing=Standing.ANSWERED, answer="done"),
    Earlier(finding="a-F2", draft=Draft(severity="minor", text="y"), standing=Standing.OPEN),
    Earlier(finding="a-F3", draft=Draft(severity="critical", text="z"), standing=Standing.WAIVED),
)


def settled(*words: tuple[int, bool, str]) -> list[dict[str, Any]]:
    return [{"number": number, "resolved": resolved, "note": note} for number, resolved, note in words]


def test_a_word_on_an_earlier_finding_settles_it_only_where_the_gate_would_take_it() -> None:
    look = read(
        answer(settled=settled((1, True, ""), (2, True, ""), (3, True, "gone"), (9, True, "x"))), earlier=EARLIER
    )
    assert [(one.finding, one.resolved) for one in look.settled] == [("a-F1", True)]
    look = read(answer(settled=settled((2, True, "I was wrong"))), earlier=EARLIER)
    assert [one.finding for one in look.settled] == ["a-F2"]


def test_an_important_finding_that_is_still_there_is_a_concern() -> None:
    look = read(answer(settled=settled((1, False, "still there"))), earlier=EARLIER)
    assert (look.verdict, look.settled[0].resolved) == ("concerns", False)
    both = read(answer(settled=settled((1, True, "gone"), (1, False, "not gone"))), earlier=EARLIER)
    assert [one.resolved for one in both.settled] == [False]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (None, "the answer is nothing, not an object"),
        ([], "the answer is a list, not an object"),
        ({}, "findings is missing"),
        ({"verdict": "approve"}, "findings is missing"),
        (answer(verdict="lgtm"), "verdict is 'lgtm', not one of approve, concerns, reject"),
        (answer(verdict=True), "verdict is true or false, not one of"),
        (answer(confidence="90"), "confidence is a text, not a whole number"),
        (answer(confidence=0.9), "confidence is a number, not a whole number"),
        (answer(confidence=True), "confidence is true or false, not a whole number"),
        (answer(confidence=101), "confidence is not between 0 and 100"),
        (answer(findings=["x"]), r"findings\[0\] is a text, not an object"),
        (answer(finding(severity="bad")), r"findings\[0\]\.severity is 'bad', not one of"),
        (answer(finding(text=" ")), r"findings\[0\]\.text is empty"),
        (answer(finding(line=-1)), r"findings\[0\]\.line is not between"),
        (answer(finding(line=None, evidence=3)), r"findings\[0\]\.evidence is a number, not a text"),
        (answer(findings={}), "findings is an object, not a list"),
        (answer(findings=[{}] * 1001), "findings has 1001 entries"),
        (answer(summary=None), "summary is missing"),
    ],
)
def test_another_shape_is_refused_with_the_place_that_is_wrong(data: object, says: str) -> None:
    """D-03."""
    with pytest.raises(Inconclusive, match=says) as caught:
        read(data)
    assert caught.value.reason is Failure.MALFORMED


def test_what_cannot_be_seen_is_shown_as_a_mark_and_all_is_bounded() -> None:
    look = read(
        answer(finding(text="a\u202eb\x1b[31m" + "x" * 9_000), summary="\ud800\u200b" * 3_000, verdict="reject")
    )
    (found,) = look.findings
    assert found.text.startswith("a<U+202E>b<U+001B>[31m")
    assert len(found.text) <= 2_000
    assert look.summary.startswith("<U+D800><U+200B>")
    assert len(look.summary) <= 4_000
    look.summary.encode()


def test_a_quote_of_hidden_characters_is_found_as_they_were_shown() -> None:
    file = shop(content="access = 'user\u202e'\n".encode(), changed=((1, 1),))
    look = read_answer(answer(finding(line=1, end_line=1, evidence="access = 'user<U+202E>'")), task(file))
    assert look.verdict == "reject"


def test_quotes_made_to_be_slow_are_looked_up_soon() -> None:
    file = shop(content=b"ab cd ef gh\n" * 100_000, before=None, changed=((1, 100_000),))
    slow = [
        finding(text=f"{index}", rule=f"r{index}", line=1, evidence="ab cd" + " ... ef" * 100 + " ... never there")
        for index in range(50)
    ]
    began = time.process_time()
    with pytest.raises(Inconclusive):
        read_answer(answer(*slow, verdict="reject"), task(file))
    assert time.process_time() - began < 4


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*answer(), *finding()]), inner),
    max_leaves=8,
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(answer(), JSON)), JSON)
def test_no_answer_crashes_and_none_passes_by_its_form(parts: dict[str, object], whole: object) -> None:
    """D-03."""
    for data in (whole, parts, answer() | parts):
        try:
            look = read(data)
        except Inconclusive:
            continue
        assert look.verdict in ("approve", "concerns", "reject")
        assert not (look.verdict == "approve" and any(one.severity != "minor" for one in look.findings))


@given(st.text(max_size=40), st.integers(0, 20), st.sampled_from(["critical", "important"]))
def test_a_finding_that_counts_quotes_words_that_are_there(evidence: str, line: int, severity: str) -> None:
    """D-11."""
    try:
        look = read(answer(finding(evidence=evidence, line=line, severity=severity)))
    except Inconclusive as none:
        look = none.found or Look()
        assert all(one.severity == "minor" for one in look.findings)
    bare = "".join(AFTER.decode().split())
    for one in look.findings:
        if one.severity != "minor":
            assert any("".join(part.split()) in bare for part in one.evidence.replace("…", "...").split("..."))
