"""The review that work enters: no objection to it is lost silently."""

from pathlib import Path

import pytest

from foureyes.app.reviewing.entering import LEFT_OPEN
from foureyes.bootstrap.reviewing import read_change
from foureyes.cli.parts import Wanted
from foureyes.core.commands import Answer
from foureyes.core.events import ReviewClosed
from foureyes.core.situation import Result
from tests.app.house import played
from tests.git.ground import new
from tests.reviewing.desk import agent, change, marks, reviewed, rounds, solo
from tests.reviewing.logs import happened

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
async def test_a_style_that_comes_too_late_is_said_before_anybody_looks() -> None:
    codex = agent("codex", marks("bad"))
    desk = solo(codex)
    await reviewed(desk, change(BAD))
    second = await reviewed(desk, change("y = bad\n"), style="panel")
    assert second.held_up == "A style is named when a review begins; start over with --anew to add panel."
    assert (second.revision, len(codex.tasks)) == (1, 1)


@played
async def test_what_was_committed_is_not_said_to_be_settled() -> None:
    """D-07, D-20: after a commit the base is another, and what follows is other work; what stood open is named."""
    desk = solo(security=marks("bad"))
    first = await reviewed(desk, change(BAD, base="a" * 40))
    after = await reviewed(desk, change("", CLEAN, base="b" * 40))
    assert (after.review != first.review, after.revision, after.settled) == (True, 1, ())
    assert after.notes == (f"Left behind with 1 finding open: foureyes why {first.review}",)
    left = await rounds(desk).stands(first.review)
    assert (left.state, [one.id for one in left.found]) == ("withdrawn", ["solo.2-F1"])
    (closed,) = await happened(desk, first.review, ReviewClosed)
    assert closed.reason == LEFT_OPEN


@played
async def test_each_commit_begins_with_all_its_attempts() -> None:
    """D-01: what is counted are rounds on one work."""
    desk = solo(security=marks("bad"))
    for number in range(5):
        outcome = await reviewed(desk, change(f"{number} bad\n", base=str(number) * 40))
        assert (outcome.revision, outcome.held_up, outcome.result) == (1, "", Result.BLOCKED)


@played
async def test_on_the_same_base_the_next_bytes_are_the_next_round() -> None:
    """D-01, D-20."""
    desk = solo(security=marks("bad"))
    first = await reviewed(desk, change(BAD, base="a" * 40))
    second = await reviewed(desk, change(CLEAN, base="a" * 40))
    assert (second.review, second.revision, len(second.settled)) == (first.review, 2, 1)


def test_a_commit_that_is_amended_is_the_next_round_of_the_same_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it is compared with stays the same; a change that is committed is compared with something else."""
    ground = new(tmp_path / "shop")
    ground.commit(a__py="a = 1\n")
    monkeypatch.chdir(tmp_path / "shop")
    ground.write("b.py", BAD)
    loose = read_change(Wanted())
    ground.commit(b__py=BAD)
    committed = read_change(Wanted(what="HEAD"))
    ground.write("b.py", CLEAN)
    ground.git("commit", "-qa", "--amend", "--no-edit")
    amended = read_change(Wanted(what="HEAD"))
    assert (committed.place, committed.base) == (amended.place, amended.base)
    ground.write("c.py", CLEAN)
    later = read_change(Wanted())
    assert later.place == loose.place
    assert later.base != loose.base


SAID = (Answer(finding="solo.2-F1", text="gone"), Answer(finding="solo.2-F9", text="no such", rebuttal=True))
NOT_TAKEN = tuple(f"Your answer to {one.finding} was not taken." for one in SAID)


@played
async def test_an_answer_that_a_new_review_cannot_take_is_named() -> None:
    """D-01: the author is told when an answer was not used."""
    desk = solo(security=marks("bad"))
    first = await reviewed(desk, change(BAD, base="a" * 40))
    after = await reviewed(desk, change(CLEAN, base="b" * 40), answers=SAID)
    assert after.review != first.review
    assert after.notes[1:] == tuple(f"A new review begins here. {one}" for one in NOT_TAKEN)


@played
async def test_an_answer_is_named_where_these_bytes_are_not_taken_in() -> None:
    """D-01: neither where one starts over past a finding, nor where no attempt is left."""
    desk = solo(security=marks("bad"))
    await reviewed(desk, change(BAD))
    over = await reviewed(desk, change(BAD), answers=SAID, anew=True)
    assert (bool(over.held_up), over.notes) == (True, NOT_TAKEN)
    for number in range(2):
        await reviewed(desk, change(f"{number} bad\n"))
    late = await reviewed(desk, change("9 bad\n"), answers=SAID)
    assert (bool(late.held_up), late.notes) == (True, NOT_TAKEN)


@played
async def test_an_answer_to_a_review_that_has_ended_is_named() -> None:
    desk = solo(agent("codex"), security=marks("bad", "minor"))
    assert (await reviewed(desk, change(BAD))).result is Result.CLEARED
    again = await reviewed(desk, change(BAD), answers=SAID)
    unknown, ended = again.notes
    assert (unknown, ended) == (
        "There is no finding solo.2-F9: that answer was not taken.",
        f"The review has ended. {NOT_TAKEN[0]}",
    )
