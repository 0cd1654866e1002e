"""A server with an author who submits work elsewhere after an objection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.use.clearing import text_file
from tests.use.served import HTTP, Caller, Reply, Served, served

WORK = "def start(host):\n    return host\n"
#: Kind, the role that judges it, and how a report raises one finding that blocks, by policy.
STYLES: dict[str, tuple[str, str]] = {
    "solo": ("script", "agent"),
    "peer": ("create_core", "auditor"),
    "team": ("create_core", "auditor"),
    "chains": ("default", "seldon"),
}


@dataclass
class Shop:
    """A server with an author, a mate of the author's operator, a stranger and reviewers."""

    house: Served
    policy: str
    made: int = field(default=0)

    @property
    def kind(self) -> str:
        return STYLES[self.policy][0]

    def of(self, name: str, door: str = HTTP) -> Caller:
        return self.house.callers[name].at(door)

    def new_file(self) -> dict[str, Any]:
        """Bytes that no review has seen."""
        self.made += 1
        return text_file(f"run{self.made}.py", WORK.replace("start", f"start{self.made}"))

    def open(self, who: str, *files: dict[str, Any], door: str = HTTP, **more: Any) -> Reply:
        return self.of(who, door).call(
            "open_review", **{"kind": self.kind, "title": "Some work", "files": list(files), **more}
        )

    def shown(self, review: str) -> Any:
        return self.house.human.call("read_review", review=review)["review"]

    def object_to(self, review: str, door: str = HTTP, place: dict[str, Any] | None = None) -> str:
        """A reviewer reads the work and raises a critical finding; its id."""
        reviewer = self.of("judge", door)
        assert reviewer.call("read_work", review=review).is_ok
        finding = {
            "severity": "critical",
            "text": "Runs whatever the host names.",
            "category": "security",
            "evidence": "os.system with a joined string.",
            "place": place or {"path": f"run{self.made}.py", "start": 2, "end": 2},
        }
        words: dict[str, Any] = {"verdict": "reject"}
        if self.policy != "chains":
            words["grounds"] = ["security_risk"]
        said = reviewer.call(
            "report", review=review, revision=1, summary="It runs foreign commands.", findings=[finding], **words
        )
        assert said.is_ok, said.text
        return next(str(one["finding"]) for one in self.shown(review)["findings"] if one["raiser"] == "judge")

    def passed(self, review: str) -> None:
        """The human passes every stage of a review, as another approver would."""
        passed: set[str] = set()
        while new := [one["stage"] for one in self.shown(review)["requirements"] if one["stage"] not in passed]:
            passed.add(new[0])
            shown = self.shown(review)
            words = {"stage": new[0], "revision": shown["revision"], "digest": shown["digest"], "reason": "I read it."}
            self.house.human.call("override", review=review, **words)


@contextmanager
def shop(folder: Path, policy: str) -> Iterator[Shop]:
    """A server with a shipped policy and all accounts enrolled."""
    with served(folder, policy) as house:
        role = STYLES[policy][1]
        house.account("dev", "core_developer")
        house.account("mate", "core_developer", operator="dev-co")
        house.account("stranger", "core_developer")
        house.account("judge", role)
        yield Shop(house=house, policy=policy)
