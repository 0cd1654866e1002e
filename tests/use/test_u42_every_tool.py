"""U-42: for every tool, a mistake can be repaired in one step from the refusal's fields alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from foureyes.mcp.tools import SEVEN, TOOLS
from tests.use.mistakes import MISTAKES
from tests.use.repairing import OWN_WORDS, mended
from tests.use.served import DOORS, Served
from tests.use.stages import DOUBT, NOWHERE, Stage, all_houses


@pytest.fixture(scope="module")
def houses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Served]]:
    with all_houses(tmp_path_factory.mktemp("u42")) as found:
        yield found


CASES = [
    (tool, number, one.house, door)
    for tool, found in MISTAKES.items()
    for number, one in enumerate(found)
    for door in one.doors
]
#: Tools whose mistakes need more than one call before them; their tests are below.
OWN_TESTS = {"keep_report", "verify_finding"}


def test_every_tool_that_takes_something_has_a_mistake_here() -> None:
    """U-42: a new tool needs its repair, too."""
    assert set(MISTAKES) | OWN_TESTS == {name for name, tool in TOOLS.items() if tool.takes()["properties"]}


@pytest.mark.parametrize(("tool", "number", "house", "door"), CASES)
@pytest.mark.door("http", "mcp", policy=("chains", "panel", "peer", "session", "solo"))
def test_a_mistake_is_repaired_from_the_refusal(
    houses: dict[str, Served], tool: str, number: int, house: str, door: str
) -> None:
    """U-42: nothing but the refusal's fields and its next call is used; the seven name none but each other."""
    mistake = MISTAKES[tool][number]
    stage = Stage(houses[house], door)
    try:
        told = mended(stage.who(mistake.who), tool, mistake.code, **mistake.made(stage))
        assert told.is_ok
    finally:
        stage.end()


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("tool", [*SEVEN])
@pytest.mark.door("http", "mcp", policy="peer")
def test_the_seven_name_no_call_but_each_other(houses: dict[str, Served], tool: str, door: str) -> None:
    """U-42: agents at their address are listed nothing else."""
    for mistake in MISTAKES[tool]:
        stage = Stage(houses[mistake.house], door)
        no = stage.who(mistake.who).unread().call(tool, **mistake.made(stage))
        assert no.data.keys() & {"fields", "next_call"}, no.text
        assert no.data.get("next_call", {"call": "get_review"})["call"] in SEVEN, no.text
        assert "read_work" not in no.text
        stage.end()


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="solo")
def test_a_gate_that_is_asked_by_the_id_of_a_review_names_its_digest(houses: dict[str, Served], door: str) -> None:
    """U-42: the wrong id, where a no is no refusal."""
    stage = Stage(houses["solo"], door).open()
    dev = stage.who("dev")
    digest = dev.call("read_review", review=stage.review)["review"]["digest"]
    told = dev.call("gate", digest=stage.review)
    assert not told["allowed"]
    assert digest in told["reason"]
    assert digest not in stage.who("dev").call("gate", digest=NOWHERE)["reason"]
    stage.end()


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="solo")
def test_one_of_several_openings_is_refused_with_its_field(houses: dict[str, Served], door: str) -> None:
    """U-42: each of them has the particulars of its own refusal."""
    stage = Stage(houses["solo"], door)
    wrong = stage.work() | {"files": [{**stage.files()[0], "mode": "777"}]}
    told = stage.who("dev").call("open_reviews", reviews=[wrong])["results"][0]
    assert (told["code"], told["fields"]["field"]) == ("unknown_word", "files[0].mode")
    right = stage.work() | {"files": [{**stage.files()[0], "mode": told["fields"]["allowed"][1]}]}
    assert stage.who("dev").call("open_reviews", reviews=[right])["results"][0]["review"]
    stage.end()


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("stale", {}),
        ("stale", {"revision": 7}),
        ("review_missing", {"review": NOWHERE}),
        ("unknown_seat", {"seat": "session.99"}),
    ],
)
@pytest.mark.door("http", "mcp", policy="session")
def test_a_report_that_is_kept_is_repaired(
    houses: dict[str, Served], code: str, wrong: dict[str, Any], door: str
) -> None:
    """U-42: `keep_report` for the second version, unread and with everything that can be named wrongly."""
    stage = Stage(houses["session"], door).asked()
    codex, gem, dev = (stage.who(name) for name in ("codex", "gem", "dev"))
    approved = {"verdict": "approved", "summary": f"The whole work: {OWN_WORDS}"}
    assert codex.call("submit_result", session=stage.session, payload=approved).is_ok
    assert gem.call("submit_result", session=stage.session, payload=DOUBT).is_ok
    finding = dev.call("read_review", review=stage.review)["review"]["findings"][0]["finding"]
    answers = [{"finding": finding, "text": OWN_WORDS}]
    assert dev.call("revise", review=stage.review, files=stage.files("# more\n"), answers=answers).is_ok
    seats = codex.call("read_review", review=stage.review)["review"]["reports"]
    (seat,) = {one["seat"] for one in seats if one["reviewer"]["name"] == "codex"}
    if wrong and code != "stale":
        assert codex.call("read_work", review=stage.review).is_ok
    mended(codex, "keep_report", code, **{"review": stage.review, "seat": seat, "revision": 2, **wrong})
    stage.end()


def _verified(stage: Stage, **more: Any) -> dict[str, Any]:
    stage.doubted()
    body = {"review": stage.review, "finding": stage.finding, "revision": 1, "result": "confirmed"}
    return {**body, "evidence": OWN_WORDS, **more}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("unread", {}),
        ("review_missing", {"review": NOWHERE}),
        ("not_the_holder", {"finding": "solo.6-F99"}),
        ("stale", {"revision": 7}),
        ("unknown_word", {"result": "perhaps"}),
        ("evidence_missing", {"evidence": "." * 40}),
    ],
)
@pytest.mark.door("http", "mcp", policy="solo-with-more")
def test_a_verification_is_repaired(houses: dict[str, Served], code: str, wrong: dict[str, Any], door: str) -> None:
    """U-42: `verify_finding`, from a verifying seat."""
    stage = Stage(houses["verified"], door)
    body = _verified(stage, **wrong)
    if code != "unread":
        assert stage.who("checker").call("read_work", review=stage.review).is_ok
    mended(stage.who("checker"), "verify_finding", code, **body)
    shown = stage.who("dev").call("read_review", review=stage.review)["review"]["findings"]
    assert [one["verification"] for one in shown if one["finding"] == stage.finding] == ["confirmed"]
    stage.end()
