"""Places are near, in one file, apart, or unknown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.matching.places import Comparable, Nearness, nearness


def at(path: str, start: int = 0, end: int = 0) -> Comparable:
    return Comparable(id="f", seat="a", path=path, start=start, end=end, text="x")


@pytest.mark.parametrize(
    ("a", "b", "near"),
    [
        (at("a.py", 10, 12), at("a.py", 12, 20), Nearness.LINES),
        (at("a.py", 10, 12), at("a.py", 15, 20), Nearness.LINES),
        (at("a.py", 10, 12), at("a.py", 16, 20), Nearness.APART),
        (at("a.py", 10), at("a.py", 13), Nearness.LINES),
        (at("a.py", 10), at("a.py", 14), Nearness.APART),
        (at("a.py", 12, 10), at("a.py", 15, 15), Nearness.LINES),
        (at("./a.py", 10), at("a.py", 10), Nearness.LINES),
        (at("a.py", 10), at("b.py", 10), Nearness.APART),
        (at("a.py"), at("a.py", 10), Nearness.FILE),
        (at("a.py", 10), at("a.py"), Nearness.FILE),
        (at(""), at("a.py", 10), Nearness.UNKNOWN),
        (at("a.py", 10), at(""), Nearness.UNKNOWN),
    ],
)
def test_overlapping_lines_give_or_take_three_are_one_place(a: Comparable, b: Comparable, near: Nearness) -> None:
    """P7: an unknown place is neither near nor far, and a reversed range is a range."""
    assert nearness(a, b) is near


@given(a=st.tuples(*[st.integers(0, 30)] * 2), b=st.tuples(*[st.integers(0, 30)] * 2), shift=st.integers(1, 9))
def test_nearness_has_no_direction_and_survives_a_shift_of_both(
    a: tuple[int, int], b: tuple[int, int], shift: int
) -> None:
    """P7, D-20."""
    first, second = at("a.py", *a), at("a.py", *b)
    assert nearness(first, second) is nearness(second, first)
    if all((*a, *b)):
        moved = at("a.py", a[0] + shift, a[1] + shift), at("a.py", b[0] + shift, b[1] + shift)
        assert nearness(*moved) is nearness(first, second)
