"""Seeded worlds on a real gate, store and engine, with faults, break no invariant, and every sort of fault occurs."""

import hashlib
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from foureyes.codec import canonical
from tests.postgres.server import Server
from tests.sim.campaign import Campaign
from tests.sim.counts import Counts
from tests.sim.real.campaign import EVERYTHING, OFTEN, campaign, play, unseen
from tests.sim.real.run import RealRun

EFFORT = os.environ.get("EFFORT", "")
STEPS = {"all": 20_000}.get(EFFORT, 1_000)
CHUNK_STEPS = 1_000
PROCESSES = 2
FIRST_SEED = 20_000
SEEDS_A_CHUNK = 10
#: The run on the memory store, which shows whether a violation depends on the file store.
MEMORY_SEED, MEMORY_STEPS = 30_000, 5_000 if EFFORT == "all" else 200
#: On PostgreSQL one world shows that nothing of this is SQLite's.
POSTGRES_SEED, POSTGRES_STEPS = 40_000, 2_000 if EFFORT == "all" else 100
#: The least number of occurrences.
SEEN_MIN = 3 if EFFORT == "all" else 1
SAME_SEED, SAME_STEPS = 7, 100


def chunk(folder: Path, number: int) -> Campaign:
    """One part of the campaign, with its own seeds."""
    return campaign(FIRST_SEED + number * SEEDS_A_CHUNK, CHUNK_STEPS, folder)


def chunks(folder: Path) -> Iterator[Campaign]:
    """All pieces; for a single one no process is worth its start."""
    if STEPS == CHUNK_STEPS:
        yield chunk(folder, 0)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(PROCESSES, mp_context=context) as pool:
        yield from pool.map(partial(chunk, folder), range(STEPS // CHUNK_STEPS))


def test_worlds_on_sqlite_with_faults_break_nothing_and_meet_everything(tmp_path: Path) -> None:
    """I1 to I31: the checker reads the stored events; the inbox is what they say, and no answer is forgotten."""
    total, failures = Counts(), list[str]()
    for found in chunks(tmp_path):
        total.merge(found.counts)
        failures += found.failures
    assert not failures, "\n".join(failures)
    assert total.steps >= STEPS
    assert unseen(total, EVERYTHING if EFFORT == "all" else OFTEN, SEEN_MIN) == {}, total.table()


def test_the_same_worlds_in_memory_break_nothing() -> None:
    found = campaign(MEMORY_SEED, MEMORY_STEPS, None)
    assert not found.failures, "\n".join(found.failures)


def test_a_world_on_postgresql_breaks_nothing(postgres: Server) -> None:
    with postgres.fresh() as url:
        run = play(POSTGRES_SEED, POSTGRES_STEPS, url)
    assert [str(one) for one in run.world.violations] == []


def fingerprint(run: RealRun) -> str:
    """A whole world in one line: every log, what was counted, and how late it is."""
    seen = {sort: dict(counter) for sort, counter in run.world.counts.seen.items()}
    return hashlib.sha256(canonical([run.world.logs, seen, run.now.isoformat()])).hexdigest()


def test_the_same_seed_plays_the_same_again_on_either_store(tmp_path: Path) -> None:
    """Without that nobody could play a failing seed again; a store's threads change nothing."""
    first = fingerprint(play(SAME_SEED, SAME_STEPS, tmp_path))
    assert fingerprint(play(SAME_SEED, SAME_STEPS, None)) == first
    if EFFORT == "all":
        assert fingerprint_elsewhere() == first


def fingerprint_elsewhere() -> str:
    """The fingerprint computed in another process, whose sets have another order."""
    world = f"play({SAME_SEED}, {SAME_STEPS}, None)"
    code = f"from tests.sim.real.test_real import fingerprint, play; print(fingerprint({world}))"
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    return other.stdout.strip()


@pytest.mark.parametrize("seed", [1, 2])
def test_a_failing_seed_says_how_it_is_played_again(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.sim.checker.bounds.EVENTS_PER_COMMAND_MAX", 0)
    (failure,) = campaign(seed, 200, None).failures
    assert "I28" in failure
    assert f"python -m tests.sim.real.campaign {seed} 200" in failure
