"""U-05: an unknown word is refused with the allowed ones, never swallowed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.use.reviewing import FINDING, POLICIES, House, houses
from tests.use.served import DOORS

pytestmark = pytest.mark.door("http", "mcp", policy="solo")


@pytest.fixture(scope="module")
def all_houses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, House]]:
    with houses(tmp_path_factory.mktemp("u05")) as found:
        yield found


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.door("http", "mcp", policy=("chains", "peer", "solo", "team"))
def test_an_unknown_verdict_is_refused_and_nothing_is_lost(
    all_houses: dict[str, House], policy: str, door: str
) -> None:
    """U-05: the report can be sent again with a word that is known."""
    house = all_houses[policy]
    review = house.open()
    for word in ("LGTM", "ship it", "", "maybe"):
        no = house.report(door, review, **house.approval(verdict=word))
        assert no.code == "unknown_word", (word, no.text)
        assert "approve" in no.text
    assert house.report(door, review, **house.approval()).is_ok


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("word", "verdict"),
    [
        ("APPROVED", "approve"),
        ("approved", "approve"),
        ("PASS", "approve"),
        ("CHANGES_REQUESTED", "concerns"),
        ("changes-requested", "concerns"),
        ("FAIL", "concerns"),
        ("REJECTED", "reject"),
        ("blocker", "reject"),
    ],
)
def test_the_spellings_of_the_source_systems_are_understood(
    all_houses: dict[str, House], word: str, verdict: str, door: str
) -> None:
    """U-05: at every door."""
    house = all_houses["solo"]
    review = house.open()
    findings = [] if verdict == "approve" else [FINDING]
    said = house.report(door, review, **house.approval(verdict=word, findings=findings))
    assert said.is_ok, said.text
    assert [one["verdict"] for one in house.reports(review)] == [verdict]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("policy", "fields", "allowed"),
    [
        ("solo", {"verdict": "reject", "findings": [FINDING | {"severity": "terrible"}]}, "critical"),
        ("solo", {"verdict": "reject", "findings": [FINDING | {"scope": "vibes"}]}, "security"),
        ("solo", {"verdict": "reject", "grounds": ["vibes"]}, "security_risk"),
        ("solo", {"verdict": "concerns", "findings": [FINDING | {"category": "vibes"}]}, "correctness"),
        ("solo", {"checklist": [{"name": "vibes", "passed": True}]}, "Leave `checklist` out"),
        ("peer", {"checklist": [{"name": "vibes", "passed": True}]}, "proper_error_handling"),
    ],
)
@pytest.mark.door("http", "mcp", policy=("peer", "solo"))
def test_other_unknown_words_are_refused_with_the_known_ones(
    all_houses: dict[str, House], policy: str, fields: dict[str, Any], allowed: str, door: str
) -> None:
    """U-05: severities, scopes, grounds and criteria."""
    house = all_houses[policy]
    no = house.report(door, house.open(), **house.approval(**fields))
    assert no.code == "unknown_word", no.text
    assert allowed in no.text


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="peer")
def test_criteria_that_are_missing_are_a_list(all_houses: dict[str, House], door: str) -> None:
    """U-05: a program fills in each of them by its name."""
    house = all_houses["peer"]
    review = house.open()
    no = house.report(door, review, **house.approval(checklist=[]))
    assert no.code == "checklist_incomplete", no.text
    missing = no.data["fields"]["names"]
    assert isinstance(missing, list)
    passed = [{"name": one, "passed": True} for one in missing]
    assert house.report(door, review, **house.approval(checklist=passed)).is_ok


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="chains")
def test_an_unknown_step_gets_no_chain(all_houses: dict[str, House], door: str) -> None:
    """U-05: it would be judged by the weakest; a step with a chain named beside it is a label."""
    house = all_houses["chains"]
    who = house.author.at(door)
    no = who.call("validate", output=f"ls {door}\n", step="nostep")
    assert no.code == "unknown_word", no.text
    assert who.call("validate", output=f"ls -l {door}\n", step="nostep", chain="default").is_ok


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("fields", "allowed"),
    [({"protocols": ["vibes"]}, "solo"), ({"origin": {"step": "vibes"}}, "Leave `origin.step` out")],
)
def test_an_unknown_style_or_step_opens_nothing(
    all_houses: dict[str, House], fields: dict[str, Any], allowed: str, door: str
) -> None:
    """U-05: a review in a style that the policy does not have could never clear."""
    files = [{"path": "hello.py", "text": f"print({door!r}, {allowed!r})\n"}]
    who = all_houses["solo"].author.at(door)
    no = who.call("open_review", kind="script", title="Hello", files=files, **fields)
    assert no.code == "unknown_word", no.text
    assert allowed in no.text


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("named", [{"base": "nosuch"}, {"target": "nowhere"}, {"base": "main", "target": "nowhere"}])
def test_a_base_that_is_not_known_is_said_to_be_ignored(
    all_houses: dict[str, House], named: dict[str, str], door: str
) -> None:
    """U-05: the work is compared with nothing, and the answer says so of each name, in a first and a new version."""
    house = all_houses["solo"]
    who = house.author.at(door)
    for text in ("one", "two"):
        files = [{"path": "hello.py", "text": f"print({text!r}, {door!r}, {sorted(named.items())!r})\n"}]
        opened = who.call("open_review", kind="script", title="Hello", files=files, **named)
        assert [one for word in named.values() for one in opened["notes"] if repr(word) in one] != []
        assert len(opened["notes"]) == len(named)
        files = [{**files[0], "text": files[0]["text"] + "# more\n"}]
        again = who.call("revise", review=opened["review"], files=files, **named)
        assert again["notes"] == opened["notes"]
        assert who.call("read_review", review=opened["review"])["review"]["compared_with"].startswith("nothing")
        who.call("withdraw", review=opened["review"], reason="The test is over.")


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("word", ["tests", "Docs", "error-handling", "security", "seldon"])
def test_a_category_may_be_any_of_the_common_ones(all_houses: dict[str, House], word: str, door: str) -> None:
    """U-05: in a style without a list of its own; other spellings of them are understood."""
    house = all_houses["solo"]
    findings = [FINDING | {"category": word}]
    told = house.report(door, house.open(), **house.approval(verdict="concerns", findings=findings))
    assert told.is_ok is (word != "seldon"), told.text


@pytest.mark.door("http", policy="solo")
def test_the_schema_shows_the_words(all_houses: dict[str, House]) -> None:
    """U-05: the schema lists the allowed words."""
    answer = all_houses["solo"].reviewer.raw("GET", "/api/v1/openapi.json")
    assert b'"enum":["approve","concerns","reject"]' in answer.body.replace(b" ", b"").replace(b"\n", b"")
