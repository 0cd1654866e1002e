"""Reviewers who read the work they judge, for tests about who may judge it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from foureyes.core.peer_data import CRITERIA
from tests.use.served import SHIPPED, Caller, Reply, Served

#: The checklist of a create_core work with every required criterion passed.
PASSED = [{"name": name, "passed": True} for name, _ in CRITERIA[0].required]
WAIT_SECONDS_MAX = 30.0


def judge(reviewer: Caller, review: str, verdict: str | None = "approve", **more: Any) -> Reply:
    """Read the current version and report on it."""
    read = reviewer.call("read_work", review=review)
    if not read.is_ok:
        return read
    path = read["files"][0]["path"]
    evidence = [{"what": f"{path}: every line of it", "why": "each line does what its author says that it does"}]
    said = {"revision": read["revision"], "evidence": evidence, **({"verdict": verdict} if verdict else {}), **more}
    return reviewer.call("report", review=review, **said)


def approve_peer(reviewer: Caller, review: str, **more: Any) -> Reply:
    """Approve a create_core work by its checklist."""
    return judge(reviewer, review, **{"checklist": PASSED, "confidence": 95, "summary": "It holds up.", **more})


def state_of(house: Served, review: str) -> str:
    """The state of a review."""
    return str(house.human.call("read_review", review=review)["review"]["state"])


def wait_for(what: Callable[[], Any]) -> Any:
    """The first answer that is something, within a while; a hosted program needs a moment."""
    end = time.monotonic() + WAIT_SECONDS_MAX
    while not (found := what()):
        assert time.monotonic() < end, "nothing happened in time"
        time.sleep(0.1)
    return found


def policy_beside(folder: Path, shipped: str, *lines: str) -> str:
    """A file of its own with a shipped policy and more lines; its path."""
    place = folder / f"{shipped}-with-more.yaml"
    text = (SHIPPED / f"{shipped}.yaml").read_text(encoding="utf-8")
    place.write_text("\n".join((text, *lines, "")), encoding="utf-8")
    (folder / "config").mkdir(exist_ok=True)
    for one in (SHIPPED / "config").iterdir():
        (folder / "config" / one.name).write_bytes(one.read_bytes())
    return str(place)
