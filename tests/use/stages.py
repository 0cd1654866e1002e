"""Servers under the shipped policies, and work in each state, for calls that fail there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.use.judging import PASSED, policy_beside
from tests.use.repairing import EVIDENCE, OWN_WORDS
from tests.use.served import Caller, Served, served

COUNT = itertools.count()
NOWHERE = "zzzzzzzzzzzz"
FINDING = {"severity": "important", "text": "It greets nobody.", "evidence": OWN_WORDS, "place": {"path": "hello.py"}}
CONCERNS: dict[str, Any] = {"verdict": "concerns", "findings": [FINDING], "evidence": EVIDENCE}
GOOD: dict[str, Any] = {
    "status": "APPROVED",
    "checklist": {one["name"]: True for one in PASSED},
    "confidence": 95,
    "feedback": {"overall": OWN_WORDS},
}
ISSUE = {"severity": "high", "description": "It greets nobody at all.", "file": "hello.py"}
DOUBT: dict[str, Any] = {"verdict": "concerns", "summary": OWN_WORDS, "issues": [ISSUE]}
#: The accounts of each house, with their roles.
CAST: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "solo": {"dev": (), "codex": ()},
    "verified": {"dev": (), "codex": (), "checker": ("checker",)},
    "peer": {"dev": ("core-developer",), "codex": ("auditor",)},
    "session": {"dev": (), "codex": ("reviewer",), "gem": ("reviewer",)},
    "chains": {"dev": ()},
    "panel": {"dev": (), "codex": ("reviewer",)},
}


@contextmanager
def all_houses(folder: Path) -> Iterator[dict[str, Served]]:
    """A server for each of the policies, with all accounts enrolled."""
    with ExitStack() as stack:
        found = {}
        for name, cast in CAST.items():
            (folder / name).mkdir()
            found[name] = stack.enter_context(_house(name, folder / name))
            for who, roles in cast.items():
                found[name].account(who, *roles)
        yield found


def _house(name: str, folder: Path) -> AbstractContextManager[Served]:
    if name == "verified":
        return served(folder, "solo", FOUREYES_POLICY=policy_beside(folder, "solo", "  verifier: checker"))
    return served(folder, name)


@dataclass
class Stage:
    """A server, the callers at one door, and a work of their own."""

    house: Served
    door: str
    number: int = field(default_factory=lambda: next(COUNT))
    review: str = ""
    finding: str = ""
    seat: str = ""

    def who(self, name: str) -> Caller:
        """An account of the cast, at this door."""
        return self.house.callers[name].at(self.door)

    @property
    def session(self) -> str:
        """A session of its own."""
        return f"s{self.number}"

    def work(self, **more: Any) -> dict[str, Any]:
        """The arguments that open a review of the work."""
        return {"kind": "script", "title": "Hello", "files": self.files(), **more}

    def files(self, more: str = "") -> list[dict[str, str]]:
        """Its one file."""
        return [{"path": "hello.py", "text": f"print({self.number})\n{more}"}]

    def open(self) -> Stage:
        """A review that the reviewer has read."""
        opened = self.who("dev").call("open_review", **self.work())
        self.review = opened["review"]
        assert self.who("codex").call("read_work", review=self.review).is_ok
        return self

    def seated(self) -> Stage:
        """The reviewer holds a seat."""
        self.open()
        self.seat = self.who("codex").call("take_seat", review=self.review)["seats"][0]
        return self

    def doubted(self) -> Stage:
        """The reviewer has raised a finding."""
        self.open()
        told = self.who("codex").call("report", review=self.review, revision=1, **CONCERNS)
        self.finding = told["findings"][0]
        self.seat = self.finding.rpartition("-F")[0]
        return self

    def revised(self) -> Stage:
        """A review answered with a second version, which no reviewer has read."""
        self.doubted()
        answers = [{"finding": self.finding, "text": OWN_WORDS}]
        told = self.who("dev").call("revise", review=self.review, files=self.files("# more\n"), answers=answers)
        assert told.is_ok, told.text
        return self

    def reread(self) -> Stage:
        """The reviewer has read the second version."""
        self.revised()
        assert self.who("codex").call("read_work", review=self.review).is_ok
        return self

    def requested(self) -> Stage:
        """A review by the seven tools, which no reviewer has read."""
        opened = self.who("dev").call("request_review", **self.request())
        self.review = opened["id"]
        return self

    def request(self, **more: Any) -> dict[str, Any]:
        """The arguments that request a review by the seven tools."""
        return {"type": "create_core", "title": "Hello", "artifacts": {"code": f"print({self.number})\n"}, **more}

    def got(self) -> Stage:
        """The reviewer has read it."""
        self.requested()
        assert self.who("codex").call("get_review", reviewId=self.review).is_ok
        return self

    def sent_back(self) -> Stage:
        """A review with requested changes."""
        self.got()
        body = {"status": "CHANGES_REQUESTED", "feedback": {"overall": OWN_WORDS, "concerns": [OWN_WORDS]}}
        assert self.who("codex").call("submit_review", reviewId=self.review, **body)["success"]
        return self

    def signalled(self) -> Stage:
        """A session with a milestone under review."""
        told = self.who("dev").call(
            "signal", session=self.session, type="milestone", summary=OWN_WORDS, files=self.files()
        )
        self.review = told["review"]
        return self

    def asked(self) -> Stage:
        """A session whose reviewers have both read the work."""
        self.signalled()
        for name in ("codex", "gem"):
            assert self.who(name).call("review_requests", session=self.session)["requests"]
        return self

    def paused(self) -> Stage:
        """A session in which both reviewers doubt the work, and the author must clarify."""
        self.asked()
        for name in ("codex", "gem"):
            assert self.who(name).call("submit_result", session=self.session, payload=DOUBT).is_ok
        return self

    def begun(self) -> Stage:
        """The initial state."""
        return self

    def end(self) -> None:
        """Leave nothing open that a later refusal would name."""
        dev = self.who("dev")
        for one in dev.call("list_reviews", state="open")["reviews"]:
            dev.call("withdraw", review=one["review"], reason="The test is over.")
