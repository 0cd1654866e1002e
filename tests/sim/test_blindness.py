"""No blind reviewer can tell what the others wrote, and no author can tell the server whom to draw."""

import os

import pytest

from tests.sim.pairs import drawn_alike, pair

PAIRS = {"test": 300, "all": 2_000}.get(os.environ.get("EFFORT", ""), 60)
CHUNKS = 4
#: Worlds in which nobody was blind are no pairs; there are few of them.
BLIND_SHARE_MIN = 0.9


@pytest.mark.parametrize("part", range(CHUNKS))
def test_worlds_that_differ_in_hidden_reports_look_the_same(part: int) -> None:
    """I18: the view, the explanation and every refusal are the same bytes."""
    blind = 0
    for number in range(PAIRS // CHUNKS):
        seed = 1_000 * part + number
        found = pair(seed)
        blind += found is not None
        assert not found, f"pair {seed}: {found[0]}"
    assert blind >= BLIND_SHARE_MIN * (PAIRS // CHUNKS)


@pytest.mark.parametrize("part", range(CHUNKS))
def test_the_authors_words_do_not_change_the_draw(part: int) -> None:
    """I17: title, note, confidence, context and questions are the author's; the draw is the server's."""
    for number in range(PAIRS // CHUNKS):
        assert drawn_alike(1_000 * part + number) == []
