"""No blind reviewer can tell what the others wrote, and no author can influence the draw of reviewers."""

import os

import pytest

from foureyes.core.answers import seats
from foureyes.core.rules import Stage
from foureyes.core.scene import Scene
from foureyes.core.values import Who
from tests.sim.pairs import drawn_alike, late_pair, pair

PAIRS = {"test": 300, "all": 2_000}.get(os.environ.get("EFFORT", ""), 60)
CHUNKS = 4
#: The most pairs before a planted leak must be found.
SOON = 20
#: The least share of worlds with a blind viewer; the others are not pairs.
BLIND_SHARE_MIN = 0.9
#: The least share of worlds in which a late viewer may volunteer; the others are not pairs.
LATE_SHARE_MIN = 0.15


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
def test_who_comes_late_and_unasked_cannot_tell_who_came_before(part: int) -> None:
    """I18: the view before and after taking a seat of their own, with its name, and every refusal."""
    late = 0
    for number in range(PAIRS // CHUNKS):
        seed = 1_000 * part + number
        found = late_pair(seed)
        late += found is not None
        assert not found, f"pair {seed}: {found[0]}"
    assert late >= LATE_SHARE_MIN * (PAIRS // CHUNKS)


def test_a_number_in_the_name_of_a_volunteers_seat_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """I18, S15: the comparison is tried on a leak that is there."""

    def numbered(scene: Scene, stage: Stage, _: Who) -> str:
        return f"{stage.name}.{len(scene.review.seats_of(stage.name)) + 1}"

    monkeypatch.setattr(seats, "_volunteers_seat", numbered)
    assert any(late_pair(seed) for seed in range(SOON))


@pytest.mark.parametrize("part", range(CHUNKS))
def test_the_authors_words_do_not_change_the_draw(part: int) -> None:
    """I17: title, note, confidence, context and questions are the author's; the draw is the server's."""
    for number in range(PAIRS // CHUNKS):
        assert drawn_alike(1_000 * part + number) == []
