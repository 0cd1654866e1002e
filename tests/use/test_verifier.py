"""A second look over a door: a reviewer asked to verify a finding sees that finding, and nothing more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.use.clearing import text_file
from tests.use.judging import judge, policy_beside
from tests.use.served import DOORS, HTTP, Reply, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy="solo-with-more")

FINDING = {
    "severity": "critical",
    "text": "It greets nobody at all.",
    "category": "correctness",
    "evidence": "print without a name",
    "suggestion": "Print a name.",
    "place": {"path": "hello.py", "start": 1, "end": 1},
}
SECRET = "codex thinks that the whole program is wrong"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("verified")
    with served(folder, "solo", FOUREYES_POLICY=policy_beside(folder, "solo", "  verifier: checker")) as found:
        found.account("dev")
        found.account("codex")
        found.account("checker", "checker")
        yield found


def asked(house: Served, door: str) -> tuple[str, str]:
    """Open a review with a finding to verify; return its id and the finding."""
    number = len(house.human.call("list_reviews")["reviews"])
    work = [text_file("hello.py", f"print({number})\n"), text_file("other.py", f"print({number}, 2)\n")]
    opened = house.callers["dev"].at(door).call("open_review", kind="script", title="Hello", files=work)
    review = str(opened["review"])
    told = judge(house.callers["codex"].at(door), review, "concerns", findings=[FINDING], summary=SECRET)
    return review, str(told["findings"][0])


def seen(house: Served, door: str, review: str) -> Reply:
    return house.callers["checker"].at(door).call("read_review", review=review)


@pytest.mark.parametrize("door", DOORS)
def test_a_verifier_sees_what_it_is_asked_about(house: Served, door: str) -> None:
    """T9: its words, place and evidence; neither who said it, nor the report, nor what was answered."""
    review, finding = asked(house, door)
    waiting = house.callers["checker"].at(door).call("inbox")["waiting"]
    assert review in [one["review"] for one in waiting]
    answered = house.callers["dev"].at(door).call("answer_finding", review=review, finding=finding, text="So I meant.")
    assert answered.is_ok, answered.text
    found = seen(house, door, review)
    shown = found["review"]["findings"]
    assert [(one["finding"], one["text"], one["suggestion"]) for one in shown] == [
        (finding, FINDING["text"], FINDING["suggestion"])
    ]
    assert (shown[0]["place"]["path"], shown[0]["raiser"], shown[0]["standing"]) == ("hello.py", "", "open")
    assert found["review"]["hides"] is True
    assert found["review"]["reports"] == []
    for hidden in (SECRET, "So I meant.", "codex"):
        assert hidden not in found.text


@pytest.mark.parametrize("door", DOORS)
def test_a_verifier_confirms_or_refutes_from_what_it_is_shown(house: Served, door: str) -> None:
    """T9: with the names from its own view; somebody who is not asked sees none of it."""
    review, finding = asked(house, door)
    checker = house.callers["checker"].at(door)
    assert house.callers["dev"].at(HTTP).call("read_review", review=review).is_ok
    other = house.account("passer").at(door) if "passer" not in house.callers else house.callers["passer"].at(door)
    assert other.call("read_review", review=review)["review"]["findings"] == []
    named = seen(house, door, review)["review"]["findings"][0]["finding"]
    word = {"finding": named, "revision": 1, "result": "confirmed", "evidence": "I ran it: it names nobody."}
    told = checker.call("verify_finding", review=review, **word)
    assert told.is_ok, told.text
    whole = house.human.call("read_review", review=review)["review"]["findings"]
    assert [(one["finding"], one["verification"]) for one in whole] == [(finding, "confirmed")]
