"""A volunteer's seat reveals nothing about other volunteers who came, left or fell silent."""

from dataclasses import replace

import pytest

from foureyes.core import commands as c
from foureyes.core.answers import seats
from foureyes.core.events import SeatTaken
from foureyes.core.refusals import Code
from foureyes.core.values import Who
from foureyes.core.views import view
from tests.cast import ANN, BOB, CHECKED, EVE, RULES, Play, agent, rules_with

CARL, DORA = agent("carl"), agent("dora")


def begun(seats_max: int = 10) -> Play:
    """Both who were needed have begun; there is room for more, up to a limit."""
    resolve = next(one for one in RULES.protocols if one.name == "resolve")
    play = Play(rules=rules_with(replace(resolve, stages=(replace(resolve.stages[0], seats_max=seats_max),))))
    play.open()
    play.do(ANN, c.TakeSeat(seat="resolve.1"))
    play.do(BOB, c.TakeSeat(seat="resolve.2"))
    return play


def joined(play: Play, who: Who) -> str:
    """The seat of a new volunteer."""
    play.do(who, c.TakeSeat(stage="resolve"))
    return play.last(SeatTaken).seat


def an_hour_later(play: Play) -> None:
    """An hour later: the requested reviewers have renewed their leases, the others have not."""
    for _ in range(2):
        play.wait(minutes=31)
        play.do(ANN, c.RenewSeat(seat="resolve.1"))
        play.do(BOB, c.RenewSeat(seat="resolve.2"))


def test_a_volunteers_seat_has_the_same_name_whoever_came_before() -> None:
    """I18, T13: not their number, nor who left again, nor whose time ran out."""
    first = joined(begun(), EVE)
    after_two = begun()
    joined(after_two, CARL)
    joined(after_two, DORA)
    assert joined(after_two, EVE) == first
    after_one_left = begun()
    after_one_left.do(CARL, c.LeaveSeat(seat=joined(after_one_left, CARL)))
    assert joined(after_one_left, EVE) == first
    after_one_fell_silent = begun()
    joined(after_one_fell_silent, CARL)
    an_hour_later(after_one_fell_silent)
    assert joined(after_one_fell_silent, EVE) == first


def test_what_a_volunteer_sees_does_not_depend_on_a_report_that_is_in() -> None:
    """I18: neither the name of their seat nor its times."""
    shown = []
    for reports in (False, True):
        play = begun()
        if reports:
            play.report(ANN, evidence=CHECKED)
        joined(play, EVE)
        shown.append(view(play.rules, play.review, EVE))
    assert shown[0] == shown[1]


def test_a_volunteers_seat_is_named_anew_in_every_review_and_never_like_another_seat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """T13: nobody is recognised by it elsewhere, and two whose names begin alike have a seat each."""
    play = begun()
    monkeypatch.setattr(seats, "NAME_DIGITS_MIN", 0)
    names = {joined(play, CARL), joined(play, DORA)}
    assert len(names) == 2
    assert min(map(len, names)) == len("resolve.v")
    assert names.isdisjoint({"resolve.1", "resolve.2"})


def test_a_seat_somebody_left_is_taken_over_where_there_is_room_for_no_other() -> None:
    """T18: a few who fall silent do not keep everybody else out."""
    play = begun(seats_max=3)
    seat = joined(play, CARL)
    assert play.refused(EVE, c.TakeSeat(stage="resolve")) is Code.NO_FREE_SEAT
    an_hour_later(play)
    assert joined(play, EVE) == seat
    assert play.refused(CARL, c.TakeSeat(stage="resolve")) is Code.NO_FREE_SEAT


def test_a_seat_that_a_volunteer_left_is_not_given_to_who_names_it() -> None:
    """I18: the name can be reckoned, so that it is there must not be told by getting it."""
    play = begun()
    seat = joined(play, CARL)
    play.do(CARL, c.LeaveSeat(seat=seat))
    assert play.refused(EVE, c.TakeSeat(seat=seat)) is Code.SEAT_TAKEN
    assert joined(play, CARL) == seat


def test_who_left_too_often_gets_no_other_seat_instead() -> None:
    play = begun()
    for _ in range(seats.LEAVES_MAX):
        play.do(CARL, c.LeaveSeat(seat=joined(play, CARL)))
    assert play.refused(CARL, c.TakeSeat(stage="resolve")) is Code.NO_FREE_SEAT
    assert joined(play, DORA)
