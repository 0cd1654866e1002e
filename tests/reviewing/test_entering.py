"""Under which review work comes in: nothing that stands against it is left behind unsaid."""

import pytest

from foureyes.app.reviewing.outcome import Result
from tests.app.house import played
from tests.reviewing.desk import agent, change, marks, reviewed, rounds, solo

CLEAN, BAD = "x = 1\n", "x = bad\n"


@pytest.mark.parametrize("severity", ["important", "critical"])
@played
async def test_naming_a_style_leaves_nothing_behind_that_stands_against_these_bytes(severity: str) -> None:
    """D-01: a style is added; it is no way to start over."""
    desk = solo(security=marks("bad", severity))
    first = await reviewed(desk, change(BAD))
    styled = await reviewed(desk, change(BAD), style="panel")
    assert (styled.review, styled.result) == (first.review, Result.INCONCLUSIVE)
    assert "solo.2-F1" in styled.held_up
    stands = await rounds(desk).stands(first.review)
    assert (stands.state, [one.id for one in stands.blocking]) == ("open", ["solo.2-F1"])


@played
async def test_a_style_is_added_to_what_nothing_stands_against() -> None:
    """004-15: programs look, and the panel beside them."""
    haiku, sonnet = agent("haiku", family="small"), agent("sonnet", family="large")
    desk = solo()
    first = await reviewed(desk, change(CLEAN))
    desk.reviewers |= {"haiku": (haiku,), "sonnet": (sonnet,)}
    styled = await reviewed(desk, change(CLEAN), style="panel")
    assert styled.review != first.review
    assert {one.reviewer for one in styled.looked} >= {"security", "python", "haiku", "sonnet"}


@played
async def test_a_style_that_comes_too_late_is_said() -> None:
    desk = solo(security=marks("bad"))
    await reviewed(desk, change(BAD))
    second = await reviewed(desk, change("y = bad\n"), style="panel")
    assert (second.revision, second.notes) == (
        2,
        ("A style is named when a review begins; start over with --anew to add panel.",),
    )
