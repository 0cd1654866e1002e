"""Edge cases of reports: submitted twice, corrected, or on a review opened for another author."""

from foureyes.core.commands import OpenReview
from foureyes.core.refusals import Code
from tests.cast import ANN, AUDITOR, CHECKED, DEV, FULL, HUGO, Play


def test_a_report_that_only_corrects_its_evidence_is_a_new_report() -> None:
    play = Play()
    play.open()
    play.report(ANN, evidence=CHECKED)
    assert play.refused(ANN, play.a_report(evidence=CHECKED)) is Code.DUPLICATE
    play.report(ANN, evidence=(*CHECKED, *CHECKED))
    assert len(play.review.reports["resolve.1", 1].evidence) == 2


def test_a_report_that_only_answers_the_questions_differently_is_a_new_report() -> None:
    play = Play()
    play.open("create_core", questions=("Is it enough?",), confidence=95)
    # The gap to the author's own confidence keeps the review open, so that there is something left to correct.
    play.report(AUDITOR, verdict="concerns", confidence=40, checklist=FULL, answers=("No.",))
    again = play.a_report(verdict="concerns", confidence=40, checklist=FULL, answers=("No.",))
    assert play.refused(AUDITOR, again) is Code.DUPLICATE
    play.report(AUDITOR, verdict="concerns", confidence=40, checklist=FULL, answers=("Not yet.",))
    assert play.review.reports["peer.1", 1].answers == ("Not yet.",)


def test_an_agent_opens_no_review_in_somebody_elses_name_and_a_human_does() -> None:
    play = Play()
    command = OpenReview(review="r1", kind="story", title="A story", digest="d1", on_behalf_of=DEV)
    assert play.refused(ANN, command) is Code.NOT_THE_AUTHOR
    play.do(HUGO, command)
    assert play.review.author == DEV
    assert play.review.contributors == (DEV, HUGO)
