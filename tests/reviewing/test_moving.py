"""A finding that moved is shown on its current line."""

import pytest

from foureyes.app.differences import line_now
from tests.app.house import played
from tests.reviewing.desk import change, marks, reviewed, rounds, solo


@played
async def test_lines_that_came_above_move_a_finding_with_them() -> None:
    """D-20: in the same run and when it is looked at later; the quote is the line itself."""
    desk = solo(security=marks("bad"))
    first = await reviewed(desk, change("a\nx = bad\n"))
    assert [(one.line, one.quote) for one in first.blocking] == [(2, "x = bad")]
    again = await reviewed(desk, change("a\nb\nc\nd\nx = bad\n"))
    later = await rounds(desk).stands()
    for outcome in (again, later):
        assert [(one.id, one.line, one.quote) for one in outcome.blocking] == [(first.blocking[0].id, 5, "x = bad")]


@pytest.mark.parametrize(
    ("before", "after", "line", "now"),
    [
        ("abc", "abc", 2, 2),
        ("abc", "xyabc", 2, 4),
        ("abc", "bc", 2, 1),
        ("abc", "ac", 2, None),
        ("abcd", "aXYbd", 2, 4),
        ("abc", "abcd", 3, 3),
        ("abc", "aXc", 2, None),
    ],
)
def test_a_line_is_found_again_unless_it_is_gone(before: str, after: str, line: int, now: int | None) -> None:
    assert line_now(tuple(before), tuple(after), line) == now
