"""Behaviour when the disk is full, or fails, at any write of a full review."""

import asyncio
from itertools import cycle

import pytest

from tests.conftest import EFFORT
from tests.crash.checking import quick_folder, serial_states, wrong_alone
from tests.crash.marks import marked
from tests.crash.nursery import GAVE_UP, Nursery
from tests.crash.plays import FILE, perform, tables_of
from tests.crash.points import STRUCK, Point, nearer, points_of, spread
from tests.crash.spooled import wrong_spool
from tests.crash.stages import acts_of

pytestmark = pytest.mark.timeout(900)

MISSED = "nothing was injected"
ERRORS = ("ENOSPC", "EIO", "EFBIG")
#: Without the test's own marks, which are not part of the store.
OF_THE_STORE = tuple(one for one in STRUCK if one not in ("write", "unlink"))
#: A full review that creates its store; the long run adds two reviews, a restart and a purge.
PLAY = {"test": "review", "all": "reviews"}[EFFORT]
PARTS = 4
#: Every third point in the short run.
EACH = {"test": 3, "all": 1}
LASTING = {"test": 40, "all": 200}
SPOOLED = {"test": 40, "all": 200}


@pytest.mark.parametrize("part", range(PARTS))
def test_an_error_that_passes_is_told_and_the_same_key_succeeds_after_it(nursery: Nursery, part: int) -> None:
    """F3, F4, F5: at every write and sync of the play; never acknowledged and absent, never a dead process."""
    points = [point for point in points_of(nursery, PLAY, {}) if point.call in OF_THE_STORE][part::PARTS]
    assert len(points) > 200 // PARTS
    points = points[:: EACH[EFFORT]]
    chosen = cycle(ERRORS)
    errors = [ERRORS if EFFORT == "all" else (next(chosen),) for _ in points]
    trials = [(point, error) for point, some in zip(points, errors, strict=True) for error in some]
    assert [(*trial, wrong) for trial in trials if (wrong := struck(nursery, *trial))] == []


def test_an_error_that_lasts_acknowledges_nothing_more_and_leaves_everything_else(nursery: Nursery) -> None:
    """F3: reads and restarts go on; once the error is gone the same commands lead to the same end."""
    points = [point for point in points_of(nursery, PLAY, {}) if point.call in OF_THE_STORE]
    chosen = cycle(ERRORS)
    found = [
        (point, wrong)
        for point in spread(points, LASTING[EFFORT])
        if (wrong := struck(nursery, point, next(chosen), lasting=True))
    ]
    assert found == []


def test_the_spool_promises_nothing_the_disk_refused(nursery: Nursery) -> None:
    """F8: at every write and sync, for a moment and for good."""
    points = [point for point in points_of(nursery, "spool", {}) if point.call in (*OF_THE_STORE, "unlink")]
    chosen, lasting = cycle(ERRORS), cycle((False, True))
    found = [
        (point, wrong)
        for point in spread(points, SPOOLED[EFFORT])
        if (wrong := struck(nursery, point, next(chosen), lasting=next(lasting)))
    ]
    assert found == []


def struck(nursery: Nursery, point: Point, error: str, *, lasting: bool = False) -> str:
    """Let a call fail, or an earlier one, and return the error afterwards; one call must have failed."""
    outcomes = (struck_at(nursery, one, error, lasting=lasting) for one in nearer(point))
    return next((one for one in outcomes if one != MISSED), MISSED)


def struck_at(nursery: Nursery, point: Point, error: str, *, lasting: bool) -> str:
    """Let a call fail, once or from there on, and return the error afterwards."""
    with quick_folder() as folder:
        data = folder / "data"
        inject = f"{point.call}:error={error}:when={point.turn}{'+' if lasting else ''}"
        run = nursery.run(data, point.play, trace=",".join(STRUCK), inject=(inject,), data=False)
        if "INJECTED" not in run.log.read_text(encoding="ascii", errors="replace"):
            return MISSED
        if run.code not in ((0, GAVE_UP) if lasting or point.play == "spool" else (0,)):
            return f"ended with {run.code}: {run.output}"
        if point.play == "spool":
            return wrong_spool(data, marked(data))
        if wrong := wrong_alone(data, marked(data)):
            return wrong
        finished = asyncio.run(perform(data / FILE, acts_of("reviews"), lambda _: None))
        return "" if finished and tables_of(data / FILE) == serial_states()[-1] else "does not go on to the same end"
