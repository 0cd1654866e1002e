"""Checks after a crash: everything acknowledged is in the store, nothing is half done, nothing is damaged."""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from foureyes.app.ports import Damaged, Unavailable
from foureyes.store.sqlite import SqliteStore
from tests.crash.books import disagreements
from tests.crash.disks import State
from tests.crash.plays import FILE, Tables, perform, tables_of
from tests.crash.stages import acts_of

Checker = Callable[[Path, Sequence[str]], str]


@contextmanager
def quick_folder() -> Iterator[Path]:
    """A folder in memory if there is one: rebuilt disks are written and read a thousand times."""
    shared = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
    place = shared if os.access(shared, os.W_OK) else Path(tempfile.gettempdir())
    with TemporaryDirectory(dir=place, prefix="foureyes-crash-") as folder:
        yield Path(folder)


def fill(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files to a folder, readable by this user only."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.write_bytes(content)
        place.chmod(0o600)


@cache
def fresh_store() -> Mapping[str, bytes]:
    """The files of an empty store that was closed properly."""
    with quick_folder() as folder:
        SqliteStore.open(folder / FILE)._close()
        return {one.name: one.read_bytes() for one in folder.iterdir() if not one.name.endswith("-shm")}


@cache
def serial_states() -> tuple[Tables, ...]:
    """The contents of the store before and after each act of the play when nothing fails."""
    found: list[Tables] = []
    with quick_folder() as folder:
        SqliteStore.open(folder / FILE)._close()
        found.append(tables_of(folder / FILE))

        def note(mark: str) -> None:
            if mark.startswith("ack"):
                found.append(tables_of(folder / FILE))

        assert asyncio.run(perform(folder / FILE, acts_of("reviews"), note))
    return tuple(found)


def wrong_alone(folder: Path, marks: Sequence[str]) -> str:
    """The error after the play of one caller, if any: the store must be as it was between two acts."""
    acked, asked = (max((int(one.split()[1]) for one in marks if one.startswith(word)), default=0) for word in WORDS)
    found = _opened(folder)
    if isinstance(found, str):
        return found
    states = serial_states()
    if found in states[acked : asked + 1]:
        return ""
    if found in states:
        return f"lost: {acked} were acknowledged, {states.index(found)} are there"
    nearest = min(states, key=lambda one: sum(found.get(name) != rows for name, rows in one.items()))
    differing = [name for name, rows in nearest.items() if found.get(name) != rows]
    return f"in half: {differing} differ from what they were after act {states.index(nearest)}"


def wrong_together(folder: Path, marks: Sequence[str]) -> str:
    """The error after the play of many callers, if any: everything acknowledged must be there."""
    found = _opened(folder)
    if isinstance(found, str):
        return found
    answered = {(row[0], row[1]) for row in found["answered"]}
    told = [one.split()[1:] for one in marks if one.startswith("ack")]
    lost = [f"{asker} {key}" for asker, key in told if (repr(asker), repr(key)) not in answered]
    return f"lost: {lost}" if lost else ""


def wrong_on(state: State, checker: Checker) -> str:
    """Rebuild a disk, open it and check it."""
    with quick_folder() as folder:
        state.build(folder, random.Random(state.point))
        return checker(folder, state.marks)


WORDS = ("ack", "ask")


def _opened(folder: Path) -> Tables | str:
    """Open a store with all checks; return its tables or the error."""

    async def look() -> Tables | str:
        store = SqliteStore.open(folder / FILE, check=True, readers=1)
        try:
            tables = tables_of(folder / FILE)
            found = await store.read(lambda reading: disagreements(reading, tables))
        finally:
            store._close()
        return "; ".join(found) or tables

    try:
        return asyncio.run(look())
    except (Unavailable, Damaged) as error:
        return f"does not open: {error}"
