"""U-06, U-04: files named in evidence must exist; separate, because equal files inherit findings of other tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.use.reviewing import House, houses
from tests.use.served import DOORS


@pytest.fixture(scope="module")
def all_houses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, House]]:
    with houses(tmp_path_factory.mktemp("u06e"), "solo") as found:
        yield found


INVENTED = (
    *("a.md:9999", "line 5000 of a.md", "lines 1-900 of a.md", "a.md and zzz.md", "the whole work and zzz.py"),
    *("missing: a.md", "the", "and", "Run"),
)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="solo")
def test_invented_evidence_approves_nothing(all_houses: dict[str, House], door: str) -> None:
    """U-04, U-06: files and lines named in words are there, and a common word names nothing."""
    house = all_houses["solo"]
    review = house.open()
    for what in INVENTED:
        evidence = [{"what": what, "why": "compared it with the plan"}]
        no = house.report(door, review, **house.approval(evidence=evidence, summary=""))
        assert no.code in ("unknown_place", "evidence_missing"), (what, no.text)
        assert "a.md" in no.text, what
    backwards = {"what": "a.md", "why": "read every line of it", "place": {"path": "a.md", "start": 2, "end": 1}}
    assert house.report(door, review, **house.approval(evidence=[backwards])).code == "unknown_place"
    assert house.reports(review) == []


@pytest.mark.parametrize("what", ["a.md: read all of it", "the whole work", "line 1 of a.md", "a.md and hello.py"])
@pytest.mark.door("http", policy="solo")
def test_honest_evidence_stays_easy(all_houses: dict[str, House], what: str) -> None:
    """U-06: what names something that is there is taken as it was."""
    house = all_houses["solo"]
    evidence = [{"what": what, "why": "read every line of it"}]
    yes = house.report("http", house.open(), **house.approval(evidence=evidence))
    assert yes.is_ok, (what, yes.text)
