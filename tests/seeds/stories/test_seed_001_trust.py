"""Seed 001 §11 under its own policy: a record of ten good reviews, the skip a human enables, and what ends it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from typing import Any

import psycopg
import pytest

from tests.http.test_seed_001 import CHANGES
from tests.postgres.server import Server
from tests.seeds.stories.chats import Chats
from tests.seeds.stories.colleagues import PEER, approve, asked, checklist, colleagues, judge, over, request
from tests.seeds.stories.stage import SQLITE, Stage, done, found, places, posted

pytestmark = pytest.mark.door("http", policy="seed-001")

KIND = "major_refactor"
SUCCESSES = 10
#: A random tenth of the works that could be skipped is reviewed.
TRIES_MAX = 20
_numbers = count(1)


@pytest.fixture(scope="module", params=places(SQLITE))
def both(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, on_postgres: Callable[[], Server]
) -> Iterator[tuple[Stage, Chats]]:
    """A server with the document's own policy, its colleagues, and the notification channels."""
    with colleagues(tmp_path_factory.mktemp("seed-001-trust"), request.param, on_postgres) as both:
        yield both


def record(here: Stage) -> Any:
    """The track record of the optimizer's refactorings."""
    rows = found(here.human(), "/api/v1/track-records")["records"]
    (row,) = [one for one in rows if (one["kind"], one["author"]) == (KIND, "optimizer")]
    return row


def succeed(here: Stage, times: int) -> None:
    """Play works that are approved at confidence 94 in the first report."""
    for _ in range(times):
        approve(here.agent("architect"), asked(here.agent("optimizer"), type=KIND), KIND, confidence=94)


def need(here: Stage, kind: str = KIND, author: str = "optimizer") -> Any:
    """The answer of `check_review_required` for such a work."""
    work = {"context": {}, "artifacts": {"code": f"export const valid = {next(_numbers)}\n"}}
    return done(here.agent(author), f"{PEER}/check_review_required", action=kind, **work)


def skips(here: Stage) -> str:
    """The reason why such a work needs no reviewer; repeated until the random audit does not select it."""
    for _ in range(TRIES_MAX):
        said = need(here)
        if not said["needs_review"]:
            return str(said["reason"])
    raise AssertionError("a reviewer is needed")


def skipped(here: Stage) -> str:
    """A work that is approved at once, without a reviewer."""
    for _ in range(TRIES_MAX):
        made = request(here.agent("optimizer"), type=KIND)
        if made["status"] == "approved":
            assert made["reviewer"] is None
            return str(made["id"])
        over(here.agent("optimizer"), made["id"])
    raise AssertionError("nothing was skipped")


def switch(here: Stage, path: str = "/api/v1/skips", **more: str) -> Any:
    """A human enables or ends the skip."""
    return posted(here.human(), path, kind=KIND, author="optimizer", **more)


@pytest.mark.door("http", "chat", "command", policy="seed-001")
def test_a_record_is_earned_enabled_tested_lost_and_earned_again(both: tuple[Stage, Chats]) -> None:
    """001-10, 001-15, 001-26, 001-53, 001-54, B3, B5, B8, B9: eight are too few; failures and defects end it.

    001-56, 001-57, 001-58, 001-59, 001-60, 001-75, 001-81: a human enables it, and nothing damaged is believed.
    """
    here, told = both
    succeed(here, 8)
    early = switch(here)
    assert "8 of 10 successes" in early.text
    succeed(here, 2)
    earned = record(here)
    assert (earned["attempts"], earned["successes"], earned["confidence_mean"]) == (SUCCESSES, SUCCESSES, 94)
    assert (earned["trust"], earned["enabled_by"]) == (100, "")
    assert need(here)["needs_review"] is True, "nobody has enabled it"
    assert not posted(here.agent("optimizer"), "/api/v1/skips", kind=KIND, author="optimizer").is_ok
    assert switch(here).is_ok
    assert record(here)["enabled_by"], "who it was is kept"
    assert skips(here).startswith("Auto-skip: 10 successful reviews, 94% avg confidence")
    assert need(here, author="architect")["needs_review"] is True, "a record is of one author"
    assert need(here, "create_app")["needs_review"] is True, "and of one kind"
    skipped(here)
    here.wait(days=8)
    # 001-57: more than seven days after the last review a reviewer is asked.
    assert need(here)["needs_review"] is True
    succeed(here, 1)
    assert skips(here)
    _is_not_believed_when_damaged(here)
    _is_lost_by_failures(here, told)
    _is_lost_by_a_defect(here)


def _is_not_believed_when_damaged(here: Stage) -> None:
    """Check that a damaged record demands a review, and that a command rebuilds it from the log."""
    change = "UPDATE trust SET body = replace(body, '1', '9') WHERE kind = 'major_refactor'"
    if here.url:
        with psycopg.connect(here.url) as database:
            database.execute(change)
    else:
        with closing(sqlite3.connect(here.up.home / "foureyes.db")) as database:
            database.execute(change)
            database.commit()
    assert need(here)["needs_review"] is True
    at = ("--database", here.url) if here.url else ()
    told = here.up.run("status", *at)
    assert (told.returncode, "foureyes rebuild trust" in told.stdout) == (2, True), told.stdout
    with here.stopped():
        rebuilt = here.up.run("rebuild", "trust", *at)
    assert rebuilt.returncode == 0, rebuilt.stderr
    assert skips(here)


def _is_lost_by_failures(here: Stage, told: Chats) -> None:
    """Check that each failure costs 15 percentage points; below 80 the lane is off and a human is notified."""
    optimizer, architect = here.agent("optimizer"), here.agent("architect")
    here.wait(days=8)
    trust = [record(here)["trust"]]
    for _ in range(2):
        review = asked(optimizer, type=KIND)
        flaw: dict[str, Any] = {"status": "REJECTED", "grounds": ["fundamental_flaw"], "confidence": 95}
        rejected = judge(architect, review, CHANGES, **flaw, checklist=checklist(KIND))
        assert rejected.is_ok, rejected.text
        trust.append(record(here)["trust"])
    assert trust == [100, 85, 70]
    lost = record(here)
    assert (lost["enabled_by"], "below 80%" in lost["disabled_because"]) == ("", True)
    assert told.hears("discord/3/human", "optimizer")
    assert not switch(here).is_ok, "a failure of the last thirty days"
    here.wait(days=31)
    succeed(here, SUCCESSES)
    assert record(here)["trust"] == 100
    assert switch(here).is_ok


def _is_lost_by_a_defect(here: Stage) -> None:
    """A bug in work that was skipped shuts it at once, and ten new successes are needed."""
    review = skipped(here)
    digest = found(here.agent("optimizer"), f"/api/v1/reviews/{review}")["review"]["digest"]
    escaped = {"text": "Half of the addresses are lost.", "severity": "critical", "found_in": digest}
    done(here.human(), f"/api/v1/reviews/{review}/escapes", **escaped)
    lost = record(here)
    assert (lost["enabled_by"], lost["trust"]) == ("", 70)
    assert need(here)["needs_review"] is True
    refused = switch(here)
    assert "10 more successes" in refused.text
    succeed(here, SUCCESSES)
    assert switch(here).is_ok
    assert switch(here, "/api/v1/skips/end", reason="We look again.").is_ok
    assert need(here)["needs_review"] is True
