"""No row and no page grows with history: after many reviews each is as large as after few."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import cache

import pytest

from foureyes.app.books import BOOKS
from foureyes.app.following import catch_up_all
from foureyes.app.ports import Reading
from foureyes.app.projections import PROJECTIONS, accuracy, costs, decisions, findings, lessons, metrics, sessions
from foureyes.app.projections.pairings import PAIRINGS_MAX
from foureyes.app.projections.projection import ROW_BYTES_MAX, slot_of
from foureyes.core.events import ReviewOpened
from foureyes.core.sessions import SILENCE
from foureyes.store.memory import MemoryStore
from tests.projections.logs import Recorded, Said, recorded, write_log
from tests.sim.world import written

SEED, STEPS = 5, 2_500
FEW, MANY = 200, 2_000
#: The limit of the largest row; `rulings` keeps the last twenty of a kind.
ROW_BYTES_SEEN_MAX = 8_192


def many(run: Recorded, reviews: int) -> Iterator[Said]:
    """The world repeated on later days with other reviews, until there are so many."""
    left, turn, span = reviews, 0, run.said[-1].at - run.said[0].at + timedelta(days=1)
    while left > 0:
        known: set[str] = set()
        for said in run.said:
            if turn and not said.stream.startswith("review/"):
                continue
            if said.stream.startswith("review/") and said.stream not in known and len(known) < left:
                known.add(said.stream)
            if said.stream in known or (not turn and not said.stream.startswith("review/")):
                yield _again(said, turn, span)
        left, turn = left - len(known), turn + 1


def _again(said: Said, turn: int, span: timedelta) -> Said:
    if not turn:
        return said
    name = f"{said.stream}x{turn}"
    events = tuple(
        replace(one, review=name.removeprefix("review/")) if isinstance(one, ReviewOpened) else one
        for one in said.events
    )
    return replace(said, stream=name, events=events, at=said.at + turn * span)


@cache
def followed(reviews: int) -> tuple[MemoryStore, tuple[Said, ...]]:
    run, store = recorded(SEED, STEPS), MemoryStore()
    said = tuple(many(run, reviews))

    async def story() -> None:
        await write_log(store, run, said)
        await catch_up_all(store)

    asyncio.run(story())
    return store, said


class Counting:
    """A read of the store that counts the rows it returns."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.rows_read = 0

    def row(self, projection: str, key: str) -> str | None:
        self.rows_read += 1
        return self._reading.row(projection, key)

    def rows(self, projection: str, prefix: str = "", after: str = "", limit: int = 100) -> tuple[tuple[str, str], ...]:
        found = self._reading.rows(projection, prefix, after, limit)
        self.rows_read += len(found) + 1
        return found


def test_after_two_thousand_reviews_no_row_is_big() -> None:
    """S23: the biggest is far below the limit that is stated."""
    store, said = followed(MANY)
    assert len({one.stream for one in said if one.stream.startswith("review/")}) == MANY

    def biggest(reading: Reading) -> dict[str, int]:
        every = {name: reading.rows(slot_of(reading, name), limit=10_000_000) for name in PROJECTIONS}
        return {name: max(len(key.encode()) + len(body.encode()) for key, body in rows) for name, rows in every.items()}

    async def look() -> dict[str, int]:
        return await store.read(biggest)

    sizes = asyncio.run(look())
    assert max(sizes.values()) <= ROW_BYTES_SEEN_MAX < ROW_BYTES_MAX, sizes


def test_of_each_author_the_last_thirty_pairings_are_kept() -> None:
    store, said = followed(MANY)
    authors = {event.author.name for one in said for event in one.events if isinstance(event, ReviewOpened)}

    async def look() -> list[int]:
        return await store.read(lambda reading: [sum(BOOKS.pairings(reading, one).values()) for one in authors])

    assert max(asyncio.run(look())) == PAIRINGS_MAX == 30


Page = Callable[[Reading, str, Said], object]
#: Every list and figure of the pages, for the last day and one of its reviews.
PAGES: dict[str, Page] = {
    "the trail": lambda look, _, __: decisions.newest(look, limit=50),
    "the trail of a day": lambda look, day, __: decisions.newest(look, day, limit=50),
    "the trail of a review": lambda look, _, said: decisions.of_review(look, said.stream[7:], limit=50),
    "findings of a review": lambda look, _, said: findings.of_review(look, said.stream[7:], limit=50),
    "findings of a session": lambda look, _, __: findings.of_session(look, "session-0", limit=50),
    "findings of a scope": lambda look, _, __: findings.unsettled(look, "security", limit=50),
    "totals": lambda look, _, __: metrics.totals(look),
    "a day": lambda look, day, __: metrics.totals(look, "date", day),
    "metrics of a day": lambda look, day, __: metrics.of_day(look, day, limit=50),
    "pairs": lambda look, _, __: metrics.pairs(look, limit=50),
    "cost of a day": lambda look, day, __: costs.spent(look, "day", day),
    "accuracy": lambda look, _, __: accuracy.accuracy(look, "reviewer", "codex"),
    "lessons": lambda look, _, __: lessons.lessons(look, "security"),
    "pairings": lambda look, _, __: BOOKS.pairings(look, "scanner"),
    "rulings": lambda look, _, __: BOOKS.rulings(look),
    "suppressions": lambda look, _, __: BOOKS.suppressions(look),
    "a session": lambda look, _, __: (sessions.session(look, "session-0"), BOOKS.session(look, "session-0", SILENCE)),
}
#: A page of fifty, each found by its key, and which rows are in use.
ROWS_READ_MAX = 2 * 50 + 2


@pytest.mark.parametrize("name", PAGES)
def test_a_page_reads_no_more_rows_after_many_reviews(name: str) -> None:
    """S23: pages are runs of keys with an end, numbers are kept up to date, and what has no pages is short."""
    read: list[int] = []
    for reviews in (FEW, MANY):
        store, said = followed(reviews)
        last = next(one for one in reversed(said) if one.stream.startswith("review/"))

        async def look(store: MemoryStore = store, last: Said = last) -> int:
            def work(reading: Reading) -> int:
                counting = Counting(reading)
                PAGES[name](counting, written(last.at)[:10], last)  # type: ignore[arg-type]
                return counting.rows_read

            return await store.read(work)

        read.append(asyncio.run(look()))
    assert 0 < max(read) <= ROWS_READ_MAX
