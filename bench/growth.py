"""Slowdown of gate, lists, metrics and a lifecycle in a large store compared with a small one.

Usage: python -m bench.growth [--size N] [--rounds N] [--store sqlite|postgres|both]. A store with a thousand reviews
and one with N are written in bulk (see `bulk.py`) into a temporary folder, as two files or as two databases of one
server, take turns with every query, and are deleted.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench import bulk, bulk_postgres
from bench.bytes import size_of
from bench.lifecycle import NAMES, places_of, take_turns
from bench.lines import Figure, keep, middle
from bench.story import TARGET, gate_on, lifecycle, objecting, opened, opening, several, work
from foureyes.app.gate import Gate
from foureyes.app.ports import Reading, Store
from foureyes.app.projections.metrics import of_day, pairs, totals
from foureyes.app.pulse import pulse
from foureyes.app.rebuilding import check_trust
from foureyes.app.rows import Listing

FEW = 1_000
WRITE_SECONDS_MAX = 15 * 60
BLOCK = 25
LIFECYCLES = 40
PAGE = 50
#: Prefix of the figures of each store.
PREFIXES = {"sqlite": "", "postgres": "pg_"}
BOTH = "both"
FEWER, MANY = "few", "many"
#: The time at which the pages are read: long after every event.
NOW = datetime(2030, 1, 1, tzinfo=UTC)

Ask = Callable[[], Awaitable[object]]


@dataclass
class Side:
    """A store of one size, and the queries on it."""

    store: Store
    size: int
    lot: random.Random = field(default_factory=lambda: random.Random(7))
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(10_000_000))

    shared: str = ""
    objected: int = 0

    def __post_init__(self) -> None:
        """Build one gate for all queries, as in a server."""
        self.gate = gate_on(self.store)

    async def gate_cold(self) -> None:
        """Check random bytes with a gate whose cache is empty."""
        await self._asked(gate_on(self.store), self.lot.randrange(self.size - bulk.OPEN))

    async def gate_warm(self) -> None:
        """Check bytes that are in the cache."""
        await self._asked(self.gate, self.lot.randrange(20))

    async def lists(self) -> None:
        """List the newest reviews, those of an author, of a kind, the open ones, and a page from the middle of all."""
        author, kind = self.lot.choice(bulk.AUTHORS).name, self.lot.choice(bulk.KINDS)
        middle_of = f"{bulk.BEGIN + timedelta(seconds=self.size // 2 * 86_400 // bulk.A_DAY):%Y-%m-%dT%H:%M:%S.000000Z}"
        for listing in (
            Listing(limit=PAGE),
            Listing(author=author, limit=PAGE // 5),
            Listing(kind=kind, limit=PAGE),
            Listing(state="open", limit=PAGE),
            Listing(before=(middle_of, ""), limit=PAGE),
        ):
            rows = await self.store.read(lambda look, listing=listing: look.reviews(listing))  # type: ignore[misc]
            assert len(rows) == listing.limit, f"{listing}: {len(rows)} rows"

    async def inbox(self) -> None:
        """Read the reviewer's inbox and the overdue requests."""
        rows = await self.store.read(lambda look: (look.inbox(bulk.REVIEWERS[0]), look.due("9999")))
        assert all(rows), rows

    async def metrics(self) -> None:
        """Read the totals, those of a day and of every pair, and the figures of the status page."""
        day = f"{bulk.BEGIN + timedelta(days=self.lot.randrange(self.size // bulk.A_DAY)):%Y-%m-%d}"
        found = await self.store.read(lambda look: _page(look, day))
        assert all(found), found

    async def life(self) -> None:
        """Play a whole lifecycle."""
        await lifecycle(self.gate, next(self.numbers))

    async def several(self) -> None:
        """Check bytes that five reviews had, of which four were withdrawn and one cleared them, with an empty cache."""
        if not self.shared:
            self.shared = await several(self.gate, next(self.numbers))
        answer = await gate_on(self.store).may_go_live(self.shared, TARGET)
        assert answer.allowed, answer

    async def inherits(self) -> None:
        """Open work whose text has a finding in an earlier review of its author."""
        if not self.objected:
            self.objected = next(self.numbers)
            stream = (await self.gate.handle(opening(self.objected))).stream
            await self.gate.handle(objecting(stream, work(self.objected, 1), line=1))
        events = (await self.gate.handle(opening(self.objected, next(self.numbers)))).events
        assert "FindingInherited" in events, events

    async def _asked(self, gate: Gate, number: int) -> None:
        answer = await gate.may_go_live(bulk.last_digest(number, self.size), TARGET)
        assert answer.allowed, answer


def _page(look: Reading, day: str) -> tuple[object, ...]:
    check_trust(look)
    pulse(look, NOW)
    return totals(look), of_day(look, day), pairs(look), look.reviews(Listing(state="open", limit=bulk.OPEN))


async def ratio(few: Ask, many: Ask, rounds: int, block: int) -> tuple[float, dict[str, float]]:
    """Time both in turns; return the median over rounds of the ratio of medians, and the figures behind it."""
    found = [await take_turns({FEWER: few, MANY: many}, block) for _ in range(rounds)]
    wall = [(middle(one.wall[FEWER]), middle(one.wall[MANY])) for one in found]
    cpu = middle(middle(one.cpu[MANY]) / middle(one.cpu[FEWER]) for one in found)
    beside = {"few_ms": middle(a for a, _ in wall), "many_ms": middle(b for _, b in wall), "cpu_ratio": cpu}
    return middle(b / a for a, b in wall), beside


QUESTIONS: dict[str, tuple[str, float, int]] = {
    "gate_cold": ("the gate by digest, nothing at hand", 1.5, BLOCK),
    "gate_warm": ("the gate by digest, asked before", 1.5, BLOCK),
    "lists": ("five pages of lists", 1.5, BLOCK),
    "inbox": ("an inbox and what is overdue", 1.5, BLOCK),
    "metrics": ("metrics and the status page", 1.5, BLOCK),
    "life": ("a lifecycle", 1.2, LIFECYCLES),
    "several": ("the gate by a digest that five reviews had", 1.2, BLOCK),
    "inherits": ("opening work that inherits two findings", 1.2, BLOCK),
}


async def measure(kind: str, size: int, rounds: int) -> None:
    """Write both stores, measure both and delete both."""
    known = await bulk.patterns()
    figures = Figures(kind=kind, size=size)
    with places_of(kind) as places:
        few_at, many_at = places(), places()
        _write(kind, few_at, FEW, known)
        took = _write(kind, many_at, size, known)
        keep(figures.written(took, size_of(many_at) / size))
        async with opened(few_at) as few, opened(many_at) as many:
            sides = Side(store=few, size=FEW), Side(store=many, size=size)
            for name, (_, _, block) in QUESTIONS.items():
                asks = [getattr(side, name) for side in sides]
                await ratio(asks[0], asks[1], 1, 5)
                keep(figures.asked(name, *await ratio(asks[0], asks[1], rounds, block)))


def _write(kind: str, place: str, size: int, known: bulk.Patterns) -> float:
    """Write so many reviews and return the seconds it took."""
    if kind == "sqlite":
        return round(bulk.write(Path(place), size, known), 1)
    return round(bulk_postgres.write(place, size, known), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """The figures of one store."""

    kind: str
    size: int

    def written(self, seconds: float, bytes_each: float) -> Figure:
        """Figure of the writing time."""
        what = f"seconds to write {self.size:,} reviews through the codec, on {NAMES[self.kind]}"
        return self._figure("write", what, seconds, WRITE_SECONDS_MAX, unit="s", bytes_each=round(bytes_each))

    def asked(self, name: str, ratio: float, beside: dict[str, float]) -> Figure:
        """Figure of how much longer an answer takes."""
        question, demand, _ = QUESTIONS[name]
        what = f"{question}, on {NAMES[self.kind]}, with {self.size:,} reviews against {FEW:,}"
        return self._figure(name, what, ratio, demand, unit="×", **beside)

    def _figure(self, name: str, what: str, measured: float, demand: float, *, unit: str, **more: float) -> Figure:
        return Figure(
            figure=f"growth.{self.size}.{PREFIXES[self.kind]}{name}",
            what=what,
            measured=measured,
            unit=unit,
            demand=demand,
            correct=True,
            command=f"python -m bench.growth --size {self.size}",
            more=dict(more),
        )


def main() -> None:
    """Measure and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--store", choices=(*PREFIXES, BOTH), default=BOTH)
    given = parser.parse_args()
    for kind in PREFIXES if given.store == BOTH else (given.store,):
        asyncio.run(measure(kind, given.size, given.rounds))


if __name__ == "__main__":
    main()
