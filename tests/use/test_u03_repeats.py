"""U-03: a finding is recognised by the hash of its text when its reviewer reports on the next version."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.use.clearing import text_file
from tests.use.served import DOORS
from tests.use.shopping import Shop, shop

pytestmark = pytest.mark.door("http", "mcp", policy="solo")

BLOCK = "def start{n}(host):\n    forward('ping{n} ' + host)\n    return host\n"
ABOVE = "import json\n\n\nONE = 1\nTWO = 2\n\n\n"
LINE = "    forward('ping"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with shop(tmp_path_factory.mktemp("repeats"), "solo") as found:
        yield found


@dataclass(frozen=True)
class Round:
    """A review whose reviewer raises the same finding on later versions."""

    place: Shop
    door: str
    review: str
    text: str
    path: str

    def find(self, text: str, path: str) -> list[str]:
        """The reviewer reads the current version and raises the finding on its line; all findings there are now."""
        line = text[: text.index("forward(")].count("\n") + 1
        said: dict[str, Any] = {
            "severity": "important",
            "text": "It runs whatever the host names.",
            "category": "security",
            "evidence": "forward with a joined string.",
            "place": {"path": path, "start": line, "end": line},
        }
        judge = self.place.of("judge", self.door)
        read = judge.call("read_work", review=self.review)
        words = {"revision": read["revision"], "verdict": "concerns", "grounds": ["security_risk"]}
        answer = judge.call("report", review=self.review, findings=[said], summary="It runs foreign commands.", **words)
        assert answer.is_ok, answer.text
        return [one["finding"] for one in self.place.shown(self.review)["findings"] if one["raiser"] == "judge"]

    def revise(self, *files: dict[str, Any]) -> None:
        answer = self.place.of("dev", self.door).call("revise", review=self.review, files=list(files))
        assert answer.is_ok, answer.text


def found(place: Shop, door: str) -> tuple[Round, str]:
    """A finding on line 2 of a file."""
    place.made += 1
    text, path = BLOCK.format(n=place.made), f"run{place.made}.py"
    review = place.open("dev", text_file(path, text), door=door)["review"]
    made = Round(place=place, door=door, review=review, text=text, path=path)
    (finding,) = made.find(text, path)
    return made, finding


def settled(place: Shop, door: str) -> tuple[Round, str]:
    """A round whose finding was settled by its raiser after an answer."""
    made, finding = found(place, door)
    answered = place.of("dev", door).call("answer_finding", review=made.review, finding=finding, text="A test host.")
    assert answered.is_ok, answered.text
    word = {"finding": finding, "revision": 1, "resolved": True, "note": "So it is."}
    assert place.of("judge", door).call("settle_finding", review=made.review, **word).is_ok
    return made, finding


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("prepare", [found, settled], ids=["open", "settled"])
def test_text_that_moved_is_the_same_finding(place: Shop, door: str, prepare: Any) -> None:
    """U-03: by lines, and over several versions to another file, it is listed as a repeat and raised once."""
    made, finding = prepare(place, door)
    made.revise(text_file(made.path, ABOVE + made.text))
    assert made.find(ABOVE + made.text, made.path) == [finding]
    made.revise(text_file(f"lib/{made.path}", "FOUR = 4\n\n\n" + made.text), text_file(made.path, ABOVE))
    assert made.find("FOUR = 4\n\n\n" + made.text, f"lib/{made.path}") == [finding]


@pytest.mark.parametrize("door", DOORS)
def test_text_that_changed_is_another_finding(place: Shop, door: str) -> None:
    """U-03: after settlement, where the code is other code, it is raised."""
    made, _ = settled(place, door)
    changed = made.text.replace(LINE, "    forward('ping -f")
    made.revise(text_file(made.path, changed))
    assert len(made.find(changed, made.path)) == 2


@pytest.mark.parametrize("door", DOORS)
def test_a_copy_is_another_finding(place: Shop, door: str) -> None:
    """U-03: after settlement, the same text a second time, in its own file or another, is raised."""
    made, _ = settled(place, door)
    made.revise(text_file(made.path, made.text), text_file("copy.py", ABOVE + made.text))
    assert len(made.find(ABOVE + made.text, "copy.py")) == 2
    made, _ = settled(place, door)
    twice = made.text + "\n\n" + made.text
    made.revise(text_file(made.path, twice))
    assert len(made.find(twice, made.path)) == 2


@pytest.mark.door("http", policy="solo")
def test_a_fixed_text_that_was_settled_is_known_again_when_it_moves(place: Shop) -> None:
    """U-03: what its raiser settled after a fix is a repeat wherever that fix stands later."""
    made, finding = found(place, "http")
    fixed = made.text.replace(LINE, "    forward('ping -c 1")
    made.revise(text_file(made.path, fixed))
    word = {"finding": finding, "revision": 2, "resolved": True, "note": "Once is fine."}
    assert place.of("judge").call("settle_finding", review=made.review, **word).is_ok
    made.revise(text_file(made.path, "ONE = 1\n\n\n" + fixed))
    made.revise(text_file(made.path, ABOVE + fixed))
    assert made.find(ABOVE + fixed, made.path) == [finding]
    made.revise(text_file(made.path, ABOVE + made.text))
    assert len(made.find(ABOVE + made.text, made.path)) == 2, "the text before the fix came back"
