"""Racing processes lose nothing, and unapproved bytes never go live."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.chain import ROOT, link_of
from foureyes.app.ports import Reading
from foureyes.app.rows import START, Stored
from tests.conftest import EFFORT
from tests.races.racer import open_store, prepare

OPERATIONS = {"test": 5_000, "all": 20_000}[EFFORT]
SHARE = OPERATIONS // 2
REVIEWS = 3
#: A race in which nothing was cleared or refused would show nothing.
SEEN_MIN = 5


@pytest.mark.timeout(900)
def test_eight_processes_on_one_sqlite_file_lose_nothing_and_clear_nothing_unapproved(tmp_path: Path) -> None:
    """F11, T6, I25: every acknowledged command is in the log once; what went live had been approved, exactly so."""
    run_race(str(tmp_path / "foureyes.db"), processes=8)


@pytest.mark.timeout(900)
def test_two_processes_on_one_postgresql_database_lose_nothing_and_clear_nothing_unapproved(postgres_url: str) -> None:
    """F11, T6, I25: the same where several servers share a database."""
    run_race(postgres_url, processes=2)


@pytest.mark.timeout(900)
def test_a_gate_that_checks_first_and_acts_later_is_caught_by_the_race(tmp_path: Path) -> None:
    """T6: check-then-act in two transactions lets unapproved bytes live; the race must be able to see that."""
    with pytest.raises(AssertionError, match="went live"):
        run_race(str(tmp_path / "foureyes.db"), processes=8, operations=1_200, plant="check-then-act")


def run_race(place: str, processes: int, operations: int = SHARE, plant: str = "") -> None:
    store = open_store(place)
    asyncio.run(prepare(store, REVIEWS))
    each = operations // processes
    racers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.races.racer", place, f"racer{number}", str(each), str(number), plant],
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(processes)
    ]
    said = [racer.communicate()[0] for racer in racers]
    assert [racer.returncode for racer in racers] == [0] * processes
    replies = [json.loads(line) for output in said for line in output.splitlines()]
    assert len(replies) == each * processes
    log = asyncio.run(whole_log(store))
    check_nothing_is_lost(replies, log)
    check_links(log)
    check_lives(log)
    kinds = Counter(one.type for one in log)
    assert min(kinds["ReviewCleared"], kinds["WentLive"], kinds["LiveRefused"], kinds["RevisionSubmitted"]) >= SEEN_MIN


async def whole_log(store: Any) -> list[Stored]:
    def read(reading: Reading) -> list[Stored]:
        found: list[Stored] = []
        while more := reading.tail(found[-1].cursor if found else START):
            found += more
        return found

    log: list[Stored] = await store.read(read)
    await store.close()
    return log


def check_nothing_is_lost(replies: list[dict[str, Any]], log: list[Stored]) -> None:
    """Each acknowledged command has its events in the log, once, where its reply says; a refused one has none."""
    by_cause: dict[str, list[Stored]] = {}
    for one in log:
        by_cause.setdefault(one.cause, []).append(one)
    for reply in replies:
        caused = [one for one in by_cause.get(reply["key"], []) if one.stream == reply.get("stream")]
        if "no" in reply:
            assert reply["key"] not in by_cause
            continue
        assert [one.type for one in caused] == reply["events"]
        assert [one.version for one in caused][-1:] == [reply["version"]]


def check_links(log: list[Stored]) -> None:
    ends: dict[str, tuple[int, bytes]] = {}
    for one in log:
        version, chain = ends.get(one.stream, (0, ROOT))
        assert one.version == version + 1
        assert one.chain == link_of(chain, one)
        ends[one.stream] = (one.version, one.chain)


def check_lives(log: list[Stored]) -> None:
    """By the log alone: at the moment it went live, the bytes were the current ones, approved, and cleared."""
    current: dict[str, str] = {}
    cleared: dict[str, str] = {}
    approved: set[tuple[str, str]] = set()
    live: set[tuple[str, str, str]] = set()
    for one in log:
        body = json.loads(one.body)
        match one.type:
            case "RevisionSubmitted":
                current[one.stream] = body["digest"]
                cleared.pop(one.stream, None)
            case "ReviewReopened":
                cleared.pop(one.stream, None)
                live = {entry for entry in live if entry[0] != one.stream}
            case "ReportSubmitted" if body["verdict"] == "approve":
                approved.add((one.stream, body["digest"]))
            case "StageOverridden" | "RulingGiven":
                approved.add((one.stream, current[one.stream]))
            case "ReviewCleared":
                assert body["digest"] == current[one.stream]
                assert (one.stream, body["digest"]) in approved
                cleared[one.stream] = body["digest"]
            case "WentLive":
                stream = f"review/{body['review']}"
                assert cleared.get(stream) == body["digest"] == current[stream], "unapproved bytes went live"
                entry = (stream, body["target"], body["digest"])
                assert entry not in live, "the same bytes went live twice"
                live.add(entry)
            case _:
                pass
