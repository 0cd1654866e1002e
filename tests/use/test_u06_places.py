"""U-06: the place of a finding must exist."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.use.reviewing import FINDING, POLICIES, House, houses
from tests.use.served import DOORS

pytestmark = pytest.mark.door("http", "mcp", policy="solo")


@pytest.fixture(scope="module")
def all_houses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, House]]:
    with houses(tmp_path_factory.mktemp("u06")) as found:
        yield found


def _at(path: str, start: int = 0, end: int = 0) -> dict[str, Any]:
    return FINDING | {"place": {"path": path, "start": start, "end": end}}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.door("http", "mcp", policy=("chains", "peer", "solo", "team"))
def test_a_finding_names_a_file_and_lines_that_are_there(all_houses: dict[str, House], policy: str, door: str) -> None:
    """U-06: what is not there is refused with the paths that are; what is missing is said as such."""
    house = all_houses[policy]
    review = house.open()
    doubt = house.approval(verdict="reject", summary="It does harm.", grounds=["security_risk"])
    for place in (_at("nope.py", 1), _at("a.md", 900), _at("a.md", 1, 900), _at("missing: a.md")):
        no = house.report(door, review, **{**doubt, "findings": [place]})
        assert no.code == "unknown_place", (place, no.text)
        assert "a.md" in no.text
    for place in (_at("a.md", 2), _at("hello.py"), _at("missing: LICENSE")):
        yes = house.report(door, house.open(), **{**doubt, "findings": [place]})
        assert yes.is_ok, (place, yes.text)


@pytest.mark.parametrize("door", DOORS)
def test_evidence_names_a_file_that_is_there(all_houses: dict[str, House], door: str) -> None:
    """U-06: an approval of another work's file approves nothing."""
    house = all_houses["solo"]
    for evidence in (
        {"what": "the whole work", "why": "read all of it", "place": {"path": "other.py"}},
        {"what": "other.py", "why": "read all of it"},
        {"what": "src/other.py", "why": "read every line of it"},
    ):
        review = house.open()
        no = house.report(door, review, **house.approval(evidence=[evidence]))
        assert no.code == "unknown_place", (evidence, no.text)
        assert "hello.py" in no.text
        assert house.reports(review) == []


@pytest.mark.parametrize("door", DOORS)
def test_what_a_version_removes_can_be_named(all_houses: dict[str, House], door: str) -> None:
    """U-06: a removed file is a part of the work."""
    house = all_houses["solo"]
    review = house.open()
    files = [{"path": "hello.py", "text": f"print('{review}')\n"}, {"path": "a.md", "mode": "000000", "text": ""}]
    assert house.author.call("revise", review=review, files=files, note="Without rules.").is_ok
    work = house.reviewer.at(door).call("read_work", review=review)
    assert work["deleted"] == ["a.md"]
    said = house.approval(revision=2, verdict="reject", findings=[_at("a.md")])
    assert house.report(door, review, **said).is_ok
