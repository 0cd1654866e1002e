"""U-26: a request gives the reviewer everything needed; no criterion is learned from a refusal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from foureyes.core.peer_data import CRITERIA, MATRIX
from foureyes.core.profiles import PROFILES
from tests.use.served import DOORS, Caller, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy="peer")

REQUIRED = [name for name, _ in CRITERIA[0].required]
OPTIONAL = [name for name, _ in CRITERIA[0].optional]
_numbers = count()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The shipped policy of the peer style, with three roles of its matrix."""
    with served(tmp_path_factory.mktemp("briefs"), "peer") as running:
        running.account("core-dev", "core_developer")
        running.account("auditor-1", "auditor")
        running.account("tester-1", "tester")
        yield running


def asked(house: Served, door: str) -> str:
    """A review requested by a core developer with a confidence of 70 %."""
    code = {"code": f"VALUE = {next(_numbers)}  # {door}\n"}
    body = {"type": "create_core", "title": "A core", "artifacts": code, "creator_confidence": 70}
    return str(house.callers["core-dev"].at(door).call("request_review", **body)["id"])


def holder(house: Served, review: str) -> str:
    return str(house.callers["core-dev"].call("get_review", reviewId=review)["reviewer"])


def check(brief: dict[str, Any]) -> None:
    """Check the whole brief: criteria with their meaning, the role, the reason, and the author's confidence."""
    criteria = brief["criteria"]
    assert [one["name"] for one in criteria if one["required"]] == REQUIRED
    assert [one["name"] for one in criteria if not one["required"]] == OPTIONAL
    assert [one["meaning"] for one in criteria][:1] == [CRITERIA[0].required[0][1]]
    assert (brief["role"], brief["author_confidence"], brief["confidence_min"]) == ("auditor", 70, 80)
    assert tuple(brief["profile"]["focus"]) == PROFILES["auditor"].focus
    assert tuple(brief["profile"]["expertise"]) == PROFILES["auditor"].expertise
    assert tuple(brief["profile"]["typical_feedback"]) == PROFILES["auditor"].typical_feedback
    (row,) = [one for one in MATRIX if one.creator == "core_developer"]
    assert tuple(brief["reasons"]) == row.reasons
    assert "security_risk" in brief["grounds"]


@pytest.mark.parametrize("door", DOORS)
def test_the_request_itself_says_what_to_judge_by(house: Served, door: str) -> None:
    """U-26: the inbox, get_review, read_review and explain give the criteria before anything is handed in."""
    review = asked(house, door)
    reviewer = house.callers["auditor-1"].at(door)
    (row,) = [one for one in reviewer.call("inbox", limit=1)["waiting"] if one["review"] == review] or [None]
    if row is None:
        row = next(one for one in reviewer.call("inbox")["waiting"] if one["review"] == review)
    (brief,) = row["briefs"]
    check(brief)
    for found in (
        reviewer.call("get_review", reviewId=review)["briefs"],
        reviewer.call("read_review", review=review)["review"]["briefs"],
        reviewer.call("explain", review=review)["briefs"],
    ):
        assert found == [brief]
    approve(reviewer, review, [one["name"] for one in brief["criteria"] if one["required"]])


def approve(reviewer: Caller, review: str, names: list[str]) -> None:
    """Check that a report written from the brief alone is accepted at once."""
    feedback = {"overall": "Each line does what its author says, and each error is handled."}
    checklist = dict.fromkeys(names, True)
    body = {"status": "APPROVED", "feedback": feedback, "checklist": checklist, "confidence": 90}
    said = reviewer.call("submit_review", reviewId=review, **body)
    assert said.is_ok, said.text


@pytest.mark.parametrize("door", DOORS)
def test_who_takes_over_is_given_the_draft(house: Served, door: str) -> None:
    """U-26: the predecessor's draft is in get_review and read_review of the successor, and of no other account."""
    review = asked(house, door)
    first = house.callers["auditor-1"].at(door)
    seat = first.call("take_seat", review=review)["seats"][0]
    draft = "Line 1 is fine; I have not read the tests yet."
    assert first.call("renew_seat", review=review, seat=seat, draft=draft).is_ok
    assert first.call("leave_seat", review=review, seat=seat, draft=draft, reason="overloaded").is_ok
    name = holder(house, review)
    assert name == "tester-1"
    successor = house.callers[name].at(door)
    for found in (
        successor.call("get_review", reviewId=review)["briefs"],
        successor.call("read_review", review=review)["review"]["briefs"],
    ):
        assert [(one["role"], one["draft"]) for one in found] == [("tester", draft)]
    assert draft not in first.call("read_review", review=review).text
    assert draft not in house.callers["core-dev"].at(door).call("read_review", review=review).text


@pytest.mark.door("http", policy="session")
def test_a_session_request_says_how_sure_the_author_is(tmp_path: Any) -> None:
    """U-26: the request of a session carries what its policy asks, too."""
    with served(tmp_path, "session") as up:
        for name, roles in (("maker", ("agent",)), ("looker", ("reviewer",)), ("other", ("reviewer",))):
            up.account(name, *roles)
        told = up.callers["maker"].call("signal", session="s", type="milestone", summary="Done with the parser.")
        assert told.is_ok, told.text
        (request,) = up.callers["looker"].call("review_requests", session="s")["requests"]
        assert request["briefs"] == []
        assert request["request"]["focus_areas"]
