"""The memory store: everything in dictionaries, for tests and for programs that need no durable store.

It keeps the contract of the durable stores, except that nothing of it outlives the process. A transaction records how
to undo each change and does so when its work raises; readers and writers take turns.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Self, TypeVar

from foureyes.app.ports import Reading, Unavailable, Writing
from foureyes.store.memory_tables import MemoryReading, Tables
from foureyes.store.memory_writing import MemoryWriting

T = TypeVar("T")

CLOSED = ("The store is closed.", "Make a new one.")


class MemoryStore:
    """A store in memory; several event loops and threads may share it."""

    def __init__(self) -> None:
        self._tables = Tables()
        self._turn = threading.Lock()
        self._closed = False

    async def read(self, work: Callable[[Reading], T]) -> T:
        """Run `work` on one consistent snapshot: nobody writes meanwhile."""
        # Other tasks get to run between two commands, as they do with a store that waits for a disk.
        await asyncio.sleep(0)
        with self._turn:
            self._check_open()
            return work(MemoryReading(self._tables))

    async def write(self, work: Callable[[Writing], T]) -> T:
        """Run `work` in one transaction. What `work` raises undoes it and is raised here."""
        await asyncio.sleep(0)
        with self._turn:
            self._check_open()
            writing = MemoryWriting(self._tables)
            try:
                return work(writing)
            except BaseException:
                writing.undo()
                raise

    async def close(self) -> None:
        """Accept no more work."""
        with self._turn:
            self._closed = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise Unavailable(*CLOSED)
