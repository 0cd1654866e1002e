"""Seed 001: mutual uncertainty, contradictory re-reviews, and the third agent who breaks a tie."""

from dataclasses import replace

import pytest

from foureyes.core import commands
from foureyes.core.events import (
    FindingRaised,
    FindingResolved,
    ReportRequested,
    ReportSubmitted,
    ReviewCleared,
    RevisionRequested,
    RulingRequested,
)
from foureyes.core.model import ReportRequest
from foureyes.core.refusals import Code
from foureyes.core.values import Changed, ClearedBy, Outcome, Part, Place
from tests.cast import ARCHITECT, AUDITOR, BOB, FULL, TESTER, Play, finding, holds
from tests.seeds.peer_play import (
    approve,
    ask_changes,
    decided,
    escalation,
    exhausted,
    opened,
    opened_by,
    outcome,
    reviewer,
    ruling,
)

SWALLOWED = finding("Errors are swallowed", place=Place(path="a.py", start=3, end=4))
NAMELESS = finding("The name says nothing", place=Place(path="b.py", start=1, end=1))


def both_unsure(author: int = 59, sure: int = 59) -> Play:
    play = opened(confidence=author)
    play.report(AUDITOR, verdict="concerns", checklist=FULL, confidence=sure, summary="I do not know")
    return play


def settled(name: str) -> tuple[commands.Settlement, ...]:
    return (commands.Settlement(finding=name, resolved=True, note="fixed"),)


def contradicted() -> Play:
    """The auditor accepts a fix, and in the next round, with nothing changed there, wants it undone."""
    play = opened()
    ask_changes(play, findings=(SWALLOWED,))
    play.know(changed=(Changed(path="a.py", start=1, end=9), Changed(path="b.py", start=1, end=9)))
    play.revise("d2", note="Errors are raised now")
    ask_changes(play, settled=settled("peer.1-F1"), findings=(NAMELESS,), summary="But the name")
    play.know(changed=(Changed(path="b.py", start=1, end=9),))
    play.revise("d3", note="Renamed")
    play.report(
        AUDITOR,
        verdict="concerns",
        checklist=FULL,
        confidence=85,
        settled=settled("peer.1-F2"),
        findings=(SWALLOWED,),
        summary="Errors again",
    )
    return play


def test_author_and_reviewer_both_unsure_ask_a_human_and_mark_the_work() -> None:
    """001-70: both below 60; the question is marked as needing research and no third agent decides it."""
    play = both_unsure()
    asked = escalation(play)
    assert (asked.reason, asked.flags) == ("Certainty", ("needs research",))
    assert asked.text == "Both uncertain: author 59%, auditor 59%; needs research"
    assert "peer.tie" not in play.review.seats


@pytest.mark.parametrize(("author", "sure"), [(60, 59), (59, 60), (None, 30)])
def test_one_side_that_is_sure_enough_is_no_mutual_uncertainty(author: int | None, sure: int) -> None:
    """001-70: 60 is not below 60, and an author who said nothing is not unsure."""
    play = opened(confidence=author)
    play.report(AUDITOR, verdict="concerns", checklist=FULL, confidence=sure, summary="I do not know")
    assert (play.count(RulingRequested), play.count(RevisionRequested)) == (0, 1)


def test_a_third_review_is_attached_to_the_question() -> None:
    """001-70, B30: while the human thinks, a third agent is asked; their word reaches the human and no gate."""
    play = both_unsure()
    counsel = play.review.seats["peer.counsel"]
    assert (counsel.part, counsel.required, ruling(play).id) == (Part.COUNSEL, False, "ruling-1")
    assert isinstance(play.review.requests["peer.counsel"], ReportRequest)
    for party in (AUDITOR, play.author):
        third = play.a_report(seat="peer.counsel", verdict="approve", confidence=90)
        assert play.refused(party, third) in (Code.NOT_ELIGIBLE, Code.AUTHOR_MAY_NOT)
    play.report(BOB, seat="peer.counsel", verdict="approve", checklist=FULL, confidence=95, summary="It holds")
    assert (outcome(play), ruling(play).id) == (None, "ruling-1")
    assert play.review.reports["peer.counsel", 1].summary == "It holds"


def test_what_the_third_reviewer_finds_is_advice_for_the_human() -> None:
    """B30: counsel counts in no gate: neither its approval nor its finding moves the work later on."""
    play = both_unsure()
    found = (finding("There is a race", "critical"),)
    play.report(BOB, seat="peer.counsel", verdict="concerns", confidence=70, findings=found, summary="Look here")
    assert play.last(FindingRaised).advisory
    decided(play, "as_reviewed")
    play.revise("d2", confidence=80)
    approve(play)
    assert outcome(play) is Outcome.CLEARED


def test_a_third_reviewer_who_never_comes_does_not_hold_up_the_human() -> None:
    """B30: the question stands without them, and the human's decision is applied."""
    play = both_unsure()
    play.wait_out("peer.counsel")
    assert list(play.review.requests) == ["ruling-1"]
    decided(play, "as_is")
    assert play.last(ReviewCleared).by is ClearedBy.HUMAN


def test_a_third_review_is_attached_again_when_the_next_version_leaves_both_unsure() -> None:
    """B30: the earlier counsel is asked about the new version too, once while the human decides."""
    play = both_unsure()
    play.report(BOB, seat="peer.counsel", verdict="approve", confidence=95, summary="It holds")
    decided(play, "as_reviewed")
    play.revise("d2", confidence=50)
    play.report(AUDITOR, verdict="concerns", checklist=FULL, confidence=50, summary="I still do not know")
    asked = play.last(ReportRequested)
    assert (asked.seat.id, asked.revision, reviewer(play, "peer.counsel")) == ("peer.counsel", 2, "bob")
    assert ruling(play).id == "ruling-2"


def test_counsel_that_was_heard_or_is_pending_is_not_asked_twice_on_one_version() -> None:
    """B30: a human's retry brings the same doubt back, but the third review of this version is there or on its way."""
    play = both_unsure()
    decided(play, "retry")
    play.report(AUDITOR, verdict="concerns", checklist=FULL, confidence=40, summary="Even less")
    counsels = [one for one in play.log if isinstance(one, ReportRequested) and one.seat.part is Part.COUNSEL]
    assert (len(counsels), "peer.counsel" in play.review.requests) == (1, True)


def test_a_reviewer_who_takes_back_what_was_settled_is_asked_to_clarify_before_the_author_is_asked() -> None:
    """001-71: it is logged which finding, the seat is asked once more, and the author owes nothing meanwhile."""
    play = contradicted()
    assert play.last(ReportSubmitted).contradicts == ("peer.1-F1",)
    asked = play.last(ReportRequested)
    assert (asked.seat.id, asked.revision, asked.about) == ("peer.1", 3, ("peer.1-F1",))
    assert play.review.revision_request() is None
    assert play.count(RulingRequested) == 0


def test_a_reviewer_who_clarifies_by_approving_clears_the_work() -> None:
    """001-71: asked once, and the clarification is what counts."""
    play = contradicted()
    approve(play, summary="I misread it")
    assert (outcome(play), play.last(ReviewCleared).digest) == (Outcome.CLEARED, "d3")


def test_a_reviewer_who_insists_on_the_contradiction_is_taken_to_somebody_else() -> None:
    """001-71, B24: the second time it is escalated: to the architect, and from there to a human."""
    play = contradicted()
    ask_changes(play, checklist=FULL, findings=(SWALLOWED,), summary="I insist")
    assert reviewer(play, "peer.tie") == "architect"
    assert play.review.revision_request() is None
    ask_changes(play, ARCHITECT, summary="I cannot tell")
    assert (ruling(play).reason, ruling(play).findings) == ("Consistency", ("peer.1-F1",))
    assert escalation(play).text == "auditor contradicts what was settled: peer.1-F1"
    assert play.count(FindingResolved) == 2


def test_an_agent_as_escalation_target_breaks_the_tie_once_and_the_work_is_cleared() -> None:
    """B24: the core developer's matrix entry names the architect; their approval stands in for the disputed verdict."""
    play = exhausted(opened())
    assert play.count(RulingRequested) == 0
    tie = play.review.seats["peer.tie"]
    assert (tie.part, tie.candidates, reviewer(play, "peer.tie")) == (Part.TIE_BREAK, ("architect",), "architect")
    approve(play, ARCHITECT)
    cleared = play.last(ReviewCleared)
    assert (cleared.digest, cleared.by, cleared.flags) == ("d4", ClearedBy.GATES, ("tie-break",))


def test_a_confidence_gap_is_a_tie_the_architect_may_break() -> None:
    """B24: so is the gap between a sure author and an unsure reviewer."""
    play = opened(confidence=100)
    play.report(AUDITOR, verdict="concerns", checklist=FULL, confidence=50, summary="I am not sure")
    assert (reviewer(play, "peer.tie"), play.count(RulingRequested)) == ("architect", 0)
    approve(play, ARCHITECT)
    assert outcome(play) is Outcome.CLEARED


def test_a_tie_break_that_does_not_settle_it_in_one_round_goes_to_a_human() -> None:
    """B24: the architect agrees with the auditor, so a human decides; the architect is not asked twice."""
    play = exhausted(opened())
    ask_changes(play, ARCHITECT, summary="The auditor has a point")
    assert ruling(play).reason == "attempts_used_up"
    ties = [one for one in play.log if isinstance(one, ReportRequested) and one.seat.part is Part.TIE_BREAK]
    assert len(ties) == 1


def test_an_escalation_target_who_is_party_to_it_is_not_asked() -> None:
    """B24: the architect is the reviewer here; nobody breaks their own tie, so a human is asked."""
    play = opened_by("tester", "nobody")
    both = holds(replace(ARCHITECT, name="boss"), "core_developer", "architect")
    play = Play(facts=replace(play.facts, pool=(holds(TESTER, "tester"), both)), author=TESTER)
    play.open("create_core", confidence=100)
    assert reviewer(play) == "boss"
    play.report(both.who, verdict="concerns", checklist=FULL, confidence=50, summary="I am not sure")
    assert (ruling(play).reason, "peer.tie" in play.review.seats) == ("ConfidenceGap", False)


def test_where_the_matrix_escalates_to_a_human_no_agent_breaks_the_tie() -> None:
    """B24: an app developer's entry names a human; an architect in the pool is not asked in their place."""
    play = opened_by("app_developer", "core_developer", confidence=100)
    ask_changes(play, play.facts.pool[1].who, confidence=50)
    assert (ruling(play).reason, "peer.tie" in play.review.seats) == ("ConfidenceGap", False)


def test_a_dangerous_change_is_never_decided_by_a_tie_break() -> None:
    """B24, 001-23: where the seed demands a human, the architect is not asked instead."""
    play = opened("security_change", confidence=100)
    play.report(AUDITOR, verdict="concerns", confidence=55, summary="I am not sure")
    assert (ruling(play).reason, "peer.tie" in play.review.seats) == ("Certainty", False)


def test_a_gap_between_two_who_are_both_unsure_is_a_humans_matter() -> None:
    """001-70: 59 against 10 is a gap too, but nobody is sure, so no third agent decides."""
    play = both_unsure(59, 10)
    assert (escalation(play).flags, "peer.tie" in play.review.seats) == (("needs research",), False)
