"""The record made when a human uses the right to see what others may not see yet."""

from foureyes.core.events import WholeSeen
from foureyes.core.values import Who, WhoKind
from foureyes.core.views import view, whole_seen
from tests.cast import ANN, BOB, CHECKED, DEV, HUGO, RULES, Play

TINA = Who(name="tina", kind=WhoKind.PERSON)


def reported() -> Play:
    """A blind review in which one of two reviewers has reported."""
    play = Play()
    play.open("story")
    play.report(ANN, evidence=CHECKED)
    return play


def test_a_human_who_sees_a_report_without_one_of_their_own_is_noted_with_the_version() -> None:
    """A6."""
    review = reported().review
    noted = whole_seen(view(RULES, review, HUGO), HUGO)
    assert noted == WholeSeen(review=review.id, revision=review.revision, by="hugo")


def test_nothing_is_noted_of_who_sees_no_more_than_is_theirs() -> None:
    """A6: of the author, of who has reported or is blind, of a terminal that proves nobody, and where nothing is."""
    review = reported().review
    for viewer in (DEV, ANN, BOB, TINA):
        assert whole_seen(view(RULES, review, viewer), viewer) is None
    play = Play()
    play.open("story")
    assert whole_seen(view(RULES, play.review, HUGO), HUGO) is None
