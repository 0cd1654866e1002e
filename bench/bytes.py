"""Disk space of a review, compared with the smallest floor that stores the same rows.

Usage: python -m bench.bytes [--count N]. N lifecycles on each, then the bytes on the disk, less those
of the empty store.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg

from bench.floor import Floor, LeastPostgres, LeastSqlite
from bench.lifecycle import NAMES, places_of
from bench.lines import Figure, keep
from bench.recording import empty
from bench.story import gate_on, lifecycle, opened

CALLERS = 16


def size_of(place: str) -> int:
    """Bytes on the disk: of a file with its journal written back, or of all tables and indexes of a database."""
    if "host=" not in place:
        with closing(sqlite3.connect(place)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return Path(place).stat().st_size
    with psycopg.connect(place, autocommit=True) as line:
        found = line.execute(
            "SELECT SUM(pg_total_relation_size(oid))::bigint FROM pg_class "
            "WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'"
        ).fetchone()
    return int(found[0]) if found else 0


async def ours(place: str, count: int) -> float:
    """Bytes per review in foureyes."""
    await empty(place)
    before, numbers = size_of(place), iter(range(count))
    async with opened(place) as store:
        gate = gate_on(store)

        async def caller() -> None:
            for number in numbers:
                await lifecycle(gate, number)

        await asyncio.gather(*(caller() for _ in range(CALLERS)))
    return (size_of(place) - before) / count


def least(place: str, make: Callable[[str], Floor], count: int) -> float:
    """Bytes per review in the floor."""
    floor = make(place)
    before = size_of(place)
    for _ in range(count):
        floor.lifecycle()
    floor.close()
    return (size_of(place) - before) / count


async def measure(kind: str, count: int) -> None:
    """Compare foureyes with the floor."""
    with places_of(kind) as places:
        mine = await ours(places(), count)
        floor = least(places(), LeastSqlite if kind == "sqlite" else LeastPostgres, count)
    figure = Figure(
        figure=f"bytes.{kind}",
        what=f"bytes a review on {NAMES[kind]}, against the floor's",
        measured=round(mine / floor, 2),
        unit="×",
        demand=12.0,
        aim=6.0,
        correct=mine > floor > 0,
        command="python -m bench.bytes",
        more={"bytes": round(mine), "floor_bytes": round(floor), "lifecycles": count},
    )
    keep(figure)


def main() -> None:
    """Measure and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    given = parser.parse_args()
    for kind in ("sqlite", "postgres"):
        asyncio.run(measure(kind, given.count))


if __name__ == "__main__":
    main()
