"""How does blocking work reach PostgreSQL: in which thread, over which connection, for how long, and what if it breaks?

One line is a thread with a connection of its own. A broken connection is thrown away, never repaired; while the server
cannot be reached, only one attempt is made per pause, so that callers hear `Unavailable` at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import psycopg
from psycopg import conninfo

from foureyes.app.ports import Unavailable
from foureyes.store.pg_errors import told

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]

PAUSE_SECONDS_MIN = 0.05
PAUSE_SECONDS_MAX = 2.0
WAITING_MAX = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How many connections at once, and how long anything may take; the lowest end comes first."""

    writers: int = 8
    readers: int = 4
    connect_seconds: int = 5
    lock_seconds: float = 5
    statement_seconds: float = 15
    #: Between two statements of a transaction: time in which our own code decides.
    idle_seconds: float = 60
    #: For a free line.
    wait_seconds: float = 10
    write_seconds: float = 60
    read_seconds: float = 900


class Lines:
    """Some threads, each with its connection."""

    def __init__(self, url: str, limits: Limits, *, check: Callable[[Connection], None], read_only: bool) -> None:
        """Open nothing yet: every line connects when it is first used, and checks whom it has reached."""
        self._conninfo = _conninfo(url, limits, read_only=read_only)
        self._check = check
        self._wait = limits.wait_seconds
        self._seconds = limits.read_seconds if read_only else limits.write_seconds
        threads = limits.readers if read_only else limits.writers
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"foureyes-{'reads' if read_only else 'writes'}")
        self._here = threading.local()
        self._guard = threading.Lock()
        self._open: set[Connection] = set()
        self._pause, self._next_try, self._down = 0.0, 0.0, False
        self._waiting = 0
        self._closed = False

    async def run(self, work: Callable[[Connection], T]) -> T:
        """Run it on a free line; the wait for one is bounded, and so is the work."""
        taken: list[Connection] = []
        future = self._submitted(work, taken)
        result = asyncio.wrap_future(future)
        try:
            done, _ = await asyncio.wait({result}, timeout=self._wait)
            if not done and future.cancel():
                raise Unavailable("The database is busy: no connection became free.", "Ask again in a moment.")
            if not done:
                done, _ = await asyncio.wait({result}, timeout=self._seconds)
            return await (result if done else _cut_off(result, taken))
        except asyncio.CancelledError:
            # Nobody waits any more: what has not begun need not begin.
            result.cancel()
            raise

    def run_here(self, work: Callable[[Connection], T]) -> T:
        """Run it on a line and wait for it in this thread."""
        return self._submitted(work, []).result()

    def close(self) -> None:
        """Let what is under way finish, then hang up."""
        with self._guard:
            self._closed = True
        self._threads.shutdown(wait=True)
        for connection in self._open:
            connection.close()
        self._open.clear()

    def _submitted(self, work: Callable[[Connection], T], taken: list[Connection]) -> Future[T]:
        with self._guard:
            if self._closed:
                raise Unavailable("The store is closed.", "Start it again.")
            if self._waiting >= WAITING_MAX:
                raise Unavailable("Too many commands are waiting.", "Ask again in a moment.")
            self._waiting += 1
            future = self._threads.submit(self._run, work, taken)
        future.add_done_callback(self._done)
        return future

    def _done(self, _: Future[T]) -> None:
        with self._guard:
            self._waiting -= 1

    def _run(self, work: Callable[[Connection], T], taken: list[Connection]) -> T:
        connection = self._connected()
        taken.append(connection)
        try:
            return work(connection)
        finally:
            taken.clear()
            if connection.closed or connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                self._discard(connection)

    def _connected(self) -> Connection:
        kept: Connection | None = getattr(self._here, "connection", None)
        if kept is not None and not kept.closed:
            return kept
        with self._guard:
            if time.monotonic() < self._next_try:
                raise Unavailable("The database cannot be reached.", "Try again in a moment.", down=self._down)
        connection = self._reached()
        with self._guard:
            self._pause, self._next_try = 0.0, 0.0
            self._open.add(connection)
        self._here.connection = connection
        return connection

    def _reached(self) -> Connection:
        try:
            connection = psycopg.connect(self._conninfo, autocommit=True, prepare_threshold=0)
        except psycopg.Error as error:
            raise self._failed(told(error)) from error
        try:
            self._check(connection)
        except psycopg.Error as error:
            said = told(error, broken=connection.closed)
            connection.close()
            raise self._failed(said) from error
        except BaseException:
            connection.close()
            raise
        return connection

    def _failed(self, said: Exception) -> Exception:
        """Pause before the next attempt; whoever comes meanwhile hears the same."""
        with self._guard:
            self._down = isinstance(said, Unavailable) and said.down
            self._pause = min(max(self._pause * 2, PAUSE_SECONDS_MIN), PAUSE_SECONDS_MAX)
            self._next_try = time.monotonic() + self._pause
        return said

    def _discard(self, connection: Connection) -> None:
        self._here.connection = None
        with self._guard:
            self._open.discard(connection)
        with contextlib.suppress(psycopg.Error):
            connection.close()


async def _cut_off(result: Awaitable[T], taken: list[Connection]) -> T:
    """Hang up on work that takes too long.

    The thread learns of it as of any lost connection, and knows best whether the commit was on its way. That it was
    slow is no sign that the server is gone: the next attempt finds out.
    """
    _cut(taken)
    try:
        return await result
    except Unavailable as error:
        error.down = False
        raise


def _cut(taken: list[Connection]) -> None:
    for connection in taken[:]:
        with contextlib.suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)


def _conninfo(url: str, limits: Limits, *, read_only: bool) -> str:
    """What the caller wrote wins over our defaults, except where a promise hangs on it."""
    settings = {
        # In these options a blank within a value is written with a backslash.
        "default_transaction_isolation": r"repeatable\ read" if read_only else r"read\ committed",
        "default_transaction_read_only": "on" if read_only else "off",
        "statement_timeout": f"{limits.statement_seconds * 1000:.0f}",
        "lock_timeout": f"{limits.lock_seconds * 1000:.0f}",
        "idle_in_transaction_session_timeout": f"{limits.idle_seconds * 1000:.0f}",
    }
    said = conninfo.conninfo_to_dict(url)
    options = " ".join([str(said.pop("options", "")), *(f"-c {name}={value}" for name, value in settings.items())])
    defaults: dict[str, Any] = {
        "application_name": "foureyes",
        "connect_timeout": limits.connect_seconds,
        "keepalives_idle": 10,
        "keepalives_interval": 3,
        "keepalives_count": 3,
        "tcp_user_timeout": 20_000,
    }
    return conninfo.make_conninfo(**{**defaults, **said, "options": options.strip()})
