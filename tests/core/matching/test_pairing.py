"""The best pairs are found, in any order, and in time."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.matching.pairing import SIDE_MAX, best_pairs

SCORES = st.dictionaries(st.tuples(st.sampled_from("abcd"), st.sampled_from("wxyz")), st.integers(-3, 9), max_size=16)


def best(scores: dict[tuple[str, str], int]) -> int:
    return max(
        sum(max(0, scores.get(pair, 0)) for pair in zip("abcd", order, strict=True)) for order in permutations("wxyz")
    )


@given(scores=SCORES, data=st.data())
def test_no_other_pairs_have_a_greater_total(scores: dict[tuple[str, str], int], data: st.DataObject) -> None:
    """P7, 004-19: compared with trying every order; each member is in at most one pair."""
    chosen = best_pairs(scores)
    assert sum(scores[pair] for pair in chosen) == best(scores)
    assert all(scores[pair] > 0 for pair in chosen)
    assert len({a for a, _ in chosen}) == len({b for _, b in chosen}) == len(chosen)
    shuffled = data.draw(st.permutations(list(scores.items())))
    assert best_pairs(dict(shuffled)) == chosen


def test_the_greedy_choice_is_given_up_for_a_greater_total() -> None:
    """P7: 9 alone is less than 8 and 8."""
    assert best_pairs({("a", "x"): 9, ("a", "y"): 8, ("b", "x"): 8}) == (("a", "y"), ("b", "x"))


def test_nothing_is_assigned_where_nothing_fits() -> None:
    """P7: unmatched stays single."""
    assert best_pairs({}) == ()
    assert best_pairs({("a", "x"): 0}) == ()


def test_beyond_the_limit_the_best_pairs_are_taken_greedily() -> None:
    """T18, I28: a flood of findings cannot hang the gate."""
    side = range(SIDE_MAX + 1)
    scores = {(f"a{n:02}", f"b{n:02}"): 5 for n in side} | {("a00", "b01"): 9}
    chosen = best_pairs(scores)
    assert ("a00", "b01") in chosen
    assert len(chosen) == SIDE_MAX
    assert best_pairs(dict(reversed(scores.items()))) == chosen
