"""U-17, U-03: no report on a long text delays the server, and no text is too long for an objection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.use.clearing import text_file
from tests.use.served import DOORS, HTTP, Reply
from tests.use.shopping import Shop, shop
from tests.use.test_u17_hostile_files import asking_health

LINES = 120_000
#: The comparison of every line with every other took minutes.
ANSWERS_WITHIN_SECONDS = 5.0
FLAGGED = "os.system('rm -rf ' + name{n})\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with shop(tmp_path_factory.mktemp("long"), "solo") as found:
        yield found


def _report(place: Shop, review: str, *places: dict[str, Any], door: str = HTTP) -> Reply:
    said = {"severity": "critical", "text": "It says the same again.", "category": "security", "evidence": "x = 1"}
    findings = [{**said, "place": one} for one in places]
    judge = place.of("judge", door)
    return judge.call("report", review=review, revision=1, verdict="reject", summary="No.", findings=findings)


def _inherited(place: Shop, opened: Reply) -> list[str]:
    assert opened.is_ok, opened.text
    return [one["from_review"] for one in place.shown(opened["review"])["findings"] if one["from_review"]]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="solo")
def test_a_report_on_long_equal_texts_is_answered_and_so_is_everybody_else(place: Shop, door: str) -> None:
    """U-17: the same words on another file of equal lines; what is too much to compare is one finding more."""
    place.made += 1
    text = f"y = {place.made}\n" + "x = 1\n" * LINES
    review = place.open("dev", text_file("a.txt", text), text_file("b.txt", text + "z = 1\n"), door=door)["review"]
    with asking_health(place.of("dev")) as took:
        for path in ("a.txt", "b.txt"):
            said = _report(place, review, {"path": path, "start": 2, "end": LINES // 2}, door=door)
            assert said.is_ok, said.text
    assert max(took) < ANSWERS_WITHIN_SECONDS
    found = [one["place"]["path"] for one in place.shown(review)["findings"] if not one["from_review"]]
    assert found == ["a.txt", "b.txt"]


@pytest.mark.door("http", policy="solo")
def test_many_places_in_a_long_file_are_answered_too(place: Shop) -> None:
    """U-17: the file is read once, not once for each of them."""
    place.made += 1
    text = "".join(f"value_{number} = {place.made}\n" for number in range(LINES))
    review = place.open("dev", text_file("a.py", text))["review"]
    places = [{"path": "a.py", "start": one + 1, "end": LINES - one} for one in range(100)]
    with asking_health(place.of("dev")) as took:
        said = _report(place, review, *places)
        assert said.is_ok, said.text
    assert max(took) < ANSWERS_WITHIN_SECONDS
    assert len([one for one in place.shown(review)["findings"] if one["raiser"] == "judge"]) == 100


@pytest.mark.door("http", policy="solo")
def test_no_padding_is_long_enough_to_shed_a_finding(place: Shop) -> None:
    """U-03: what is not read to its end counts as unchanged."""
    place.made += 1
    flagged = FLAGGED.format(n=place.made)
    review = place.open("dev", text_file("a.py", flagged))["review"]
    assert _report(place, review, {"path": "a.py", "start": 1, "end": 1}).is_ok
    assert place.of("dev").call("withdraw", review=review, reason="Another way.").is_ok
    padded = "x\n" * 500_000 + flagged
    with asking_health(place.of("dev")) as took:
        opened = place.open("dev", text_file("long.py", padded))
    assert review in _inherited(place, opened)
    assert max(took) < ANSWERS_WITHIN_SECONDS
    assert review not in _inherited(place, place.open("dev", text_file("long.py", padded[: 2 * LINES])))
