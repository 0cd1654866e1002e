"""A command without a review means the one that was last reported in this place."""

from dataclasses import replace

import pytest

from foureyes.app.rows import TOLD
from tests.app.house import played
from tests.reviewing.desk import NOW, change, marks, reviewed, rounds, solo

CLEAN, BAD = "x = 1\n", "x = bad\n"


@pytest.mark.parametrize("first", [BAD, CLEAN])
@played
async def test_the_last_review_is_the_one_that_was_told_last_not_the_newest_opened(first: str) -> None:
    """D-21: after a return to an earlier work, that one is meant."""
    desk = solo(security=marks("bad"))
    one = await reviewed(desk, change(first, place="a"))
    other = await reviewed(replace(desk, now=NOW.replace(hour=10)), change("y = bad\n", place="b"))
    assert (await rounds(desk).stands()).review == other.review
    again = await reviewed(desk, change(first, place="a"))
    assert (again.review, (await rounds(desk).stands()).review) == (one.review, one.review)


@played
async def test_what_is_dismissed_without_naming_a_review_is_what_was_told_last() -> None:
    """D-10."""
    desk = solo(security=marks("bad"))
    one = await reviewed(desk, change(BAD, place="a"))
    await reviewed(replace(desk, now=NOW.replace(hour=10)), change("y = bad\n", place="b"))
    await reviewed(desk, change(BAD, place="a"))
    await rounds(desk).dismiss("", "solo.2-F1", "it is only a name")
    assert (await rounds(desk).stands(one.review)).blocking == ()


@played
async def test_where_nobody_remembers_what_was_told_the_newest_opened_is_meant() -> None:
    desk = solo(security=marks("bad"))
    await reviewed(desk, change(BAD, place="a"))
    other = await reviewed(replace(desk, now=NOW.replace(hour=10)), change("y = bad\n", place="b"))
    await reviewed(desk, change(BAD, place="a"))
    await desk.kept.write(lambda tx: tx.clear(TOLD))
    assert (await rounds(desk).stands()).review == other.review
