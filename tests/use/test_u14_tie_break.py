"""U-14: the tie-break decides, counsel reaches inboxes, and reassignment respects limits and removed accounts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from tests.use.judging import PASSED, approve_peer, judge, state_of
from tests.use.served import DOORS, Caller, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy="peer")

ROLES = ("core_developer", "auditor", "tester", "architect")
_numbers = count()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("peer"), "peer") as running:
        for name in ROLES:
            running.account(name.replace("_", "-"), name)
        running.account("bystander", "optimizer")
        yield running


def opened(house: Served, door: str, **more: Any) -> str:
    files = [{"path": "core.py", "text": f"VALUE = {next(_numbers)}\n"}]
    author = house.callers["core-developer"].at(door)
    return str(author.call("open_review", kind="create_core", title="A core", files=files, **more)["review"])


def doubted(house: Served, door: str, *severities: str) -> str:
    """A sure author, an unsure auditor with findings: the matrix escalates to the architect."""
    review = opened(house, door, confidence=95)
    found = [{"severity": one, "text": f"{one}: errors are swallowed"} for one in severities]
    more = {"checklist": PASSED, "confidence": 50, "findings": found, "summary": "I am not sure."}
    answer = judge(house.callers["auditor"].at(door), review, "concerns", **more)
    assert answer.is_ok, answer.text
    return review


def waiting(caller: Caller) -> list[tuple[str, str]]:
    return [(one["review"], one["request"]) for one in caller.call("inbox")["waiting"]]


@pytest.mark.parametrize("door", DOORS)
def test_an_approving_tie_break_settles_the_dispute_and_is_shown(house: Served, door: str) -> None:
    """U-14: asked, it is shown as the escalation; approving, it settles the auditor's findings and the stage."""
    review = doubted(house, door, "important")
    author, architect = house.callers["core-developer"].at(door), house.callers["architect"].at(door)
    assert (review, "peer.tie") in waiting(architect)
    shown = author.call("get_review", reviewId=review)
    assert (shown["status"], shown["reviewer"]) == ("escalated", "architect")
    assert "confidence gap" in shown["escalation_reason"]
    assert approve_peer(architect, review, summary="The errors are handled.").is_ok
    shown = author.call("get_review", reviewId=review)
    assert (shown["status"], shown["reviewer"], shown["confidence"]) == ("approved", "architect", 95)
    assert shown["feedback"]["overall"] == "The errors are handled."
    assert state_of(house, review) == "cleared"
    seen = house.human.call("read_review", review=review)["review"]
    (finding,) = seen["findings"]
    assert (finding["standing"], finding["note"]) == ("resolved", "settled by the tie-break")
    live = house.human.call("gate", digest=seen["digest"])
    assert (live["state"], live["flags"]) == ("cleared", ["tie-break"])


@pytest.mark.parametrize("door", DOORS)
def test_a_critical_finding_goes_to_a_human_and_so_does_what_is_not_settled(house: Served, door: str) -> None:
    """U-14."""
    architect = house.callers["architect"].at(door)
    critical = doubted(house, door, "critical")
    assert approve_peer(architect, critical).is_ok
    doubtful = doubted(house, door, "important")
    more = {"checklist": PASSED, "confidence": 90, "findings": [{"severity": "important", "text": "So it is."}]}
    assert judge(architect, doubtful, "concerns", **more).is_ok
    for review in (critical, doubtful):
        assert state_of(house, review) == "open"
        turns = house.human.call("read_review", review=review)["review"]["turns"]
        assert [one["who"] for one in turns] == [["a human"]]


@pytest.mark.parametrize("door", DOORS)
def test_counsel_is_in_the_inbox_of_those_who_may_give_it(house: Served, door: str) -> None:
    """U-14, 001-70: both are unsure, a human is asked, and a third reviewer finds the seat."""
    review = opened(house, door, confidence=50)
    more = {"checklist": PASSED, "confidence": 50, "summary": "I do not know."}
    assert judge(house.callers["auditor"].at(door), review, "concerns", **more).is_ok
    place = (review, "peer.counsel")
    bystander = house.callers["bystander"].at(door)
    assert place in waiting(bystander)
    for name in ("auditor", "core-developer"):
        assert place not in waiting(house.callers[name].at(door))
    assert judge(bystander, review, "approve", seat="peer.counsel", checklist=PASSED, confidence=90).is_ok
    assert place not in waiting(bystander)
    assert state_of(house, review) == "open"


@pytest.mark.parametrize("door", DOORS)
def test_removing_an_account_frees_its_seats_at_once_and_overloads_nobody(house: Served, door: str) -> None:
    """U-14: the backup gets what the removed auditor owed, the fourth review in its queue."""
    house.human.call("remove_account", name="auditor", reason="It makes room for another.")
    gone = house.account(f"auditor-{door}", "auditor")
    reviews = [opened(house, door) for _ in range(4)]
    tester = house.callers["tester"].at(door)
    assert len(waiting(gone)) == 3
    removed = house.human.call("remove_account", name=f"auditor-{door}", reason="The model is gone.")
    assert removed.is_ok, removed.text
    found = {one["review"]: one["queued"] for one in tester.call("inbox")["waiting"] if one["review"] in reviews}
    assert sorted(found.values()) == [False, False, False, True]
    waits = next(review for review, is_queued in found.items() if is_queued)
    for review in found:
        assert tester.call("get_review", reviewId=review).is_ok
    leases = {one["review"]: bool(one["lease"]) for one in tester.call("inbox")["waiting"] if one["review"] in found}
    assert leases == {review: review != waits for review in found}
    for review in found:
        assert approve_peer(tester, review).is_ok
    assert house.human.call("enrol", name="auditor", roles=["auditor"], operator="auditor-co").is_ok
