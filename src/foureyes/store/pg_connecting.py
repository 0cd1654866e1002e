"""Connections to PostgreSQL: settings, back-off between attempts, and what happens while the server is away.

A broken connection is thrown away, never repaired; while the server cannot be reached, only one attempt is made per
pause, so that callers get `Unavailable` at once.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import conninfo

from foureyes.app.ports import Unavailable
from foureyes.store.pg_errors import told
from foureyes.store.pg_wire import Connection

PAUSE_SECONDS_MIN = 0.05
PAUSE_SECONDS_MAX = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits on connections and times; where several apply, the lowest one ends first."""

    writers: int = 8
    readers: int = 4
    connect_seconds: int = 5
    lock_seconds: float = 5
    statement_seconds: float = 15
    #: Between two statements of a transaction: the time in which our own code decides.
    idle_seconds: float = 60
    #: How long work waits for a free connection.
    wait_seconds: float = 10
    write_seconds: float = 60
    read_seconds: float = 900


class Connecting:
    """Makes connections of one kind, and remembers whether the server could be reached."""

    def __init__(self, url: str, limits: Limits, *, check: Callable[[Connection], None], read_only: bool) -> None:
        """Connect to nothing yet; `check` is run on every new connection, to verify which server it has reached."""
        self._conninfo = _conninfo(url, limits, read_only=read_only)
        self._check = check
        self._guard = threading.Lock()
        self._pause, self._next_try, self._down = 0.0, 0.0, False

    def connect(self) -> Connection:
        """Open a new connection, unless the server could not be reached a moment ago."""
        with self._guard:
            if time.monotonic() < self._next_try:
                raise Unavailable("The database cannot be reached.", "Try again in a moment.", down=self._down)
        connection = self._reached()
        with self._guard:
            self._pause, self._next_try = 0.0, 0.0
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
        """Pause before the next attempt; callers that come meanwhile get Unavailable."""
        with self._guard:
            self._down = isinstance(said, Unavailable) and said.down
            self._pause = min(max(self._pause * 2, PAUSE_SECONDS_MIN), PAUSE_SECONDS_MAX)
            self._next_try = time.monotonic() + self._pause
        return said


def is_usable(connection: Connection) -> bool:
    """True if another transaction can begin on it."""
    return not connection.closed and connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def hang_up(connection: Connection) -> None:
    """Close a connection, whatever state it is in."""
    with contextlib.suppress(psycopg.Error):
        connection.close()


def cut(connection: Connection) -> None:
    """Shut a connection's socket from another thread; the thread that uses it sees a lost connection."""
    with contextlib.suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


def _conninfo(url: str, limits: Limits, *, read_only: bool) -> str:
    """Merge our defaults with the caller's URL, which wins, except for settings that a guarantee depends on."""
    settings = {
        # In these options a space within a value is written with a backslash.
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
