"""A restore killed in any system call leaves a store that starts, or a message that says how to go on, which works."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from tests.conftest import EFFORT
from tests.crash.checking import fill, quick_folder
from tests.crash.marks import marked
from tests.crash.nursery import Nursery
from tests.crash.points import STRUCK, Point, nearer, points_of, spread
from tests.crash.restores import before_moving_in, before_replacing, wrong_restore

pytestmark = pytest.mark.timeout(1800)

PLAY = "restore"
KILLED = -9
MISSED = "was not killed there but ended"
#: Without openat: opening changes nothing, and a created file is written, linked or renamed next.
OF_A_RESTORE = tuple(one for one in STRUCK if one != "openat")


@dataclass(frozen=True, slots=True, kw_only=True)
class Killing:
    """A restore, the files it begins with, and how many times it is killed."""

    before: Callable[[], Mapping[str, bytes]]
    test: int
    all: int

    @property
    def kills(self) -> int:
        return self.test if EFFORT == "test" else self.all


KILLINGS = {
    "a store is replaced": Killing(before=before_replacing, test=18, all=140),
    "the place was empty": Killing(before=before_moving_in, test=8, all=60),
}


def test_so_many_are_killed() -> None:
    """U-18: 200 kills inside `restore`."""
    assert sum(one.all for one in KILLINGS.values()) == 200


@pytest.mark.parametrize("name", KILLINGS)
def test_a_killed_restore_leaves_a_store_that_starts_or_says_how_to_go_on(nursery: Nursery, name: str) -> None:
    """U-18: each child died by SIGKILL in that very call; then a server starts or says it, and going on works."""
    killing = KILLINGS[name]
    before = killing.before()
    points = [one for one in points_of(nursery, PLAY, before) if one.call in OF_A_RESTORE]
    chosen = spread(points, killing.kills)
    assert len(chosen) == killing.kills
    found = {point: wrong for point in chosen if (wrong := killed(nursery, point, before))}
    assert found == {}


def killed(nursery: Nursery, point: Point, before: Mapping[str, bytes]) -> str:
    """Kill a child at a point, or a little earlier, and say what is wrong afterwards; one must have died there."""
    outcomes = (killed_at(nursery, one, before) for one in nearer(point))
    return next((one for one in outcomes if not one.startswith(MISSED)), MISSED)


def killed_at(nursery: Nursery, point: Point, before: Mapping[str, bytes]) -> str:
    """Kill a child at a point and say what is wrong afterwards."""
    with quick_folder() as folder:
        data = folder / "data"
        fill(data, before)
        inject = f"{point.call}:signal=SIGKILL:when={point.turn}"
        run = nursery.run(data, point.play, trace=",".join(STRUCK), inject=(inject,), data=False)
        if run.code != KILLED or not run.killed_at(point.call, point.turn):
            return f"{MISSED} with {run.code}: {run.output}"
        return wrong_restore(data, marked(data))
