"""Does a promise of the spool survive a power cut at any moment?"""

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from foureyes.app.ports import Damaged
from foureyes.store.spool import FileSpool
from tests.conftest import EFFORT
from tests.crash.disks import State, possible
from tests.crash.spool_driver import ask_of, number_of
from tests.crash.tracing import traced

WANTED = {"test": 400, "all": 1_000}
SEED = 5
SPOOL_BUGS = (
    "spooled_before_it_is_written",
    "the_cursor_is_rewritten_in_place",
    "the_cursor_moves_before_the_effect",
    "the_mark_goes_with_the_record",
    "the_spool_is_not_synced",
    "the_spools_folder_is_not_synced",
)


def wrong_in(state: State, folder: Path) -> str:
    """What is wrong with the spool on this disk, empty if nothing."""
    kept, done = (_numbers(state.marks, word) for word in ("kept", "done"))
    state.build(folder)
    try:
        spool = FileSpool(folder / "spool")
    except Damaged as error:
        return f"does not start: {error}"
    waiting = {number_of(one.ask): one.ask for one in spool.waiting()}
    spool.close()
    if lost := sorted(kept - done - waiting.keys()):
        return f"promised and lost: {lost}"
    if strange := [one for one, ask in waiting.items() if ask != ask_of(one)]:
        return f"not what was handed in: {strange}"
    return "" if list(waiting) == sorted(waiting) else f"in the wrong order: {list(waiting)}"


def test_a_promise_of_the_spool_survives_every_power_cut(tmp_path: Path) -> None:
    """F2, F8: every promised command that was not done is there, whole, and every disk starts."""
    found, count = hunt(tmp_path, WANTED[EFFORT])
    assert found == []
    assert count == WANTED[EFFORT]


@pytest.mark.parametrize("bug", SPOOL_BUGS)
def test_a_planted_bug_of_the_spool_is_found(tmp_path: Path, bug: str) -> None:
    """S12 and others: what is promised before it is safe is missed on some disk."""
    found, _ = hunt(tmp_path, WANTED["test"], bug)
    assert found


def hunt(tmp_path: Path, wanted: int, bug: str = "") -> tuple[list[str], int]:
    """Record the process, then look at the disks it may leave."""
    folder = tmp_path / "data"
    folder.mkdir()
    arguments = [sys.executable, "-m", "tests.crash.spool_driver", str(folder), *filter(None, (bug,))]
    run = traced(arguments, tmp_path / "log")
    assert run.code == 0, run.output
    found, count = [], 0
    for state in possible(run.steps, folder, wanted=wanted, seed=SEED):
        count += 1
        with TemporaryDirectory(dir=tmp_path) as rebuilt:
            if wrong := wrong_in(state, Path(rebuilt)):
                found.append(f"seed {SEED}, step {state.point}, {state.variant}: {wrong}")
    return found, count


def _numbers(marks: Sequence[str], word: str) -> set[int]:
    return {int(mark.split()[1]) for mark in marks if mark.startswith(word)}
