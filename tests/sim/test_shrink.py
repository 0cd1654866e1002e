"""A failing script is reduced to its essential steps, and counts are merged and compared with the threshold."""

from collections.abc import Sequence

from tests.sim.counts import Counts, load
from tests.sim.shrink import shrink


def test_only_the_deliveries_that_matter_stay() -> None:
    def fails(script: Sequence[int]) -> bool:
        return {3, 57, 91} <= set(script)

    assert shrink(range(100), fails) == [3, 57, 91]


def test_shrinking_gives_up_in_time() -> None:
    tried: list[int] = []

    def fails(script: Sequence[int]) -> bool:
        tried.append(len(script))
        return len(script) > 90

    assert len(shrink(range(100), fails, trials_max=20)) >= 90
    assert len(tried) <= 20


def test_counts_are_merged_and_what_is_missing_is_named() -> None:
    one, other = Counts(), Counts()
    for _ in range(60):
        one.add("events", "NoteAdded")
        other.add("events", "NoteAdded")
    one.merge(load(other.dump()))
    assert one.missing("events", ["NoteAdded", "ReviewOpened"]) == {"ReviewOpened": 0}
    assert "120  NoteAdded" in one.table()
