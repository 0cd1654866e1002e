"""Everything acknowledged survives a power cut at any moment."""

import pytest

from tests.conftest import EFFORT
from tests.crash.checking import Checker, fresh_store, wrong_alone, wrong_together
from tests.crash.hunting import hunt
from tests.crash.nursery import GAVE_UP, Nursery
from tests.crash.spooled import wrong_spool
from tests.crash.upgrades import before_upgrade, wrong_upgrade

#: The number of disks of each play, and the parts by which two processes share the work.
STATES = {
    "reviews": ({"test": 900, "all": 2_500}, 3),
    "together": ({"test": 600, "all": 1_500}, 2),
    "spool": ({"test": 350, "all": 700}, 1),
    "upgrade": ({"test": 150, "all": 300}, 1),
}
PARTS = [(play, part, parts) for play, (_, parts) in STATES.items() for part in range(parts)]
pytestmark = pytest.mark.timeout(900)

CHECKERS: dict[str, Checker] = {
    "reviews": wrong_alone,
    "together": wrong_together,
    "spool": wrong_spool,
    "upgrade": wrong_upgrade,
}
#: The sync that fails, and how many in a row, each in its own recording.
FAILED_SYNCS = {
    "test": [(turn, 1 + turn % 3) for turn in range(1, 9)],
    "all": [(turn, times) for turn in range(1, 9) for times in (1, 2, 3)],
}
MAKING_SYNCS = {"test": (2, 4, 6), "all": range(1, 11)}
#: The sync whose failure kills a process; the second is one of a folder, whose failure SQLite ignores.
DYING_SYNCS = {"test": (4, 6), "all": (1, 3, 4, 5, 6, 7, 8)}
STATES_EACH = 60


def test_so_many_disks_are_looked_at() -> None:
    assert sum(states["test"] for states, _ in STATES.values()) == 2_000
    assert sum(states["all"] for states, _ in STATES.values()) == 5_000


@pytest.mark.parametrize(("play", "part", "parts"), PARTS)
def test_nothing_acknowledged_is_lost_in_a_power_cut(nursery: Nursery, play: str, part: int, parts: int) -> None:
    """F2, F8, F18: every possible disk opens; what was acknowledged is there, nothing is in half, the links hold."""
    before = before_upgrade() if play == "upgrade" else {}
    wanted = STATES[play][0][EFFORT] // parts + 1
    seen = hunt(nursery, play, CHECKERS[play], wanted=wanted, before=before, share=(part, parts))
    assert seen.code == 0, seen.output
    assert seen.found == ()
    assert seen.states == wanted


@pytest.mark.parametrize(("turn", "times"), FAILED_SYNCS[EFFORT])
def test_a_sync_that_failed_makes_nothing_safe_and_nothing_is_built_on_it(
    nursery: Nursery, turn: int, times: int
) -> None:
    """F5: the kernel may drop what a failed sync should have written, and say yes the next time."""
    inject = (f"fdatasync:error=EIO:when={turn}..{turn + times - 1}",)
    seen = hunt(nursery, "reviews", wrong_alone, wanted=STATES_EACH, inject=inject, before=fresh_store())
    assert seen.code in (0, GAVE_UP), seen.output
    assert seen.found == ()


@pytest.mark.parametrize("turn", MAKING_SYNCS[EFFORT])
def test_a_sync_that_failed_while_the_store_is_made_leaves_one_that_can_be_used(nursery: Nursery, turn: int) -> None:
    """F5: an empty store, and then one with the reviews."""
    inject = (f"fdatasync:error=EIO:when={turn}",)
    seen = hunt(nursery, "review", wrong_alone, wanted=STATES_EACH, inject=inject)
    assert seen.code == 0, seen.output
    assert seen.found == ()


@pytest.mark.parametrize("turn", DYING_SYNCS[EFFORT])
def test_a_process_that_comes_after_a_failed_sync_builds_nothing_on_it(nursery: Nursery, turn: int) -> None:
    """F1, F5: the first one dies when its disk fails; the second reads what may be in the kernel's memory only."""
    inject = (f"fdatasync:error=EIO:when={turn}",)
    before = fresh_store()
    seen = hunt(nursery, "reviews", wrong_alone, wanted=2 * STATES_EACH, inject=inject, before=before, dies=True)
    assert seen.code == 0, seen.output
    assert seen.found == ()
