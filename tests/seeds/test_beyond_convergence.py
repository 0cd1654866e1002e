"""Beyond the seeds: a review converges, a finding can be contested, and none is raised twice."""

from datetime import timedelta

import pytest

from foureyes.core import commands
from foureyes.core.drafts import BELOW_FLOOR, LATE
from foureyes.core.events import (
    FindingRaised,
    FindingReopened,
    FindingVerified,
    FindingWaived,
    ReportSubmitted,
    RulingRequested,
)
from foureyes.core.facts import Suppression
from foureyes.core.gates import Quorum, Resolved
from foureyes.core.refusals import Code
from foureyes.core.rules import SeatRule
from foureyes.core.values import Changed, Outcome, Part, Place, Severity, Verification
from tests.cast import ANN, ARCHITECT, AUDITOR, BOB, CHECKED, CODEX, DEV, FULL, HUGO, LINTER, START, Play, finding
from tests.seeds.shaped import is_cleared, protocol, shaped, stage

HERE = Place(path="story.md", start=10, end=12, context_hash="h1")
FAR = Place(path="story.md", start=50, end=51, context_hash="h2")


def answered_in_round_two() -> Play:
    """Ann raised one finding at lines 10 to 12; the author changed these lines and answered."""
    play = Play()
    play.open("story")
    play.report(ANN, findings=(finding("the war ends before it starts", place=HERE),))
    play.report(BOB, evidence=CHECKED)
    play.know(changed=(Changed(path="story.md", start=9, end=13),))
    play.revise("d2", answers=(commands.Answer(finding="resolve.1-F1", text="the dates are swapped back"),))
    return play


def settled(name: str) -> tuple[commands.Settlement, ...]:
    return (commands.Settlement(finding=name, resolved=True),)


def test_a_new_finding_on_unchanged_text_is_advice_from_the_second_round_on() -> None:
    """D-01: unless it is critical, or lies where the text changed."""
    play = answered_in_round_two()
    late = finding("the harbour has no name", place=FAR)
    near = finding("the truce is now dated twice", place=HERE)
    grave = finding("the treaty contradicts chapter one", "critical", place=FAR)
    play.report(ANN, settled=settled("resolve.1-F1"), findings=(late, near, grave))
    raised = {one.text: one.advisory for one in play.review.findings.values()}
    assert raised[late.text] == LATE
    assert raised[near.text] == ""
    assert raised[grave.text] == ""
    request = play.review.revision_request()
    assert request is not None
    assert request.findings == ("resolve.1-F3", "resolve.1-F4")


def test_a_settled_finding_is_listed_as_a_repeat_and_not_raised_again() -> None:
    """D-01, D-20: the reviewer who confirmed a fix does not ask for its revert."""
    play = answered_in_round_two()
    play.report(ANN, settled=settled("resolve.1-F1"))
    before = play.count(FindingRaised)
    again = finding("The war ends before it starts!", place=HERE)
    play.report(ANN, findings=(again,), summary="I looked again")
    assert play.count(FindingRaised) == before
    assert play.last(ReportSubmitted).repeats == ("resolve.1-F1",)


def test_a_reviewer_who_always_finds_a_nit_does_not_hold_the_work_for_ever() -> None:
    """D-01: from the second round on a nit is advice, so the review ends cleared."""
    play = answered_in_round_two()
    nit = finding("a comma is missing in the new line", "nit", place=HERE)
    play.report(ANN, settled=settled("resolve.1-F1"), findings=(nit,))
    assert play.review.findings["resolve.1-F2"].advisory == BELOW_FLOOR
    play.report(BOB, evidence=CHECKED)
    assert is_cleared(play)


def test_a_reviewer_who_always_finds_something_important_ends_at_the_cap_on_a_shelf() -> None:
    """D-01: there is a stop other than zero findings."""
    play = Play()
    play.open("story", digest="d0")
    for number in range(20):
        if play.review.outcome:
            break
        play.know(changed=(Changed(path="story.md"),))
        play.report(ANN, findings=(finding(f"one more thing {'x' * number}", place=HERE),))
        play.revise(f"d{number + 1}")
    assert play.review.outcome is Outcome.SHELVED
    assert play.review.revision == 11


def test_the_same_holds_for_a_peer_whose_cap_ends_with_a_human() -> None:
    """D-01."""
    play = Play()
    play.open("create_core", digest="d0")
    for number in range(4):
        play.know(changed=(Changed(path="story.md"),))
        issue = finding(f"one more thing {'x' * number}", place=HERE)
        play.report(AUDITOR, verdict="concerns", findings=(issue,), checklist=FULL, confidence=90)
        if play.review.ruling() or play.review.report_request("peer.tie"):
            break
        play.revise(f"d{number + 1}")
    assert play.review.revision == 4
    assert play.review.report_request("peer.tie")
    play.report(ARCHITECT, seat="peer.tie", verdict="concerns", findings=(finding("it is"),), confidence=90)
    assert play.last(RulingRequested).reason == "attempts_used_up"


def test_a_waived_finding_stays_away_while_its_place_is_unchanged() -> None:
    """D-10: a repeat is listed, never silently dropped; where the text changed it is raised again."""
    play = Play()
    play.open("story")
    claim = finding("the hero has two names", place=HERE)
    play.report(ANN, findings=(claim,))
    play.do(HUGO, commands.WaiveFinding(finding="resolve.1-F1", reason="an alias, see chapter 2", false_positive=True))
    waived = play.last(FindingWaived)
    assert (waived.by, waived.context_hash) == (HUGO, "h1")
    play.know(changed=(Changed(path="story.md", start=90, end=99),))
    play.revise("d2")
    play.report(ANN, findings=(claim,), evidence=CHECKED)
    assert play.last(ReportSubmitted).repeats == ("resolve.1-F1",)
    assert set(play.review.findings) == {"resolve.1-F1"}
    play.know(changed=(Changed(path="story.md", start=11, end=11),))
    play.revise("d3")
    play.report(ANN, findings=(claim,))
    assert play.review.findings["resolve.1-F2"].blocks(Severity.MINOR)


def suppression(**fields: object) -> Suppression:
    play = Play()
    play.open("story")
    play.report(ANN, findings=(finding("the hero has two names", place=HERE),))
    mark = play.review.findings["resolve.1-F1"].fingerprint
    known = {"fingerprint": mark, "context_hash": "h1", "source": "lesson-7", "by": "hugo"}
    return Suppression(**{**known, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("silenced", "changes"),
    [
        (True, {}),
        (False, {"context_hash": "another text around it"}),
        (False, {"fingerprint": "another finding"}),
        (False, {"expires": START}),
        (True, {"expires": START + timedelta(days=1)}),
    ],
)
def test_a_dismissal_of_another_review_holds_while_the_context_does(silenced: bool, changes: dict[str, object]) -> None:
    """D-10: kept from review to review by a human's word; the finding is recorded with what silenced it."""
    play = Play()
    play.know(suppressions=(suppression(**changes),))
    play.open("story")
    play.report(ANN, findings=(finding("the hero has two names", place=HERE),))
    found = play.review.findings["resolve.1-F1"]
    assert found.suppressed_by == ("lesson-7" if silenced else "")
    assert found.blocks(Severity.MINOR) is not silenced


def test_an_author_may_contest_a_finding_with_evidence_and_its_raiser_accepts() -> None:
    """D-10: a false finding is cleared without a change of the work."""
    play = Play()
    play.open("story")
    play.report(ANN, findings=(finding("the hero has two names", place=HERE),))
    play.report(BOB, evidence=CHECKED)
    rebuttal = commands.AnswerFinding(finding="resolve.1-F1", text="an alias", rebuttal=True, evidence="chapter 2")
    play.do(DEV, rebuttal)
    assert play.review.findings["resolve.1-F1"].rebuttal
    play.do(ANN, commands.SettleFinding(finding="resolve.1-F1", revision=1, resolved=True, note="I see"))
    assert is_cleared(play)


def verified_stage() -> Play:
    """A stage with one judge and one verifying seat."""
    seats = (SeatRule(roles=("agent",)), SeatRule(roles=("auditor",), part=Part.VERIFY))
    gates = (Quorum(reviewers=1), Resolved())
    return shaped(protocol(stage(*gates, seats=seats, blocking_evidence=True)))


def test_a_finding_that_stops_the_work_needs_evidence() -> None:
    """D-11: one that does not stop it needs none."""
    play = verified_stage()
    bare = commands.Draft(severity="important", text="this leaks memory")
    assert play.refused(CODEX, play.a_report(verdict="concerns", findings=(bare,))) is Code.EVIDENCE_MISSING
    minor = commands.Draft(severity="minor", text="this could be shorter")
    play.report(CODEX, verdict="approve", findings=(minor,))
    assert is_cleared(play)


def verify(result: str, evidence: str = "ran it a thousand times, memory stays flat") -> commands.VerifyFinding:
    return commands.VerifyFinding(finding="shaped.1-F1", revision=1, result=result, evidence=evidence)


def test_a_refuted_finding_becomes_advice_and_the_refutation_is_kept() -> None:
    """D-11: the reviewer is asked again once the last ground is gone."""
    play = verified_stage()
    play.report(CODEX, verdict="concerns", findings=(finding("this leaks memory"),))
    assert play.review.requests["shaped.2"].about == ("shaped.1-F1",)  # type: ignore[union-attr]
    assert play.refused(AUDITOR, verify("refuted", evidence="no")) is Code.EVIDENCE_MISSING
    assert play.refused(CODEX, verify("refuted")) is Code.NOT_THE_HOLDER
    assert play.refused(AUDITOR, verify("surely not")) is Code.UNKNOWN_WORD
    play.do(AUDITOR, verify("Refuted"))
    assert play.last(FindingVerified).evidence.startswith("ran it")
    found = play.review.findings["shaped.1-F1"]
    assert found.verification is Verification.REFUTED
    assert not found.blocks(Severity.MINOR)
    assert list(play.review.requests) == ["shaped.1"]
    play.report(CODEX, verdict="approve")
    assert is_cleared(play)


@pytest.mark.parametrize("result", ["confirmed", "plausible"])
def test_a_finding_that_was_not_refuted_still_stops_the_work(result: str) -> None:
    """D-11: verification is a grade, not a filter."""
    play = verified_stage()
    play.report(CODEX, verdict="concerns", findings=(finding("this leaks memory"),))
    play.do(AUDITOR, verify(result))
    assert play.review.findings["shaped.1-F1"].blocks(Severity.IMPORTANT)
    request = play.review.revision_request()
    assert request is not None
    assert request.findings == ("shaped.1-F1",)


def test_a_finding_of_a_veto_seat_is_not_refuted_by_an_agent() -> None:
    """D-11: only a human sets it aside."""
    seats = (SeatRule(roles=("agent",), veto=True), SeatRule(roles=("auditor",), part=Part.VERIFY))
    play = shaped(protocol(stage(Quorum(reviewers=1), Resolved(), seats=seats)))
    play.report(CODEX, verdict="concerns", findings=(finding("this leaks memory"),))
    assert play.refused(AUDITOR, verify("refuted")) is Code.HUMAN_ONLY


def test_a_reviewer_who_runs_again_raises_nothing_twice() -> None:
    """D-20: one thread per issue; another line, case or number keeps its identity."""
    play = Play()
    play.open("thing")
    issue = finding("Line 12 divides by zero", place=Place(path="a.py", start=12))
    play.report(CODEX, verdict="concerns", findings=(issue, issue))
    assert list(play.review.findings) == ["solo.2-F1"]
    moved = finding("line 14 divides by ZERO.", place=Place(path="a.py", start=14))
    play.report(CODEX, verdict="reject", findings=(moved,))
    assert list(play.review.findings) == ["solo.2-F1"]
    assert play.last(ReportSubmitted).repeats == ("solo.2-F1",)


def test_a_finding_that_is_still_there_after_an_answer_is_reopened_not_doubled() -> None:
    """D-20: the same thread goes on."""
    play = answered_in_round_two()
    again = finding("The war ends before it starts", place=Place(path="story.md", start=13))
    play.report(ANN, findings=(again,))
    assert play.last(FindingReopened).finding == "resolve.1-F1"
    assert list(play.review.findings) == ["resolve.1-F1"]


def test_two_reviewers_with_the_same_issue_each_keep_their_own() -> None:
    """D-20: telling the second that it is known would tell them what the first said."""
    play = Play()
    play.open("thing")
    issue = finding("this divides by zero", place=Place(path="a.py", start=12))
    play.report(CODEX, verdict="concerns", findings=(issue,))
    play.report(LINTER, verdict="concerns", findings=(issue,))
    assert list(play.review.findings) == ["solo.2-F1", "solo.1-F1"]
