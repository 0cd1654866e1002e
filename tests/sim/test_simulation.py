"""Seeded worlds break no invariant, replay to the same state, are reproducible, and reach every case."""

import hashlib
import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes.codec import canonical
from tests.sim import policies, printing, words
from tests.sim.campaign import Campaign, archived, campaign, play, tempers_of, too_seldom
from tests.sim.checker import parse_policy
from tests.sim.counts import SEEN_MIN, Counts
from tests.sim.people import ADVERSARIES, Temper
from tests.sim.run import Run, replay, replayed, shrunk

EFFORT = os.environ.get("EFFORT", "")
STEPS = {"test": 150_000, "all": 1_000_000}.get(EFFORT, 20_000)
#: So many steps are one piece of work for a process.
CHUNK_STEPS = 10_000
PROCESSES = 2
FIRST_SEED = 10_000
SEEDS_A_CHUNK = 100
#: The threshold holds for the whole campaign; a short one only shows that things work.
THRESHOLD = {"test": SEEN_MIN // 2, "all": SEEN_MIN}.get(EFFORT, 0)
SAME_STEPS = 1_000
#: The file of the histogram for make; the output of parallel tests is not shown.
HISTOGRAM = Path(__file__).parents[2] / "build" / "simulation.txt"


def chunk(number: int) -> Campaign:
    """One part of the campaign, with its own seeds."""
    return campaign(FIRST_SEED + number * SEEDS_A_CHUNK, CHUNK_STEPS)


def test_the_campaign_breaks_nothing_and_sees_everything() -> None:
    """Every event, refusal, reachable gate and move, style and end; the histogram is left for make to print."""
    context = multiprocessing.get_context("spawn")
    total, failures = Counts(), list[str]()
    with ProcessPoolExecutor(PROCESSES, mp_context=context) as pool:
        for found in pool.map(chunk, range(STEPS // CHUNK_STEPS)):
            total.merge(found.counts)
            failures += found.failures
    HISTOGRAM.parent.mkdir(exist_ok=True)
    HISTOGRAM.write_text(f"{total.table()}\n", encoding="utf-8")
    assert not failures, "\n".join(failures)
    assert total.steps == STEPS
    assert total.accepted * 2 >= total.steps
    assert too_seldom(total, THRESHOLD) == {}


@pytest.mark.parametrize(("seed", "steps"), archived())
def test_a_seed_that_once_failed_passes(seed: int, steps: int) -> None:
    run = play(seed, steps)
    assert not run.world.violations, f"{run.world.violations[0]}\n{shrunk(run)}"


def fingerprint(seed: int) -> str:
    """A whole world in one line: what was delivered, and every log."""
    run = play(seed, SAME_STEPS)
    delivered = printing.printed(seed, run.tempers, run.world.works.values(), run.script)
    return hashlib.sha256(delivered.encode() + canonical(run.world.logs)).hexdigest()


@pytest.mark.parametrize("seed", [4, 5])
def test_the_same_seed_gives_the_same_bytes_in_any_process(seed: int) -> None:
    code = f"from tests.sim.test_simulation import fingerprint; print(fingerprint({seed}))"
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert other.stdout.strip() == fingerprint(seed)


def test_a_failing_world_prints_a_short_script_that_replays(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checker is told that stories need three reviewers; two are soon enough for the program."""
    lie = words.first()
    lie["protocols"]["resolve"]["stages"][0]["quorum"] = 3
    told = policies.first()
    wrong = policies.Told(rules=told.rules, policy=parse_policy(told.rules.digest, lie))
    monkeypatch.setattr(policies, "everything", lambda: (wrong, policies.second(), policies.third()))
    run = Run(seed=16, tempers=tempers_of(16))
    run.play(5_000)
    assert run.world.violations[0].invariant == "I2"
    script = printing.read(shrunk(run))
    again = replayed(script["SEED"], script["TEMPERS"], script["WORKS"], script["SCRIPT"])  # type: ignore[arg-type]
    assert [one.invariant for one in again] == ["I2"]
    assert len(script["SCRIPT"]) < 12  # type: ignore[arg-type]
    assert len(run.script) > len(script["SCRIPT"])  # type: ignore[arg-type]


def test_what_was_printed_is_what_was_delivered() -> None:
    run = Run(seed=12, tempers=ADVERSARIES)
    run.play(400)
    read = printing.read(printing.printed(12, ADVERSARIES, run.world.works.values(), run.script))
    assert read["SCRIPT"] == run.script
    assert read["WORKS"] == list(run.world.works.values())
    assert replay(run, run.script) == []


@settings(max_examples=100 if EFFORT == "all" else 15)
@given(
    choices=st.lists(st.integers(min_value=0, max_value=1 << 20), max_size=150),
    adversaries=st.sets(st.sampled_from(ADVERSARIES), max_size=3),
)
def test_chance_in_other_hands_breaks_nothing(choices: list[int], adversaries: set[Temper]) -> None:
    """Every step's chance is drawn by hypothesis, which shrinks what fails to few and small ones."""
    run = Run(seed=0, tempers=tuple(sorted(adversaries)))
    for number, choice in enumerate(choices, start=1):
        run.rng.seed(choice)
        run.play(number)
    assert run.finish() == []
