"""The SQLite store: one file on one machine, one writer thread and a few reader threads."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Self, TypeVar

from foureyes.app.ports import Quick, Reading, Unavailable, Writing
from foureyes.store import sqlite as file
from foureyes.store.jobs import CLOSED, OVERFULL, Job
from foureyes.store.migrate import migrate
from foureyes.store.sqlite_writer import Writer

T = TypeVar("T")

READERS = 4
READS_WAITING_MAX = 4096


class SqliteStore:
    """A store in one file. Several processes may open it at once; each commit is synced before it is acknowledged."""

    def __init__(self, path: Path, connection: sqlite3.Connection, *, lock_seconds_max: float, readers: int) -> None:
        """Take an open connection; use `open` instead."""
        self._path = path
        self._writer = Writer(path, connection, lock_seconds_max)
        self._readers = ThreadPoolExecutor(max_workers=readers, thread_name_prefix="foureyes-reader")
        self._local = threading.local()
        self._guard = threading.Lock()
        self._here = threading.Lock()
        self._quick: sqlite3.Connection | None = None
        self._connections: list[sqlite3.Connection] = []
        self._reads = 0
        self._closed = False

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        check: bool = False,
        lock_seconds_max: float = file.LOCK_SECONDS_MAX,
        readers: int = READERS,
    ) -> Self:
        """Open a store's file, new, current or older (which is upgraded); `check` reads all of it first."""
        path = Path(path)
        migrate(path, lock_seconds_max=lock_seconds_max)
        with file.speaking():
            connection = file.connect_writer(path, lock_seconds_max)
            try:
                if check:
                    file.check_file(connection)
                return cls(path, connection, lock_seconds_max=lock_seconds_max, readers=readers)
            except BaseException:
                connection.close()
                raise

    @property
    def path(self) -> Path:
        """The path of the store's file."""
        return self._path

    async def read(self, work: Callable[[Reading], T]) -> T:
        """Run `work` on one consistent snapshot; quick work in this thread, because another thread costs more."""
        if isinstance(work, Quick):
            found: T = self._read_here(work)
            return found
        with self._guard:
            if self._closed:
                raise Unavailable(*CLOSED)
            if self._reads >= READS_WAITING_MAX:
                raise Unavailable(*OVERFULL)
            waiting = self._readers.submit(self._read, work)
            self._reads += 1
        # Not in the work itself: a read that is cancelled before its turn never runs.
        waiting.add_done_callback(self._read_done)
        return await asyncio.wrap_future(waiting)

    async def write(self, work: Callable[[Writing], T]) -> T:
        """Run `work` in one transaction; durable when this returns. What `work` raises undoes it and is raised here."""
        job = Job(work, asyncio.get_running_loop())
        if not isinstance(work, Quick) or not await self._run_here(job):
            self._writer.put(job)
        result: T = await job.future
        return result

    async def _run_here(self, job: Job) -> bool:
        """Let other tasks come first that are ready now: together they share a commit in the writer's thread."""
        self._writer.announce(1)
        try:
            await asyncio.sleep(0)
        finally:
            self._writer.announce(-1)
        return self._writer.run_here(job)

    async def close(self) -> None:
        """Finish work that is under way and close the files."""
        await asyncio.to_thread(self._close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _read_here(self, work: Callable[[Reading], T]) -> T:
        with self._here:  # closing waits until no thread reads
            if self._closed:
                raise Unavailable(*CLOSED)
            try:
                return self._looked(work)
            except Unavailable:
                self._forget(self._quick)
                self._quick = None
                raise

    def _looked(self, work: Callable[[Reading], T]) -> T:
        """Read on the writer's own connection while nobody writes.

        Another connection would have to read from the journal what the writer wrote.
        """
        lent = self._writer.lend()
        if lent is not None:
            try:
                return _seen(lent, work)
            except sqlite3.Error:
                pass  # the writer finds and repairs what is wrong with it; this read can use another connection
            finally:
                self._writer.give_back()
        try:
            return _seen(self._quick_reader(), work)
        except (sqlite3.Error, OSError) as error:
            raise file.said(error) from error

    def _quick_reader(self) -> sqlite3.Connection:
        """Return one connection for all threads that read quickly: they take turns, and threads come and go."""
        if self._quick is None:
            self._quick = file.connect_reader(self._path)
            with self._guard:
                self._connections.append(self._quick)
        return self._quick

    def _read(self, work: Callable[[Reading], T]) -> T:
        try:
            with file.speaking(), file.snapshot(self._reader()) as look:
                return work(look)
        except Unavailable:
            self._drop()
            raise

    def _read_done(self, _: Future[T]) -> None:
        with self._guard:
            self._reads -= 1

    def _reader(self) -> sqlite3.Connection:
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = self._local.connection = file.connect_reader(self._path)
            with self._guard:
                self._connections.append(found)
        return found

    def _drop(self) -> None:
        """Close this thread's connection after an error, so that the next read opens the file anew."""
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        self._local.connection = None
        self._forget(found)

    def _forget(self, connection: sqlite3.Connection | None) -> None:
        if connection is not None:
            with self._guard, closing(connection):
                self._connections.remove(connection)

    def _close(self) -> None:
        with self._guard:
            self._closed = True
        self._readers.shutdown()
        with self._here, self._guard:
            while self._connections:
                self._connections.pop().close()
        self._writer.close()


def _seen(connection: sqlite3.Connection, work: Callable[[Reading], T]) -> T:
    """Run `work` like `snapshot` does, spelled out: this is done for every request."""
    connection.execute("BEGIN")
    try:
        return work(file.look(connection))
    finally:
        try:  # noqa: SIM105 - a context manager costs more than the statement
            connection.execute("ROLLBACK")
        except sqlite3.Error:
            pass
