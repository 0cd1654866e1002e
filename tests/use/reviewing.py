"""Works and reviewers under each shipped policy, for rows about the contents of a report."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.use.served import Caller, Reply, Served, served

FILES = [{"path": "a.md", "text": "# Rules\nBe kind.\n"}, {"path": "hello.py", "text": "print('hello')\n"}]
CHECKED = [{"what": "a.md", "why": "read all of it"}]
FINDING = {"severity": "important", "text": "Nobody is greeted.", "evidence": "It prints hello and nothing else."}
#: The kind of work that an account judges under each policy, and the roles that account has.
KINDS = {"solo": "script", "peer": "create_core", "team": "create_core", "chains": "article"}
ROLES = ("agent", "auditor", "tester", "reviewer", "seldon", "hardin", "gaal", "magnifico", "daneel")
CRITERIA = (
    *("correct_interface_design", "proper_error_handling", "has_comprehensive_tests", "follows_naming_conventions"),
    *("no_breaking_changes", "documentation_complete", "single_responsibility", "size_appropriate"),
)
POLICIES = tuple(KINDS)


@dataclass
class House:
    """A server under one shipped policy, with an outside author and reviewer."""

    policy: str
    served: Served
    author: Caller
    reviewer: Caller

    def open(self, *, title: str = "Say hello") -> str:
        """Open a review of new bytes."""
        files = [*FILES[:1], {"path": "hello.py", "text": f"print('{uuid.uuid4()}')\n"}]
        opened = self.author.call("open_review", kind=KINDS[self.policy], title=title, files=files)
        assert opened.is_ok, opened.text
        return str(opened["review"])

    def approval(self, **fields: Any) -> dict[str, Any]:
        """A report that approves the first version, with everything the policy requires."""
        said: dict[str, Any] = {"revision": 1, "verdict": "approve", "evidence": CHECKED, "confidence": 95}
        if self.policy in ("peer", "team"):
            said["checklist"] = [{"name": one, "passed": True} for one in CRITERIA]
        return {**said, **fields}

    def report(self, door: str, review: str, *, reads: bool = True, **fields: Any) -> Reply:
        """Submit a report through one door, by a reviewer who has read the work or not."""
        who = self.reviewer.at(door)
        return (who if reads else who.unread()).call("report", review=review, **fields)

    def reports(self, review: str) -> list[dict[str, Any]]:
        """The reports of the reviewer's account so far."""
        shown = self.author.call("read_review", review=review)["review"]
        return [one for one in shown["reports"] if one["reviewer"]["name"] == "ann"]


@contextmanager
def houses(folder: Path, *policies: str) -> Iterator[dict[str, House]]:
    """A server for each of these policies."""
    with ExitStack() as stack:
        found = {}
        for policy in policies or POLICIES:
            here = folder / policy
            here.mkdir()
            house = stack.enter_context(served(here, policy))
            author = house.account("dev", "core_developer")
            found[policy] = House(policy, house, author, house.account("ann", *ROLES))
        yield found
