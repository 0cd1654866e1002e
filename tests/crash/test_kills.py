"""A process killed in any system call loses nothing it acknowledged, and a new one continues."""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from tests.conftest import EFFORT
from tests.crash.checking import Checker, fill, fresh_store, quick_folder, serial_states, wrong_alone, wrong_together
from tests.crash.marks import marked
from tests.crash.nursery import Nursery
from tests.crash.plays import FILE, perform, tables_of
from tests.crash.points import STRUCK, Point, nearer, points_of, spread
from tests.crash.spooled import wrong_spool
from tests.crash.stages import acts_of
from tests.crash.upgrades import before_upgrade, wrong_upgrade

pytestmark = pytest.mark.timeout(900)

KILLED = -9
MISSED = "was not killed there but ended"
RESTART_SECONDS_MAX = 5
CHECKERS: dict[str, Checker] = {
    "reviews": wrong_alone,
    "together": wrong_together,
    "spool": wrong_spool,
    "upgrade": wrong_upgrade,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Killing:
    """A play, its initial files and the number of kills."""

    play: str
    test: int
    all: int
    before: Callable[[], Mapping[str, bytes]] = dict

    @property
    def kills(self) -> int:
        return self.test if EFFORT == "test" else self.all


#: The first thread to make its n-th call dies; with the tables made beforehand, that is the one that writes reviews.
KILLINGS = {
    "a new store": Killing(play="reviews", test=12, all=40),
    "a store with tables": Killing(play="reviews", test=15, all=50, before=fresh_store),
    "many callers": Killing(play="together", test=12, all=40, before=fresh_store),
    "the spool": Killing(play="spool", test=9, all=30),
    "an upgrade": Killing(play="upgrade", test=12, all=40, before=before_upgrade),
}


def test_so_many_are_killed() -> None:
    assert sum(one.test for one in KILLINGS.values()) == 60
    assert sum(one.all for one in KILLINGS.values()) == 200


@pytest.mark.parametrize("name", KILLINGS)
def test_a_process_killed_in_a_system_call_loses_nothing_it_acknowledged(nursery: Nursery, name: str) -> None:
    """F1, F18: each child died by SIGKILL in that very call; then all is there, nothing in half, and it goes on."""
    killing = KILLINGS[name]
    before = killing.before()
    points = spread(points_of(nursery, killing.play, before), killing.kills)
    assert len(points) == killing.kills
    found = {point: wrong for point in points if (wrong := killed(nursery, point, before))}
    assert found == {}


def killed(nursery: Nursery, point: Point, before: Mapping[str, bytes]) -> str:
    """Kill a child at a point, or a little earlier, and return the error afterwards; one must have died there."""
    outcomes = (killed_at(nursery, one, before) for one in nearer(point))
    return next((one for one in outcomes if not one.startswith(MISSED)), MISSED)


def killed_at(nursery: Nursery, point: Point, before: Mapping[str, bytes]) -> str:
    """Kill a child at a point and return the error afterwards."""
    with quick_folder() as folder:
        data = folder / "data"
        fill(data, before)
        inject = f"{point.call}:signal=SIGKILL:when={point.turn}"
        run = nursery.run(data, point.play, trace=",".join(STRUCK), inject=(inject,), data=False)
        if run.code != KILLED or not run.killed_at(point.call, point.turn):
            return f"{MISSED} with {run.code}: {run.output}"
        begun = time.monotonic()
        wrong = CHECKERS[point.play](data, marked(data))
        seconds = time.monotonic() - begun
        if wrong or seconds > RESTART_SECONDS_MAX:
            return wrong or f"the restart took {seconds} s"
        if point.play != "reviews":
            return ""
        # Repeat the commands by their keys: what was done is not done twice, the rest is done now.
        finished = asyncio.run(perform(data / FILE, acts_of("reviews"), lambda _: None))
        return "" if finished and tables_of(data / FILE) == serial_states()[-1] else "does not go on to the same end"


def test_a_kill_that_does_not_happen_is_noticed(nursery: Nursery) -> None:
    """A harness whose injections are silently ignored would find nothing for ever."""
    point = Point(play="reviews", call="fdatasync", turn=10_000)
    assert killed_at(nursery, point, {}).startswith(f"{MISSED} with 0")


def test_a_kill_finds_a_reply_kept_too_late(nursery: Nursery) -> None:
    """The bugs that need no power cut are found by a kill too."""
    bugs = ("the_reply_is_kept_in_a_second_transaction",)
    found = set()
    for turn in range(36, 120, 3):
        with quick_folder() as folder:
            fill(folder / "data", fresh_store())
            inject = f"pwrite64:signal=SIGKILL:when={turn}"
            run = nursery.run(folder / "data", "reviews", bugs=bugs, inject=(inject,), data=False)
            assert run.code == KILLED
            found.add(wrong_alone(folder / "data", marked(folder / "data")).partition(":")[0])
    assert "events without a reply" in found
