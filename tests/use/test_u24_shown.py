"""U-24: displays agree with decisions: advice is marked, numbers agree, and reasons and cycles are visible."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from tests.cli.running import Running
from tests.cli.test_up import signed_in
from tests.use.judging import PASSED
from tests.use.served import DOORS, Caller, Served

pytestmark = pytest.mark.door("http", "page", policy="server")

NOT_YET = "The answer names no canal and no lock."
CHECKED = [{"what": "content.md: the whole story", "why": "each place that is named exists, and each date follows"}]
_numbers = count()


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A plain server with an author, three reviewers and a colleague with a role."""
    with Running(tmp_path_factory.mktemp("shown") / "home") as server:
        found = Served(server=server, browser=asyncio.run(signed_in(server)))
        for name in ("alice", "bob", "carol", "dora"):
            found.account(name)
        found.account("erin", "core_developer")
        found.account("auditor", "auditor")
        yield found


def item(text: str, severity: str = "important") -> dict[str, str]:
    return {"category": "causal_gap", "description": text, "severity": severity}


def given(reviewer: Caller, content: str, *items: dict[str, str], **more: Any) -> list[str]:
    """Feedback on the current version; the ids of its items."""
    assert reviewer.call("read_content", content_id=content).is_ok
    said = reviewer.call("give_feedback", content_id=content, items=list(items), **more)
    assert said.is_ok, said.text
    return [one["id"] for one in said["items"]]


def begun(up: Served) -> str:
    text = f"The sea came back on day {next(_numbers)}."
    return str(up.callers["alice"].call("submit_content", content_type="story", content=text)["content_id"])


def test_the_number_in_the_sentence_is_the_number_of_items_that_stop_it(up: Served) -> None:
    """U-24: "2 items" stood beside three that looked alike; the one that does not count is marked and says why."""
    alice, bob, carol = (up.callers[one] for one in ("alice", "bob", "carol"))
    content = begun(up)
    first, second = given(bob, content, item("How did it come back?"))[0], given(carol, content, item("Who saw it?"))[0]
    for one in (first, second):
        assert alice.call("respond_feedback", feedback_item_id=one, response_text="It is said now.").is_ok
    assert alice.call("revise_content", content_id=content, content="The sea came back, and Ann saw it.").is_ok
    late = given(bob, content, item("A comma is missing.", "minor"))[-1]
    assert carol.call("read_content", content_id=content).is_ok
    assert carol.call("confirm_content", content_id=content).is_ok
    shown = alice.call("read_content", content_id=content)
    items = {one["id"]: one for each in shown["feedback"] for one in each["items"]}
    assert items[late]["status"] == "open"
    assert items[late]["advisory"], "it looks like the ones that stop the content"
    stopping = [one for one in items.values() if one["status"] != "resolved" and not one["advisory"]]
    number = re.fullmatch(r"(\d+) feedback items unresolved", shown["reason"])
    assert number, shown["reason"]
    assert int(number[1]) == len(stopping) == 2
    assert alice.call("read_feedback", feedback_item_id=late)["advisory"] == items[late]["advisory"]
    natively = {one["finding"]: one for one in alice.call("read_review", review=content)["review"]["findings"]}
    marked = {name for name, one in natively.items() if one["advisory"]}
    assert marked == {late.partition(":")[2]}
    page = up.page(f"/reviews/{content}")
    assert page.count("Only advice") == 1


def test_why_an_item_is_not_resolved_is_shown_with_its_cycle(up: Served) -> None:
    """U-24: the reviewer's reason was null at /review and /feedback, and nobody saw which cycle it was."""
    alice, bob = up.callers["alice"], up.callers["bob"]
    content = begun(up)
    (one,) = given(bob, content, item("How are inland cities reached?"))
    assert alice.call("read_feedback", feedback_item_id=one)["cycle"] == 1
    for cycle in (2, 3):
        assert alice.call("respond_feedback", feedback_item_id=one, response_text="By canals.").is_ok
        again = bob.call("resolve_feedback", feedback_item_id=one, resolved=False, resolution_note=NOT_YET)
        assert (again["resolution_note"], again["cycle"], again["resolved_at"]) == (NOT_YET, cycle, None)
        shown = alice.call("read_content", content_id=content)["feedback"][0]["items"][0]
        assert (shown["resolution_note"], shown["cycle"], shown["status"]) == (NOT_YET, cycle, "open")
        (natively,) = alice.call("read_review", review=content)["review"]["findings"]
        assert (natively["note"], natively["cycle"]) == (NOT_YET, cycle)
    page = up.page(f"/reviews/{content}")
    assert NOT_YET in page
    assert "cycle 3" in page
    assert bob.call("resolve_feedback", feedback_item_id=one, resolution_note="Canals it is.")["cycle"] == 3


def test_what_a_reviewer_without_items_checked_is_shown(up: Served) -> None:
    """U-24: `checked` was taken and shown neither at /review nor at /feedback."""
    alice, bob = up.callers["alice"], up.callers["bob"]
    content = begun(up)
    assert bob.call("read_content", content_id=content).is_ok
    said = bob.call("give_feedback", content_id=content, checked=CHECKED)["checked"]
    assert [(one["what"], one["why"]) for one in said] == [(CHECKED[0]["what"], CHECKED[0]["why"])]
    assert [one["checked"] for one in alice.call("read_content", content_id=content)["feedback"]] == [said]
    assert CHECKED[0]["why"] in up.page(f"/reviews/{content}")


@pytest.mark.door("http", "mcp", policy="server")
def test_who_has_not_reported_learns_nothing_by_it(up: Served) -> None:
    """U-24: sentence, advice, cycles and what was checked stay hidden until one's own report is in."""
    alice, bob, dora = (up.callers[one] for one in ("alice", "bob", "dora"))
    content = begun(up)
    calls = (("read_content", "content_id"), ("can_graduate", "content_id"), ("read_review", "review"))

    def seen() -> list[Any]:
        over_mcp = [dora.at("mcp").call(name, review=content).data for name in ("read_review", "explain")]
        return [*over_mcp, *(dora.call(name, **{argument: content}).data for name, argument in calls)]

    before = seen()
    (one,) = given(bob, content, item("How are inland cities reached?"))
    assert seen() == before
    assert alice.call("respond_feedback", feedback_item_id=one, response_text="By canals.").is_ok
    bob.call("resolve_feedback", feedback_item_id=one, resolved=False, resolution_note=NOT_YET)
    assert seen() == before
    assert NOT_YET not in str(before)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.door("http", "mcp", policy="server")
def test_a_settled_concern_is_marked_as_settled(up: Served, door: str) -> None:
    """U-24: an approved review listed the settled concern as if it stood."""
    erin, auditor = up.callers["erin"].at(door), up.callers["auditor"].at(door)
    code = {"code": f"def read():\n    return get()  # {door} {next(_numbers)}\n"}
    review = erin.call("request_review", type="create_core", title=f"core {door}", artifacts=code)["id"]
    auditor.call("get_review", reviewId=review)
    doubt = {"overall": "It cannot fail well.", "concerns": ["critical: no error handling"]}
    said = auditor.call("submit_review", reviewId=review, status="CHANGES_REQUESTED", feedback=doubt, confidence=90)
    assert said.is_ok, said.text
    before = erin.call("get_review", reviewId=review)["feedback"]["concerns"]
    assert before == ["critical: no error handling"]
    finding = erin.call("read_review", review=review)["review"]["findings"][0]["finding"]
    auditor.call("read_work", review=review)
    settled = auditor.call("settle_finding", review=review, finding=finding, revision=1, resolved=True, note="Seen.")
    assert settled.is_ok, settled.text
    well = {"overall": "Each error is handled where it is raised."}
    checklist = {one["name"]: True for one in PASSED}
    said = auditor.call(
        "submit_review", reviewId=review, status="APPROVED", feedback=well, confidence=95, checklist=checklist
    )
    assert said.is_ok, said.text
    shown = erin.call("get_review", reviewId=review)
    assert (shown["status"], shown["feedback"]["concerns"]) == ("approved", ["settled: critical: no error handling"])
    (natively,) = erin.call("read_review", review=review)["review"]["findings"]
    assert natively["standing"] == "resolved"
