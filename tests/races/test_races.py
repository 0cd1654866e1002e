"""Racing processes lose nothing, and unapproved bytes never go live."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from foureyes.app.ports import Reading, Store
from foureyes.app.rows import START, Stored
from tests.conftest import EFFORT
from tests.races.checker import Said, check_links, check_lives, check_nothing_is_lost, kinds_of, met_together
from tests.races.racer import open_store

#: On each store.
OPERATIONS = {"test": 2_500, "all": 20_000}[EFFORT]
#: Enough to meet a planted bug many times over.
FEW = 1_000
#: At least one of so many operations is a veto concurrent with an approval and a gate query.
MET_SHARE = 100
#: A race in which something never happened would show nothing of it.
SEEN = (
    *("ReviewCleared", "ReviewClosed", "ReviewReopened", "RevisionSubmitted", "StageOverridden"),
    *("FindingRaised", "FindingResolved", "FindingWaived", "WentLive", "LiveRefused"),
)
SEEN_MIN = 5


@pytest.mark.timeout(900)
def test_eight_processes_on_one_sqlite_file_lose_nothing_and_clear_nothing_unapproved(tmp_path: Path) -> None:
    """F11, T6, I25: every acknowledged command is in the log once; what went live had been approved, exactly so."""
    race_soundly(str(tmp_path / "foureyes.db"), processes=8, callers=1)


@pytest.mark.timeout(900)
def test_two_processes_on_one_postgresql_database_lose_nothing_and_clear_nothing_unapproved(postgres_url: str) -> None:
    """F11, T6, I25: the same where several servers share a database, each with several callers at a time."""
    race_soundly(postgres_url, processes=2, callers=4)


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("plant", "found"), [("check-then-act", "went live"), ("remembering", "a yes to bytes that were not cleared")]
)
def test_a_gate_that_is_nearly_right_is_caught_by_the_race(tmp_path: Path, plant: str, found: str) -> None:
    """T6: check-then-act in two transactions, or a yes from memory; the race must be able to see either."""
    with pytest.raises(AssertionError, match=found):
        raced(str(tmp_path / "foureyes.db"), processes=8, callers=1, operations=FEW, plant=plant)


def race_soundly(place: str, *, processes: int, callers: int) -> None:
    """Race, hold every answer against the log, and make sure that enough was met to show something."""
    said, log = raced(place, processes=processes, callers=callers, operations=OPERATIONS)
    assert len([one for one in said if one["what"] != "open"]) == OPERATIONS
    assert met_together(said) >= OPERATIONS // MET_SHARE
    kinds = kinds_of(log)
    assert {kind: kinds[kind] for kind in SEEN if kinds[kind] < SEEN_MIN} == {}
    assert sum(one.get("state") == "cleared" for one in said) >= SEEN_MIN


def raced(
    place: str, *, processes: int, callers: int, operations: int, plant: str = ""
) -> tuple[list[Said], list[Stored]]:
    store = open_store(place)  # created before the race
    words = [sys.executable, "-m", "tests.races.racer", place, str(processes), str(callers), str(operations), plant]
    said = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout
    answers = [json.loads(line) for line in said.splitlines()]
    log = asyncio.run(whole_log(store))
    check_nothing_is_lost(answers, log)
    check_links(log)
    check_lives(answers, log)
    return answers, log


async def whole_log(store: Store) -> list[Stored]:
    def read(reading: Reading) -> list[Stored]:
        found: list[Stored] = []
        while more := reading.tail(found[-1].cursor if found else START):
            found += more
        return found

    log = await store.read(read)
    await store.close()
    return log
