"""U-03: the raiser of an inherited finding has it in their inbox, and can settle it from there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.use.clearing import text_file
from tests.use.served import DOORS
from tests.use.shopping import Shop, shop

pytestmark = pytest.mark.door("http", "mcp", policy=("chains", "solo"))

MORE = "\n\nONE = 1\n"


@pytest.fixture(scope="module", params=["solo", "chains"])
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with shop(tmp_path_factory.mktemp(request.param), request.param) as found:
        yield found


def _inherited(place: Shop, door: str) -> tuple[str, str]:
    """A review that inherits a finding of the judge's from one that was withdrawn, and that finding's name there."""
    place.made += 1
    name, text = f"run{place.made}.py", f"def start(host):\n    forward('ping{place.made} ' + host)\n    return host\n"
    review = place.open("dev", text_file(name, text), door=door)["review"]
    place.object_to(review, door)
    assert place.of("dev", door).call("withdraw", review=review, reason="Another way.").is_ok
    opened = str(place.open("dev", text_file(name, text + MORE), door=door)["review"])
    found = [one for one in place.shown(opened)["findings"] if one["raiser"] == "judge"]
    return opened, str(found[0]["finding"])


def _entries(place: Shop, who: str, door: str, review: str) -> list[dict[str, Any]]:
    waiting = place.of(who, door).call("inbox")["waiting"]
    return [one for one in waiting if one["review"] == review and one["kind"] == "finding"]


@pytest.mark.parametrize("door", DOORS)
def test_its_raiser_finds_it_and_settles_it(place: Shop, door: str) -> None:
    """U-03: an entry with the review and the finding's name there; it goes when the finding is settled."""
    review, name = _inherited(place, door)
    (entry,) = _entries(place, "judge", door, review)
    assert (entry["request"], entry["held"], entry["due"]) == (name, True, "")
    judge = place.of("judge", door)
    word = {"finding": entry["request"], "revision": entry["revision"], "resolved": True, "note": "Hosts are checked."}
    settled = judge.call("settle_finding", review=entry["review"], **word)
    assert settled.is_ok, settled.text
    assert _entries(place, "judge", door, review) == []


@pytest.mark.parametrize("door", DOORS)
def test_nobody_else_finds_it(place: Shop, door: str) -> None:
    """U-03: neither the author, nor another reviewer, nor the human, who is notified of the ruling."""
    review, name = _inherited(place, door)
    for who in ("dev", "mate", "stranger"):
        assert _entries(place, who, door, review) == []
        assert name not in place.of(who, door).call("inbox").text
    waiting = place.house.human.call("inbox")["waiting"]
    assert [one for one in waiting if one["review"] == review and one["kind"] == "finding"] == []


@pytest.mark.parametrize("end", ["changed", "withdrawn", "waived"])
@pytest.mark.door("http", policy=("chains", "solo"))
def test_it_goes_with_the_finding(place: Shop, end: str) -> None:
    """U-03: when the text is changed, the review ends or a human waives it, nothing is left to do."""
    review, name = _inherited(place, "http")
    assert len(_entries(place, "judge", "http", review)) == 1
    if end == "changed":
        place.made += 1
        files = [text_file(f"run{place.made}.py", f"VALUE = {place.made}\n")]
        done = place.of("dev").call("revise", review=review, files=files)
    elif end == "withdrawn":
        done = place.of("dev").call("withdraw", review=review, reason="Another way.")
    else:
        done = place.house.human.call("waive", review=review, finding=name, reason="The host is a constant.")
    assert done.is_ok, done.text
    assert _entries(place, "judge", "http", review) == []


@pytest.mark.parametrize("place", ["solo"], indirect=True)
@pytest.mark.door("http", "page", policy="solo")
def test_a_human_who_raised_it_has_it_on_their_page(place: Shop) -> None:
    """U-03: the page What waits lists it, without a due time; in a chain no human has a seat."""
    place.made += 1
    text = f"def start{place.made}(host):\n    return host\n"
    review = place.open("dev", text_file("page.py", text))["review"]
    asked = place.of("dev").call("escalate", review=review, reason="Nobody answers.", argument="It is small.")
    assert asked.is_ok, asked.text
    ruling = place.shown(review)["ruling"]
    option = next(one["id"] for one in ruling["options"] if one["effect"] == "revise")
    words = {"option": option, "reason": "Not like this.", "demands": ["Say what the host is."]}
    ruled = place.house.human.call("rule", review=review, request=ruling["request"], **words)
    assert ruled.is_ok, ruled.text
    assert place.of("dev").call("withdraw", review=review, reason="Another way.").is_ok
    assert "your finding" not in place.house.page("/")
    opened = place.open("dev", text_file("page.py", text), text_file("more.py", MORE))["review"]
    assert [one["from_review"] for one in place.shown(opened)["findings"]] == [review]
    assert "your finding" in place.house.page("/")
