"""U-09: a reviewer who owes a report on some bytes gets the same answers about them, whatever others reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.use.clearing import text_file
from tests.use.served import DOORS, Caller, Reply, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy="team")

WITHHELD = "withheld"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server where every story has two reviewers, who are blind until they have reported."""
    with served(tmp_path_factory.mktemp("team"), "team") as house:
        house.account("dev", "core_developer")
        for name in ("ann", "bob", "cid"):
            house.account(name, "reviewer")
        yield house


def _opened(house: Served, number: int) -> tuple[str, str]:
    """A review of two blind seats; its id and digest."""
    file = text_file(f"story{number}.md", f"Once upon a time there were {number}.\n")
    review = house.callers["dev"].call("open_review", kind="story", title="A story", files=[file])["review"]
    shown = house.human.call("read_review", review=review)["review"]
    return str(review), str(shown["digest"])


def _sits(house: Served, review: str, name: str) -> Caller:
    caller = house.callers[name]
    caller.call("take_seat", review=review)
    assert caller.call("read_work", review=review).is_ok
    return caller


def _object(caller: Caller, review: str) -> None:
    finding = {"severity": "critical", "text": "The hero has no name.", "evidence": "Nowhere is one given."}
    said = caller.call("report", review=review, revision=1, summary="It has a gap.", findings=[finding])
    assert said.is_ok, said.text


def _asked(caller: Caller, digest: str) -> list[Any]:
    """The gate's answer at both doors."""
    answers: list[Reply] = [caller.at(door).call("gate", digest=digest) for door in DOORS]
    return [answer.data for answer in answers]


def test_the_gate_says_the_same_before_and_after_a_hidden_report(house: Served) -> None:
    """U-09: a blind reviewer asks the gate; an objection that is hidden from them changes not one byte of it."""
    review, digest = _opened(house, 1)
    ann, bob = _sits(house, review, "ann"), _sits(house, review, "bob")
    before = _asked(bob, digest)
    assert {(one["state"], one["allowed"], one["review"]) for one in before} == {(WITHHELD, False, "")}
    _object(ann, review)
    assert _asked(bob, digest) == before
    assert house.callers["dev"].call("gate", digest=digest)["review"] == review, "the author hears which and why"


def test_an_older_review_of_the_same_bytes_tells_nothing(house: Served) -> None:
    """U-09: the gate does not flip between an older ended review and a newer one that is blind."""
    review, digest = _opened(house, 2)
    assert house.callers["dev"].call("withdraw", review=review, reason="Once more.").is_ok
    again, same = _opened(house, 2)
    assert same == digest
    ann, bob = _sits(house, again, "ann"), _sits(house, again, "bob")
    before = _asked(bob, digest)
    _object(ann, again)
    assert _asked(bob, digest) == before
    assert before[0]["state"] == WITHHELD


@pytest.mark.door("http", policy="team")
def test_a_publisher_who_owes_a_report_is_refused_with_the_same_words(house: Served) -> None:
    """U-09: saying that it goes live is no way to ask either."""
    house.account("robot", "reviewer", kind="program", scopes=("read", "review", "publish"))
    review, digest = _opened(house, 3)
    ann, robot = _sits(house, review, "ann"), _sits(house, review, "robot")
    live = {"target": "production", "review": review, "digest": digest}
    before = robot.call("record_live", **live)
    assert "You owe a report" in before["reason"]
    _object(ann, review)
    assert robot.call("record_live", **live).data == before.data


@pytest.mark.door("http", "mcp", policy="peer")
def test_estimates_do_not_tell_what_others_reported(tmp_path: Path) -> None:
    """U-09: a reviewer with three assigned works reports on them: no estimate changes for another account."""
    with served(tmp_path, "peer") as house:
        dev, spy = house.account("dev", "core_developer"), house.account("spy", "core_developer")
        auditor = house.account("auditor", "auditor")
        works = [[text_file(f"core{number}.py", f"ONE = {number}\n")] for number in range(4)]
        reviews = [dev.call("open_review", kind="create_core", title="A core", files=one)["review"] for one in works]
        asked = {"action": "create_core", "context": {}}
        before = [spy.at(door).call("check_review_required", **asked).data for door in DOORS]
        for review in reviews:
            assert auditor.call("read_work", review=review).is_ok
            finding = {"severity": "critical", "text": "It has no test.", "evidence": "There is one file."}
            words = {"verdict": "concerns", "summary": "It has no test.", "findings": [finding]}
            said = auditor.call("report", review=review, revision=1, **words)
            assert said.is_ok, said.text
        after = [spy.at(door).call("check_review_required", **asked).data for door in DOORS]
        assert [one["estimated_time"] for one in after] == [one["estimated_time"] for one in before]
