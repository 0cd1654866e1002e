"""An inconsistent log raises an error; it never becomes a review."""

import pytest

from foureyes.core.events import NoteAdded, RulingGiven
from foureyes.core.evolve import evolve, fold
from foureyes.core.values import Effect
from tests.cast import HUGO, Play


def test_nothing_can_happen_before_a_review_is_opened() -> None:
    with pytest.raises(ValueError, match="NoteAdded cannot come before ReviewOpened"):
        evolve(None, NoteAdded(by="ann", text="hello"))


def test_an_empty_log_is_no_review() -> None:
    with pytest.raises(ValueError, match="at least one event"):
        fold(())


def test_a_ruling_on_something_else_than_a_ruling_is_not_applied() -> None:
    play = Play()
    play.open("story")
    given = RulingGiven(request="resolve.1", by=HUGO, option="as_is", effect=Effect.PASS_STAGE, reason="x")
    with pytest.raises(TypeError, match=r"resolve.1 is not a ruling"):
        evolve(play.review, given)
