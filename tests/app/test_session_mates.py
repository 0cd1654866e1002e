"""U-08: the accounts that shared a session with an author when a review was opened, and who caused that."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from foureyes.app.ports import Writing
from foureyes.app.rows import SIGNALLED, START
from foureyes.app.session_mates import STAYS_MAX, mates_of, note_signal
from foureyes.core.facts import Mates
from foureyes.store.memory import MemoryStore
from tests.app.house import played

OPENED = datetime(2026, 3, 10, 12, tzinfo=UTC)
#: Who signalled in the session, and how many hours after the opening of the review.
Signals = tuple[tuple[str, float], ...]
NOBODY: tuple[set[str], set[str]] = (set(), set())

CASES: dict[str, tuple[Signals, str, tuple[set[str], set[str]]]] = {
    "the maker came later": ((("ann", -3), ("dev", -2)), "", ({"ann"}, {"ann"})),
    "the other came later": ((("dev", -3), ("ann", -2)), "", ({"ann"}, set())),
    "both in one moment": ((("dev", -2), ("ann", -2)), "", ({"ann"}, {"ann"})),
    "the maker names it and was never there": ((("ann", -300),), "s", ({"ann"}, {"ann"})),
    "the maker names it and comes later": ((("ann", -3), ("dev", 1)), "s", ({"ann"}, {"ann"})),
    "the maker comes after the opening": ((("ann", -3), ("dev", 1)), "", NOBODY),
    "the other comes after the opening": ((("dev", -3), ("ann", 1)), "", ({"ann"}, set())),
    "the maker comes back after the opening": ((("dev", -90), ("ann", -80), ("ann", -2), ("dev", 1)), "", NOBODY),
    "the maker came back before it": ((("dev", -90), ("ann", -80), ("ann", -2), ("dev", -1)), "", ({"ann"}, {"ann"})),
    "the maker stayed all along": ((("dev", -30), ("dev", -10), ("ann", -3), ("dev", 1)), "", ({"ann"}, set())),
    "the maker left, and comes back": ((("dev", -3), ("ann", -2), ("dev", 90)), "", ({"ann"}, set())),
    "the other left long before": ((("ann", -90), ("dev", -3)), "", NOBODY),
}


async def mates(signals: Signals, named: str = "") -> Mates:
    """The mates of `dev` after these signals in the session `s`."""
    store = MemoryStore()
    for name, hours in signals:
        await store.write(lambda tx, one=name, at=hours: note_signal(tx, "s", one, OPENED + timedelta(hours=at)))  # type: ignore[misc]
    return await store.read(lambda reading: mates_of(reading, ["dev"], named, OPENED))


@pytest.mark.parametrize("case", CASES)
@played
async def test_the_sessions_of_a_maker_are_those_at_the_opening(case: str) -> None:
    """U-08: the first and the last signal of each stay say it, whatever is signalled later."""
    signals, named, (names, by_maker) = CASES[case]
    assert await mates(signals, named) == Mates(names=frozenset(names), by_maker=frozenset(by_maker))


@played
async def test_the_first_stay_is_kept_however_many_follow() -> None:
    """U-08: otherwise a reviewer who has been there for long would seem to have come after the maker."""
    stays = tuple(("ann", -48.0 * number) for number in range(2 * STAYS_MAX, 0, -1))
    found = await mates((*stays, ("dev", -2), ("ann", -1)))
    assert found.by_maker == {"ann"}


@played
async def test_rows_of_an_earlier_release_are_read_until_they_are_written_anew() -> None:
    """U-08: they have the last signal alone."""
    store, at = MemoryStore(), "2026-03-10T10:00:00.000000Z"

    def fill(tx: Writing) -> None:
        rows: dict[str, str | None] = {"in/s/dev": at, "in/s/ann": at, "by/dev": f'{{"s": "{at}"}}'}
        tx.follow(SIGNALLED, rows, START)

    await store.write(fill)
    assert (await store.read(lambda reading: mates_of(reading, ["dev"], "", OPENED))).names == {"ann"}
