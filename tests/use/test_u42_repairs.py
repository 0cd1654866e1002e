"""U-42: the most common mistakes are each repaired in one step, from the refusal's fields alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.use.repairing import EVIDENCE, OWN_WORDS, mended
from tests.use.served import DOORS, MCP, Caller, Served, served

pytestmark = pytest.mark.door("http", "mcp", policy="solo")

FINDING = {
    "severity": "important",
    "text": "It greets nobody by name.",
    "evidence": OWN_WORDS,
    "place": {"path": "hello.py"},
}
NOWHERE = "zzzzzzzzzzzz"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("u42"), "solo") as server:
        server.account("dev")
        server.account("codex")
        yield server


@dataclass
class Scene:
    """One review of its own, by an author, with a reviewer who has read it."""

    author: Caller
    reviewer: Caller
    review: str
    text: str

    def files(self, more: str = "") -> list[dict[str, str]]:
        return [{"path": "hello.py", "text": self.text + more}]

    def found(self) -> str:
        """A finding of the reviewer's, by its id."""
        body = {"revision": 1, "verdict": "concerns", "findings": [FINDING], "evidence": EVIDENCE}
        told = self.reviewer.call("report", review=self.review, **body)
        return str(told["findings"][0])

    def revised(self, finding: str) -> None:
        answers = [{"finding": finding, "text": OWN_WORDS}]
        body = {"files": self.files("# more\n"), "answers": answers}
        told = self.author.call("revise", review=self.review, **body)
        assert told.is_ok, told.text
        assert self.reviewer.call("read_work", review=self.review).is_ok


COUNT = iter(range(1_000))


@pytest.fixture(params=DOORS)
def scene(house: Served, request: pytest.FixtureRequest) -> Iterator[Scene]:
    author, reviewer = (house.callers[name].at(request.param) for name in ("dev", "codex"))
    text = f"print('hello {next(COUNT)}')\n"
    opened = author.call("open_review", kind="script", title="Hello", files=[{"path": "hello.py", "text": text}])
    made = Scene(author=author, reviewer=reviewer, review=opened["review"], text=text)
    assert reviewer.call("read_work", review=made.review).is_ok
    yield made
    author.call("withdraw", review=made.review, reason="The test is over.")


#: Every tool that takes a review id, with its caller and other arguments.
BY_REVIEW: dict[str, tuple[str, Callable[[Scene], dict[str, Any]]]] = {
    "read_review": ("author", lambda _: {}),
    "explain": ("author", lambda _: {}),
    "revise": ("author", lambda scene: {"files": scene.files("# more\n")}),
    "withdraw": ("author", lambda _: {"reason": OWN_WORDS}),
    "escalate": ("author", lambda _: {"reason": OWN_WORDS}),
    "read_work": ("reviewer", lambda _: {}),
    "take_seat": ("reviewer", lambda _: {}),
    "report": ("reviewer", lambda _: {"revision": 1, "verdict": "approve", "evidence": EVIDENCE}),
}


@pytest.mark.parametrize("tool", BY_REVIEW)
def test_a_wrong_id(scene: Scene, tool: str) -> None:
    """U-42: the refusal names the reviews that the caller has something to do in."""
    who, more = BY_REVIEW[tool]
    caller: Caller = getattr(scene, who)
    reply = mended(
        caller,
        tool,
        "review_missing",
        review=NOWHERE,
        **more(scene),
        **({"key": f"k-{scene.review}"} if tool == "revise" else {}),
    )
    assert scene.review in reply.text


def test_a_wrong_finding(scene: Scene) -> None:
    """U-42: the ids that the caller may answer or settle are in the refusal."""
    finding = scene.found()
    scene.revised(finding)
    wrong = finding.rpartition("-F")[0] + "-F99"
    mended(
        scene.reviewer,
        "settle_finding",
        "unknown_finding",
        review=scene.review,
        finding=wrong,
        revision=2,
        resolved=True,
    )


@pytest.mark.parametrize("tool", ["report", "settle_finding", "report_inconclusive"])
def test_a_stale_revision(scene: Scene, tool: str) -> None:
    """U-42: the refusal has the current revision, and the call that reads it."""
    finding = scene.found() if tool == "settle_finding" else ""
    if finding:
        scene.revised(finding)
    taken = scene.reviewer.call("take_seat", review=scene.review)
    seat = taken["seats"][0] if taken.is_ok else finding.rpartition("-F")[0]
    more: dict[str, dict[str, Any]] = {
        "report": {"verdict": "approve", "evidence": EVIDENCE},
        "settle_finding": {"finding": finding, "resolved": True, "note": OWN_WORDS},
        "report_inconclusive": {"seat": seat, "reason": "timed_out", "text": OWN_WORDS},
    }
    mended(scene.reviewer, tool, "stale", review=scene.review, revision=7, **more[tool])


def test_an_approval_beside_an_own_finding(scene: Scene) -> None:
    """U-42: the refusal has the settlements to add."""
    scene.revised(scene.found())
    body = {"revision": 2, "verdict": "approve", "evidence": EVIDENCE}
    mended(scene.reviewer, "report", "own_finding_blocks", review=scene.review, **body)


@pytest.mark.parametrize("tool", ["report", "take_seat"])
def test_a_review_of_ones_own_work(scene: Scene, tool: str) -> None:
    """U-42: the author is directed to the call that waits for another reviewer."""
    scene.author.call("read_work", review=scene.review)
    more: dict[str, Any] = {"revision": 1, "verdict": "approve", "evidence": EVIDENCE} if tool == "report" else {}
    assert mended(scene.author, tool, "author_may_not", review=scene.review, **more)["review"]["review"] == scene.review


@pytest.mark.parametrize("tool", ["report", "take_seat", "leave_seat", "report_inconclusive"])
def test_an_unknown_seat(scene: Scene, tool: str) -> None:
    """U-42: the refusal has the caller's own seats, or the call that takes one."""
    if tool in ("leave_seat", "report_inconclusive"):
        scene.reviewer.call("take_seat", review=scene.review)
    more: dict[str, dict[str, Any]] = {
        "report": {"revision": 1, "verdict": "approve", "evidence": EVIDENCE},
        "take_seat": {},
        "leave_seat": {"reason": "declined"},
        "report_inconclusive": {"revision": 1, "reason": "timed_out", "text": OWN_WORDS},
    }
    mended(scene.reviewer, tool, "not_the_holder", review=scene.review, seat="solo.99", **more[tool])


def test_a_text_that_is_too_long(scene: Scene) -> None:
    """U-42: the refusal has the field and how long it may be."""
    files = scene.files("# another\n")
    mended(scene.author, "open_review", "too_long", kind="script", title="x" * 20_000, files=files)


@pytest.mark.door("mcp", policy="solo")
def test_a_message_that_is_too_large(house: Served) -> None:
    """U-42: over MCP it is the tool's own refusal, and the way out is a tool."""
    dev = house.callers["dev"].at(MCP)
    files = [{"path": f"{name}.txt", "text": name * 2_500_000} for name in ("a", "b")]
    no = dev.call("open_review", kind="script", title="Large", files=files)
    assert no.code == "too_large", no.text
    call = no.data["next_call"]
    assert call["call"] in {one["name"] for one in dev.tools()}
    sent = [dev.call(call["call"], **{**call["arguments"], "text": one["text"]})["digest"] for one in files]
    (shape,) = no.data["fields"]["add"]["files"]
    named = [{**shape, "path": one["path"], "digest": digest} for one, digest in zip(files, sent, strict=True)]
    opened = dev.call("open_review", kind="script", title="Large", files=named)
    assert opened.is_ok, opened.text
    dev.call("withdraw", review=opened["review"], reason="The test is over.")


def test_the_same_report_twice(scene: Scene) -> None:
    """U-42: nothing needs to be done, and the refusal has the call that shows it."""
    body = {"review": scene.review, "revision": 1, "verdict": "concerns", "findings": [FINDING], "evidence": EVIDENCE}
    assert scene.reviewer.call("report", **body).is_ok
    mended(scene.reviewer, "report", "duplicate", **body)


def test_a_key_that_was_used_before(scene: Scene) -> None:
    """U-42: the refusal has a key that is free."""
    body = {"kind": "script", "title": "Hello", "key": f"key-{scene.review}"}
    first = scene.author.call("open_review", **body, files=scene.files("# first\n"))
    second = mended(scene.author, "open_review", "key_reused", **body, files=scene.files("# second\n"))
    for one in (first, second):
        scene.author.call("withdraw", review=one["review"], reason="The test is over.")


def test_a_wrong_word(scene: Scene) -> None:
    """U-42: the refusal has the words there are, and where they go."""
    seat = scene.reviewer.call("take_seat", review=scene.review)["seats"][0]
    mended(scene.reviewer, "leave_seat", "unknown_word", review=scene.review, seat=seat, reason="bored")
    seat = scene.reviewer.call("take_seat", review=scene.review)["seats"][0]
    body = {"review": scene.review, "seat": seat, "revision": 1, "text": OWN_WORDS}
    mended(scene.reviewer, "report_inconclusive", "bad_value", **body, reason="tired")


def test_answers_without_new_bytes(scene: Scene) -> None:
    """U-42: `revise` with answers and no files leads to `answer_finding` with the same answer."""
    answers = [{"finding": scene.found(), "text": OWN_WORDS, "rebuttal": True, "evidence": OWN_WORDS}]
    mended(scene.author, "revise", "same_digest", review=scene.review, answers=answers)


def test_the_gate_tells_an_author_whose_turn_it_is(scene: Scene) -> None:
    """U-42: waiting for a clearance never helps an author who owes an answer."""
    finding = scene.found()
    reply = scene.author.call("gate", digest=scene.reviewer.call("read_work", review=scene.review)["digest"])
    assert not reply["allowed"]
    assert finding in reply["reason"]
    assert "Wait for" not in reply["reason"]
